#include "heft/solve/solve_batch.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <tuple>

#include "base/parallel_for.hpp"
#include "lane_solver.hpp"
#include "packed_problem.hpp"
#include "solve/device_batch_solver.hpp"
#include "solve_plain.hpp"

namespace heft {

namespace {

using namespace solver;

// Problems for the kernels, grouped by shape in their order.
using Shapes = std::map<std::tuple<int, int, int>, std::vector<int>>;

/// Extracts the shapes that the device supports; the others remain.
Shapes taken_by(DeviceBatchSolver& device, const std::vector<Problem>& problems, Shapes& shapes) {
  Shapes taken;
  for (auto shape = shapes.begin(); shape != shapes.end();) {
    const auto next = std::next(shape);
    if (device.takes(plain_shape(problems[static_cast<std::size_t>(shape->second.front())])))
      taken.insert(shapes.extract(shape));
    shape = next;
  }
  return taken;
}

Shapes plain_problems(const std::vector<Problem>& problems, const SolveOptions& options) {
  Shapes shapes;
  if (options.method != SolveMethod::automatic)
    return shapes;  // kernels know the semismooth method alone
  for (std::size_t k = 0; k < problems.size(); ++k) {
    if (!is_plain(problems[k])) continue;
    const PlainShape shape = plain_shape(problems[k]);
    shapes[{shape.num_variables, shape.num_psd4, shape.num_conic}].push_back(static_cast<int>(k));
  }
  return shapes;
}

// Problems of one shape, packed out for the kernels.
struct PackedShape {
  std::vector<PackedProblem> problems;  // memory stays from one layout to the next
  std::vector<PlainProblem> views;
  std::vector<PlainAnswer> answers;

  void lay_out(const std::vector<Problem>& all, const int* members, std::size_t count,
               const BatchOptions& options, int num_threads) {
    problems.resize(std::max(problems.size(), count));
    views.resize(count);
    answers.resize(count);
    parallel_for(static_cast<std::int64_t>(count), num_threads, [&](std::int64_t k, int) {
      problems[k].lay_out(all[members[k]], options.solve);
      views[k] = problems[k].view();
      answers[k] = problems[k].blank_answer();
    });
  }

