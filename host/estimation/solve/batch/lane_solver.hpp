// The semismooth Newton method of plain problems as the host sees it: one LaneSolver per
// instruction set, each compiled in an object file of its own.
#pragma once

#include <cstddef>
#include <memory>

#include "solve/plain_problem.hpp"

namespace heft::solver {

/// The memory of one thread for problems of one shape.
class PlainSolver {
 public:
  virtual ~PlainSolver() = default;
  virtual void solve(const PlainProblem* problems, int count, const PlainOptions& options,
                     PlainAnswer* answers) = 0;
};

/// Numbers of a column that lie together where columns are cut into tiles: those of all columns,
/// column after column, then the next tile.
inline constexpr int kRowsOfTile = 16;

struct LaneSolver {
  const char* name;
  int lanes;
  std::unique_ptr<PlainSolver> (*many)(const PlainShape&);   ///< a lane a problem
  std::unique_ptr<PlainSolver> (*alone)(const PlainShape&);  ///< one after the other, lanes along
                                                             ///< the columns of matrices
  /// sums = columns weights, the weights num_columns x num_sums column by column, columns and sums
  /// in tiles.
  void (*weighted_sums)(const double* columns, std::ptrdiff_t num_tiles, int num_columns,
                        const double* weights, int num_sums, double* sums);
};

extern const LaneSolver kLaneSolverAvx512, kLaneSolverAvx2, kLaneSolverBaseline;

/// The widest that this machine runs.
const LaneSolver& lane_solver();

}  // namespace heft::solver
