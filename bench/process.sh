#!/usr/bin/env bash
# Times the whole process: mean CPU and peak memory of `adl validate` and `adl generate` for every example, and of `adl validate`
# for manifests of 10,000 and 20,000 tools that are made on the fly. Needs bash, awk and GNU time as `/usr/bin/time`.
#
#   bench/process.sh [RUNS]     RUNS (default 100) for each example; the large manifests run five times
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-100}
cargo build --release --locked --quiet
adl=${CARGO_TARGET_DIR:-target}/release/adl
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# measure TITLE RUNS COMMAND...: the CPU (user and system) of RUNS processes divided by their number, start-up included. In the
# command `{}` stands for the number of the run.
measure() {
  local title=$1 count=$2 run
  shift 2
  TIMEFORMAT='%U %S'
  { time for ((run = 0; run < count; run++)); do "${@//\{\}/$run}" >/dev/null 2>&1 || true; done; } 2>"$scratch/cpu"
  /usr/bin/time -f '%M' -o "$scratch/memory" "${@//\{\}/memory}" >/dev/null 2>&1 || true
  awk -v title="$title" -v count="$count" 'FNR == NR { cpu = ($1 + $2) * 1000 / count; next } { memory = $1 / 1024 }
    END { printf "%-40s %8.2f ms CPU %8.1f MB\n", title, cpu, memory }' "$scratch/cpu" <(tail -1 "$scratch/memory")
}

# A manifest with $1 tools, each about 500 bytes long.
manifest() {
  awk -v count="$1" 'BEGIN {
    print "apiVersion: adl.inference-gateway.com/v1\nkind: Agent"
    print "metadata:\n  name: bench\n  description: Many tools\n  version: 0.1.0\nspec:"
    print "  capabilities: {streaming: true, pushNotifications: false, stateTransitionHistory: false}"
    print "  server: {port: 8080}\n  language: {go: {module: example.com/bench, version: \"1.25\"}}\n  tools:"
    for (number = 0; number < count; number++) {
      printf "    - id: tool_%d\n      name: tool_%d\n", number, number
      printf "      description: Looks up entry %d of the catalogue and returns what is known about it, oldest first\n", number
      print "      tags: [catalogue, lookup]\n      schema:\n        type: object\n        properties:"
      print "          query:\n            type: string\n            description: What to look for"
      print "          limit:\n            type: integer\n            description: How many entries at most\n            default: 10"
      print "        required:\n          - query"
    }
  }'
}

measure "(a process that does nothing)" "$runs" "$(type -P true)"
measure "adl --version" "$runs" "$adl" --version
for example in examples/*.yaml; do
  measure "validate $example" "$runs" "$adl" validate "$example"
done
for example in examples/*.yaml; do
  measure "generate $example" "$runs" "$adl" generate --file "$example" --output "$scratch/$(basename "$example")-{}"
done
for count in 10000 20000; do
  manifest "$count" >"$scratch/$count.yaml"
  size=$(wc -c <"$scratch/$count.yaml" | awk '{ printf "%.1f", $1 / 1e6 }')
  measure "validate $count tools ($size MB)" 5 "$adl" validate "$scratch/$count.yaml"
done
