// The fixed order of summation (FORMULAS 7): partial sums of chunks are merged only with their
// siblings in one binary tree, like the carries of a binary counter. An unfinished sum is a forest
// of at most log2 N trees.
#pragma once

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// The unfinished sum of a segment's chunks.
class MomentForest {
 public:
  explicit MomentForest(std::int64_t packed_size) : packed_size_(packed_size) {}
  /// Continues from the trees() of another forest.
  MomentForest(std::int64_t packed_size, std::vector<std::vector<double>> trees);

  /// Adds the sums of the next chunk.
  void push(const double* packed);

  /// Adds the sum of all chunks to `total`, from the smallest tree to the largest.
  void add_to(std::vector<double>& total) const;

  /// Returns the complete state: trees()[k] is the sum of 2^k chunks, or empty.
  std::vector<std::vector<double>> trees() const;

 private:
  std::int64_t packed_size_;
  std::int64_t num_chunks_ = 0;
  // trees_[k] sums 2^k chunks, in use if bit k of num_chunks_ is set
  std::vector<std::vector<double>> trees_;
};

}  // namespace heft
#pragma GCC visibility pop
