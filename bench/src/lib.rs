//! What twinlab is tested against and measured with: a model server with faults on demand, the bare client that
//! marks what the machine could do, and the inputs that both the bare client and twinlab are given.

pub mod client;
pub mod inputs;
pub mod process;
pub mod stub;
