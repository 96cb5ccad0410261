#include "tests/device_on_host/motion_work.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "host/applications/excite/beliefs.hpp"
#include "host/applications/excite/channel_rows.hpp"
#include "host/applications/excite/motion_wave.hpp"
#include "host/applications/excite/scorer.hpp"
#include "kernels/motions_cuda.hpp"
#include "tests/oracle/random.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft::testing {

namespace {

using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr int kMotions = 2;
constexpr double kTolerance = 1e-9;  ///< of numbers whose kinds have a norm of 1 each

struct Kind {
  const char* name;
  int num_bodies, num_samples;
  ExcitationObjective objective;
  ExcitationMotion motion;
  double deviations;
  bool has_torque_slopes;
  bool only_value = false;  ///< requested; the last motion has none
  bool slides = false;      ///< a chain of sliding and screw joints, not of all kinds
};

/// What a scorer of the device is given and returns for one motion.
struct Motion {
  MatrixXd coefficients, slope;  ///< with respect to G; empty for log det
  ArrayXXd by_torque, by_deviation;
  double value = NAN;
  MatrixXd information, gradient;
  ArrayXXd torque, deviation;
  Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> extremes;
};

/// A robot with its task, and motions with the CPU's results.
struct Scored {
  excite::Limits limits;
  excite::Information information;
  std::unique_ptr<excite::Objective> objective;
  excite::Task task;
  DeviceMotionInput input;
  bool has_torque_slopes = false, only_value = false;
  std::vector<Motion> motions;
  std::vector<double> norms;  ///< of each kind of number of each motion
};

template <class T>
T right(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return std::move(*result);
}

Robot standing_robot(int num_bodies, bool slides) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = num_bodies;
  options.branching = slides ? 0 : 0.2;
  if (slides) options.joint_types = {JointType::prismatic, JointType::helical};
  Robot robot = oracle::random_robot(options, 7);
  for (Coordinate& coordinate : robot.coordinates) {
    coordinate.lower = -1, coordinate.upper = 2;
    coordinate.max_velocity = 3, coordinate.max_effort = 40;
  }
  robot.coordinates.front().max_effort = 0;  // no limit
  return robot;
}

/// All numbers of a motion, by kind.
std::vector<std::vector<double>> kinds_of(const Scored& scored, const Motion& motion) {
  const auto flat = [](const auto& matrix) {
    return std::vector<double>(matrix.data(), matrix.data() + matrix.size());
  };
  if (scored.only_value)
    return {
        {std::isinf(motion.value) ? 1.0 : 0.0, std::isfinite(motion.value) ? motion.value : 0.0}};
  std::vector<std::vector<double>> kinds{flat(motion.torque), flat(motion.extremes),
                                         flat(motion.gradient)};
  if (scored.limits.torque_deviations > 0) kinds.push_back(flat(motion.deviation));
  if (scored.input.is_log_det)
    kinds.push_back({motion.value});
  else
    kinds.push_back(flat(motion.information));
  return kinds;
}

/// Numbers of all motions, each kind divided by its norm on the CPU, which is set if it is empty.
Numbers numbers_of(const Scored& scored, const std::vector<Motion>& motions,
                   std::vector<double>& norms) {
  Numbers numbers;
  std::size_t at = 0;
  const bool sets = norms.empty();
  for (const Motion& motion : motions)
    for (const std::vector<double>& kind : kinds_of(scored, motion)) {
      if (sets)
        norms.push_back(
            Eigen::Map<const Eigen::VectorXd>(kind.data(), static_cast<Index>(kind.size())).norm());
      for (const double number : kind) numbers.push_back(number / norms[at]);
      ++at;
    }
  return numbers;
}

