#define HEFT_SOLVE_TARGET avx512
#define HEFT_SOLVE_LANES 8
#define HEFT_SOLVE_TILE 4
#include "lane_solve.hpp"

namespace heft::solver {

const LaneSolver kLaneSolverAvx512{"AVX-512",
                                   avx512::kPack,
                                   avx512::make_plain_solver<avx512::Many>,
                                   avx512::make_plain_solver<avx512::Alone>,
                                   avx512::multiply,
                                   avx512::sum_draws,
                                   avx512::is_positive_definite};

}  // namespace heft::solver
