#include "heft/solve_batch.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <tuple>

#include "host/solve/batch/lane_problem.hpp"
#include "host/solve/extract.hpp"

namespace heft {

namespace {

using namespace solver;

// in lanes; what needs more is better served alone
constexpr int kSemismoothLimit = 20, kAdmmLimit = 1000, kNewtonLimit = 40;

const LaneSolver& lane_solver() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return kLaneSolverAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kLaneSolverAvx2;
#endif
  return kLaneSolverBaseline;
}

bool fits_lanes(const Problem& problem, const BatchOptions& options) {
  return problem.prior.kind == PriorKind::metric && problem.has_orthonormal_rows &&
         problem.is_strongly_convex && problem.cone.num_psd6 == 0 && problem.physical.E.rows() == 0 &&
         problem.cone.size() > 0 && options.solve.anderson_memory == 10;
}

LaneOptions lane_options(const SolveOptions& options) {
  LaneOptions lanes{options.gap_tolerance, options.relaxation, kSemismoothLimit, kAdmmLimit, kNewtonLimit};
  if (options.max_iterations > 0) {
    lanes.max_semismooth_steps = lanes.max_admm_iterations = lanes.max_newton_steps = options.max_iterations;
  }
  if (options.method != SolveMethod::automatic) lanes.max_semismooth_steps = 0;
  if (options.method != SolveMethod::admm) lanes.max_admm_iterations = 0;
  if (options.method == SolveMethod::admm) lanes.max_newton_steps = 0;
  return lanes;
}

// A problem in the order of the lanes: variables that are slacks first, shifted by g.
class Laid {
 public:
  /// Memory stays from problem to problem of one shape.
  void lay_out(const Problem& problem, const SolveOptions& options) {
    problem_ = &problem;
    const int n = problem.num_variables(), m = problem.cone.size();
    order_.clear();
    conic_.assign(n, false);
    sign_.setOnes(n);
    for (int row = 0; row < m; ++row) {
      RowSparseMatrix::InnerIterator entry(problem.F, row);
      order_.push_back(static_cast<int>(entry.col()));
      sign_[row] = entry.value();
      conic_[entry.col()] = true;
    }
    for (int k = 0; k < n; ++k) {
      if (!conic_[k]) order_.push_back(k);
    }
    natural_ = (sign_.array() == 1).all() && std::is_sorted(order_.begin(), order_.end());
    shift_.setZero(n);
    shift_.head(m) = problem.g;  // lane variable = sign * y + shift

    c_.resize(n);
    start_.resize(n);
    for (int i = 0; i < n; ++i) {
      c_[i] = sign_[i] * problem.c[order_[i]];
      start_[i] = sign_[i] * problem.start[order_[i]] + shift_[i];
    }
    // data term = f - prior: w |z - z0|^2 of bodies, ridge / (2 (1 + ridge)) z^2 of columns at unit curvature
    weight_.resize(n);
    centre_ = start_;
    const int num_body = core::kNumParameters * problem.layout.num_bodies();
    for (int i = 0; i < n; ++i) {
      const bool body = order_[i] < num_body;
      weight_[i] = body ? problem.prior.weight : 0.5 * problem.prior.ridge / (1 + problem.prior.ridge);
      if (!body) centre_[i] = shift_[i];
    }
    penalty_ = options.penalty_over_weight * problem.prior.weight;
    y_.resize(n);
    lambda_.resize(m);
  }

  LaneProblem view() const {
    const double least_cost = std::max(1e-10 * problem_->data.tau2 / problem_->data.num_rows, 1e-300);
    return {problem_->Q.data(), order_.data(), sign_.data(),   natural_,       c_.data(),  shift_.data(),
            problem_->constant, start_.data(), weight_.data(), centre_.data(), least_cost, penalty_};
  }
  double* y() { return y_.data(); }
  double* lambda() { return lambda_.data(); }

  Solution solution(const LaneAnswer& answer, const SolveOptions& options) const {
    Solution result;
    result.method = answer.newton_steps > 0      ? SolveMethod::interior_point
                    : answer.admm_iterations > 0 ? SolveMethod::admm
                                                 : SolveMethod::automatic;
    result.iterations = answer.semismooth_steps + answer.admm_iterations + answer.newton_steps;
    // ADMM factors its matrix once; after the semismooth method, Q is factored again
    const bool others = answer.admm_iterations + answer.newton_steps > 0;
    result.factorizations =
        answer.semismooth_steps + others + (answer.admm_iterations > 0) + answer.newton_steps;
    result.status = answer.converged ? SolveStatus::optimal : SolveStatus::not_converged;
    result.y.resize(y_.size());
    for (Eigen::Index i = 0; i < y_.size(); ++i) result.y[order_[i]] = sign_[i] * (y_[i] - shift_[i]);
    result.lambda = lambda_;
    const IterationRecord record{result.iterations, answer.objective, answer.gap, 0, penalty_};
    result.history.push_back(record);
    conclude(*problem_, options, record, result);
    return result;
  }

