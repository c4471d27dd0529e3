//! Checks that intervals and timeouts are positive, and that the first retry interval does not exceed the maximum.

use crate::diagnostics::{Code, Diagnostic};
use crate::document::View;
use crate::manifest::duration::parse;
use crate::mcp::defaults;

use super::Block;

const FIELDS: [&str; 5] = ["refreshInterval", "dialTimeout", "callTimeout", "retryInterval", "retryMaxInterval"];

pub(super) fn check(root: View<'_>) -> Vec<Diagnostic> {
    let Some(block) = Block::enabled(root) else { return Vec::new() };
    let not_positive = FIELDS.iter().filter_map(|field| not_positive(field, block.view.get(field)?));
    not_positive.chain(above_maximum(block.view)).collect()
}

fn not_positive(field: &str, view: View<'_>) -> Option<Diagnostic> {
    let duration = parse(view.as_str()?).ok()?;
    if duration.0 > 0 {
        return None;
    }
    let headline = format!("`spec.agent.mcp.{field}` must be positive");
    Some(
        Diagnostic::new(Code::NonPositiveDuration, view.span(), headline)
            .help("write a duration such as `30s`, or remove the key"),
    )
}

fn above_maximum(block: View<'_>) -> Option<Diagnostic> {
    let positive = |text: &str| parse(text).ok().filter(|duration| duration.0 > 0);
    let maximum_view = block.get("retryMaxInterval")?;
    let maximum = positive(maximum_view.as_str()?)?;
    let written = block.get("retryInterval");
    let interval = positive(written.map_or(Some(defaults::RETRY_INTERVAL), View::as_str)?)?;
    if interval <= maximum {
        return None;
    }
    let (shown, limit) = (interval.short(), maximum.short());
    let Some(view) = written else {
        let headline = format!("`retryMaxInterval` ({limit}) is less than the first retry interval ({shown})");
        let finding = Diagnostic::new(Code::RetryIntervalAboveMaximum, maximum_view.span(), headline);
        let finding = finding.note(format!("`retryInterval` is not set and defaults to {shown}"));
        return Some(finding.help(format!("also set `retryInterval: {limit}`")));
    };
    let headline = format!("`retryInterval` ({shown}) is greater than `retryMaxInterval` ({limit})");
    let finding = Diagnostic::new(Code::RetryIntervalAboveMaximum, view.span(), headline);
    let finding = finding.related(maximum_view.span(), "the maximum");
    Some(finding.help(format!("write at most `{limit}`, or raise `retryMaxInterval`")))
}
