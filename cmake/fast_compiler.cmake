# `pip install .` compiles with clang 19 where it is installed, as ./quickstart does: with its precompiled headers this takes
# half of the time of g++. Included before project(), which tests the compiler. CXX=/usr/bin/g++ or CMAKE_CXX_COMPILER choose
# another one; a CXX equal to the interpreter's own compiler is scikit-build-core's default, not a choice of the user.
if(SKBUILD AND NOT DEFINED CMAKE_CXX_COMPILER)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_config_var('CXX'))"
    OUTPUT_VARIABLE compiler_of_python OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_program(HEFT_FAST_COMPILER clang++-19)
  if(HEFT_FAST_COMPILER AND ("$ENV{CXX}" STREQUAL "" OR "$ENV{CXX}" STREQUAL compiler_of_python))
    file(WRITE ${CMAKE_BINARY_DIR}/has_library.cpp "#include <vector>\n")
    execute_process(COMMAND ${HEFT_FAST_COMPILER} -std=c++20 -fsyntax-only ${CMAKE_BINARY_DIR}/has_library.cpp
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(CMAKE_CXX_COMPILER ${HEFT_FAST_COMPILER})
    endif()
  endif()
endif()
