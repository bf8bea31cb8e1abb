//! Cuts source files into units by their syntax: functions, methods, types, modules, constants.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::{Language, Node, Parser};

/// A piece of code that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeUnit {
    /// `code:<path>::<symbol>`, methods `code:<path>::Type::method`; the second of the same name ends in `#2`.
    pub id: String,
    /// `symbol` or `Type::method`.
    pub symbol: String,
    /// The file, with `/`.
    pub path: String,
    /// The comment before it.
    pub doc: String,
    /// Its text; of a type that holds methods, without them.
    pub body: String,
    pub kind: UnitKind,
    /// Whether it only tests other code.
    pub is_test: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitKind {
    /// A function or a method.
    Function,
    /// A struct, enum, trait, interface, class or alias.
    Type,
    /// A module or namespace.
    Module,
    Constant,
    /// A file that is not cut.
    File,
}

impl UnitKind {
    /// How likely it is what somebody looks for, beside a function.
    pub(super) const fn factor(self) -> f32 {
        match self {
            Self::Function => 1.0,
            Self::Type => 0.92,
            Self::Constant | Self::File => 0.8,
            Self::Module => 0.65,
        }
    }
}

/// The languages that can be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tongue {
    Rust,
    TypeScript,
    Tsx,
    JavaScript,
    Python,
    Go,
}

impl Tongue {
    fn of(path: &str) -> Option<Self> {
        Some(match path.rsplit_once('.')?.1 {
            "rs" => Self::Rust,
            "ts" | "mts" | "cts" => Self::TypeScript,
            "tsx" => Self::Tsx,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "py" | "pyi" => Self::Python,
            "go" => Self::Go,
            _ => return None,
        })
    }

    fn grammar(self) -> Language {
        match self {
            Self::Rust => tree_sitter_rust::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::Python => tree_sitter_python::LANGUAGE.into(),
            Self::Go => tree_sitter_go::LANGUAGE.into(),
        }
    }
}

/// What a node of the tree means.
enum NodeMeaning {
    Unit(UnitKind, String),
    /// A unit whose inner functions are its methods.
    Holder(UnitKind, String),
    /// No unit, but inner functions are methods of this type.
    Scope(String),
    Other,
}

/// Cuts a file. One of another language, or without any unit, is one unit `code:<path>`.
pub fn cut(path: &str, source: &str) -> Vec<CodeUnit> {
    let mut units = Tongue::of(path).map(|tongue| walk(tongue, path, source)).unwrap_or_default();
    if units.is_empty() && !source.trim().is_empty() {
        let symbol = path.rsplit('/').next().unwrap_or(path).to_owned();
        units.push(CodeUnit {
            id: format!("code:{path}"),
            symbol,
            path: path.to_owned(),
            doc: String::new(),
            body: source.to_owned(),
            kind: UnitKind::File,
            is_test: is_test_path(path),
        });
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    for unit in &mut units {
        let count = seen.entry(unit.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            unit.id = format!("{}#{count}", unit.id);
        }
    }
    units
}

fn walk(tongue: Tongue, path: &str, source: &str) -> Vec<CodeUnit> {
    let mut parser = Parser::new();
    if parser.set_language(&tongue.grammar()).is_err() {
        return Vec::new();
    }
    let Some(tree) = parser.parse(source, None) else { return Vec::new() };
    let cutter = Cutter { tongue, path, source };
    let mut units = Vec::new();
    let in_test_file = is_test_path(path);
    // A stack of our own: source can nest deeper than the thread's stack is.
    let mut stack = vec![(tree.root_node(), None::<String>, in_test_file)];
    while let Some((node, scope, in_test)) = stack.pop() {
        let (inner_scope, inner_test) = match cutter.meaning(node) {
            NodeMeaning::Unit(kind, name) => {
                units.push(cutter.unit(node, kind, scope.as_deref(), &name, in_test));
                (None, in_test || (kind == UnitKind::Module && is_test_name(&name)))
            }
            NodeMeaning::Holder(kind, name) => {
                units.push(cutter.unit(node, kind, None, &name, in_test));
                (Some(name), in_test)
            }
            NodeMeaning::Scope(name) => (Some(name), in_test),
            NodeMeaning::Other => (scope, in_test),
        };
        for index in (0..node.child_count()).rev() {
            if let Some(child) = node.child(u32::try_from(index).unwrap_or(u32::MAX)) {
                stack.push((child, inner_scope.clone(), inner_test));
            }
        }
    }
    units
}

struct Cutter<'a> {
    tongue: Tongue,
    path: &'a str,
    source: &'a str,
}

