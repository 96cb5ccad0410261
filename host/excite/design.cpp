#include "heft/excite/design.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>

#include "assess.hpp"
#include "base/number_text.hpp"
#include "base/parallel_for.hpp"
#include "base/random_stream.hpp"
#include "beliefs.hpp"
#include "clearance/min_clearance.hpp"
#include "files/name_hint.hpp"
#include "model/same_layout.hpp"
#include "search.hpp"

namespace heft {

namespace {

using namespace excite;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// All that designs and judgements share. Not moved: the task points into it.
struct Ground {
  Limits limits;
  Information information;
  MatrixXd excitable;
  std::vector<std::string> notes;
  CollisionModel collisions;
  SpherePairs spheres;

  bool looks_at_collisions() const { return !collisions.pairs.empty(); }
};

Result<Done> check(const Robot& robot, const ExciteOptions& options) {
  if (robot.floating_base)
    return Error{"--robot", "has a base that moves freely",
                 "hang it up or bolt it down: read it with a fixed base, whose joints a motion can drive"};
  if (robot.num_coordinates() == 0)
    return Error{"--robot", "has no joint that moves", "choose another robot"};
  const auto is_positive = [](double x) { return x > 0 && std::isfinite(x); };
  if (!is_positive(options.shape.duration) || options.shape.duration > 3600)
    return Error{"--duration", "is " + number_text(options.shape.duration), "write seconds, up to 3600"};
  if (!is_positive(options.rate_hz) || options.rate_hz > 1e5 ||
      options.rate_hz * options.shape.duration < 2 || options.rate_hz * options.shape.duration > 2e6)
    return Error{
        "--rate", "is " + number_text(options.rate_hz) + " samples a second",
        "write what your controller takes, 100 to 1000; at least two samples and at most two million"};
  if (!is_positive(options.beliefs.relative_inertia) || !is_positive(options.beliefs.samples_per_second) ||
      !is_positive(options.beliefs.noise_of_effort) || !is_positive(options.beliefs.coulomb_width))
    return Error{"beliefs", "hold a number that is not positive", "leave it out for its default"};
  return Done{};
}

Result<Done> check_search(const ExciteOptions& options) {
  const MotionShape& shape = options.shape;
  if (shape.kind == ExcitationMotion::spline && (shape.intervals < 6 || shape.intervals > 1000))
    return Error{"--intervals", "is " + std::to_string(shape.intervals),
                 "take 6 to 1000: 20 to 40 for ten seconds"};
  if (shape.kind == ExcitationMotion::poses &&
      (shape.intervals < MotionShape::kPoseIntervals || shape.intervals > 6000 ||
       shape.intervals % MotionShape::kPoseIntervals != 0))
    return Error{"--intervals", "is " + std::to_string(shape.intervals),
                 "poses take a multiple of " + std::to_string(MotionShape::kPoseIntervals) +
                     ", the intervals from one posture to the next"};
  const int least = shape.kind == ExcitationMotion::fourier_rest ? 3 : 1;
  if (!shape.is_spline() && (shape.harmonics < least || shape.harmonics > 100))
    return Error{"--intervals", "of a Fourier series are its harmonics: " + std::to_string(shape.harmonics),
                 "take " + std::to_string(least) + " to 100, about 5 for ten seconds"};
  if (options.starts < 1 || options.starts > 100000)
    return Error{"--starts", "is " + std::to_string(options.starts),
                 "take 1 to 100000; 8 are enough for most arms"};
  if (!(options.time_budget_s >= 0))
    return Error{"--time-budget", "is negative", "write seconds, or 0 for no end"};
  if (!options.start.empty() && !shape.is_spline())
    return Error{"--start", "is no place where a Fourier series begins",
                 "take --motion spline, which begins anywhere"};
  return Done{};
}

/// States all over the limits, as tasks have them: what rows of this robot can be.
MotionSamples random_states(const Limits& limits, int count) {
  RandomStream random(1);
  const Index n = limits.middle.size();
  MotionSamples states{.time = VectorXd::LinSpaced(count, 0, 1)};
  for (Eigen::ArrayXXd* values : {&states.position, &states.velocity, &states.acceleration})
    values->resize(count, n);
  for (Index k = 0; k < n; ++k)
    for (int s = 0; s < count; ++s) {
      const bool locked = limits.is_locked(static_cast<int>(k));
      states.position(s, k) = limits.middle[k] + limits.size[kPosition][k] * random.uniform(-1, 1);
      states.velocity(s, k) = locked ? 0 : 0.4 * limits.size[kVelocity][k] * random.normal();
      states.acceleration(s, k) = locked ? 0 : 0.3 * limits.size[kAcceleration][k] * random.normal();
    }
  return states;
}

/// Directions that rows can have, by the eigenvalues of the information of random states against what is known.
MatrixXd excitable_directions(const Information& information, const MatrixXd& G) {
  const Eigen::LLT<MatrixXd> factor(information.precision);
  MatrixXd A = G.selfadjointView<Eigen::Lower>();
  factor.matrixL().solveInPlace(A);
  A.transposeInPlace();
  factor.matrixL().solveInPlace(A);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(A);
  const VectorXd& values = eigen.eigenvalues();
  constexpr double kRankCut = 1e-10;
  Index first = 0;
  while (first < values.size() && values[first] <= kRankCut * values[values.size() - 1]) ++first;
  MatrixXd directions = eigen.eigenvectors().rightCols(values.size() - first);
  factor.matrixU().solveInPlace(directions);
  return directions;
}

Result<std::unique_ptr<Ground>> make_ground(const Robot& robot, const ExciteOptions& options,
                                            const TrainingData* known, MatrixXd& task) {
  auto ground = std::make_unique<Ground>();
  HEFT_CHECK(check(robot, options));
  HEFT_TRY(limits, make_limits(robot, options.limits));
  ground->limits = limits;
  ground->notes = limits.assumed;
  HEFT_TRY(plan, make_excitation_plan(robot, options.beliefs));
  if (known != nullptr) {
    for (const Channel& channel : known->plan->channels)
      if (channel.coordinate < 0)
        return Error{"--known", "has the channel " + channel.name + " of a base or a sensor",
                     "give moments of joint torques alone"};
    if (known->plan->num_channels() != plan->num_channels())
      return Error{"--known",
                   "is of another robot: it has " + std::to_string(known->plan->num_channels()) +
                       " joints, not " + std::to_string(plan->num_channels()),
                   "give moments of this robot"};
    HEFT_TRY(same, make_regressor_plan(robot, plan->channels, known->plan->layout.columns));
    if (const std::string difference = layout_difference(*same, *known->plan); !difference.empty())
      return Error{"--known", "is of another robot: " + difference, "give moments of this robot"};
    plan = same;
  }
  HEFT_TRY(beliefs, make_beliefs(*plan, ground->limits, options.beliefs, known, ground->notes));
  HEFT_TRY(information, make_information(plan, beliefs));
  ground->information = information;
  const VectorXd& middle = limits.middle;
  const VectorXd& reach = limits.size[kPosition];
  HEFT_TRY(collisions, make_collision_model(robot, options.clearance, middle - reach, middle + reach));
  ground->collisions = std::move(collisions);
  ground->notes.insert(ground->notes.end(), ground->collisions.notes.begin(), ground->collisions.notes.end());
  task = assess(ground->information, ground->limits, random_states(limits, 600), 1, {}).G;
  task = MatrixXd(task.selfadjointView<Eigen::Lower>());
  ground->excitable = excitable_directions(ground->information, task);
  return ground;
}

std::vector<bool> counting(const MotionShape& shape, const MotionSamples& samples) {
  std::vector<bool> counts;
  if (shape.kind == ExcitationMotion::poses)
    for (Index i = 0; i < samples.size(); ++i) counts.push_back(shape.is_at_rest(samples.time[i]));
  return counts;
}

/// log det, parameters' standard deviations before and after G.
void put_knowledge(const Information& information, const MatrixXd& G, Design& design) {
  design.log_det = log_det(information, G);
  design.log_det_prior = information.log_det_known;
  // (C^-1 + W'GW)^-1 by the square root of C, whose entries differ by many powers of ten
  const VectorXd before = information.covariance.diagonal().cwiseSqrt();
  const MatrixXd unit =
      before.cwiseInverse().asDiagonal() * information.covariance * before.cwiseInverse().asDiagonal();
  const Eigen::LLT<MatrixXd> root(0.5 * (unit + unit.transpose()));
  const MatrixXd B = information.plan->regrouping * (before.asDiagonal() * MatrixXd(root.matrixL()));
  MatrixXd M = B.transpose() * (G.selfadjointView<Eigen::Lower>() * B);
  M.diagonal().array() += 1;
  const MatrixXd half = M.llt().matrixL().solve(MatrixXd(root.matrixL()).transpose());
  const ParameterLayout& layout = information.plan->layout;
  for (int i = 0; i < layout.num_parameters(); ++i)
    design.parameters.push_back({layout.name(i), layout.unit(i), before[i], before[i] * half.col(i).norm()});
}

struct Clocks {
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  std::clock_t cpu = std::clock();
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  double cpu_seconds() const { return static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC; }
};

Result<std::optional<VectorXd>> rest_of(const Robot& robot, const Limits& limits,
                                        const ExciteOptions& options) {
  if (options.start.empty()) return std::optional<VectorXd>{};
  VectorXd rest = limits.middle;
  std::vector<std::string> joints;
  for (const Coordinate& coordinate : robot.coordinates) joints.push_back(coordinate.name);
  for (const auto& [joint, value] : options.start) {
    const auto found = std::find(joints.begin(), joints.end(), joint);
    if (found == joints.end())
      return Error{"--start", "the robot has no joint '" + joint + "' that moves",
                   name_hint(joint, joints, "it has ")};
    const Index k = found - joints.begin();
    if (!(std::abs(value - limits.middle[k]) <= limits.size[kPosition][k]))
      return Error{"--start",
                   joint + " at " + number_text(value) + " is outside of its limits, " +
                       number_text(limits.middle[k] - limits.size[kPosition][k]) + " to " +
                       number_text(limits.middle[k] + limits.size[kPosition][k]),
                   "begin where the robot may stand, or widen limits.position"};
    rest[k] = value;
  }
  if (options.start.size() < joints.size())
    for (const std::string& joint : joints)
      if (!options.start.contains(joint))
        return Error{"--start", "does not say where " + joint + " stands",
                     "name all " + std::to_string(joints.size()) + " joints"};
  return std::optional<VectorXd>(rest);
}

std::string words_of(const LimitUse& use) {
  return use.name + " of " + use.joint + ": " + number_text(use.worst_ratio, 4) + " times its limit" +
         (std::isfinite(use.limit) ? " of " + number_text(use.limit, 4) : "") + ", at " +
         number_text(use.at_s, 4) + " s";
}

bool is_too_near(const MinClearance& least) {
  return least.value < least.wanted;
}

std::string words_of(const MinClearance& least) {
  const std::string pair = least.first + " and " + least.second;
  if (least.value <= 0) return pair + " meet at " + number_text(least.at_s, 4) + " s";
  return pair + " are only " + number_text(least.value, 3) + " m apart at " + number_text(least.at_s, 4) +
         " s, less than limits.clearance, " + number_text(least.wanted, 3) + " m";
}

/// Why a start is not feasible.
std::string words_of(const StartResult& result) {
  const LimitUse& worst = worst_of(result.limits);
  if (worst.worst_ratio <= 1 && result.clearance) return words_of(result.clearance->worst);
  std::string words = words_of(worst);
  if (result.clearance && is_too_near(result.clearance->worst))
    words += "; and " + words_of(result.clearance->worst);
  return words;
}

/// A posture in which nothing is too near.
Result<Done> check_start(const Ground& ground, const VectorXd& rest) {
  if (!ground.looks_at_collisions()) return Done{};
  const MinClearance least =
      sample_clearance(ground.collisions, VectorXd::Zero(1), rest.transpose().array()).worst;
  if (!is_too_near(least)) return Done{};
  if (least.value <= 0)
    return Error{"--start", "is in collision: " + least.first + " and " + least.second + " meet",
                 "begin elsewhere, or name pairs that may meet in an SRDF file, --srdf"};
  return Error{"--start",
               least.first + " and " + least.second + " are only " + number_text(least.value, 3) +
                   " m apart, less than " + number_text(least.wanted, 3),
               "begin elsewhere, or write a smaller limits.clearance"};
}

/// All starts, over threads; what they find does not depend on how many there are, unless time runs out.
class Starts {
 public:
  Starts(const Task& task, const ExciteOptions& options, std::optional<VectorXd> rest, const Clocks& clocks,
         const Progress& progress)
      : task_(task),
        options_(options),
        rest_(std::move(rest)),
        clocks_(clocks),
        progress_(progress),
        results_(options.starts),
        begun_(options.starts, 0) {}

