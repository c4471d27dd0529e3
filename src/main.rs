//! The `adl` command.

fn main() {}
