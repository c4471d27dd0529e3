#!/usr/bin/env bash
# Measures CPU time and peak memory of the whole process: `adl validate` and `adl generate` (into a new folder, and again without
# changes) for every example, `adl validate` for 1,000 manifests in one call, and all three for generated manifests with 10,000 and
# 20,000 tools. Prints medians. Needs bash, awk and GNU time as `/usr/bin/time`.
#
#   bench/process.sh [RUNS]     RUNS (default 100) for each example; the large jobs run five times
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-100}
cargo build --profile dist --locked --quiet --package adl
adl=${CARGO_TARGET_DIR:-target}/dist/adl
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# measure TITLE RUNS COMMAND...: prints the median CPU time (user and system, including start-up) and the median peak memory of three
# runs. Short commands run in batches of ten, because a single run is too short to measure. `{}` in the command is replaced by the
# number of the run.
measure() {
  local title=$1 count=$2 batch=1 first run
  shift 2
  if ((count >= 50)); then batch=10; fi
  TIMEFORMAT='%U %S'
  : >"$scratch/cpu"
  for ((first = 0; first < count; first += batch)); do
    { time for ((run = first; run < first + batch; run++)); do "${@//\{\}/$run}" >/dev/null 2>&1 || true; done; } 2>>"$scratch/cpu"
  done
  : >"$scratch/memory"
  for run in a b c; do
    /usr/bin/time -q -a -f '%M' -o "$scratch/memory" "${@//\{\}/$run}" >/dev/null 2>&1 || true
  done
  printf '%-44s %8.2f ms CPU %8.1f MB\n' "$title" \
    "$(awk -v batch="$batch" '{ print ($1 + $2) * 1000 / batch }' "$scratch/cpu" | median)" \
    "$(awk '{ print $1 / 1024 }' "$scratch/memory" | median)"
}

median() {
  sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

# A manifest with $1 tools, each about 500 bytes long.
manifest() {
  awk -v count="$1" 'BEGIN {
    print "apiVersion: adl.inference-gateway.com/v1\nkind: Agent"
    print "metadata:\n  name: bench\n  description: Many tools\n  version: 0.1.0\nspec:"
    print "  capabilities: {streaming: true, pushNotifications: false, stateTransitionHistory: false}"
    print "  agent: {provider: openai, model: gpt-4o-mini}"
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
for example in examples/*.yaml; do
  measure "generate $example again" "$runs" "$adl" generate --file "$example" --output "$scratch/$(basename "$example")-0"
done
mkdir "$scratch/many"
for ((number = 0; number < 1000; )); do
  for example in examples/*.yaml; do
    cp "$example" "$scratch/many/$((number++)).yaml"
  done
done
for format in text json; do
  measure "validate 1000 manifests, as $format" 5 "$adl" validate --format "$format" "$scratch/many"
done
for count in 10000 20000; do
  manifest "$count" >"$scratch/$count.yaml"
  size=$(wc -c <"$scratch/$count.yaml" | awk '{ printf "%.1f", $1 / 1e6 }')
  measure "validate $count tools ($size MB)" 5 "$adl" validate "$scratch/$count.yaml"
  measure "generate $count tools" 3 "$adl" generate --file "$scratch/$count.yaml" --output "$scratch/$count-{}"
  measure "generate $count tools again" 3 "$adl" generate --file "$scratch/$count.yaml" --output "$scratch/$count-0"
done
