#!/usr/bin/env bash
# The reference of the library, from the headers that are installed: docs/reference.sh [FOLDER [xml]]; its first page is
# FOLDER/html/index.html, or FOLDER/xml holds it for other programs. Exit code 77 without Doxygen, 1 if it warns.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/reference}
command -v doxygen >/dev/null || { echo "skipped: Doxygen is not installed (package doxygen)"; exit 77; }
mkdir -p "$folder"
{
  cat docs/Doxyfile
  core=$(sed -n 's/^set(heft_core_headers \(.*\))$/\1/p' cmake/public_headers.cmake)
  echo "INPUT = docs/library.md include/heft/version.hpp $(printf 'include/heft/core/%s ' $core) $(echo host/*/*/include)"
  echo "OUTPUT_DIRECTORY = \"$folder\""
  if [ "${2-}" = xml ]; then printf 'GENERATE_HTML = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\n'; fi
} | doxygen - || { echo "the reference has warnings"; exit 1; }
