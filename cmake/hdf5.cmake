# PkgConfig::hdf5, where there is an HDF5: without it, HDF5 logs are refused.
#
# Programs take it from its archive where that links by itself. Debian's shared library is there for storage in the cloud, too: it
# brings libcurl and with it two dozen libraries, whose symbols a third of every start of heft was spent on. Installed modules, and those
# of a project that embeds Heft, link HDF5 as their system has it: archives are for programs, not for libraries of anybody.
pkg_check_modules(hdf5 IMPORTED_TARGET hdf5)
if(NOT hdf5_FOUND OR BUILD_SHARED_LIBS OR HEFT_PYTHON OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

include(CheckCXXSourceCompiles)
list(GET hdf5_LINK_LIBRARIES 0 shared)
string(REGEX REPLACE "\\.so$" ".a" archive "${shared}")
find_library(HEFT_SZIP_ARCHIVE libsz.a)
find_library(HEFT_AEC_ARCHIVE libaec.a)
mark_as_advanced(HEFT_SZIP_ARCHIVE HEFT_AEC_ARCHIVE)
if(NOT archive MATCHES "\\.a$" OR NOT EXISTS "${archive}" OR NOT HEFT_SZIP_ARCHIVE OR NOT HEFT_AEC_ARCHIVE)
  return()
endif()
set(archives ${archive} ${HEFT_SZIP_ARCHIVE} ${HEFT_AEC_ARCHIVE} ZLIB::ZLIB ${CMAKE_DL_LIBS} m)
set(CMAKE_REQUIRED_INCLUDES ${hdf5_INCLUDE_DIRS})
set(CMAKE_REQUIRED_LIBRARIES ${archives})
check_cxx_source_compiles("#include <hdf5.h>
int main() {
  const hid_t file = H5Fopen(\"log.h5\", H5F_ACC_RDONLY, H5P_DEFAULT), data = H5Dopen2(file, \"a\", H5P_DEFAULT);
  double number;
  return H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &number) < 0 ||
         H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, nullptr, H5O_INFO_BASIC) < 0;
}" HEFT_HDF5_ARCHIVE_LINKS)
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_LIBRARIES)
if(HEFT_HDF5_ARCHIVE_LINKS)
  set_target_properties(PkgConfig::hdf5 PROPERTIES INTERFACE_LINK_LIBRARIES "${archives}")
endif()