impl Cutter<'_> {
    fn text(&self, range: Range<usize>) -> &str {
        self.source.get(range).unwrap_or_default()
    }

    fn field(&self, node: Node<'_>, field: &str) -> Option<String> {
        let text = self.text(node.child_by_field_name(field)?.byte_range());
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The name of a type without its parameters, references and path.
    fn type_name(&self, node: Node<'_>, field: &str) -> Option<String> {
        let text = self.field(node, field)?;
        let bare = text
            .split(['<', '['])
            .next()
            .unwrap_or(&text)
            .trim()
            .trim_start_matches(['&', '*', '('])
            .trim_end_matches(')');
        let bare = bare.rsplit("::").next().unwrap_or(bare).rsplit('.').next().unwrap_or(bare);
        let bare = bare.split_whitespace().last().unwrap_or(bare);
        (!bare.is_empty()).then(|| bare.to_owned())
    }

    fn meaning(&self, node: Node<'_>) -> NodeMeaning {
        if !node.is_named() {
            return NodeMeaning::Other;
        }
        let found = match self.tongue {
            Tongue::Rust => self.rust(node),
            Tongue::TypeScript | Tongue::Tsx | Tongue::JavaScript => self.script(node),
            Tongue::Python => self.python(node),
            Tongue::Go => self.go(node),
        };
        found.unwrap_or(NodeMeaning::Other)
    }

    fn rust(&self, node: Node<'_>) -> Option<NodeMeaning> {
        let name = || self.field(node, "name");
        Some(match node.kind() {
            "function_item" | "function_signature_item" | "macro_definition" => {
                NodeMeaning::Unit(UnitKind::Function, name()?)
            }
            "struct_item" | "enum_item" | "union_item" | "type_item" => NodeMeaning::Unit(UnitKind::Type, name()?),
            "const_item" | "static_item" => NodeMeaning::Unit(UnitKind::Constant, name()?),
            "mod_item" => NodeMeaning::Unit(UnitKind::Module, name()?),
            "trait_item" => NodeMeaning::Holder(UnitKind::Type, name()?),
            "impl_item" => NodeMeaning::Scope(self.type_name(node, "type")?),
            _ => return None,
        })
    }

    fn script(&self, node: Node<'_>) -> Option<NodeMeaning> {
        let name = || self.field(node, "name");
        Some(match node.kind() {
            "function_declaration"
            | "generator_function_declaration"
            | "function_signature"
            | "method_definition"
            | "abstract_method_signature" => NodeMeaning::Unit(UnitKind::Function, name()?),
            "public_field_definition" | "field_definition" if self.is_function(node) => {
                NodeMeaning::Unit(UnitKind::Function, name().or_else(|| self.field(node, "property"))?)
            }
            "class_declaration" | "abstract_class_declaration" => NodeMeaning::Holder(UnitKind::Type, name()?),
            "interface_declaration" | "type_alias_declaration" | "enum_declaration" => {
                NodeMeaning::Unit(UnitKind::Type, name()?)
            }
            "internal_module" | "module" => {
                NodeMeaning::Unit(UnitKind::Module, name()?.trim_matches(['"', '\'']).to_owned())
            }
            "variable_declarator" if is_at_top(node) => {
                let kind = if self.is_function(node) { UnitKind::Function } else { UnitKind::Constant };
                let name = name()?;
                // A pattern such as `{ a, b }` names nothing of its own.
                if name.starts_with(['{', '[']) {
                    return None;
                }
                NodeMeaning::Unit(kind, name)
            }
            _ => return None,
        })
    }

    fn is_function(&self, node: Node<'_>) -> bool {
        node.child_by_field_name("value").is_some_and(|value| {
            matches!(value.kind(), "arrow_function" | "function_expression" | "function" | "generator_function")
        })
    }

    fn python(&self, node: Node<'_>) -> Option<NodeMeaning> {
        Some(match node.kind() {
            "function_definition" => NodeMeaning::Unit(UnitKind::Function, self.field(node, "name")?),
            "class_definition" => NodeMeaning::Holder(UnitKind::Type, self.field(node, "name")?),
            "type_alias_statement" => NodeMeaning::Unit(UnitKind::Type, self.type_name(node, "left")?),
            "assignment" => {
                let top =
                    node.parent().and_then(|parent| parent.parent()).is_some_and(|module| module.kind() == "module");
                let name = self
                    .field(node, "left")
                    .filter(|name| top && name.chars().all(|c| c.is_alphanumeric() || c == '_'))?;
                NodeMeaning::Unit(UnitKind::Constant, name)
            }
            _ => return None,
        })
    }

    fn go(&self, node: Node<'_>) -> Option<NodeMeaning> {
        let name = || self.field(node, "name");
        Some(match node.kind() {
            "function_declaration" => NodeMeaning::Unit(UnitKind::Function, name()?),
            "method_declaration" => {
                let receiver =
                    self.type_name(node, "receiver").map(|receiver| receiver.trim_start_matches('*').to_owned())?;
                NodeMeaning::Unit(UnitKind::Function, format!("{receiver}::{}", name()?))
            }
            "type_spec" | "type_alias" => NodeMeaning::Unit(UnitKind::Type, name()?),
            "const_spec" => NodeMeaning::Unit(UnitKind::Constant, name()?),
            _ => return None,
        })
    }

    fn unit(&self, node: Node<'_>, kind: UnitKind, scope: Option<&str>, name: &str, in_test: bool) -> CodeUnit {
        let symbol = match scope {
            Some(scope) if kind == UnitKind::Function || kind == UnitKind::Constant => format!("{scope}::{name}"),
            Some(_) | None => name.to_owned(),
        };
        CodeUnit {
            id: format!("code:{}::{symbol}", self.path),
            path: self.path.to_owned(),
            doc: self.doc(node),
            body: self.body(node, kind),
            kind,
            is_test: in_test || is_test_name(name) && kind == UnitKind::Module || self.is_marked_test(node),
            symbol,
        }
    }

    /// Of a module or a type that holds functions: its text without them. They are units of their own.
    fn body(&self, node: Node<'_>, kind: UnitKind) -> String {
        let Some(inner) =
            node.child_by_field_name("body").filter(|_| matches!(kind, UnitKind::Type | UnitKind::Module))
        else {
            return self.text(node.byte_range()).to_owned();
        };
        let mut text = self.text(node.start_byte()..inner.start_byte()).to_owned();
        for index in 0..inner.named_child_count() {
            let Some(child) = inner.named_child(u32::try_from(index).unwrap_or(u32::MAX)) else { continue };
            let wrapped = child.child_by_field_name("definition").unwrap_or(child);
            let own = matches!(
                self.meaning(wrapped),
                NodeMeaning::Unit(..) | NodeMeaning::Holder(..) | NodeMeaning::Scope(_)
            );
            if !own || (kind == UnitKind::Type && self.tongue == Tongue::Go) {
                text.push('\n');
                text.push_str(self.text(child.byte_range()));
            }
        }
        text
    }

    /// The comments that stand directly before it.
    fn doc(&self, node: Node<'_>) -> String {
        let mut outer = node;
        // `export`, decorators and declarations wrap what they are about.
        while let Some(parent) = outer.parent().filter(|parent| {
            matches!(
                parent.kind(),
                "export_statement"
                    | "decorated_definition"
                    | "lexical_declaration"
                    | "variable_declaration"
                    | "type_declaration"
                    | "const_declaration"
                    | "expression_statement"
            )
        }) {
            outer = parent;
        }
        let mut comments = Vec::new();
        let mut before = outer.prev_sibling();
        while let Some(sibling) = before {
            match sibling.kind() {
                "line_comment" | "block_comment" | "comment" => comments.push(self.text(sibling.byte_range())),
                "attribute_item" | "decorator" => {}
                _ => break,
            }
            before = sibling.prev_sibling();
        }
        comments.reverse();
        comments.join("\n")
    }

    /// `#[test]`, `#[cfg(test)]`, `#[tokio::test]`.
    fn is_marked_test(&self, node: Node<'_>) -> bool {
        let mut before = node.prev_sibling();
        while let Some(sibling) =
            before.filter(|sibling| matches!(sibling.kind(), "attribute_item" | "line_comment" | "block_comment"))
        {
            if sibling.kind() == "attribute_item" && self.text(sibling.byte_range()).contains("test") {
                return true;
            }
            before = sibling.prev_sibling();
        }
        false
    }
}

