//! Developer commands of Hekla: `cargo xtask COMMAND`.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match hekla_xtask::cli::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
