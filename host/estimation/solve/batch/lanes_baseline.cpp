#define HEFT_SOLVE_TARGET baseline
#define HEFT_SOLVE_LANES 2
#define HEFT_SOLVE_TILE 2
#include "lane_solve.hpp"

namespace heft::solver {

const LaneSolver kLaneSolverBaseline{"baseline",
                                     baseline::kPack,
                                     baseline::make_plain_solver<baseline::Many>,
                                     baseline::make_plain_solver<baseline::Alone>,
                                     baseline::multiply,
                                     baseline::sum_draws,
                                     baseline::is_positive_definite};

}  // namespace heft::solver
