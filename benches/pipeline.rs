//! Benchmarks of the steps of a command in one process: `cargo bench`.

use std::fmt::Write as _;
use std::hint::black_box;

use adl::diagnostics::{FileId, Sources, Style, render_text};
use adl::project::Project;
use adl::{document, manifest, render, rules, targets};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// A manifest with `count` tools, each about 500 bytes long.
fn manifest(count: usize) -> String {
    let mut text = String::from(
        "apiVersion: adl.inference-gateway.com/v1\nkind: Agent\nmetadata:\n  name: bench\n  description: Many tools\n  \
         version: 0.1.0\nspec:\n  capabilities: {streaming: true, pushNotifications: false, stateTransitionHistory: false}\n  \
         server: {port: 8080}\n  language: {go: {module: example.com/bench, version: \"1.25\"}}\n  tools:\n",
    );
    for number in 0..count {
        write!(
            text,
            "    - id: tool_{number}\n      name: tool_{number}\n      description: Looks up entry {number} of the catalogue and \
             returns what is known about it, oldest first\n      tags: [catalogue, lookup]\n      schema:\n        type: object\n        \
             properties:\n          query:\n            type: string\n            description: What to look for\n          limit:\n            \
             type: integer\n            description: How many entries at most\n            default: 10\n        required:\n          - query\n",
        )
        .unwrap_or_default();
    }
    text
}

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for count in [10, 1_000, 10_000] {
        let text = manifest(count);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(count), &text, |bencher, text| {
            bencher.iter(|| document::parse(FileId(0), black_box(text.as_str())));
        });
    }
    group.finish();
}

fn validate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("validate");
    for count in [10, 1_000, 10_000] {
        let parsed = document::parse(FileId(0), manifest(count));
        let Some(document) = parsed.document else { continue };
        group.bench_with_input(BenchmarkId::from_parameter(count), &document, |bencher, document| {
            bencher.iter(|| (manifest::check_schema(black_box(document)), rules::check(document)));
        });
    }
    group.finish();
}

fn generate(criterion: &mut Criterion) {
    let parsed = document::parse(FileId(0), include_str!("../examples/complete.yaml"));
    let Some(manifest) = parsed.document.as_ref().and_then(|document| manifest::decode(document).ok()) else { return };
    criterion.bench_function("plan and render a Go project", |bencher| {
        bencher.iter(|| {
            let project = Project::resolve(black_box(&manifest));
            render::render(&targets::plan(&project).files)
        });
    });
}

fn report(criterion: &mut Criterion) {
    let text = manifest(10_000).replace("id: tool_9999\n", "id: tool_9999\n      id: again\n");
    let mut sources = Sources::new();
    let file = sources.add("agent.yaml", text.as_str());
    let findings = document::parse(file, text).diagnostics;
    let Some(finding) = findings.first() else { return };
    criterion.bench_function("render a finding at the end of 5 MB", |bencher| {
        bencher.iter(|| render_text(black_box(finding), &sources, Style::Plain));
    });
}

criterion_group!(benches, parse, validate, generate, report);
criterion_main!(benches);
