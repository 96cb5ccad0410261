# Headers of other libraries that most sources include are parsed once for each kind of target (HEFT_PRECOMPILED), not once for each
# batch of sources: a tenth of a build's time with clang; GCC 12 parses all of them in 6 s and loads them in 1 s.
# Sources still include what they use: a build with -DHEFT_PRECOMPILED=OFF -DCMAKE_UNITY_BUILD=OFF checks that.
#
#   heft_precompile(KIND [HEADERS <header>..] [LIBRARIES target..] [OPTIONS option..] [PROPERTIES name value..])
#
# makes them for targets that are compiled with these options and properties, and
#
#   heft_take_precompiled(TARGET KIND)
#
# has a target use them.
set(heft_precompiled_headers
  <algorithm> <array> <atomic> <chrono> <cmath> <filesystem> <fstream> <functional> <map> <memory> <mutex> <numeric> <optional>
  <random> <set> <sstream> <string> <thread> <tuple> <unordered_map> <utility> <variant> <vector>
  <Eigen/Cholesky> <Eigen/Core> <Eigen/Eigenvalues> <Eigen/Geometry> <Eigen/LU> <Eigen/QR> <Eigen/SVD>
  <fmt/format.h> <nlohmann/json.hpp>)

# ccache takes objects from a build of another folder only if command lines and the precompiled header are the same. GCC: a second
# build takes the header itself from ccache. clang: CMake's -Xclang hides the header's path, which ccache then cannot make relative,
# and the header holds its own path: ccache reads a sum beside it instead (CCACHE_PCH_EXTSUM). The headers that it was made of are
# in the dependencies of every object, so an object made of other ones is not taken.
set(heft_precompiled_options "$<$<CXX_COMPILER_ID:Clang,AppleClang>:SHELL:-Xclang -fno-pch-timestamp>")
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include <PCH_HEADER>)
endif()

function(heft_precompile kind)
  if(NOT HEFT_PRECOMPILED)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 kind "" "" "HEADERS;LIBRARIES;OPTIONS;PROPERTIES")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/precompiled_${kind}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  set(target heft_precompiled_${kind})
  add_library(${target} OBJECT ${source})
  target_link_libraries(${target} PRIVATE
    heft_options Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json ${kind_LIBRARIES})
  target_compile_options(${target} PRIVATE ${kind_OPTIONS} ${heft_precompiled_options})
  if(kind_PROPERTIES)
    set_target_properties(${target} PROPERTIES ${kind_PROPERTIES})
  endif()
  target_precompile_headers(${target} PRIVATE ${heft_precompiled_headers} ${kind_HEADERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum
      CONTENT "${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${heft_precompiled_headers} ${kind_HEADERS} ${kind_OPTIONS} ${kind_PROPERTIES}\n")
  endif()
endfunction()

function(heft_take_precompiled target kind)
  if(HEFT_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM heft_precompiled_${kind})
    # GCC rejects a precompiled header that used a definition which the target lacks
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
  endif()
endfunction()