  void run() {
    parallel_for(options_.starts, std::max(1, options_.threads),
                 [&](std::int64_t start, int thread) { run_one(start, thread); });
  }

  bool is_stopped() const { return is_stopped_; }
  bool is_out_of_time() const { return is_out_of_time_; }

  /// The best that is feasible, else the one that is nearest to it; counts what all of them took.
  const StartResult& best(SearchEffort& effort) const {
    const StartResult* chosen = nullptr;
    for (int start = 0; start < options_.starts; ++start) {
      if (begun_[start] == 0) continue;
      effort.evaluations += results_[start].evaluations;
      ++effort.starts;
      if (chosen == nullptr || is_better(results_[start], *chosen)) chosen = &results_[start];
    }
    return *chosen;
  }

 private:
  static constexpr double kSamplesASecond = 20;  ///< of the search

  static bool is_better(const StartResult& one, const StartResult& other) {
    if (one.feasible != other.feasible) return one.feasible;
    return one.feasible ? one.objective < other.objective : excess_of(one) < excess_of(other);
  }

  /// How far a start is from being feasible: 1 on its worst limit.
  static double excess_of(const StartResult& result) {
    double excess = worst_of(result.limits).worst_ratio;
    if (result.clearance && is_too_near(result.clearance->worst))
      excess = std::max(excess, 2 - result.clearance->worst.value / result.clearance->worst.wanted);
    return excess;
  }

