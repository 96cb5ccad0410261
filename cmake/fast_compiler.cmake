# `pip install .` compiles with clang 19 where it is installed, as ./quickstart does: with its precompiled headers this takes
# half of the time of g++. CXX and CMAKE_CXX_COMPILER choose another compiler. Included before project(), which tests the compiler.
if(SKBUILD AND NOT DEFINED CMAKE_CXX_COMPILER AND "$ENV{CXX}" STREQUAL "")
  find_program(HEFT_FAST_COMPILER clang++-19)
  if(HEFT_FAST_COMPILER)
    file(WRITE ${CMAKE_BINARY_DIR}/has_library.cpp "#include <vector>\n")
    execute_process(COMMAND ${HEFT_FAST_COMPILER} -std=c++20 -fsyntax-only ${CMAKE_BINARY_DIR}/has_library.cpp
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(CMAKE_CXX_COMPILER ${HEFT_FAST_COMPILER})
    endif()
  endif()
endif()
