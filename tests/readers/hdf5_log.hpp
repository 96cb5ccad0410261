// HDF5 files of tests, written by the library itself.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/data/readers/hdf5_file.hpp"

namespace heft {

/// A file under construction.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose) {}

  hid_t file() const { return file_; }

  void group(const char* path) {
    const hdf5::Handle group(H5Gcreate2(file_, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             H5Gclose);
    EXPECT_TRUE(group.ok());
  }

  /// A data set of the given shape, stored as `type`; in chunks of so many rows, packed, if not 0.
  hdf5::Handle dataset(const char* path, const std::vector<hsize_t>& shape,
                       const std::vector<double>& values, hid_t type = H5T_IEEE_F64LE,
                       hsize_t chunk = 0) {
    const int rank = static_cast<int>(shape.size());
    const hdf5::Handle space(H5Screate_simple(rank, shape.data(), nullptr), H5Sclose);
    const hdf5::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    std::vector<hsize_t> chunks = shape;
    chunks[0] = chunk;
    if (chunk > 0) {
      H5Pset_chunk(properties, rank, chunks.data());
      H5Pset_deflate(properties, 4);
    }
    hdf5::Handle set(H5Dcreate2(file_, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                     H5Dclose);
    EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    return set;
  }

  /// An attribute "names" of strings of fixed or of any length.
  static void name_columns(hid_t set, const std::vector<const char*>& names, bool fixed) {
    const hsize_t count = names.size();
    const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const hdf5::Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, fixed ? 4 : H5T_VARIABLE);
    const hdf5::Handle attribute(H5Acreate2(set, "names", type, space, H5P_DEFAULT, H5P_DEFAULT),
                                 H5Aclose);
    std::string text;
    for (const char* name : names)
      text += std::string(name).append(4 - std::string(name).size(), '\0');
    const void* const bytes = fixed ? static_cast<const void*>(text.data()) : names.data();
    EXPECT_GE(H5Awrite(attribute, type, bytes), 0);
  }

 private:
  hdf5::Handle file_;
};

}  // namespace heft
