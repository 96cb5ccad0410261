# PkgConfig::liblz4, libzstd, sqlite3 and protobuf, where they are installed: how MCAP files and ROS 2 bags are compressed, stored and
# encoded.
foreach(module liblz4 libzstd sqlite3 protobuf)
  pkg_check_modules(${module} QUIET IMPORTED_TARGET ${module})
  if(NOT ${module}_FOUND)
    string(REGEX REPLACE "^lib" "" package ${module})
    message(STATUS "lib${package}-dev is not installed: recordings that need it are refused with its name")
  endif()
endforeach()

# Programs take Protocol Buffers from its archive, as HDF5 (hdf5.cmake): loading the shared library doubles the time of every start.
if(protobuf_FOUND AND NOT BUILD_SHARED_LIBS AND NOT HEFT_PYTHON AND PROJECT_IS_TOP_LEVEL)
  list(GET protobuf_LINK_LIBRARIES 0 shared)
  string(REGEX REPLACE "\\.so$" ".a" archive "${shared}")
  if(archive MATCHES "\\.a$" AND EXISTS "${archive}")
    set_target_properties(PkgConfig::protobuf PROPERTIES INTERFACE_LINK_LIBRARIES "${archive};Threads::Threads")
  endif()
endif()
