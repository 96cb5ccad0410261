# What `heft info --json` says of the build: the commit, found at each build, and the libraries found by CMake.
set(facts_folder ${CMAKE_CURRENT_BINARY_DIR}/facts)
add_custom_target(heft_commit
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D FILE=${facts_folder}/commit.hpp
          -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake
  BYPRODUCTS ${facts_folder}/commit.hpp VERBATIM)

set(library_facts "")
foreach(library IN ITEMS "Eigen=${Eigen3_VERSION}" "nlohmann_json=${nlohmann_json_VERSION}" "yaml-cpp=${yaml-cpp_VERSION}"
        "fmt=${fmt_VERSION}" "muparser=${muparser_VERSION}" "pugixml=${pugixml_VERSION}" "OpenSSL=${OPENSSL_VERSION}"
        "CLI11=${CLI11_VERSION}" "HDF5=${hdf5_VERSION}" "lz4=${liblz4_VERSION}" "zstd=${libzstd_VERSION}" "SQLite=${sqlite3_VERSION}" "protobuf=${protobuf_VERSION}" "Assimp=${assimp_VERSION}")
  string(REGEX MATCH "^([^=]+)=(.*)$" matched "${library}")
  if(NOT CMAKE_MATCH_2 STREQUAL "")  # what was not found is not in the program
    string(APPEND library_facts "{\"${CMAKE_MATCH_1}\", \"${CMAKE_MATCH_2}\"},\n    ")
  endif()
endforeach()
configure_file(library_versions.hpp.in ${facts_folder}/library_versions.hpp @ONLY)
