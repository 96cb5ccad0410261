#define HEFT_SOLVE_TARGET avx2
#define HEFT_SOLVE_LANES 4
#define HEFT_SOLVE_TILE 3
#include "lane_solve.hpp"

namespace heft::solver {

const LaneSolver kLaneSolverAvx2{"AVX2",
                                 avx2::kPack,
                                 avx2::make_plain_solver<avx2::Many>,
                                 avx2::make_plain_solver<avx2::Alone>,
                                 avx2::multiply,
                                 avx2::sum_draws,
                                 avx2::is_positive_definite};

}  // namespace heft::solver