  /// Asked before every step, on every thread; only the caller's tells of progress.
  bool goes_on(int thread) {
    if (options_.time_budget_s > 0 && clocks_.seconds() > options_.time_budget_s) is_out_of_time_ = true;
    if (thread == 0 && progress_ && !is_stopped_) {
      const double least = least_;
      std::string words = "search";
      if (std::isfinite(least) && options_.objective == ExcitationObjective::d)
        words += ", best log det " + number_text(-least, 6);
      if (!progress_(words, static_cast<double>(num_done_) / options_.starts)) is_stopped_ = true;
    }
    return !is_stopped_ && !is_out_of_time_;
  }

  void run_one(std::int64_t start, int thread) {
    if (!goes_on(thread) && start > 0) return;  // one start always runs: the answer says how far it came
    begun_[start] = 1;
    const double samples = std::round(kSamplesASecond * task_.shape.duration);
    results_[start] =
        search_from(task_, {.num_samples = static_cast<int>(std::clamp(samples, 100.0, 4000.0)),
                            .seed = options_.seed * 1000003ULL + static_cast<std::uint64_t>(start),
                            .rest = rest_,
                            .goes_on = [this, thread] { return goes_on(thread); }});
    ++num_done_;
    if (!results_[start].feasible) return;
    const double found = results_[start].objective;
    for (double least = least_; found < least && !least_.compare_exchange_weak(least, found);) {
    }
  }

