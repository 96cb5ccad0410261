#include "heft/excite/design.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>

#include "base/parallel_for.hpp"
#include "design_problem.hpp"
#include "scorer.hpp"
#include "starts.hpp"

namespace heft {

using Eigen::Index;

struct ScoredRobot::State {
  std::unique_ptr<excite::DesignProblem> problem;
  std::unique_ptr<excite::Objective> objective;
  excite::Task task;
  ExcitationObjective kind;
};

namespace {

using namespace excite;

static_assert(kNumExtremes == kNumLimitKinds && static_cast<int>(ExtremeOf::torque) == kTorque);

std::string size_text(Index rows, Index columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

Result<Done> check(const ScoredMotion& motion, std::size_t index) {
  const std::string where = "motion " + std::to_string(index);
  if (motion.robot == nullptr)
    return Error{where, "has no robot", "create one with ScoredRobot::make"};
  const Index rows = motion.robot->shape().num_coefficients(),
              columns = motion.robot->num_coordinates();
  const Eigen::MatrixXd& C = motion.coefficients;
  if (C.rows() != rows || C.cols() != columns)
    return Error{where, "has " + size_text(C.rows(), C.cols()) + " coefficients",
                 "give " + size_text(rows, columns) +
                     ": one row per coefficient of the motion, one column per movable joint"};
  if (!C.allFinite())
    return Error{where, "has coefficients that are not finite", "give numbers in rad or m"};
  return Done{};
}

/// State that a thread keeps between motions: the scorer of its most recent robot.
struct Seat {
  const ScoredRobot::State* state = nullptr;
  std::optional<Scorer> scorer;

  Scorer& of(const ScoredRobot& robot) {
    if (state != &robot.state()) {
      state = &robot.state();
      scorer.emplace(state->task);
    }
    return *scorer;
  }
};

MotionScore scored(Scorer& scorer, const Eigen::MatrixXd& coefficients, bool with_gradient) {
  MotionScore score;
  score.value = scorer.value(coefficients, nullptr, with_gradient ? &score.gradient : nullptr);
  if (!std::isfinite(score.value)) score.gradient.resize(0, 0);
  score.extremes = scorer.extremes();
  return score;
}

/// Scores motions of one robot on a device, as many at a time as it holds.
Result<Done> score_on_device(std::span<const ScoredMotion> motions, const DeviceMotionInput& input,
                             bool with_gradient, double offset, std::span<MotionScore> scores) {
  constexpr std::size_t kMostAtATime = 1024;
  HEFT_TRY(device,
           make_cuda_motions(input, static_cast<int>(std::min(motions.size(), kMostAtATime))));
  const Index n = input.middle.size();
  using RowMajor = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (std::size_t begin = 0; begin < motions.size();) {
    const std::size_t end =
        std::min(motions.size(), begin + static_cast<std::size_t>(device->capacity()));
    std::vector<DeviceMotion> all(end - begin);
    std::vector<RowMajor> extremes(all.size(), RowMajor(kNumLimitKinds, n));
    std::vector<DeviceMotion*> pass, with_value;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].slot = static_cast<int>(i);
      all[i].coefficients = motions[begin + i].coefficients.data();
      all[i].extremes = extremes[i].data();
      pass.push_back(&all[i]);
    }
    HEFT_CHECK(device->rows(pass));
    for (std::size_t i = 0; i < all.size(); ++i) {
      MotionScore& score = scores[begin + i];
      score.extremes = extremes[i];
      score.value = std::isfinite(all[i].value) ? all[i].value - offset : HUGE_VAL;
      if (!with_gradient || !std::isfinite(score.value)) continue;
      score.gradient.resize(input.num_coefficients, n);
      all[i].gradient = score.gradient.data();
      with_value.push_back(&all[i]);
    }
    HEFT_CHECK(device->gradient(with_value));
    begin = end;
  }
  return Done{};
}

/// Scores the motions that a device can score. Returns 1 for every scored motion, otherwise 0.
Result<std::vector<char>> score_on_devices(std::span<const ScoredMotion> motions,
                                           const ScoreOptions& options,
                                           std::span<MotionScore> scores) {
  std::vector<char> is_done(motions.size(), 0);
  for (std::size_t begin = 0, end = 0; begin < motions.size(); begin = end) {
    const ScoredRobot::State& state = motions[begin].robot->state();
    while (end < motions.size() && &motions[end].robot->state() == &state) ++end;
    const auto input = device_input(state.task, state.kind);
    if (!input || !input->is_log_det) continue;
    const auto done =
        score_on_device(motions.subspan(begin, end - begin), *input, options.with_gradient,
                        state.task.information->log_det_offset, scores.subspan(begin, end - begin));
    if (!done && options.backend == BackendKind::cuda) return done.error();
    if (done)
      std::fill(is_done.begin() + static_cast<Index>(begin),
                is_done.begin() + static_cast<Index>(end), 1);
  }
  return is_done;
}

}  // namespace

