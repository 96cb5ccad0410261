# Kernels whose lanes are samples, bodies or problems are compiled once per instruction set.
#
#   heft_lanes(FOLDER LEVEL)
#
# gives lanes_avx512.cpp, lanes_avx2.cpp and lanes_baseline.cpp in FOLDER, a folder of the current one, their flags. They are
# optimized, by LEVEL (-O2), in every build: inline functions of the standard library must not come out as code of a set that
# the machine lacks. Products and sums fuse here and nowhere else in a module. Where the processor is of another family, all
# three are of its baseline.
function(heft_lanes folder level)
  set(flags ${level} -ffp-contract=fast -fno-math-errno -Wno-psabi)
  set(flags_avx512 -mavx512f -mavx512dq -mfma)
  set(flags_avx2 -mavx2 -mfma)
  set(flags_baseline "")
  foreach(set avx512 avx2 baseline)
    set(flags_of_set "")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      set(flags_of_set ${flags_${set}})
    endif()
    get_filename_component(source ${folder}/lanes_${set}.cpp ABSOLUTE)
    set_source_files_properties(${source} PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${flags};${flags_of_set}")
  endforeach()
endfunction()