  void conclude(const int* members, const BatchOptions& options, int num_threads,
                std::vector<Solution>& solutions) const {
    parallel_for(static_cast<std::int64_t>(answers.size()), num_threads, [&](std::int64_t k, int) {
      if (answers[k].converged)
        solutions[members[k]] = problems[k].solution(answers[k], options.solve);
    });
  }
};

// State that a thread keeps between shares.
struct Workspace {
  PlainShape shape;
  std::unique_ptr<PlainSolver> solver;
  PackedShape packed;
};

// Problems of one shape on one thread.
void solve_share(const std::vector<Problem>& problems, const std::vector<int>& members,
                 const BatchOptions& options, Workspace& workspace,
                 std::vector<Solution>& solutions) {
  PackedShape& packed = workspace.packed;
  packed.lay_out(problems, members.data(), members.size(), options, 1);
  const PlainShape shape = plain_shape(problems[members[0]]);
  if (!workspace.solver || workspace.shape != shape) {
    workspace.shape = shape;
    workspace.solver = lane_solver().many(shape);
  }
  workspace.solver->solve(packed.views.data(), static_cast<int>(members.size()),
                          plain_options(options.solve), packed.answers.data());
  packed.conclude(members.data(), options, 1, solutions);
}

// Calls task(index, thread) like parallel_for. The calling thread reports before the first task and
// after each of its own; if it is told to stop, no new task starts.
template <class Task>
Result<Done> reported_parallel_for(std::int64_t num_tasks, const BatchOptions& options,
                                   const Task& task) {
  if (num_tasks == 0) return Done{};
  HEFT_CHECK(report_progress(options.progress, "solving", 0));
  std::atomic<std::int64_t> num_done{0};
  std::atomic<bool> is_stopped{false};
  parallel_for(num_tasks, options.num_threads, [&](std::int64_t k, int thread) {
    if (is_stopped) return;
    task(k, thread);
    const double fraction = static_cast<double>(++num_done) / static_cast<double>(num_tasks);
    if (thread == 0 && !report_progress(options.progress, "solving", fraction)) is_stopped = true;
  });
  if (is_stopped) return stopped();
  return Done{};
}

Result<Done> solve_in_lanes(const std::vector<Problem>& problems, const Shapes& shapes,
                            const BatchOptions& options, std::vector<Solution>& solutions) {
  // shares of whole packs, a few per thread, small enough to fit in cache
  constexpr std::size_t kMaxPacked = 64;
  const std::size_t lanes = static_cast<std::size_t>(lane_solver().lanes);
  std::vector<std::vector<int>> shares;
  for (const auto& [shape, members] : shapes) {
    const std::size_t packs = (members.size() + lanes - 1) / lanes;
    const std::size_t per_share =
        std::clamp<std::size_t>(packs / (4 * options.num_threads), 1, kMaxPacked / lanes);
    for (std::size_t first = 0; first < members.size(); first += per_share * lanes) {
      shares.emplace_back(members.begin() + first,
                          members.begin() + std::min(first + per_share * lanes, members.size()));
    }
  }
  std::vector<Workspace> workspaces(options.num_threads);
  return reported_parallel_for(
      static_cast<std::int64_t>(shares.size()), options, [&](std::int64_t k, int thread) {
        solve_share(problems, shares[k], options, workspaces[thread], solutions);
      });
}

Result<Done> solve_on_device(DeviceBatchSolver& device, const std::vector<Problem>& problems,
                             const Shapes& shapes, const BatchOptions& options,
                             std::vector<Solution>& solutions) {
  constexpr std::size_t kMaxPacked = 4096;  // bounds the memory here and there
  PackedShape packed;
  std::size_t num_done = 0;
  for (const auto& [key, members] : shapes) {
    const PlainShape shape = plain_shape(problems[members[0]]);
    for (std::size_t first = 0; first < members.size(); first += kMaxPacked) {
      HEFT_CHECK(
          report_progress(options.progress, "solving",
                          static_cast<double>(num_done) / static_cast<double>(problems.size())));
      const std::size_t count = std::min(kMaxPacked, members.size() - first);
      num_done += count;
      packed.lay_out(problems, &members[first], count, options, options.num_threads);
      HEFT_CHECK(device.solve(shape, packed.views, plain_options(options.solve),
                              options.num_threads, packed.answers));
      packed.conclude(&members[first], options, options.num_threads, solutions);
      for (std::size_t k = 0; k < count; ++k)
        solutions[static_cast<std::size_t>(members[first + k])].by_device =
            packed.answers[k].converged;
    }
  }
  return Done{};
}

}  // namespace

const char* batch_instruction_set() {
  return lane_solver().name;
}

Result<std::vector<Solution>> solve_batch_on(DeviceBatchSolver* device,
                                             const std::vector<Problem>& problems,
                                             const BatchOptions& options) {
  std::vector<Solution> solutions(problems.size());
  Shapes in_lanes = plain_problems(problems, options.solve);
  if (device)
    HEFT_CHECK(solve_on_device(*device, problems, taken_by(*device, problems, in_lanes), options,
                               solutions));
  HEFT_CHECK(solve_in_lanes(problems, in_lanes, options, solutions));
  std::vector<char> is_tried(problems.size(), 0);  // by the steps that solve() would take
  for (const auto& [shape, members] : in_lanes)
    for (const int k : members) is_tried[static_cast<std::size_t>(k)] = 1;
  // the others one by one
  std::vector<std::size_t> left;
  for (std::size_t k = 0; k < problems.size(); ++k)
    if (solutions[k].status != SolveStatus::optimal) left.push_back(k);
  HEFT_CHECK(reported_parallel_for(
      static_cast<std::int64_t>(left.size()), options, [&](std::int64_t i, int) {
        const std::size_t k = left[static_cast<std::size_t>(i)];
        solutions[k] = is_tried[k] ? solve_without_semismooth(problems[k], options.solve)
                                   : *solve(problems[k], options.solve);
      }));
  return solutions;
}

Result<std::vector<Solution>> solve_batch(const std::vector<Problem>& problems,
                                          const BatchOptions& options) {
  HEFT_CHECK(validate(options.solve));
  if (options.num_threads < 1)
    return Error{"batch", "needs at least one thread", "give one or more"};
  return solve_batch_on(options.device.get(), problems, options);
}

Result<std::vector<Solution>> solve_made(int count, const std::function<Result<Problem>(int)>& make,
                                         const BatchOptions& options) {
  // megabytes each for a humanoid: some for every thread, and on a device some for every
  // multiprocessor
  constexpr int kPerThread = 32, kOnDevice = 256;
  if (options.num_threads < 1)
    return Error{"batch", "needs at least one thread", "give one or more"};
  std::vector<Solution> solutions;
  solutions.reserve(static_cast<std::size_t>(count));
  const int at_a_time = std::max(kPerThread * options.num_threads, options.device ? kOnDevice : 0);
  for (int first = 0; first < count; first += at_a_time) {
    HEFT_CHECK(report_progress(options.progress, "solving", static_cast<double>(first) / count));
    const int size = std::min(at_a_time, count - first);
    std::vector<Result<Problem>> made(static_cast<std::size_t>(size), Problem{});
    parallel_for(size, options.num_threads, [&](std::int64_t k, int) {
      made[static_cast<std::size_t>(k)] = make(first + static_cast<int>(k));
    });
    std::vector<Problem> problems;
    problems.reserve(made.size());
    for (Result<Problem>& problem : made) {
      if (!problem) return problem.error();
      problems.push_back(std::move(*problem));
    }
    BatchOptions batch = options;
    batch.progress = {};
    HEFT_TRY(solved, solve_batch(problems, batch));
    for (Solution& solution : solved) solutions.push_back(std::move(solution));
  }
  return solutions;
}

}  // namespace heft