/// The CPU's results: rows and adjoint of the lanes, everything else by the definition.
void evaluate_on_cpu(const Scored& scored, Motion& motion) {
  const excite::Task& task = scored.task;
  const excite::Information& information = scored.information;
  const int samples = task.num_samples, n = static_cast<int>(motion.coefficients.cols());
  excite::ChannelRows rows(information, samples, true);
  std::vector<ArrayXXd> of_order(4, ArrayXXd::Zero(rows.stride(), n));
  const CoefficientMotion in_time{task.shape, motion.coefficients};
  for (int order = 0; order < 4; ++order)
    for (int s = 0; s < samples; ++s)
      of_order[static_cast<std::size_t>(order)].row(s) =
          in_time.at(s * task.shape.duration / samples, order).transpose().array();
  rows.set(of_order[0], of_order[1], of_order[2]);
  rows.put_torques();
  motion.torque = rows.torque().topRows(samples);
  motion.deviation = rows.deviation().topRows(samples);
  MatrixXd G = MatrixXd::Zero(information.precision.rows(), information.precision.cols());
  rows.add_information(task.shape.duration, excite::counted_samples(task), G);
  motion.information = G.selfadjointView<Eigen::Lower>();
  MatrixXd slope = motion.slope;
  motion.value = task.objective->value(G, scored.input.is_log_det ? &slope : nullptr) +
                 (scored.input.is_log_det ? information.log_det_offset : 0);
  if (!std::isfinite(motion.value)) motion.value = HUGE_VAL;  // as Scorer does
  if (scored.only_value) return;
  motion.extremes = ArrayXXd::Zero(excite::kNumLimitKinds, n);
  const double deviations = scored.limits.torque_deviations;
  for (int kind = 0; kind < excite::kNumLimitKinds; ++kind)
    for (int k = 0; k < n; ++k) {
      const double size = scored.limits.size[kind][k];
      if (!std::isfinite(size)) continue;
      for (int s = 0; s < samples; ++s) {
        const double value =
            kind == excite::kTorque
                ? std::abs(motion.torque(s, k)) + deviations * motion.deviation(s, k)
                : std::abs(of_order[static_cast<std::size_t>(kind)](s, k) -
                           (kind == excite::kPosition ? scored.limits.middle[k] : 0));
        motion.extremes(kind, k) = std::max(motion.extremes(kind, k), value / size);
      }
    }
  std::vector<ArrayXXd> by(3, ArrayXXd::Zero(rows.stride(), n));
  excite::ChannelRows::Bars bars{task.shape.duration, slope, {}, {}};
  if (scored.has_torque_slopes) {
    bars.by_torque = bars.by_deviation = ArrayXXd::Zero(rows.stride(), n);
    bars.by_torque.topRows(samples) = motion.by_torque;
    bars.by_deviation.topRows(samples) = motion.by_deviation;
    if (!(deviations > 0)) bars.by_deviation.resize(0, 0);
  }
  rows.add_gradient(bars, by[0], by[1], by[2]);
  motion.gradient = MatrixXd::Zero(motion.coefficients.rows(), n);
  for (int order = 0; order < 3; ++order)
    for (int s = 0; s < samples; ++s) {
      const BasisRow row = basis_row(task.shape, s * task.shape.duration / samples, order);
      for (std::size_t i = 0; i < row.values.size(); ++i)
        motion.gradient.row(row.first + static_cast<Index>(i)) +=
            row.values[i] * by[static_cast<std::size_t>(order)].row(s).matrix();
    }
}

std::shared_ptr<Scored> make_scored(const Kind& kind) {
  const auto scored = std::make_shared<Scored>();
  const Robot robot = standing_robot(kind.num_bodies, kind.slides);
  const PlanPtr plan = right(excite::make_excitation_plan(robot, {}));
  LimitOptions limits;
  limits.torque_deviations = kind.deviations;
  scored->limits = right(excite::make_limits(robot, limits));
  std::vector<std::string> notes;
  const Beliefs beliefs = right(excite::make_beliefs(*plan, scored->limits, {}, nullptr, notes));
  scored->information = right(excite::make_information(plan, beliefs));
  scored->objective = excite::make_objective(kind.objective, scored->information,
                                             scored->information.precision, {});
  scored->task = {.information = &scored->information,
                  .limits = &scored->limits,
                  .objective = scored->objective.get(),
                  .shape = {.kind = kind.motion, .duration = 4, .intervals = 12, .harmonics = 3},
                  .num_samples = kind.num_samples};
  scored->input = right(excite::device_input(scored->task, kind.objective));
  scored->has_torque_slopes = kind.has_torque_slopes;
  scored->only_value = kind.only_value;
  oracle::Random random(11);
  const auto noise = [&](Index rows, Index columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); }).eval();
  };
  const Index n = scored->limits.middle.size(), m = scored->information.precision.rows();
  for (int i = 0; i < kMotions; ++i) {
    Motion motion{.coefficients = 0.4 * noise(scored->task.shape.num_coefficients(), n)};
    // squares of its speeds overflow
    if (kind.only_value && i + 1 == kMotions) motion.coefficients *= 1e200;
    motion.by_torque = noise(kind.num_samples, n).array();
    motion.by_deviation = noise(kind.num_samples, n).array();
    if (!scored->input.is_log_det) {
      const MatrixXd half = noise(m, m);
      motion.slope = half + half.transpose();
    }
    evaluate_on_cpu(*scored, motion);
    scored->motions.push_back(std::move(motion));
  }
  return scored;
}

