//! Container images that contain the programs that start MCP servers.

/// The images that an agent's container image is built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// The base image; `None` for the default of the language, which contains only the agent.
    pub base: Option<&'static str>,
    /// The image that `uv` and `uvx` are copied from.
    pub uv: Option<&'static str>,
    /// Whether Python is added to a Node.js image.
    pub adds_python: bool,
}

const NODE: &str = "node:24-bookworm-slim";
const PYTHON: &str = "python:3.13-slim-bookworm";
const UV: &str = "ghcr.io/astral-sh/uv:0.9";

const OF_NODE: [&str; 3] = ["npx", "node", "npm"];
const OF_PYTHON: [&str; 3] = ["python", "python3", "pip"];
const OF_UV: [&str; 2] = ["uvx", "uv"];

impl Image {
    /// The image for an agent that is a binary and starts these commands.
    pub fn for_commands<'a>(commands: impl IntoIterator<Item = &'a str>) -> Self {
        let commands: Vec<_> = commands.into_iter().map(str::trim).collect();
        let starts = |programs: &[&str]| commands.iter().any(|command| programs.contains(command));
        let base = if starts(&OF_NODE) {
            Some(NODE)
        } else if starts(&OF_PYTHON) || starts(&OF_UV) {
            Some(PYTHON)
        } else {
            None
        };
        // With a Node.js base image, `uv` downloads the Python version that a server needs.
        Self { base, uv: starts(&OF_UV).then_some(UV), adds_python: false }
    }

    /// The image for an agent that runs on Node.js and starts these commands.
    pub fn of_node<'a>(commands: impl IntoIterator<Item = &'a str>) -> Self {
        let commands: Vec<_> = commands.into_iter().map(str::trim).collect();
        let starts = |programs: &[&str]| commands.iter().any(|command| programs.contains(command));
        Self { base: Some(NODE), uv: starts(&OF_UV).then_some(UV), adds_python: starts(&OF_PYTHON) }
    }

    /// Whether the image contains a program.
    pub fn has(&self, command: &str) -> bool {
        let of_base: &[&str] = match self.base {
            Some(NODE) => &OF_NODE,
            Some(PYTHON) => &OF_PYTHON,
            _ => &[],
        };
        let command = command.trim();
        of_base.contains(&command)
            || (self.uv.is_some() && OF_UV.contains(&command))
            || (self.adds_python && OF_PYTHON.contains(&command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_has_the_usual_launchers() {
        for (commands, base, uv, lacking) in [
            (&[][..], None, false, &[][..]),
            (&["npx"], Some(NODE), false, &[]),
            (&[" uvx "], Some(PYTHON), true, &[]),
            (&["python3", "uv"], Some(PYTHON), true, &[]),
            (&["npx", "uvx"], Some(NODE), true, &[]),
            (&["node", "python"], Some(NODE), false, &["python"]),
            (&["docker", "/usr/bin/npx", "./server"], None, false, &["docker", "/usr/bin/npx", "./server"]),
        ] {
            let image = Image::for_commands(commands.iter().copied());
            assert_eq!((image.base, image.uv.is_some()), (base, uv), "{commands:?}");
            let missing: Vec<_> = commands.iter().filter(|command| !image.has(command)).copied().collect();
            assert_eq!(missing, lacking, "{commands:?}");
            let image = Image::of_node(commands.iter().copied());
            let missing: Vec<_> = commands.iter().filter(|command| !image.has(command)).copied().collect();
            assert_eq!(missing, lacking.iter().copied().filter(|one| *one != "python").collect::<Vec<_>>());
        }
    }
}
