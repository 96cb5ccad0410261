# PkgConfig::liblz4, libzstd, sqlite3 and protobuf, where they are installed: how MCAP files and ROS 2 bags are compressed, stored and
# encoded.
foreach(module liblz4 libzstd sqlite3 protobuf)
  pkg_check_modules(${module} QUIET IMPORTED_TARGET ${module})
  if(NOT ${module}_FOUND)
    string(REGEX REPLACE "^lib" "" package ${module})
    message(STATUS "lib${package}-dev is not installed: recordings that need it are refused with its name")
  endif()
endforeach()
