#!/usr/bin/env bash
# The reference of the library, from the headers that are installed: docs/reference.sh [FOLDER]; its first page is
# FOLDER/html/index.html. Exit code 77 if there is no doxygen, 1 if it warns.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/reference}
command -v doxygen >/dev/null || { echo "skipped: there is no doxygen, a package of that name"; exit 77; }
mkdir -p "$folder"
{
  cat docs/Doxyfile
  echo "INPUT = docs/library.md include $(echo host/*/include)"
  echo "OUTPUT_DIRECTORY = \"$folder\""
} | doxygen - || { echo "the reference has warnings"; exit 1; }
