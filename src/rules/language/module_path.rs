//! Checks that `spec.language.go.module` is a module path that Go accepts; otherwise the project does not compile.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::names::is_device;
use crate::rules::at;

/// Packages of the standard library, and names that the go command reserves: it cannot build a module named `C` or test
/// a module named `main`.
const STANDARD_LIBRARY: &str = include_str!("standard_library.txt");

/// The modules that generated agents require.
const REQUIRED: [&str; 26] = [
    "github.com/a2aproject/a2a-go",
    "github.com/a2aproject/a2a-go/v2",
    "github.com/coder/websocket",
    "github.com/google/jsonschema-go",
    "github.com/google/uuid",
    "github.com/modelcontextprotocol/go-sdk",
    "github.com/openai/openai-go/v3",
    "github.com/segmentio/asm",
    "github.com/segmentio/encoding",
    "github.com/sethvargo/go-envconfig",
    "github.com/tidwall/gjson",
    "github.com/tidwall/match",
    "github.com/tidwall/pretty",
    "github.com/tidwall/sjson",
    "github.com/yosida95/uritemplate/v3",
    "golang.org/x/mod",
    "golang.org/x/net",
    "golang.org/x/oauth2",
    "golang.org/x/sync",
    "golang.org/x/sys",
    "golang.org/x/text",
    "golang.org/x/time",
    "google.golang.org/genproto/googleapis/api",
    "google.golang.org/genproto/googleapis/rpc",
    "google.golang.org/grpc",
    "google.golang.org/protobuf",
];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let module = at(root, &["spec", "language", "go", "module"]);
    let fault = module.and_then(|view| Some((view, fault(view.as_str().filter(|path| !path.trim().is_empty())?)?)));
    let Some((view, fault)) = fault else { return Vec::new() };
    vec![
        Diagnostic::new(
            Code::InvalidModulePath,
            view.span(),
            format!("`spec.language.go.module` is not a valid module path: {fault}"),
        )
        .help("write a path such as `example.com/team/agent`"),
    ]
}

/// Returns the reason if Go rejects the module path (`golang.org/x/mod/module.CheckImportPath`) or cannot build a
/// program with it.
fn fault(path: &str) -> Option<&'static str> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._~+/".contains(c);
    if !path.chars().all(is_allowed) {
        return Some("only ASCII letters, digits and `-._~+/` are allowed");
    }
    if STANDARD_LIBRARY.lines().any(|package| package == path) {
        return Some("the name is reserved by Go");
    }
    if REQUIRED
        .iter()
        .any(|module| path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    {
        return Some("it is the path of a module that the agent uses");
    }
    path.split('/').find_map(|element| match element {
        "" => Some("it contains an empty path element"),
        "vendor" => Some("`vendor` is reserved by Go"),
        _ if element.starts_with(['-', '~']) => Some("a path element starts with `-` or `~`"),
        _ if element.starts_with('.') || element.ends_with('.') => Some("a path element starts or ends with a dot"),
        _ if is_device(element) => Some("a path element is a device name on Windows"),
        _ if is_short_name(element) => Some("a path element looks like a Windows short name, with `~` and a number"),
        _ => None,
    })
}

/// Whether the part before the first dot ends in `~` and digits, as in a Windows short name.
fn is_short_name(element: &str) -> bool {
    let stem = element.split('.').next().unwrap_or_default();
    let number = stem.rsplit_once('~').map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::{REQUIRED, fault};

    #[test]
    fn agrees_with_go() {
        for path in [
            "example.com/team/agent",
            "agent",
            "github.com/Org/Repo-1_x~y",
            "gopkg.in/yaml.v3",
            "a+b",
            "image/agent",
            "a/main",
            "a/C",
            "internal",
            "github.com/google/uuid2",
        ] {
            assert_eq!(fault(path), None, "{path}");
        }
        for path in [
            "my module",
            "https://x.com/y",
            "/a",
            "a/",
            "a//b",
            "a/../b",
            "./a",
            "-a",
            "a/b.",
            "ä",
            "a\"b",
            "a@v1",
            "a\n",
            "fmt",
            "net/http",
            "std",
            "cmd",
            "go",
            "toolchain",
            "main",
            "C",
            "all",
            "vendor/x",
            "a/vendor/b",
            "a/-b",
            "~x",
            "a/~b",
            "a/b~1",
            "a/con",
            "a/NUL.x",
            "github.com/google/uuid",
            "github.com/a2aproject/a2a-go/v2/a2asrv",
        ] {
            assert!(fault(path).is_some(), "{path}");
        }
    }

    #[test]
    fn lists_all_required_modules() {
        let lines = include_str!("../../targets/go/modules.txt").lines();
        let requirements = lines.filter(|line| line.starts_with("direct ") || line.starts_with("indirect "));
        let mut modules: Vec<_> = requirements.filter_map(|line| line.split(' ').nth(2)).collect();
        modules.sort_unstable();
        modules.dedup();
        assert_eq!(modules, REQUIRED);
    }
}
