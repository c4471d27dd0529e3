#!/usr/bin/env python3
"""Measures the agents of `examples/mcp.yaml`: from the start of the process to the first answer of `/health`, memory after the start
and size; the best of several runs, with no MCP server reachable.

    bench/agents.py [RUNS]     the programs of every language must be in the PATH
"""

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
LANGUAGES = {
    "Go": ("    go:\n      module: example.com/agent\n      version: '1.25'\n", "go build -o agent .", ["./agent"], "agent"),
    "TypeScript": (
        "    typescript:\n      packageName: agent\n      nodeVersion: '24'\n",
        "npm ci --silent && npm run --silent build && npm prune --silent --omit=dev",
        ["node", "dist/main.js"],
        "node_modules",
    ),
    "Rust": (
        "    rust:\n      packageName: agent\n      version: '1.88'\n      edition: '2024'\n",
        "cargo build --release --locked --quiet",
        ["target/release/agent"],
        "target/release/agent",
    ),
}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def is_healthy(port: int) -> bool:
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except OSError:
        return False


def start(command: list[str], folder: Path) -> tuple[float, int]:
    """Returns milliseconds and the most kilobytes of memory."""
    port = free_port()
    settings = {
        "PATH": os.environ["PATH"],
        "A2A_SERVER_PORT": str(port),
        "A2A_MCP_SERVERS": "http://127.0.0.1:9",
        "A2A_AGENT_CLIENT_BASE_URL": "http://127.0.0.1:9/v1",
    }
    begun = time.perf_counter()
    agent = subprocess.Popen(command, cwd=folder, env=settings, stderr=subprocess.DEVNULL)
    while not is_healthy(port):
        time.sleep(0.0005)
    took = (time.perf_counter() - begun) * 1000
    time.sleep(2)
    status = Path(f"/proc/{agent.pid}/status").read_text()
    agent.terminate()
    agent.wait()
    return took, int(status.split("VmHWM:")[1].split()[0])


def size(path: Path) -> int:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.lstat().st_size for file in files if file.is_file())


subprocess.run(["cargo", "build", "--locked", "--quiet"], cwd=ROOT, check=True)
for language, (block, build, command, installed) in LANGUAGES.items():
    with tempfile.TemporaryDirectory() as scratch:
        manifest, folder = Path(scratch, "agent.yaml"), Path(scratch, "agent")
        before, after = (ROOT / "examples/mcp.yaml").read_text().split("    go:\n")
        after = "".join(after.splitlines(keepends=True)[2:])
        wired = before.replace("      servers:\n", "      transports: [http]\n      servers:\n", 1)
        manifest.write_text(wired + block + after)
        generate = [ROOT / "target/debug/adl", "generate", "-f", manifest, "-o", folder]
        subprocess.run(generate, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(build, shell=True, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        runs = [start(command, folder) for _ in range(RUNS + 1)][1:]  # the first one fills caches
        print(
            f"{language}: {min(took for took, _ in runs):.0f} ms to health, "
            f"{min(memory for _, memory in runs) / 1024:.0f} MB of memory, {size(folder / installed) / 1e6:.0f} MB {installed}",
            flush=True,
        )
