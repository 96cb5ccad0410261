# The headers that are installed: those of include/heft/core named here, heft/version.hpp, all of host/GROUP/MODULE/include, and
# heft/heft.hpp, which includes them. The rest of include/heft/core is for kernels and modules. tests/architecture/public_headers.py
# counts them.
set(heft_core_headers choices.hpp inertia.hpp platform.hpp sample_view.hpp tree.hpp)

file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/host/*/*/include/heft/*/*.hpp)
list(TRANSFORM headers REPLACE "^.*/include/" "")
list(APPEND headers heft/version.hpp)
foreach(header IN LISTS heft_core_headers)
  list(APPEND headers heft/core/${header})
endforeach()
list(SORT headers)
list(TRANSFORM headers REPLACE "(.+)" "#include \"\\1\"")
list(JOIN headers "\n" headers)
set(heft_umbrella ${PROJECT_BINARY_DIR}/umbrella/heft/heft.hpp)
file(CONFIGURE OUTPUT ${heft_umbrella} @ONLY CONTENT
  "// All of Heft; programs that use a module or two include its headers and link to it alone.\n#pragma once\n\n${headers}\n")
target_include_directories(heft INTERFACE $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/umbrella>)
