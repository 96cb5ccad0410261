# Run at build time: cmake -D SOURCE=.. -D FILE=.. -P write_commit.cmake
# Writes FILE, a header that names the commit of the sources, only when that has changed: what includes it is then
# compiled again, nothing else. The name is empty where the sources are no checkout of git.
execute_process(COMMAND git -C "${SOURCE}" rev-parse HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "")
else()
  execute_process(COMMAND git -C "${SOURCE}" status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(NOT changes STREQUAL "")
    string(APPEND commit "-dirty")
  endif()
endif()
file(CONFIGURE OUTPUT "${FILE}" CONTENT "#define HEFT_COMMIT \"${commit}\"\n")
