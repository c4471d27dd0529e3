//! The Go files of a project that its manifest decides: entry point, configuration, card, tools or handler, and its own tests.
//! Everything else is run-time code ([`runtime`]).

use serde::Serialize;

use super::{GoProject, config, modules, runtime};
use crate::{
    merge::Strategy,
    project::{Card, Feature, Project, Protocol},
    render::{PlannedFile, source},
};

/// What the entry point, the tests and the user's first files print.
#[derive(Debug, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a feature that a template asks for")]
struct Program<'a> {
    module: &'a str,
    binary: &'a str,
    has_model: bool,
    has_mcp: bool,
    has_remote_mcp: bool,
    has_http_mcp: bool,
    has_tools: bool,
    has_history: bool,
    has_streaming: bool,
    has_v03: bool,
    has_security: bool,
}

/// What the agent card prints.
#[derive(Debug, Serialize)]
struct CardContext<'a> {
    name: &'a str,
    description: &'a str,
    version: &'a str,
    /// The version of the protocol for clients of A2A 0.3, where these are served.
    card_version: Option<&'a str>,
    card: &'a Card,
}

pub(super) fn plan(go: &GoProject<'_>) -> Vec<PlannedFile> {
    let program = program(go);
    let mut files = runtime::plan(go.project, go.module);
    files.extend(module_files(go));
    files.extend([
        PlannedFile::generated("main.go", source!("go/main.go.j2").fill(&program)),
        PlannedFile::generated("main_test.go", source!("go/main_test.go.j2").fill(&program)),
        PlannedFile::generated("config.go", source!("go/config.go.j2").fill(config::context(go))),
        PlannedFile::generated("internal/card/card.go", source!("go/internal/card/card.go.j2").fill(card(go.project))),
    ]);
    if go.project.has(Feature::Handler) {
        files.push(PlannedFile::seeded("handler/handler.go", source!("go/handler/handler.go.j2").fill(&program)));
    }
    if go.project.has(Feature::Tools) {
        files.extend(tools(go));
    }
    files
}

fn program<'a>(go: &GoProject<'a>) -> Program<'a> {
    let has = |feature| go.project.has(feature);
    Program {
        module: go.module,
        binary: go.binary(),
        has_model: has(Feature::Model),
        has_mcp: has(Feature::Mcp),
        has_remote_mcp: has(Feature::Http) || has(Feature::Sse),
        has_http_mcp: has(Feature::Http),
        has_tools: has(Feature::Tools),
        has_history: has(Feature::History),
        has_streaming: has(Feature::Streaming),
        has_v03: has(Feature::V03),
        has_security: !go.project.card.security_schemes.is_empty(),
    }
}

fn card(project: &Project) -> CardContext<'_> {
    let card = &project.card;
    CardContext {
        name: &project.name,
        description: &project.description,
        version: &project.version,
        card_version: (card.protocol == Protocol::Both).then_some(card.protocol_version.as_str()),
        card,
    }
}

fn module_files(go: &GoProject<'_>) -> [PlannedFile; 2] {
    #[derive(Serialize)]
    struct Requirements<'a> {
        module: &'a str,
        go_directive: String,
        blocks: Vec<Vec<&'static str>>,
    }
    #[derive(Serialize)]
    struct Sums {
        lines: Vec<&'static str>,
    }
    let modules = modules::needed(go.project);
    let requirements = Requirements {
        module: go.module,
        go_directive: go.version.directive().to_string(),
        blocks: modules.requirements,
    };
    let sums = Sums { lines: modules.sums };
    [
        PlannedFile::shared("go.mod", Strategy::GoModule, source!("go/go.mod.j2").fill(requirements)),
        PlannedFile::shared("go.sum", Strategy::GoSums, source!("go/go.sum.j2").fill(sums)),
    ]
}

fn tools(go: &GoProject<'_>) -> Vec<PlannedFile> {
    #[derive(Serialize)]
    struct Catalog<'a> {
        module: &'a str,
        tools: &'a [super::tools::Tool<'a>],
    }
    #[derive(Serialize)]
    struct One<'a> {
        tool: &'a super::tools::Tool<'a>,
    }
    let catalog = Catalog { module: go.module, tools: &go.tools };
    let mut files = vec![
        PlannedFile::seeded("tools/tools.go", source!("go/tools/tools.go.j2").fill(())),
        PlannedFile::generated("tools/catalog.go", source!("go/tools/catalog.go.j2").fill(catalog)),
    ];
    for tool in &go.tools {
        files.push(PlannedFile::seeded(&tool.file, source!("go/tools/tool.go.j2").fill(One { tool })));
        files.push(PlannedFile::seeded(&tool.test_file, source!("go/tools/tool_test.go.j2").fill(One { tool })));
    }
    files
}
