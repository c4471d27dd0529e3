//! `spec.language.go.module` must be a path that Go accepts, or the project does not compile.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::rules::at;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let module = at(root, &["spec", "language", "go", "module"]);
    let fault = module.and_then(|view| Some((view, fault(view.as_str().filter(|path| !path.trim().is_empty())?)?)));
    let Some((view, fault)) = fault else { return Vec::new() };
    vec![
        Diagnostic::new(
            Code::InvalidModulePath,
            view.span(),
            format!("`spec.language.go.module` is no module path: {fault}"),
        )
        .help("write a path like `example.com/team/agent`"),
    ]
}

/// What Go refuses in a module path (`golang.org/x/mod/module.CheckImportPath`).
fn fault(path: &str) -> Option<&'static str> {
    let legal = |c: char| c.is_ascii_alphanumeric() || "-._~+/".contains(c);
    if !path.chars().all(legal) {
        return Some("it may have ASCII letters, digits and `-._~+/` only");
    }
    if path.starts_with('-') {
        return Some("it begins with `-`");
    }
    path.split('/').find_map(|element| match element {
        "" => Some("it has an empty part between slashes"),
        _ if element.starts_with('.') || element.ends_with('.') => Some("one of its parts begins or ends with a dot"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn agrees_with_go() {
        for path in ["example.com/team/agent", "agent", "github.com/Org/Repo-1_x~y", "gopkg.in/yaml.v3", "a+b"] {
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
        ] {
            assert!(fault(path).is_some(), "{path}");
        }
    }
}
