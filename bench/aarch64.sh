#!/usr/bin/env bash
# Builds the modules that need Eigen alone for aarch64 and runs their tests under qemu-user. The last line counts.
#
#   bench/aarch64.sh [FOLDER]     builds there (default build-aarch64)
#
# Exit codes: 0 nothing failed, 1 a test failed, 77 the compiler, qemu or the sources of GoogleTest are missing (Debian:
# g++-aarch64-linux-gnu qemu-user googletest), others: it does not build.
set -euo pipefail
cd "$(dirname "$0")/.."
folder="${1:-build-aarch64}"
for program in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v $program >/dev/null || { echo "$program is missing: install g++-aarch64-linux-gnu qemu-user" && exit 77; }
done
[ -d /usr/src/googletest ] || { echo "/usr/src/googletest is missing: install googletest" && exit 77; }

cmake --preset aarch64 -B "$folder" >/dev/null
cmake --build "$folder"
status=0
ctest --test-dir "$folder" --output-on-failure --output-log "$folder/test.log" >/dev/null || status=1
failed=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of [0-9]+$/\1/p' "$folder/test.log")
total=$(sed -nE 's/^[0-9]+% tests passed, [0-9]+ tests failed out of ([0-9]+)$/\1/p' "$folder/test.log")
skipped=$(grep -cE '^ *[0-9]+/[0-9]+ Test .*\*\*\*Skipped' "$folder/test.log" || true)
grep -E '^[[:space:]]+[0-9]+ - .*\(' "$folder/test.log" || true
echo "aarch64 under qemu: $((total - failed - skipped)) passed, $failed failed, $skipped skipped"
exit $status
