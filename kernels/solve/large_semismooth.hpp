// The semismooth Newton method of semismooth.hpp for problems whose factors do not fit in a block's
// memory: a library factors many of them at once, in device memory. These are the steps of a block
// between the calls of the library:
//
//   begin       M = Q, dy = -c                        library: factor M, kept for the
//                                                     gaps; dy <- M^-1 dy
//   judge       y + dy, s, lambda+, T, W; r           library: Q^-1 r
//   conclude    gap; an answer, or M = Q + W, dy = T  library: factor M; dy <- M^-1 dy;
//                                                     then judge again
//
// All vectors are in device memory: a step reads and writes a hundred times fewer numbers of
// vectors than of its factor.
#pragma once

#include <cstdint>

#include "semismooth.hpp"

namespace heft::cuda {

/// Lower triangle of a symmetric matrix, column after column, as libraries take it.
struct DenseMatrix {
  double* data;
  int size;
  HEFT_HD double& at(int row, int column) const { return data[std::int64_t{column} * size + row]; }
};

/// Data of a problem in device memory between launches, in addition to its matrices.
struct LargeWorkspace {
  double* vectors;  ///< Workspace::vector_size
  double* scalars;  ///< constant, objective, unit, first part of the gap

  static constexpr int kScalars = 4;

  HEFT_HD static int size_for(const ProblemShape& shape, int num_threads) {
    return Workspace::vector_size(shape, num_threads) + kScalars;
  }
  HEFT_HD LargeWorkspace(const ProblemShape& shape, int num_threads, double* base)
      : vectors(base), scalars(base + Workspace::vector_size(shape, num_threads)) {}
};

template <class Block>
class LargeSemismooth : SemismoothSteps<Block> {
 public:
  HEFT_HD LargeSemismooth(const Block& block, const ProblemShape& shape,
                          const PackedProblem& problem, const LargeWorkspace& workspace,
                          const DenseMatrix& matrix)
      : SemismoothSteps<Block>(block, shape, problem,
                               Workspace(shape, nullptr, nullptr, workspace.vectors)),
        matrix_(matrix),
        scalars_(workspace.scalars) {}

  HEFT_HD void begin() {
    this->shift_objective();
    write_Q();
    const int curvature_size =
        shape_.num_psd4 * static_cast<int>(sizeof(Curvature4) / sizeof(double));
    double* const curvature = reinterpret_cast<double*>(at_.bodies);
    each(block_, curvature_size, [&](int i) { curvature[i] = 0; });  // no step has been made yet
    each(block_, shape_.num_rows(), [&](int i) { at_.row_curvature[i] = 0; });
    each(block_, shape_.padded(), [&](int i) {
      at_.y[i] = 0;
      at_.dy[i] = -at_.c[i];
      if (i < shape_.num_conic) at_.lambda[i] = at_.pull[i] = 0;
    });
    keep();
  }

  /// Writes r to residual, and to gradient as the right-hand side.
  HEFT_HD void judge() {
    recall();
    this->advance();
    this->split();
    this->evaluate_slack();
    each(block_, shape_.padded(), [&](int i) { at_.residual[i] = this->residual(i); });
    each(block_, shape_.padded(), [&](int i) { at_.gradient[i] = at_.residual[i]; });
    keep();
  }

  /// Returns whether the problem is done; writes its solution if so, otherwise the next system.
  HEFT_HD bool conclude(const SemismoothOptions& options, int steps, const PackedAnswer& answer) {
    recall();
    gap_ += 0.5 * sum(block_, shape_.padded(), at_.sums,
                      [&](int i) { return at_.residual[i] * at_.gradient[i]; });
    gap_ /= unit_;
    if (this->is_done(gap_, steps, options)) {
      this->write(gap_ <= options.gap_tolerance, steps, answer);
      return true;
    }
    write_Q();
    this->add_curvature([&](int i, int j) -> double& { return matrix_.at(i, j); });
    each(block_, shape_.padded(),
         [&](int i) { at_.dy[i] = i < shape_.num_conic ? at_.pull[i] : 0.0; });
    return false;
  }

 private:
  using SemismoothSteps<Block>::block_, SemismoothSteps<Block>::shape_, SemismoothSteps<Block>::Q_,
      SemismoothSteps<Block>::at_, SemismoothSteps<Block>::constant_,
      SemismoothSteps<Block>::objective_, SemismoothSteps<Block>::unit_,
      SemismoothSteps<Block>::gap_;

  HEFT_HD void write_Q() {
    each(block_, matrix_.size * matrix_.size, [&](int i) {
      const int row = i % matrix_.size, column = i / matrix_.size;
      if (row >= column) matrix_.at(row, column) = Q_.at(row, column);
    });
  }

  // from launch to launch
  HEFT_HD void keep() {
    each(block_, 1, [&](int) {
      scalars_[0] = constant_;
      scalars_[1] = objective_;
      scalars_[2] = unit_;
      scalars_[3] = gap_;
    });
  }
  HEFT_HD void recall() {
    constant_ = scalars_[0];
    objective_ = scalars_[1];
    unit_ = scalars_[2];
    gap_ = scalars_[3];
  }

  DenseMatrix matrix_;
  double* scalars_;
};

}  // namespace heft::cuda
