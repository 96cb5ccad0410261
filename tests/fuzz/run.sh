#!/usr/bin/env bash
# Fuzzes every reader of files: tests/fuzz/run.sh [seconds per target, 600 if not given] [target ..]
# Builds with preset fuzz (clang), runs two targets at a time from their seeds, and prints a table. Inputs that reach
# something new are kept in build-fuzz/corpus/TARGET for the next run, crashes in build-fuzz/crashes/TARGET; exits
# with 1 if there is one. HEFT_FUZZ_BUILD names another build folder, HEFT_FUZZ_JOBS another number at a time.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-600}
shift || true
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(urdf log bag configuration result moments); fi
folder=${HEFT_FUZZ_BUILD:-build-fuzz}

if [ ! -f "$folder/build.ninja" ]; then cmake --preset fuzz -B "$folder" >/dev/null; fi
cmake --build "$folder" --target fuzzers

fuzz() {
  local target=$1 corpus=$folder/corpus/$1 crashes=$folder/crashes/$1 dictionary=tests/fuzz/dictionaries/$1.dict
  mkdir -p "$corpus" "$crashes"
  local options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1
                 -artifact_prefix="$crashes/")
  if [ -f "$dictionary" ]; then options+=(-dict="$dictionary"); fi
  "$folder/tests/fuzz/${target}_fuzzer" "${options[@]}" "$corpus" "tests/fuzz/seeds/$target" \
    >"$folder/$target.log" 2>&1 || true
}

# stat_of TARGET NAME: the value of the last line "stat::NAME: value" of its log
stat_of() { sed -nE "s/^stat::$2: +([0-9]+)$/\1/p" "$folder/$1.log" | tail -n 1; }

for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "${HEFT_FUZZ_JOBS:-2}" ]; do wait -n; done
  fuzz "$target" &
done
wait

status=0
printf '| target | seconds | executions | edges | features | inputs kept | memory, MB | result |\n'
printf '|---|---|---|---|---|---|---|---|\n'
for target in "${targets[@]}"; do
  reached=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$folder/$target.log" | tail -n 1 || true)
  result=sound
  if ! grep -q '^Done ' "$folder/$target.log"; then
    result="$(grep -oE '(SUMMARY|broken promise): .*' "$folder/$target.log" | head -n 1 || true)"
    result=${result:-"did not run: see $folder/$target.log"}
    status=1
  fi
  printf '| %s | %s | %s | %s | %s | %s | %s | %s |\n' "$target" "$seconds" \
    "$(stat_of "$target" number_of_executed_units)" "$(cut -d' ' -f2 <<<"$reached")" "$(cut -d' ' -f4 <<<"$reached")" \
    "$(find "$folder/corpus/$target" -type f | wc -l)" "$(stat_of "$target" peak_rss_mb)" "$result"
done
exit $status
