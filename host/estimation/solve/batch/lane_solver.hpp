// Host interface of the semismooth Newton method for plain problems: one LaneSolver per instruction
// set, each compiled to its own object file.
#pragma once

#include <cstddef>
#include <memory>

#include "solve/plain_problem.hpp"

namespace heft::solver {

/// Memory of one thread for problems of one shape.
class PlainSolver {
 public:
  virtual ~PlainSolver() = default;
  virtual void solve(const PlainProblem* problems, int count, const PlainOptions& options,
                     PlainAnswer* answers) = 0;
};

/// No register tile of a factor is larger.
inline constexpr int kMaxTile = 8;

/// C = A B, all of them column by column: A is num_rows x depth, B depth x num_columns. Strides are
/// distances of columns. C overlaps neither factor.
struct LaneProduct {
  const double* A;
  std::ptrdiff_t A_stride;
  const double* B;
  std::ptrdiff_t B_stride;
  double* C;
  std::ptrdiff_t C_stride;
  int num_rows, depth, num_columns;
};

/// Numbers that LaneSolver::sum_draws sums together.
inline constexpr int kNumbersOfPart = 48;

/// A block that a resample draws, and its weight there.
struct BlockDraw {
  std::ptrdiff_t block;
  double weight;
};

/// All blocks of a resample.
struct BlockDraws {
  const BlockDraw *begin, *end;
};

struct LaneSolver {
  const char* name;
  int lanes;
  std::unique_ptr<PlainSolver> (*many)(const PlainShape&);   ///< one problem per lane
  std::unique_ptr<PlainSolver> (*alone)(const PlainShape&);  ///< one problem after another, lanes
                                                             ///< along the columns of matrices
  void (*multiply)(const LaneProduct&);
  /// Weighted sums of blocks: part by part, `numbers` has those of all blocks, and `sums` gets
  /// those of all resamples.
  void (*sum_draws)(const double* numbers, std::ptrdiff_t num_parts, int num_blocks,
                    const BlockDraws* draws, int num_sums, double* sums);
  /// Whether all pivots of a symmetric matrix are above zero. Reads the lower triangle, and above
  /// the diagonal no entry further than a register tile.
  bool (*is_positive_definite)(const double* A, std::ptrdiff_t stride, int size);
};

extern const LaneSolver kLaneSolverAvx512, kLaneSolverAvx2, kLaneSolverBaseline;

/// Returns the widest one that this machine supports.
const LaneSolver& lane_solver();

}  // namespace heft::solver
