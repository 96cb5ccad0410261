#include "heft/excite/design.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/number_text.hpp"
#include "clearance/min_clearance.hpp"
#include "design_problem.hpp"
#include "knowledge.hpp"
#include "motion_faults.hpp"
#include "starts.hpp"
#include "wave_choice.hpp"

namespace heft {

namespace {

using namespace excite;
using Eigen::Index;

Result<Done> check_search(const ExciteOptions& options) {
  HEFT_CHECK(check_shape(options.shape));
  if (options.starts < 1 || options.starts > 100000)
    return Error{"--starts", std::to_string(options.starts) + " is out of range",
                 "give 1 to 100000; 8 are enough for most arms"};
  if (!(options.time_budget_s >= 0))
    return Error{"--time-budget", "is negative", "give seconds, or 0 for no limit"};
  if (!(options.slow_speed >= 0) || options.slow_speed > 1)
    return Error{"--speed", number_text(options.slow_speed) + " is out of range",
                 "give a fraction of the design's speed from 0 to 1, e.g. 0.2 for a fifth"};
  if (!(options.mass_share >= 0) || options.mass_share > 1)
    return Error{"--until-mass", number_text(options.mass_share) + " is out of range",
                 "give a fraction from 0 to 1, e.g. 0.05 for 5 %"};
  if (!options.start.empty() && options.shape.kind == ExcitationMotion::fourier)
    return Error{"--start", "is not supported for a Fourier series, which is never at rest",
                 "use --motion fourier_rest or spline, which begin and end at rest"};
  return Done{};
}

/// The nearest link to each obstacle and to the floor.
std::vector<NearestLink> nearest_links(const CollisionModel& model, const MotionSamples& samples) {
  std::vector<NearestLink> nearest;
  for (const WorldSolid& solid : model.world)
    nearest.push_back({.obstacle = solid.name, .distance = HUGE_VAL});
  if (nearest.empty()) return nearest;
  const ClearanceFound found = sample_clearance(model, samples.time, samples.position);
  for (std::size_t p = 0; p < model.pairs.size(); ++p) {
    const CollisionPair& pair = model.pairs[p];
    if (!pair.with_world) continue;
    NearestLink& of_solid = nearest[static_cast<std::size_t>(pair.second)];
    if (found.pairs[p].value >= of_solid.distance) continue;
    of_solid.link = model.first_name(pair);
    of_solid.distance = found.pairs[p].value;
    of_solid.at_s = found.pairs[p].at_s;
  }
  return nearest;
}

/// Information in the samples of a motion.
void put_samples(const DesignProblem& problem, const Assessment& found, Design& design) {
  design.torque = found.torque;
  design.torque_deviation = found.deviation;
  put_knowledge(problem, found.G, design.options, design);
  design.torque_deviations = problem.limits.torque_deviations;
  design.num_base_parameters = static_cast<int>(problem.excitable.cols());
  design.notes = problem.notes;
  design.nearest = nearest_links(problem.collisions, design.samples);
  for (const WorldSolid& solid : problem.collisions.world)
    if (solid.is_floor) design.floor = solid.level;
}

/// Whether a judged motion stays within its limits and keeps its clearance.
void put_verdict(const std::optional<ClearanceFound>& clearance, Design& design) {
  const auto refuse = [&](const std::string& why) {
    design.status = DesignStatus::infeasible;
    design.infeasible_because += (design.infeasible_because.empty() ? "" : "; and ") + why;
  };
  if (const LimitUse& worst = worst_of(design.limits); worst.worst_ratio > 1 + 1e-9)
    refuse(words_of(worst));
  if (!clearance) return;
  design.clearance = clearance->least;
  if (is_too_near(clearance->worst)) refuse(words_of(clearance->worst));
}

MotionSamples at_rate(const CoefficientMotion& motion, double rate_hz) {
  return sampled(motion,
                 std::max(1, static_cast<int>(std::floor(rate_hz * motion.shape.duration + 1e-9))),
                 true);
}

SlowRun slow_run(const DesignProblem& problem, const Task& task, const CoefficientMotion& motion,
                 const ExciteOptions& options) {
  CoefficientMotion slow = motion;
  slow.shape.duration /= options.slow_speed;
  SlowRun run{.speed = options.slow_speed,
              .samples = at_rate(slow, options.rate_hz),
              .limits = check_limits(task, slow)};
  run.log_det =
      log_det(problem.information, assess(problem.information, problem.limits, run.samples,
                                          slow.shape.duration, counting(slow.shape, run.samples))
                                       .G);
  if (const LimitUse& worst = worst_of(run.limits); worst.worst_ratio > 1)
    run.infeasible_because = words_of(worst);
  return run;
}

/// Adds the device work of a search to that of earlier searches for the same design.
void add_waves(const WaveChoice& choice, std::optional<DeviceWaves>& waves) {
  if (!waves) waves.emplace();
  waves->chosen_because = choice.because;
  if (!choice.wave) return;
  const DeviceMotionEffort effort = choice.wave->effort();
  waves->bytes_up += effort.bytes_up;
  waves->bytes_down += effort.bytes_down;
  waves->launches += effort.launches;
  waves->device_s += effort.seconds;
}

Result<Design> search(const DesignProblem& problem, const Robot& robot,
                      const ExciteOptions& options, const Clocks& clocks, const Progress& progress,
                      std::optional<DeviceWaves>& waves) {
  HEFT_TRY(rest, rest_of(robot, problem, options));
  const auto objective =
      make_objective(options.objective, problem.information, problem.task, problem.excitable);
  Task task{.information = &problem.information,
            .limits = &problem.limits,
            .objective = objective.get(),
            .shape = options.shape,
            .spheres = problem.looks_at_collisions() ? &problem.spheres : nullptr};
  HEFT_TRY(choice, choose_wave(task, options));
  task.wave = choice.wave.get();
  const StartOptions of_each{.rest = rest, .center = problem.center};
  Starts starts(task, options, of_each, clocks, progress);
  starts.run();
  if (starts.is_stopped()) return stopped();
  if (choice.wave && choice.wave->error()) return *choice.wave->error();
  if (options.backend != BackendKind::cpu) add_waves(choice, waves);

  Design design{.options = options, .robot = robot};
  const StartResult& chosen = starts.best(design.search);
  design.status = chosen.feasible           ? DesignStatus::feasible
                  : starts.is_out_of_time() ? DesignStatus::budget
                                            : DesignStatus::infeasible;
  if (chosen.clearance) design.clearance = chosen.clearance->least;
  if (!chosen.feasible) {
    design.infeasible_because = words_of(chosen);
    if (problem.limits.torque_deviations > 0 &&
        worst_of(chosen.limits).name == kLimitNames[kTorque])
      design.infeasible_because +=
          ", with " + number_text(problem.limits.torque_deviations) +
          " standard deviations of the robot's unknown parameters, set by " +
          "limits.torque.deviations";
  }
  design.motion = chosen.motion;
  design.limits = chosen.limits;
  design.torque_step_s = kTorqueStep;
  design.samples = at_rate(*design.motion, options.rate_hz);
  put_samples(problem,
              assess(problem.information, problem.limits, design.samples, options.shape.duration,
                     counting(options.shape, design.samples)),
              design);
  if (chosen.feasible && options.slow_speed > 0)
    design.slow = slow_run(problem, task, chosen.motion, options);
  design.search.seed = options.seed;
  design.search.cpu_s = clocks.cpu_seconds();
  design.waves = waves;
  return design;
}

/// The same options for a motion of that length; splines keep their intervals per second.
ExciteOptions lasting(ExciteOptions options, double seconds) {
  MotionShape& shape = options.shape;
  const int intervals = static_cast<int>(std::lround(shape.intervals * seconds / shape.duration));
  if (shape.kind == ExcitationMotion::spline) shape.intervals = std::clamp(intervals, 6, 1000);
  if (shape.kind == ExcitationMotion::poses)
    shape.intervals =
        std::clamp(intervals, 6, 6000) / MotionShape::kPoseIntervals * MotionShape::kPoseIntervals;
  shape.duration = seconds;
  return options;
}

}  // namespace

Result<Design> design_excitation(const Robot& given, const ExciteOptions& options,
                                 const TrainingData* known, const Progress& progress) {
  const Clocks clocks;
  HEFT_CHECK(check_search(options));
  HEFT_TRY(robot, held_robot(given, options.base));
  if (options.from && options.from->num_coordinates() != robot.num_coordinates())
    return Error{"--from",
                 "moves " + std::to_string(options.from->num_coordinates()) + " joints, not " +
                     std::to_string(robot.num_coordinates()),
                 "begin from a design for this robot"};
  HEFT_TRY(problem, make_design_problem(robot, options, known));
  prepare_search(*problem);
  std::optional<DeviceWaves> waves;
  auto design = search(*problem, robot, options, clocks, progress, waves);
  constexpr int kMaxDesigns = 4;
  constexpr double kLongest = 120, kToSpare = 1.03;
  for (int i = 1; i < kMaxDesigns && design && design->status == DesignStatus::feasible &&
                  design->longer_for_masses > 1;
       ++i) {
    const double seconds =
        std::min(kLongest, kToSpare * design->longer_for_masses * design->options.shape.duration);
    if (seconds <= design->options.shape.duration) break;
    design = search(*problem, robot, lasting(options, seconds), clocks, progress, waves);
  }
  if (!design || !(options.mass_share > 0)) return design;
  for (const std::string& body : design->masses_out_of_reach)
    design->notes.push_back("the mass of " + body + " cannot be determined to within " +
                            number_text(100 * options.mass_share) +
                            " % with a motion of any length");
  if (design->longer_for_masses > 1)
    design->notes.push_back("masses would be determined to within " +
                            number_text(100 * options.mass_share) + " % after " +
                            number_text(design->longer_for_masses, 3) +
                            " times the length of this motion");
  return design;
}

Result<Design> judge_motion(const Robot& given, const MotionSamples& motion,
                            const ExciteOptions& options, const TrainingData* known) {
  const Clocks clocks;
  HEFT_TRY(robot, held_robot(given, options.base));
  HEFT_TRY(problem, make_design_problem(robot, options, known));
  const Index n = robot.num_coordinates();
  if (motion.size() < 2 || motion.position.cols() != n || motion.velocity.cols() != n ||
      motion.acceleration.cols() != n)
    return Error{"--judge", "does not have two samples of every joint",
                 "give t and q_<joint> of all joints"};
  Design design{.status = DesignStatus::feasible,
                .is_judged = true,
                .samples = motion,
                .options = options,
                .robot = robot};
  const double seconds = motion.time[motion.size() - 1] - motion.time[0];
  const Assessment found = assess(problem->information, problem->limits, motion, seconds, {});
  design.limits = found.limits;
  design.torque_step_s = seconds / static_cast<double>(motion.size() - 1);
  std::optional<ClearanceFound> clearance;
  if (problem->looks_at_collisions())
    clearance = sample_clearance(problem->collisions, motion.time, motion.position);
  put_verdict(clearance, design);
  put_samples(*problem, found, design);
  design.search = {
      .starts = 0, .evaluations = 1, .cpu_s = clocks.cpu_seconds(), .seed = options.seed};
  return design;
}

Result<Design> judge_motion(const Robot& given, const CoefficientMotion& motion,
                            const ExciteOptions& options, const TrainingData* known) {
  const Clocks clocks;
  HEFT_CHECK(check_shape(motion.shape));
  HEFT_TRY(robot, held_robot(given, options.base));
  HEFT_TRY(problem, make_design_problem(robot, options, known));
  if (motion.coefficients.rows() != motion.shape.num_coefficients() ||
      motion.num_coordinates() != robot.num_coordinates() || !motion.coefficients.allFinite())
    return Error{"--judge", "does not have a finite coefficient for every function and joint",
                 "give the trajectory.json of a design for this robot"};
  Design design{.status = DesignStatus::feasible,
                .is_judged = true,
                .motion = motion,
                .samples = at_rate(motion, options.rate_hz),
                .options = options,
                .robot = robot};
  const Task task{
      .information = &problem->information, .limits = &problem->limits, .shape = motion.shape};
  design.limits = check_limits(task, motion);
  design.torque_step_s = kTorqueStep;
  std::optional<ClearanceFound> clearance;
  if (problem->looks_at_collisions())
    clearance = check_clearance(problem->collisions, problem->limits, motion);
  put_verdict(clearance, design);
  put_samples(*problem,
              assess(problem->information, problem->limits, design.samples, motion.shape.duration,
                     counting(motion.shape, design.samples)),
              design);
  design.search = {
      .starts = 0, .evaluations = 1, .cpu_s = clocks.cpu_seconds(), .seed = options.seed};
  return design;
}

double d_efficiency(const Design& design, const Design& other) {
  return std::exp((design.log_det - other.log_det) / std::max(1, design.num_base_parameters));
}

}  // namespace heft
