#!/usr/bin/env bash
# scikit-build-core 1.1.2 on Linux, Python 3.11 and later.
#
# Expected: where the user sets no CXX, CMake finds no CXX in its environment, so that a project may choose a default compiler
#           before project() and still respect a CXX that somebody set.
# Behavior: scikit-build-core exports the compiler that the interpreter was built with (sysconfig's CXX) as CXX. A CMakeLists.txt
#           cannot tell it from a user's choice except by comparing it with sysconfig.
# Seen:     -- CXX is "g++"
#
# Exits with 0 while this is so, with 1 when it has changed, with 77 where the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv env
env/bin/pip install -q --disable-pip-version-check scikit-build-core==1.1.2 cmake==3.31.6 ninja==1.11.1.4 || exit 77
mkdir project
cat >project/pyproject.toml <<'END'
[build-system]
requires = ["scikit-build-core==1.1.2"]
build-backend = "scikit_build_core.build"
[project]
name = "which-compiler"
version = "1.0"
END
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.22)
message(STATUS "CXX is \"$ENV{CXX}\"")
project(which LANGUAGES NONE)
END
env -u CXX PATH="$PWD/env/bin:$PATH" env/bin/pip wheel -v --no-build-isolation --no-deps -w wheels ./project >log 2>&1 || { cat log; exit 1; }
grep -o 'CXX is ".*"' log
expected=$(env/bin/python -c 'import sysconfig; print(sysconfig.get_config_var("CXX"))')
grep -qF "CXX is \"$expected\"" log
