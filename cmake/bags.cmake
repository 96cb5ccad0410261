# PkgConfig::liblz4, libzstd and sqlite3, where they are installed: how MCAP files and ROS 2 bags are compressed and stored.
foreach(module liblz4 libzstd sqlite3)
  pkg_check_modules(${module} QUIET IMPORTED_TARGET ${module})
  if(NOT ${module}_FOUND)
    string(REGEX REPLACE "^lib" "" package ${module})
    message(STATUS "lib${package}-dev is not installed: recordings that need it are refused with its name")
  endif()
endforeach()
