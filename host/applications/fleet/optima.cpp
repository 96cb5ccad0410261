#include "optima.hpp"

#include <algorithm>
#include <utility>

#include "heft/config/module_options.hpp"
#include "leaf.hpp"
#include "population_answer.hpp"
#include "run_state.hpp"
#include "trie.hpp"

namespace heft {

namespace {

constexpr double kMaxBytes = 1e9;  ///< of problems in memory at a time

}  // namespace

Result<std::optional<Problem>> problem_of_answer(const AnswerInput& input, const RobotSetup& robot,
                                                 const FleetStore& store,
                                                 const Progress& progress) {
  Setup setup = robot.setup;
  EstimationOptions options = estimation_options(robot.configuration);
  if (!robot.by_leaves || options.is_least_squares()) return std::optional<Problem>();
  HEFT_TRY(sum, sum_of_leaves(trie_of(input.leaf_keys), robot, store, progress));
  HEFT_TRY(population, population_prior_of(input, robot, store));
  if (population) HEFT_CHECK(use_population_prior(*population, sum, setup.prior, options));
  if (options.chooses_weight_of_prior && setup.prior.kind != PriorKind::none)
    return std::optional<Problem>();
  HEFT_TRY(problem, problem_of(sum, setup, options));
  return std::optional<Problem>(std::move(problem));
}

double problem_bytes(const RobotSetup& robot) {
  const double size = robot.setup.plan().layout.num_parameters();
  return 4 * sizeof(double) * size * size;  // G, Q, what they are packed out to, and what is sparse
}

Result<std::shared_ptr<Executor>> AnswerSolver::executor_of(const RobotSetup& robot) {
  const BackendOptions options = robot.backend_of_sums(num_threads_);
  const std::lock_guard lock(mutex_);
  if (const auto known = executors_.find(options.kind); known != executors_.end())
    return known->second;
  HEFT_TRY(executor, make_executor(options));
  return executors_.emplace(options.kind, std::move(executor)).first->second;
}

bool AnswerSolver::has_device(const RobotSetup& robot) {
  const auto executor = executor_of(robot);
  return executor && (*executor)->has_device();
}

Result<std::vector<Solution>> AnswerSolver::solve(const std::vector<Problem>& problems,
                                                  const RobotSetup& robot,
                                                  const Progress& progress) {
  HEFT_TRY(executor, executor_of(robot));
  return executor->solve("answers", problems, estimation_options(robot.configuration).solve,
                         progress);
}

std::size_t FleetRun::State::end_of_batch(const std::vector<std::size_t>& places,
                                          std::size_t first) {
  double bytes = 0;
  for (std::size_t k = first; k < places.size(); ++k) {
    const FleetRobot& robot = plan.robots[places[k]];
    const auto setup = setups.of(robot.robot, robot.config);
    if (!setup) continue;
    bytes += problem_bytes(**setup);
    if (k > first && bytes > kMaxBytes) return k;
  }
  return places.size();
}

void FleetRun::State::pose(const FleetRobot& robot, Posed& posed, const Progress& progress) {
  const auto found = ready(robot, progress);
  if (!found || population_faults.contains(found->input.population))
    return;  // solve_robot reports the reason
  const std::string key = found->answer_key();
  auto problem = problem_of_answer(found->input, *found->setup, store, progress);
  if (!problem) {
    fail_robot(robot, problem.error(), key);
    hopeless[place_of(robot)] = true;
    return;
  }
  if (*problem) posed = {key, found->setup, std::move(**problem)};
}

void FleetRun::State::solve_posed(std::vector<Posed> posed, const Progress& progress) {
  std::map<std::string, std::vector<Posed*>> by_model;
  for (Posed& one : posed)
    if (one.setup) by_model[one.setup->answer_text].push_back(&one);
  for (auto& [model, members] : by_model) {
    std::vector<Problem> problems;
    for (Posed* one : members) problems.push_back(std::move(one->problem));
    auto solved = solver.solve(problems, *members.front()->setup, progress);
    if (!solved && ends_with_device(solved.error())) return;
    if (!solved) continue;  // solving robot by robot names the cause
    for (std::size_t k = 0; k < members.size(); ++k)
      optima[members[k]->key] = std::make_shared<const Solution>(std::move((*solved)[k]));
  }
}

Result<Done> FleetRun::State::find_optima(const std::vector<std::size_t>& all_places) {
  optima.clear();
  std::vector<std::size_t> places;
  for (const std::size_t place : all_places) {
    const auto setup = setups.of(plan.robots[place].robot, plan.robots[place].config);
    if (setup && solver.has_device(**setup)) places.push_back(place);
  }
  for (std::size_t first = 0; first < places.size() && !pool.is_stopped() && !is_at_fault();) {
    const std::size_t last = end_of_batch(places, first);
    std::vector<Posed> posed(last - first);
    pool.run("pose", "problems", posed.size(), [&](std::size_t k, const Progress& progress) {
      if (!is_at_fault()) pose(plan.robots[places[first + k]], posed[k], watched(progress));
    });
    pool.run("solve", "batches", 1, [&](std::size_t, const Progress& progress) {
      solve_posed(std::move(posed), watched(progress));
    });
    first = last;
  }
  if (fault) return *fault;
  return Done{};
}

}  // namespace heft
