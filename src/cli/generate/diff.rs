//! `--diff` and `--check`: what would change, line by line.

use super::super::Printer;
use crate::host;
use crate::ops::Generated;

/// Prints the diff of every file that would change, coloured on a terminal.
pub(super) fn print(generated: &Generated, printer: &mut Printer) {
    let coloured = host::stdout_wants_colour();
    for diff in generated.changes.iter().map(|change| generated.diff(change)) {
        printer.text(&if coloured { painted(&diff) } else { diff });
    }
}

const RESET: &str = "\x1b[0m";

fn painted(diff: &str) -> String {
    let lines = diff.lines().enumerate().map(|(index, line)| {
        let colour = match line.as_bytes() {
            // The names of both sides.
            _ if index < 2 => "\x1b[1m",
            [b'-', ..] => "\x1b[31m",
            [b'+', ..] => "\x1b[32m",
            [b'@', ..] => "\x1b[36m",
            _ => return format!("{line}\n"),
        };
        format!("{colour}{line}{RESET}\n")
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::painted;

    #[test]
    fn each_kind_of_line_has_its_colour() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n c\n";
        let expected = "\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n\x1b[31m-a\x1b[0m\n\x1b[32m+b\x1b[0m\n c\n";
        assert_eq!(painted(diff), expected);
    }
}
