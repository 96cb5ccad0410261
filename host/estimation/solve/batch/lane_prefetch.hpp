// Prefetches the matrices of the next problems from memory while a factor is computed.
#pragma once

#include <cstddef>

#include "lane_algebra.hpp"
#include "solve/plain_problem.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

template <class Side>
class LanePrefetch {
 public:
  /// Prefetches a few columns of the upper triangles of at most a pack of problems from `next` on;
  /// `n` is their size.
  void ask(const PlainProblem* problems, int next, int count, int n) {
    constexpr int kColumns = 12, kLine = 8;  // numbers per cache line
    if (problem_ < next) {
      problem_ = next;
      column_ = 0;
    }
    for (int k = 0; k < kColumns && problem_ < count && problem_ < next + Side::kLanes; ++k) {
      const double* column = problems[problem_].Q + static_cast<std::ptrdiff_t>(column_) * n;
      for (int i = 0; i <= column_; i += kLine) __builtin_prefetch(column + i, 0, 2);
      if (++column_ == n) {
        ++problem_;
        column_ = 0;
      }
    }
  }

 private:
  int problem_ = 0, column_ = 0;
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
