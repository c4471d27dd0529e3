//! Variables for intervals, timeouts and retries: the default, the value in the manifest and the value in the
//! environment, each measured at the servers.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use super::support::{
    Client, Language, Launch, McpServer, McpTool, ModelServer, Protocol, about, each_language, eventually, gaps,
    manifests, within,
};
use super::variables::{default, looking, model, written};

each_language![
    tools_are_refreshed_after_the_refresh_interval,
    connecting_stops_after_the_dial_timeout,
    calls_stop_after_the_call_timeout,
    retries_stop_after_the_maximum_and_zero_is_unlimited,
    success_resets_the_number_of_retries,
    retry_intervals_are_respected,
    first_retry_interval_may_exceed_the_default_maximum,
    default_intervals_match_the_documentation,
];

fn tools_are_refreshed_after_the_refresh_interval(language: Language) {
    let model = model();
    let reads = |given: &[(&str, &str)]| {
        let alpha = looking();
        let _agent = written(language, &model, &alpha).envs(given).start();
        eventually("the tools were read four times", || alpha.count("tools/list") > 3);
        gaps(&alpha.moments("tools/list"))
    };
    about(&reads(&[]), &[400, 400, 400]);
    about(&reads(&[("A2A_MCP_REFRESH_INTERVAL", "1000ms")]), &[1000, 1000, 1000]);
    let documented =
        fs::read_to_string(language.project(&manifests::one_server()).directory.join("CONFIGURATIONS.md")).unwrap();
    let row = documented.lines().find(|line| line.contains("A2A_MCP_REFRESH_INTERVAL")).unwrap();
    assert!(row.contains("5m"), "the default is too long to wait for: {row}");
}

fn connecting_stops_after_the_dial_timeout(language: Language) {
    let model = model();
    let dials = |given: &[(&str, &str)]| {
        let alpha = looking();
        alpha.set(|manners| manners.hangs = true);
        let _agent = written(language, &model, &alpha).envs(given).start();
        eventually("there was a second attempt", || alpha.count("initialize") > 1);
        gaps(&alpha.moments("initialize"))
    };
    about(&dials(&[]), &[600 + 200]);
    about(&dials(&[("A2A_MCP_DIAL_TIMEOUT", "150ms")]), &[150 + 200]);
}

fn calls_stop_after_the_call_timeout(language: Language) {
    let model = model();
    let calls = |given: &[(&str, &str)]| {
        let alpha = McpServer::start([McpTool::says("look", "looked").after(Duration::from_mins(1))]);
        let agent = written(language, &model, &alpha).envs(given).start();
        agent.wait_for_tool(&model, "alpha__look");
        let begun = Instant::now();
        let answer = agent.raw(Protocol::V1_0).send("look");
        assert_eq!(answer.state, "completed", "{answer:?}");
        [begun.elapsed().as_millis()]
    };
    about(&calls(&[]), &[700]);
    about(&calls(&[("A2A_MCP_CALL_TIMEOUT", "1.2s")]), &[1200]);
}

fn retries_stop_after_the_maximum_and_zero_is_unlimited(language: Language) {
    let model = model();
    let attempts = |launch: fn(Language, &ModelServer, &McpServer) -> Launch, retries: &[(&str, &str)]| {
        let alpha = looking();
        alpha.set(|manners| manners.unavailable = true);
        let pauses = [("A2A_MCP_RETRY_INTERVAL", "50ms"), ("A2A_MCP_RETRY_MAX_INTERVAL", "50ms")];
        let agent = launch(language, &model, &alpha).envs(&pauses).envs(retries).start();
        thread::sleep(Duration::from_millis(1500));
        (alpha.count("initialize"), agent)
    };
    let (tried, agent) = attempts(written, &[]);
    assert_eq!(tried, 4, "one attempt and three retries");
    let error = agent.log().lines().find(|line| line.contains("\"ERROR\"")).unwrap_or_default().to_owned();
    assert!(error.contains("alpha"), "{error:?} in {}", agent.log());
    assert_eq!(agent.get("/health").0, 200);
    assert_eq!(attempts(written, &[("A2A_MCP_MAX_RETRIES", "1")]).0, 2);
    assert!(attempts(written, &[("A2A_MCP_MAX_RETRIES", "0")]).0 > 8);
    assert!(attempts(default, &[]).0 > 8);
}

