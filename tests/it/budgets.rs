//! Size limits of generated projects. Owners review their projects, so everything that is added to every project must
//! be worth it.

use std::{fs, path::Path};

use crate::support::{FOLDER, Sandbox};

const LOCK_FILES: [&str; 3] = ["go.sum", "package-lock.json", "Cargo.lock"];

/// The maximum size of the project of an example: the number of files and of lines.
struct Budget {
    example: &'static str,
    language: &'static str,
    code: (usize, usize),
    tests: (usize, usize),
    /// All files except those in `.adl`; lines without those of the lock file.
    all: (usize, usize),
}

/// The goal for the code is (20, 3400) with MCP servers and (12, 1300) without a model. Current features need more.
/// Lower the limits whenever code is removed.
const BUDGETS: [Budget; 6] = [
    Budget { example: "mcp", language: "go", code: (20, 3890), tests: (4, 350), all: (31, 4500) },
    Budget { example: "minimal", language: "go", code: (10, 1340), tests: (4, 350), all: (19, 1670) },
    // The goal for the code is (20, 3000) with MCP servers, in TypeScript and in Rust.
    Budget { example: "mcp", language: "typescript", code: (19, 3330), tests: (1, 130), all: (35, 4000) },
    Budget { example: "minimal", language: "typescript", code: (15, 1500), tests: (3, 100), all: (35, 2000) },
    Budget { example: "mcp", language: "rust", code: (20, 5040), tests: (1, 130), all: (33, 5740) },
    Budget { example: "minimal", language: "rust", code: (11, 1950), tests: (1, 60), all: (22, 2260) },
];

/// The manifest of an example, which is a Go agent, in a language. Only Go agents have default transports.
fn manifest(example: &str, language: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{example}.yaml"));
    let manifest = fs::read_to_string(path).unwrap();
    if language == "go" {
        return manifest;
    }
    let (before, block) = manifest.split_once("    go:\n").unwrap();
    let rest: String = block.split_inclusive('\n').skip(2).collect();
    let before = before.replacen("      servers:\n", "      transports: [http]\n      servers:\n", 1);
    let block = match language {
        "typescript" => "    typescript: { packageName: example, nodeVersion: \"24\" }\n",
        _ => "    rust: { packageName: example, version: \"1.88\", edition: \"2024\" }\n",
    };
    format!("{before}{block}{rest}")
}

#[test]
fn examples_stay_within_their_budgets() {
    for Budget { example, language, code, tests, all } in BUDGETS {
        let sandbox = Sandbox::new().file("agent.yaml", &manifest(example, language));
        sandbox.run(&["generate", "-f", "agent.yaml", "-o", "out"]).exits(0);
        let files = sandbox.snapshot("out");
        let (own, project): (Vec<_>, Vec<_>) =
            files.iter().filter(|(_, text)| *text != FOLDER).partition(|(path, _)| path.starts_with(".adl"));
        let count = |counts: &dyn Fn(&Path) -> bool| {
            let counted: Vec<_> = project.iter().filter(|(path, _)| counts(path)).map(|(_, text)| *text).collect();
            (counted.len(), counted.iter().map(|text| text.lines().count()).sum::<usize>())
        };
        let is_code = |path: &Path| {
            path.extension().is_some_and(|extension| ["go", "ts", "rs"].iter().any(|known| extension == *known))
        };
        let is_test = |path: &Path| {
            let ends = [".test.ts", "_test.go", "tests/agent.rs"];
            is_code(path) && ends.iter().any(|end| path.to_string_lossy().ends_with(end))
        };
        let (count_of_all, _) = count(&|_| true);
        let (_, lines_of_all) = count(&|path| !LOCK_FILES.iter().any(|lock| path == Path::new(lock)));
        for (what, found, budget) in [
            ("code", count(&|path| is_code(path) && !is_test(path)), code),
            ("tests", count(&is_test), tests),
            ("all files", (count_of_all, lines_of_all), all),
        ] {
            assert!(
                found.0 <= budget.0 && found.1 <= budget.1,
                "{example}, {language}, {what}: {found:?}, more than {budget:?}"
            );
        }
        assert!(own.len() <= 3, "{own:?}");
    }
}
