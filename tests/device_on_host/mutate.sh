#!/usr/bin/env bash
# Counts the barriers, guards and bounds of the kernels that can be removed without detection:
# mutants.md.
#
#   tests/device_on_host/mutate.sh [--sample N --seed S] [--list] [--only NUMBER] [--of TEXT]
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -f build/build.ninja ] || cmake --preset release > /dev/null
cmake --build build --target device_mutants > /dev/null
exec build/tests/device_on_host/device_mutants "$@"