/// Motions on a new scorer of the device, as many at a time as it holds, in slots of another order.
Result<Numbers> run_on_device(const Scored& scored, int runs) {
  HEFT_TRY(device, make_cuda_motions(scored.input, kMotions));
  const Index m = scored.information.precision.rows();
  Result<Numbers> last = Numbers{};
  for (int run = 0; run < runs; ++run) {
    std::vector<Motion> motions = scored.motions;
    last = [&]() -> Result<Numbers> {
      for (std::size_t begin = 0; begin < motions.size();) {
        const std::size_t count =
            std::min(motions.size() - begin, static_cast<std::size_t>(device->capacity()));
        std::vector<DeviceMotion> all(count);
        std::vector<DeviceMotion*> pass;
        for (std::size_t i = 0; i < count; ++i) {
          Motion& motion = motions[begin + i];
          motion.value = NAN;
          motion.information.setConstant(m, m, NAN);
          motion.torque.setConstant(NAN);
          motion.deviation.setConstant(NAN);
          motion.extremes.setConstant(NAN);
          motion.gradient.setConstant(NAN);
          all[i].slot = static_cast<int>(count - 1 - i);
          all[i].coefficients = motion.coefficients.data();
          pass.push_back(&all[i]);
          if (scored.only_value) continue;
          if (!scored.input.is_log_det) {
            all[i].information = motion.information.data();
            all[i].slope = motion.slope.data();
          }
          all[i].torque = motion.torque.data();
          all[i].deviation = motion.deviation.data();
          all[i].extremes = motion.extremes.data();
          if (scored.has_torque_slopes) {
            all[i].by_torque = motion.by_torque.data();
            all[i].by_deviation = motion.by_deviation.data();
          }
          all[i].gradient = motion.gradient.data();
        }
        HEFT_CHECK(device->rows(pass));
        if (!scored.only_value) HEFT_CHECK(device->gradient(pass));
        for (std::size_t i = 0; i < count; ++i) motions[begin + i].value = all[i].value;
        begin += count;
      }
      std::vector<double> norms = scored.norms;
      return numbers_of(scored, motions, norms);
    }();
  }
  return last;
}

DeviceTask task_of(const Kind& kind) {
  const std::shared_ptr<Scored> scored = make_scored(kind);
  Numbers expected = numbers_of(*scored, scored->motions, scored->norms);
  return {std::string("scores of motions, ") + kind.name,
          [scored](int runs) { return run_on_device(*scored, runs); }, std::move(expected),
          kTolerance};
}

}  // namespace

void add_small_motion_scores(std::vector<DeviceTask>& tasks) {
  tasks.push_back(task_of(
      {"log det of a spline", 2, 70, ExcitationObjective::d, ExcitationMotion::spline, 2, true}));
  tasks.push_back(task_of(
      {"variance of a series", 2, 37, ExcitationObjective::a, ExcitationMotion::fourier, 0, true}));
  tasks.push_back(task_of({"log det of sliding joints", 3, 33, ExcitationObjective::d,
                           ExcitationMotion::fourier, 0, false, false, true}));
}

void add_large_motion_scores(std::vector<DeviceTask>& tasks) {
  tasks.push_back(task_of({"log det of six bodies", 6, 40, ExcitationObjective::d,
                           ExcitationMotion::spline, 2, false}));
  tasks.push_back(task_of(
      {"log det alone", 2, 70, ExcitationObjective::d, ExcitationMotion::spline, 2, false, true}));
  tasks.push_back(task_of({"variance of poses of six bodies", 6, 40, ExcitationObjective::a,
                           ExcitationMotion::poses, 2, true}));
}

}  // namespace heft::testing
