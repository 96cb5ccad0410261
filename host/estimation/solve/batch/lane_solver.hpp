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

/// Height of a tile: columns are divided into tiles, stored with all columns of one tile before the
/// next.
inline constexpr int kRowsOfTile = 8;

struct LaneSolver {
  const char* name;
  int lanes;
  std::unique_ptr<PlainSolver> (*many)(const PlainShape&);   ///< one problem per lane
  std::unique_ptr<PlainSolver> (*alone)(const PlainShape&);  ///< one problem after another, lanes
                                                             ///< along the columns of matrices
  /// sums = columns weights, the weights num_columns x num_sums column by column, columns and sums
  /// in tiles.
  void (*weighted_sums)(const double* columns, std::ptrdiff_t num_tiles, int num_columns,
                        const double* weights, int num_sums, double* sums);
};

extern const LaneSolver kLaneSolverAvx512, kLaneSolverAvx2, kLaneSolverBaseline;

/// Returns the widest one that this machine supports.
const LaneSolver& lane_solver();

}  // namespace heft::solver
