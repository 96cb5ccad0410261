# Headers of other libraries that most sources include are parsed once a kind of target (HEFT_PRECOMPILED) and not once a batch
# of sources: a tenth of a build's time by clang, which loads of them what a source uses; GCC loads all and gains little.
# A source includes what it uses all the same: builds of GCC, as ./test all is one, have none and insist on it.
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
  # the same source makes the same bytes, or ccache finds no object that was compiled with them
  target_compile_options(${target} PRIVATE ${kind_OPTIONS} "SHELL:-Xclang -fno-pch-timestamp")
  if(kind_PROPERTIES)
    set_target_properties(${target} PROPERTIES ${kind_PROPERTIES})
  endif()
  target_precompile_headers(${target} PRIVATE ${heft_precompiled_headers} ${kind_HEADERS})
endfunction()

function(heft_take_precompiled target kind)
  if(HEFT_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM heft_precompiled_${kind})
  endif()
endfunction()
