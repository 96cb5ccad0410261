#!/usr/bin/env bash
# The CPU's lanes on aarch64: cross-compiles the kernels and the tests that need nothing else, and runs them under
# qemu-user. The last line counts.
#
#   tests/aarch64/lanes.sh FOLDER     objects go there
#
# Exit codes: 0 all passed, 1 one failed or does not compile, 77 the compiler, qemu or the sources of GoogleTest are missing
# (Debian: g++-aarch64-linux-gnu qemu-user googletest).
set -euo pipefail
root="$(cd "$(dirname "$0")/../.." && pwd)"
folder="${1:?a folder for objects}"
compiler=aarch64-linux-gnu-g++ emulator=qemu-aarch64 googletest=/usr/src/googletest/googletest
for program in $compiler $emulator; do
  command -v $program >/dev/null || { echo "$program is missing: install g++-aarch64-linux-gnu qemu-user" && exit 77; }
done
[ -f $googletest/src/gtest-all.cc ] || { echo "$googletest is missing: install googletest" && exit 77; }

mkdir -p "$folder"
includes=(-I"$root" -I"$root/include" -isystem /usr/include/eigen3 -I$googletest/include -I$googletest)
for module in foundation/base dynamics/model estimation/executor; do
  for kind in include shared; do includes+=(-I"$root/host/$module/$kind"); done
done
includes+=(-I"$root/host/estimation/executor")
common=(-std=c++20 -DNDEBUG "${includes[@]}")
# the flags of cmake/lanes.cmake
lanes=(-O2 -ffp-contract=fast -fno-math-errno -Wno-psabi -Wall -Werror)
compile() {  # source, object, flags
  $compiler "${common[@]}" "${@:3}" -c "$1" -o "$folder/$2"
}
compile "$root/host/estimation/executor/lanes_baseline.cpp" lanes.o "${lanes[@]}"
compile "$root/tests/executor/tiles_test.cpp" tiles_test.o -O1
compile "$root/tests/executor/joint_angle_test.cpp" joint_angle_test.o -O1 -ffp-contract=off
[ -f "$folder/gtest.o" ] || compile $googletest/src/gtest-all.cc gtest.o -O1
[ -f "$folder/gtest_main.o" ] || compile $googletest/src/gtest_main.cc gtest_main.o -O1
$compiler "$folder"/{lanes,tiles_test,joint_angle_test,gtest,gtest_main}.o -static -lpthread -o "$folder/lanes_test"
status=0
$emulator "$folder/lanes_test" --gtest_color=no | tee "$folder/lanes_test.log" | grep -E '^\[  (PASSED|FAILED|SKIPPED)' ||
  status=1
grep -q '^\[  PASSED  \]' "$folder/lanes_test.log" && ! grep -q '^\[  FAILED  \]' "$folder/lanes_test.log" || status=1
passed=$(grep -c '^\[       OK \]' "$folder/lanes_test.log" || true)
failed=$(grep -cE '^\[  FAILED  \] .*\(' "$folder/lanes_test.log" || true)
skipped=$(grep -cE '^\[  SKIPPED \] .*\(' "$folder/lanes_test.log" || true)
echo "aarch64 lanes: $passed passed, $failed failed, $skipped skipped"
exit $status
