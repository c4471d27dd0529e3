#!/usr/bin/env python3
"""Checks what generated projects pin: every version can still be downloaded, and no advisory against it is known.

Needs the registries, so it is not part of `.ci/run`. It exits with status 1 for a version that cannot be downloaded or has an
advisory. A source of advisories that cannot be asked is named, and is no failure.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
GOVULNCHECK = "golang.org/x/vuln/cmd/govulncheck@v1.1.4"
failed = False


def run(folder: str, *command: str, **environment: str) -> subprocess.CompletedProcess:
    settings = {**os.environ, **environment}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)


def report(language: str, what: str, fault: str = "") -> None:
    global failed
    failed = failed or fault != ""
    print(f"{language}: {what}{': ' + fault if fault else ''}", flush=True)


def downloaded(language: str, result: subprocess.CompletedProcess) -> None:
    if result.returncode == 0:
        report(language, "every pinned version can be downloaded")
    else:
        report(language, "cannot be downloaded", result.stderr.strip())


def not_asked(language: str, result: subprocess.CompletedProcess) -> None:
    lines = [line for line in (result.stderr or result.stdout).splitlines() if re.search("error|warn|fetching", line)]
    report(language, f"advisories not checked, the source cannot be asked ({''.join(lines[:1])})")


def go(folder: str, cache: str) -> None:
    downloaded("Go", run(folder, "go", "mod", "download", GOMODCACHE=cache, GOFLAGS="-modcacherw", GOWORK="off"))
    found = run(folder, "go", "run", GOVULNCHECK, "-format", "json", "-scan", "module", GOFLAGS="-modcacherw", GOWORK="off")
    if found.returncode != 0:
        return not_asked("Go", found)
    advisories = sorted({line.split('"')[3] for line in found.stdout.splitlines() if line.strip().startswith('"osv": "')})
    report("Go", "advisories" if advisories else "no advisory", ", ".join(advisories))


def npm(folder: str, cache: str) -> None:
    downloaded("npm", run(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", cache))
    found = run(folder, "npm", "audit", "--json")
    answer = json.loads(found.stdout or "{}")
    if "vulnerabilities" not in answer:
        return not_asked("npm", found)
    report("npm", "advisories" if answer["vulnerabilities"] else "no advisory", ", ".join(answer["vulnerabilities"]))


def cargo(folder: str, cache: str) -> None:
    home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    for configuration in home.glob("config*"):
        shutil.copy(configuration, cache)
    downloaded("Cargo", run(folder, "cargo", "fetch", "--locked", CARGO_HOME=cache))
    found = run(folder, "cargo", "deny", "check", "advisories")
    if found.returncode == 0:
        report("Cargo", "no advisory")
    elif "error[vulnerability]" in found.stderr or "error[unmaintained]" in found.stderr:
        report("Cargo", "advisories", found.stderr.strip())
    else:
        not_asked("Cargo", found)


for language, check in [
    ("go", go),
    ("typescript", npm),
    ("rust", cargo),
]:
    # Cargo finds the package of the run-time code beside it, because `cargo package` leaves out folders with a `Cargo.toml`.
    source = TEMPLATES / language / ("crate" if language == "rust" else "runtime")
    if not source.is_dir():
        continue
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "target"))
        check(folder, cache)
sys.exit(failed)
