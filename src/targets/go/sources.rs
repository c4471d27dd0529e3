//! The Go files of a project.
//!
//! A template is printed when what it is for is part of the project; there is no file and no line for anything else.

use minijinja::{Value, context, value::Serde};

use super::{GoProject, config, modules};
use crate::{
    merge::Strategy,
    project::{Protocol, providers::PROVIDERS},
    render::{PlannedFile, Source, source},
};

/// A file and the template that it is printed from.
type Printed = (&'static str, Source);

/// Files that are printed from the templates of the same names.
macro_rules! sources {
    ($($path:literal),* $(,)?) => { &[$(($path, source!("go/", $path, ".j2"))),*] };
}

/// Go files that every agent has.
const ALWAYS: &[Printed] = sources![
    "internal/agent/executor.go",
    "internal/agent/executor_test.go",
    "internal/agent/responder.go",
    "internal/agent/run.go",
    "internal/agent/states.go",
    "internal/agent/text.go",
    "internal/card/card_test.go",
    "internal/config/config_test.go",
    "internal/config/environment.go",
    "internal/config/server.go",
    "internal/logging/logging.go",
    "internal/logging/logging_test.go",
    "internal/server/cancel.go",
    "internal/server/cancel_test.go",
    "internal/server/errors.go",
    "internal/server/handler.go",
    "internal/server/middleware.go",
    "internal/server/refusals.go",
    "internal/server/refusals_test.go",
    "internal/server/routes.go",
    "internal/server/rpc.go",
    "internal/server/server.go",
    "internal/server/server_test.go",
    "internal/server/webhooks.go",
    "internal/server/webhooks_test.go",
    "internal/tasks/list.go",
    "internal/tasks/store.go",
    "internal/tasks/store_test.go",
];

/// Go files of an agent with a language model.
const MODEL: &[Printed] = sources![
    "internal/agent/conversation.go",
    "internal/agent/cut.go",
    "internal/agent/cut_test.go",
    "internal/agent/failure.go",
    "internal/agent/loop.go",
    "internal/agent/loop_test.go",
    "internal/agent/paragraphs.go",
    "internal/agent/question.go",
    "internal/agent/recent.go",
    "internal/agent/recent_test.go",
    "internal/config/model.go",
    "internal/config/model_test.go",
    "internal/llm/client.go",
    "internal/llm/client_test.go",
    "internal/llm/completion.go",
    "internal/llm/error.go",
    "internal/llm/message.go",
    "internal/llm/provider.go",
    "internal/llm/provider_test.go",
    "internal/llm/silence.go",
    "internal/tool/set.go",
    "internal/tool/tool.go",
    "internal/tool/tool_test.go",
    "tools/tools_test.go",
];

/// Go files of an agent that the user's handler answers for.
const HANDLER: &[Printed] =
    sources!["handler/message.go", "internal/agent/handler.go", "internal/agent/handler_test.go"];

/// Go files of an agent with MCP servers.
const MCP: &[Printed] = sources![
    "mcp.go",
    "mcp_test.go",
    "internal/config/mcp_test.go",
    "internal/mcp/call.go",
    "internal/mcp/call_test.go",
    "internal/mcp/catalogue.go",
    "internal/mcp/catalogue_test.go",
    "internal/mcp/client.go",
    "internal/mcp/client_test.go",
    "internal/mcp/command.go",
    "internal/mcp/content.go",
    "internal/mcp/content_test.go",
    "internal/mcp/endpoint.go",
    "internal/mcp/headers.go",
    "internal/mcp/names.go",
    "internal/mcp/names_test.go",
    "internal/mcp/origin.go",
    "internal/mcp/origin_test.go",
    "internal/mcp/redact.go",
    "internal/mcp/redact_test.go",
    "internal/mcp/references.go",
    "internal/mcp/scripted_test.go",
    "internal/mcp/selector.go",
    "internal/mcp/selector_test.go",
    "internal/mcp/servers.go",
    "internal/mcp/servers_test.go",
    "internal/mcp/session.go",
    "internal/mcp/sessionid.go",
    "internal/mcp/stream.go",
    "internal/mcp/stream_test.go",
    "internal/mcp/supervisor.go",
    "internal/mcp/supervisor_test.go",
    "internal/mcp/transport.go",
    "internal/mcp/transport_test.go",
];

pub(super) fn plan(go: &GoProject<'_>) -> Vec<PlannedFile> {
    let project = go.project;
    let mut files = alike(go, ALWAYS);
    files.extend(module_files(go));
    files.push(PlannedFile::generated("main.go", source!("go/main.go.j2").fill(main(go))));
    files.push(PlannedFile::generated("main_test.go", source!("go/main_test.go.j2").fill(main(go))));
    files.push(PlannedFile::generated("internal/card/card.go", source!("go/internal/card/card.go.j2").fill(card(go))));
    files.push(PlannedFile::generated(
        "internal/config/config.go",
        source!("go/internal/config/config.go.j2")
            .fill(context! { groups => Serde(config::groups(project)), scheme => &project.server.scheme }),
    ));
    files.extend(protocols(go));
    if project.model.is_some() {
        files.extend(alike(go, MODEL));
        let providers = context! { providers => Serde(PROVIDERS) };
        files.push(PlannedFile::generated(
            "internal/llm/providers.go",
            source!("go/internal/llm/providers.go.j2").fill(providers),
        ));
        files.extend(tools(go));
    } else {
        files.extend(alike(go, HANDLER));
        files.push(PlannedFile::seeded("handler/handler.go", source!("go/handler/handler.go.j2").fill(())));
    }
    if let Some(mcp) = &project.mcp {
        files.extend(alike(go, MCP));
        let context = context! { module => go.module, mcp => Serde(mcp) };
        files.push(PlannedFile::generated(
            "internal/config/mcp.go",
            source!("go/internal/config/mcp.go.j2").fill(context),
        ));
    }
    files
}

fn main(go: &GoProject<'_>) -> Value {
    context! {
        module => go.module,
        binary => go.binary(),
        has_model => go.project.model.is_some(),
        has_mcp => go.project.mcp.is_some(),
    }
}

fn card(go: &GoProject<'_>) -> Value {
    context! {
        module => go.module,
        name => &go.project.name,
        description => &go.project.description,
        version => &go.project.version,
        card => Serde(&go.project.card),
    }
}

fn module_files(go: &GoProject<'_>) -> [PlannedFile; 2] {
    let modules = modules::needed(go.project);
    let requirements = context! {
        module => go.module,
        go_directive => go.version.directive().to_string(),
        blocks => modules.requirements,
    };
    [
        PlannedFile::shared("go.mod", Strategy::GoModule, source!("go/go.mod.j2").fill(requirements)),
        PlannedFile::shared(
            "go.sum",
            Strategy::GoSums,
            source!("go/go.sum.j2").fill(context! { lines => modules.sums }),
        ),
    ]
}

/// The one file that knows which protocol versions there are, and its test.
fn protocols(go: &GoProject<'_>) -> [PlannedFile; 2] {
    let (code, test) = match go.project.card.protocol {
        Protocol::Both => (
            source!("go/internal/server/protocols_both.go.j2"),
            source!("go/internal/server/protocols_both_test.go.j2"),
        ),
        Protocol::One => {
            (source!("go/internal/server/protocols_one.go.j2"), source!("go/internal/server/protocols_one_test.go.j2"))
        }
    };
    let context = context! { module => go.module, card_version => &go.project.card.protocol_version };
    [
        PlannedFile::generated("internal/server/protocols.go", code.fill(&context)),
        PlannedFile::generated("internal/server/protocols_test.go", test.fill(&context)),
    ]
}

fn tools(go: &GoProject<'_>) -> Vec<PlannedFile> {
    let context = context! { module => go.module, tools => Serde(&go.tools) };
    let mut files = vec![PlannedFile::generated("tools/tools.go", source!("go/tools/tools.go.j2").fill(context))];
    files.extend(go.tools.iter().map(|tool| {
        PlannedFile::seeded(&tool.file, source!("go/tools/tool.go.j2").fill(context! { tool => Serde(tool) }))
    }));
    files
}

/// Files in which nothing but the module path differs from project to project.
fn alike(go: &GoProject<'_>, sources: &[Printed]) -> Vec<PlannedFile> {
    let context = context! { module => go.module };
    sources.iter().map(|(path, template)| PlannedFile::generated(path, template.fill(&context))).collect()
}
