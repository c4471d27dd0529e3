//! Size limits of generated projects. Owners review their projects, so everything that is added to every project must
//! be worth it.

use std::path::Path;

use crate::support::{FOLDER, Sandbox};

/// The maximum size of the project of an example: the number of files and of lines.
struct Budget {
    example: &'static str,
    code: (usize, usize),
    tests: (usize, usize),
    /// All files except those in `.adl`; lines without those of `go.sum`.
    all: (usize, usize),
}

/// The goal for the code is (20, 3400) with MCP servers and (12, 1300) without a model. Current features need more.
/// Lower the limits whenever code is removed.
const BUDGETS: [Budget; 2] = [
    Budget { example: "mcp", code: (20, 3890), tests: (4, 350), all: (31, 4500) },
    Budget { example: "minimal", code: (10, 1340), tests: (4, 350), all: (19, 1670) },
];

#[test]
fn examples_stay_within_their_budgets() {
    for Budget { example, code, tests, all } in BUDGETS {
        let sandbox = Sandbox::new();
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{example}.yaml"));
        sandbox.run(&["generate", "-f", manifest.to_str().unwrap(), "-o", "out"]).exits(0);
        let files = sandbox.snapshot("out");
        let (own, project): (Vec<_>, Vec<_>) =
            files.iter().filter(|(_, text)| *text != FOLDER).partition(|(path, _)| path.starts_with(".adl"));
        let count = |counts: &dyn Fn(&Path) -> bool| {
            let counted: Vec<_> = project.iter().filter(|(path, _)| counts(path)).map(|(_, text)| *text).collect();
            (counted.len(), counted.iter().map(|text| text.lines().count()).sum::<usize>())
        };
        let is_go = |path: &Path| path.extension().is_some_and(|extension| extension == "go");
        let is_test = |path: &Path| is_go(path) && path.to_string_lossy().ends_with("_test.go");
        let (count_of_all, _) = count(&|_| true);
        let (_, lines_of_all) = count(&|path| path != Path::new("go.sum"));
        for (what, found, budget) in [
            ("Go files", count(&|path| is_go(path) && !is_test(path)), code),
            ("tests", count(&is_test), tests),
            ("all files", (count_of_all, lines_of_all), all),
        ] {
            assert!(found.0 <= budget.0 && found.1 <= budget.1, "{example}, {what}: {found:?}, more than {budget:?}");
        }
        assert!(own.len() <= 3, "{own:?}");
    }
}