 private:
  const Problem* problem_ = nullptr;
  std::vector<int> order_;
  std::vector<char> conic_;  // variable is a slack
  Eigen::VectorXd sign_, shift_, c_, weight_, centre_, start_, y_, lambda_;
  bool natural_ = false;
  double penalty_ = 1;
};

// What one thread keeps from share to share.
struct Workspace {
  LaneShape shape;
  std::unique_ptr<LanePacks> packs;
  std::vector<Laid> laid;
};

// Problems of one shape.
void solve_alike(const std::vector<Problem>& problems, const std::vector<int>& members,
                 const BatchOptions& options, Workspace& workspace, std::vector<Solution>& solutions) {
  std::vector<LaneProblem> views;
  std::vector<LaneAnswer> answers(members.size());
  std::vector<Laid>& laid = workspace.laid;
  laid.resize(std::max(laid.size(), members.size()));
  for (std::size_t k = 0; k < members.size(); ++k) {
    laid[k].lay_out(problems[members[k]], options.solve);
    views.push_back(laid[k].view());
    answers[k].y = laid[k].y();
    answers[k].lambda = laid[k].lambda();
  }
  const ConeShape& cone = problems[members[0]].cone;
  const LaneShape shape{problems[members[0]].num_variables(), cone.size(), cone.num_psd4};
  if (!workspace.packs || workspace.shape != shape) {
    workspace.shape = shape;
    workspace.packs = lane_solver().make_packs(shape);
  }
  workspace.packs->solve(views.data(), static_cast<int>(views.size()), lane_options(options.solve),
                         answers.data());
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (answers[k].converged) solutions[members[k]] = laid[k].solution(answers[k], options.solve);
  }
}

}  // namespace

const char* batch_instruction_set() {
  return lane_solver().name;
}

Result<std::vector<Solution>> solve_batch(const std::vector<Problem>& problems, const BatchOptions& options) {
  HEFT_CHECK(validate(options.solve));
  if (options.num_threads < 1) return Error{"batch", "needs at least one thread", ""};

  // problems with the same shape, in their order
  std::map<std::tuple<int, int, int>, std::vector<int>> shapes;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Problem& problem = problems[k];
    if (fits_lanes(problem, options)) {
      shapes[{problem.num_variables(), problem.cone.num_psd4, problem.cone.num_rows}].push_back(
          static_cast<int>(k));
    }
  }
  // shares of whole packs, a few for every thread, small enough that what is laid out stays in cache
  constexpr std::size_t kLaidOut = 64;
  const std::size_t lanes = static_cast<std::size_t>(lane_solver().lanes);
  std::vector<std::vector<int>> shares;
  for (const auto& [shape, members] : shapes) {
    const std::size_t packs = (members.size() + lanes - 1) / lanes;
    const std::size_t per_share =
        std::clamp<std::size_t>(packs / (4 * options.num_threads), 1, kLaidOut / lanes);
    for (std::size_t first = 0; first < members.size(); first += per_share * lanes) {
      shares.emplace_back(members.begin() + first,
                          members.begin() + std::min(first + per_share * lanes, members.size()));
    }
  }

  std::vector<Solution> solutions(problems.size());
  const auto in_parallel = [&](std::size_t count, const auto& work) {
    std::atomic<std::size_t> next{0};
    const auto worker = [&] {
      Workspace workspace;
      for (std::size_t k; (k = next.fetch_add(1)) < count;) work(k, workspace);
    };
    std::vector<std::thread> threads;
    for (int t = 1; t < options.num_threads; ++t) threads.emplace_back(worker);
    worker();
    for (auto& thread : threads) thread.join();
  };
  in_parallel(shares.size(), [&](std::size_t k, Workspace& workspace) {
    solve_alike(problems, shares[k], options, workspace, solutions);
  });
  in_parallel(problems.size(), [&](std::size_t k, Workspace&) {
    if (solutions[k].status != SolveStatus::optimal) solutions[k] = *solve(problems[k], options.solve);
  });
  return solutions;
}

}  // namespace heft