fn success_resets_the_number_of_retries(language: Language) {
    let (model, alpha) = (model(), looking());
    let agent = written(language, &model, &alpha).env("A2A_MCP_REFRESH_INTERVAL", "50ms").start();
    for _ in 0..5 {
        let listed = alpha.count("tools/list");
        eventually("the tools are read", || alpha.count("tools/list") > listed);
        let tried = alpha.count("initialize");
        alpha.set(|manners| manners.unavailable = true);
        alpha.forget_sessions();
        eventually("two attempts have failed", || alpha.count("initialize") > tried + 1);
        alpha.set(|manners| manners.unavailable = false);
    }
    agent.wait_for_tool(&model, "alpha__look");
    agent.raw(Protocol::V1_0).send("look").completed_with("tool said: looked");
}

fn retry_intervals_are_respected(language: Language) {
    let model = model();
    let pauses = |given: &[(&str, &str)]| {
        let alpha = looking();
        alpha.set(|manners| manners.unavailable = true);
        let _agent = written(language, &model, &alpha).envs(given).start();
        eventually("there were four attempts", || alpha.count("initialize") > 3);
        gaps(&alpha.moments("initialize"))
    };
    about(&pauses(&[]), &[200, 400, 500]);
    let given = [("A2A_MCP_RETRY_INTERVAL", "100ms"), ("A2A_MCP_RETRY_MAX_INTERVAL", "300ms")];
    about(&pauses(&given), &[100, 200, 300]);
}

fn first_retry_interval_may_exceed_the_default_maximum(language: Language) {
    let (model, alpha) = (model(), looking());
    let written = |name: &str, value: &str| written(language, &model, &alpha).env(name, value);
    written("A2A_MCP_RETRY_INTERVAL", "501ms").end().refused_naming(&["A2A_MCP_RETRY_INTERVAL"]);
    written("A2A_MCP_RETRY_MAX_INTERVAL", "199ms").end().refused_naming(&["A2A_MCP_RETRY_MAX_INTERVAL"]);
    default(language, &model, &alpha).env("A2A_MCP_RETRY_INTERVAL", "40s").start();
}

/// The defaults take a minute to measure: 2 s doubling to 30 s between retries, 30 s to connect, 30 s for a call, and
/// unlimited retries.
fn default_intervals_match_the_documentation(language: Language) {
    let alpha = McpServer::start([McpTool::says("look", "looked").after(Duration::from_secs(90))]);
    let (refusing, mute, calm) = (looking(), looking(), looking());
    refusing.set(|manners| manners.unavailable = true);
    mute.set(|manners| manners.hangs = true);
    let model = model();
    let servers = [&alpha, &refusing, &mute, &calm].map(McpServer::url).join(",");
    let agent = default(language, &model, &alpha).env("A2A_MCP_SERVERS", servers).start();
    agent.wait_for_tool(&model, "alpha__look");
    let begun = Instant::now();
    let answer = agent.raw(Protocol::V1_0).send("look");
    assert_eq!(answer.state, "completed", "{answer:?}");
    about(&[begun.elapsed().as_millis()], &[30_000]);
    within(Duration::from_mins(1), "the longest pause is over", || refusing.count("initialize") > 5);
    about(&gaps(&refusing.moments("initialize")), &[2_000, 4_000, 8_000, 16_000, 30_000]);
    about(&gaps(&mute.moments("initialize")), &[32_000]);
    assert_eq!(calm.count("tools/list"), 1, "no refresh within the first minute");
}
