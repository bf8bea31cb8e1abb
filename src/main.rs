//! Arguments in, exit code out; nothing else.

fn main() -> std::process::ExitCode {
    evalratchet::main()
}
