// Writes a NumPy array of doubles in C order, block by block, to a temporary file that is then
// renamed. The length of the first dimension is known only at the end, when the header is rewritten
// in the same number of bytes.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/result.hpp"

namespace heft {

class NpyOutput {
 public:
  /// `shape`: without the first dimension. Errors: a folder that does not exist or is not writable,
  /// a path that is not a regular file.
  static Result<NpyOutput> open(const std::string& path, const std::vector<std::int64_t>& shape);

  NpyOutput(NpyOutput&& other) noexcept
      : path_(std::move(other.path_)),
        aside_(std::exchange(other.aside_, {})),
        shape_(std::move(other.shape_)),
        file_(std::move(other.file_)) {}
  NpyOutput& operator=(NpyOutput&&) = delete;
  ~NpyOutput();  ///< deletes the file unless finish() was called

  Result<Done> append(const double* numbers, std::size_t count);

  /// Writes the header and renames the file.
  Result<Done> finish(std::int64_t first_dimension);

 private:
  NpyOutput(std::string path, std::vector<std::int64_t> shape);
  std::string header(std::int64_t first_dimension) const;
  Error write_error() const;

  std::string path_, aside_;
  std::vector<std::int64_t> shape_;
  std::ofstream file_;
};

}  // namespace heft
