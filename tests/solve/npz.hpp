// Reader for uncompressed .npz files (a zip of .npy arrays), enough for reference data in tests.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace heft::test {

/// One array as doubles, row-major.
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;

  /// The index-th slice along the first dimension.
  const double* row(std::size_t index) const {
    return values.data() + index * (values.size() / shape.at(0));
  }
};

/// Arrays by name, without the suffix .npy. Throws std::runtime_error on anything it does not
/// understand.
std::map<std::string, NpyArray> read_npz(const std::string& path);

}  // namespace heft::test