  const Task& task_;
  const ExciteOptions& options_;
  const std::optional<VectorXd> rest_;
  const Clocks& clocks_;
  const Progress& progress_;
  std::vector<StartResult> results_;
  std::vector<char> begun_;
  std::atomic<int> num_done_{0};
  std::atomic<bool> is_stopped_{false}, is_out_of_time_{false};
  std::atomic<double> least_{HUGE_VAL};
};

/// What the samples of a motion tell.
void put_samples(const Ground& ground, const Assessment& found, Design& design) {
  design.torque = found.torque;
  design.torque_deviation = found.deviation;
  put_knowledge(ground.information, found.G, design);
  design.torque_deviations = ground.limits.torque_deviations;
  design.num_base_parameters = static_cast<int>(ground.excitable.cols());
  design.notes = ground.notes;
}

}  // namespace

Result<Design> design_excitation(const Robot& robot, const ExciteOptions& options, const TrainingData* known,
                                 const Progress& progress) {
  const Clocks clocks;
  MatrixXd task_information;
  HEFT_CHECK(check_search(options));
  HEFT_TRY(ground, make_ground(robot, options, known, task_information));
  HEFT_TRY(rest, rest_of(robot, ground->limits, options));
  if (rest) HEFT_CHECK(check_start(*ground, *rest));
  if (ground->looks_at_collisions()) ground->spheres = SpherePairs(ground->collisions);
  const auto objective =
      make_objective(options.objective, ground->information, task_information, ground->excitable);
  const Task task{.information = &ground->information,
                  .limits = &ground->limits,
                  .objective = objective.get(),
                  .shape = options.shape,
                  .spheres = ground->looks_at_collisions() ? &ground->spheres : nullptr};
  Starts starts(task, options, rest, clocks, progress);
  starts.run();
  if (starts.is_stopped()) return stopped();

  Design design{.options = options, .robot = robot};
  const StartResult& chosen = starts.best(design.search);
  design.status = chosen.feasible           ? DesignStatus::feasible
                  : starts.is_out_of_time() ? DesignStatus::budget
                                            : DesignStatus::infeasible;
  if (chosen.clearance) design.clearance = chosen.clearance->least;
  if (!chosen.feasible) design.infeasible_because = words_of(chosen);
  design.motion = chosen.motion;
  design.limits = chosen.limits;
  design.torque_step_s = kTorqueStep;
  const int rows = std::max(1, static_cast<int>(std::floor(options.rate_hz * options.shape.duration + 1e-9)));
  design.samples = sampled(*design.motion, rows, true);
  put_samples(*ground,
              assess(ground->information, ground->limits, design.samples, options.shape.duration,
                     counting(options.shape, design.samples)),
              design);
  design.search.seed = options.seed;
  design.search.cpu_s = clocks.cpu_seconds();
  return design;
}

Result<Design> judge_motion(const Robot& robot, const MotionSamples& motion, const ExciteOptions& options,
                            const TrainingData* known) {
  const Clocks clocks;
  MatrixXd task_information;
  HEFT_TRY(ground, make_ground(robot, options, known, task_information));
  const Index n = robot.num_coordinates();
  if (motion.size() < 2 || motion.position.cols() != n || motion.velocity.cols() != n ||
      motion.acceleration.cols() != n)
    return Error{"--judge", "has not two samples of every joint", "give t and q_<joint> of all joints"};
  Design design{.status = DesignStatus::feasible,
                .is_judged = true,
                .samples = motion,
                .options = options,
                .robot = robot};
  const double seconds = motion.time[motion.size() - 1] - motion.time[0];
  const Assessment found = assess(ground->information, ground->limits, motion, seconds, {});
  design.limits = found.limits;
  design.torque_step_s = seconds / static_cast<double>(motion.size() - 1);
  if (const LimitUse& worst = worst_of(design.limits); worst.worst_ratio > 1 + 1e-9) {
    design.status = DesignStatus::infeasible;
    design.infeasible_because = words_of(worst);
  }
  if (ground->looks_at_collisions()) {
    const ClearanceFound clearance = sample_clearance(ground->collisions, motion.time, motion.position);
    design.clearance = clearance.least;
    if (is_too_near(clearance.worst)) {
      design.status = DesignStatus::infeasible;
      design.infeasible_because +=
          (design.infeasible_because.empty() ? "" : "; and ") + words_of(clearance.worst);
    }
  }
  put_samples(*ground, found, design);
  design.search = {.starts = 0, .evaluations = 1, .cpu_s = clocks.cpu_seconds(), .seed = options.seed};
  return design;
}

}  // namespace heft
