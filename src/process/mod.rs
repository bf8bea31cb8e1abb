//! Child processes in groups of their own, with bounded output, and the switch that stops a run. *Edge*

mod child;
pub mod leftovers;
mod stop;

pub use child::{
    Capture, Finished, OutputReader, ProcessEnd, Spawn, StartError, ended, kill_group, run as run_process,
    start as start_process, terminate,
};
pub use stop::{Stop, stop_on_signals};