/// Whether a declaration stands at the top of its file or namespace.
fn is_at_top(node: Node<'_>) -> bool {
    let declaration = node.parent();
    let outside = declaration.and_then(|declaration| declaration.parent());
    let outside =
        outside.and_then(|outside| if outside.kind() == "export_statement" { outside.parent() } else { Some(outside) });
    outside.is_some_and(|outside| {
        outside.kind() == "program"
            || outside.parent().is_some_and(|above| matches!(above.kind(), "internal_module" | "module"))
    })
}

fn is_test_name(name: &str) -> bool {
    matches!(name, "tests" | "test")
}

fn is_test_path(path: &str) -> bool {
    path.split('/').any(|part| {
        matches!(part, "tests" | "test" | "__tests__" | "testing" | "spec" | "benches")
            || part.starts_with("test_")
            || part.contains(".test.")
            || part.contains(".spec.")
            || part.ends_with("_test.go")
            || part.ends_with("_test.py")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(path: &str, source: &str) -> Vec<String> {
        cut(path, source).into_iter().map(|unit| unit.id.trim_start_matches("code:").to_owned()).collect()
    }

    #[test]
    fn rust_is_cut_into_functions_methods_types_modules_and_constants() {
        let source = "const A: u8 = 1;\nstruct S<T>(T);\nimpl<T> S<T> { fn new() {} }\nimpl Display for S<u8> { fn fmt() {} }\ntrait T { fn t(); }\nmod m { fn inner() {} }\ntype X = u8;\nenum E { A }\nfn f() {}\n";
        assert_eq!(
            ids("a.rs", source),
            [
                "a.rs::A",
                "a.rs::S",
                "a.rs::S::new",
                "a.rs::S::fmt",
                "a.rs::T",
                "a.rs::T::t",
                "a.rs::m",
                "a.rs::inner",
                "a.rs::X",
                "a.rs::E",
                "a.rs::f"
            ]
        );
    }

    #[test]
    fn typescript_javascript_python_and_go_are_cut_too() {
        let ts = "export class C { m() {} arrow = () => 1; }\nexport const f = () => 2;\nconst K = 3;\ninterface I {}\ntype A = string;\nenum E {}\nfunction g() { const inner = 1; }\nnamespace N { export function h() {} }\n";
        assert_eq!(
            ids("a.ts", ts),
            [
                "a.ts::C",
                "a.ts::C::m",
                "a.ts::C::arrow",
                "a.ts::f",
                "a.ts::K",
                "a.ts::I",
                "a.ts::A",
                "a.ts::E",
                "a.ts::g",
                "a.ts::N",
                "a.ts::h"
            ]
        );
        assert_eq!(ids("a.tsx", "export function App() { return <p/>; }"), ["a.tsx::App"]);
        assert_eq!(ids("a.js", "class D { m() {} }\nfunction f() {}\n"), ["a.js::D", "a.js::D::m", "a.js::f"]);
        assert_eq!(
            ids("a.py", "X = 1\nclass P:\n    @property\n    def q(self): pass\ndef r():\n    def s(): pass\n"),
            ["a.py::X", "a.py::P", "a.py::P::q", "a.py::r", "a.py::s"]
        );
        let go = "package p\nconst K = 1\ntype S struct{}\nfunc (s *S) M() {}\nfunc F() {}\n";
        assert_eq!(ids("a.go", go), ["a.go::K", "a.go::S", "a.go::S::M", "a.go::F"]);
    }

    #[test]
    fn units_of_the_same_name_get_ids_of_their_own_and_none_is_lost() {
        assert_eq!(ids("a.rs", "fn f() {}\nfn f() {}\nfn f() {}\n"), ["a.rs::f", "a.rs::f#2", "a.rs::f#3"]);
    }

    #[test]
    fn comments_belong_to_what_follows_and_methods_not_to_the_text_of_their_type() {
        let units = cut("a.rs", "/// Says hello.\n#[inline]\nfn f() {}\n");
        assert_eq!(units[0].doc, "/// Says hello.\n");
        let units = cut("a.py", "class P:\n    x = 1\n    def q(self):\n        secret()\n");
        assert!(units[0].body.contains("x = 1") && !units[0].body.contains("secret"), "{}", units[0].body);
    }

    #[test]
    fn odd_sources_neither_panic_nor_disappear() {
        assert_eq!(ids("ü.rs", "fn größe() { \"ß\" }"), ["ü.rs::größe"]);
        assert_eq!(ids("a.rs", "fn broken( { fn f() {}")[0], "a.rs::f");
        assert_eq!(ids("a.txt", "words"), ["a.txt"]);
        assert!(ids("a.rs", "").is_empty());
        let deep = format!("fn f() {{ {} }}", "(".repeat(5_000));
        assert!(!ids("a.rs", &deep).is_empty());
        let minified = format!("function a(){{return 1}}{}", "var x=1;".repeat(5_000));
        assert!(ids("a.js", &minified).len() > 1);
    }
}