Result<ScoredRobot> ScoredRobot::make(const Robot& robot, const ExciteOptions& options,
                                      const TrainingData* known, int num_samples) {
  if (num_samples < 0 || num_samples > 1000000)
    return Error{"samples", std::to_string(num_samples) + " is out of range",
                 "give 0 for twenty per second, or at most a million"};
  HEFT_CHECK(check_shape(options.shape));
  HEFT_TRY(held, held_robot(robot, options.base));
  ExciteOptions without_obstacles = options;
  without_obstacles.clearance = {.ignore = true};
  auto state = std::make_shared<State>();
  HEFT_TRY(problem, make_design_problem(held, without_obstacles, known));
  state->problem = std::move(problem);
  const DesignProblem& on = *state->problem;
  state->objective = make_objective(options.objective, on.information, on.task, on.excitable);
  state->task = {.information = &on.information,
                 .limits = &on.limits,
                 .objective = state->objective.get(),
                 .shape = options.shape,
                 .num_samples = num_samples > 0 ? num_samples : search_samples(options.shape)};
  state->kind = options.objective;
  return ScoredRobot(std::move(state));
}

const MotionShape& ScoredRobot::shape() const {
  return state_->task.shape;
}
int ScoredRobot::num_samples() const {
  return state_->task.num_samples;
}
int ScoredRobot::num_coordinates() const {
  return state_->problem->information.plan->num_channels();
}
double ScoredRobot::log_det_prior() const {
  return state_->problem->information.log_det_known;
}

Result<std::vector<MotionScore>> score(std::span<const ScoredMotion> motions,
                                       const ScoreOptions& options, const Progress& progress) {
  if (options.threads < 0) return Error{"threads", "is negative", "give 0 to use all cores"};
  for (std::size_t i = 0; i < motions.size(); ++i) HEFT_CHECK(check(motions[i], i));
  // a task is a run of motions, so that threads seldom change robots
  constexpr std::int64_t kRun = 16;
  const auto count = static_cast<std::int64_t>(motions.size());
  const std::int64_t num_runs = (count + kRun - 1) / kRun;
  const int threads = threads_for(options.threads);
  std::vector<MotionScore> scores(motions.size());
  std::vector<char> is_scored(motions.size(), 0);
  if (options.backend != BackendKind::cpu) {
    HEFT_TRY(done, score_on_devices(motions, options, scores));
    is_scored = std::move(done);
  }
  std::vector<Seat> seats(static_cast<std::size_t>(threads));
  std::atomic<std::int64_t> num_done{0};
  std::atomic<bool> is_stopped{false};
  parallel_for(num_runs, threads, [&](std::int64_t run, int thread) {
    for (std::int64_t i = run * kRun; i < std::min(count, (run + 1) * kRun) && !is_stopped; ++i) {
      if (thread == 0 && progress &&
          !progress("score", static_cast<double>(num_done) / static_cast<double>(count)))
        is_stopped = true;
      if (is_scored[static_cast<std::size_t>(i)] != 0) continue;
      Scorer& scorer =
          seats[static_cast<std::size_t>(thread)].of(*motions[static_cast<std::size_t>(i)].robot);
      scores[static_cast<std::size_t>(i)] =
          scored(scorer, motions[static_cast<std::size_t>(i)].coefficients, options.with_gradient);
      ++num_done;
    }
  });
  if (is_stopped) return stopped();
  return scores;
}

}  // namespace heft
