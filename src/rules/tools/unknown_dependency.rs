//! Checks that the dependencies under `inject` exist.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::names::closest;
use crate::rules::at;

use super::own_tools;

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let services = keys(root, "services");
    let sections: Vec<_> = keys(root, "config").into_iter().filter(|section| *section != "tools").collect();
    let injected = own_tools(root).filter_map(|(_, tool)| tool.get("inject")).flat_map(View::items);
    injected.filter_map(|view| finding(view, view.as_str()?, &services, &sections)).collect()
}

fn keys<'a>(root: View<'a>, block: &str) -> Vec<&'a str> {
    at(root, &["spec", block]).into_iter().flat_map(View::entries).map(|(name, _)| name).collect()
}

fn finding(view: View<'_>, wanted: &str, services: &[&str], sections: &[&str]) -> Option<Diagnostic> {
    let (headline, help) = match wanted.split_once('.') {
        Some(("config", "tools")) => (
            "`config.tools` is reserved for built-in tools and cannot be injected".to_owned(),
            "name another section, or `config` for all of them".to_owned(),
        ),
        Some(("config", rest)) => {
            let section = rest.split('.').next().unwrap_or_default();
            if sections.contains(&section) {
                return None;
            }
            let help = match closest(section, sections.iter().copied()) {
                Some(meant) => format!("did you mean `config.{meant}`?"),
                None => format!("add the section `{section}` under `spec.config`"),
            };
            (format!("`spec.config` has no section `{section}`"), help)
        }
        _ if matches!(wanted, "logger" | "config") || services.contains(&wanted) => return None,
        _ => {
            let known = services.iter().copied().chain(["logger", "config"]);
            let help = match closest(wanted, known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("add the service `{wanted}` under `spec.services`"),
            };
            (format!("`{wanted}` is not a service, `logger` or `config`"), help)
        }
    };
    Some(Diagnostic::new(Code::UnknownDependency, view.span(), headline).help(help))
}
