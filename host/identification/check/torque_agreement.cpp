#include "torque_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heft/executor/executor.hpp"
#include "heft/moments/moments.hpp"
#include "heft/solve/least_squares.hpp"
#include "linalg/factorizations.hpp"

namespace heft::check {

namespace {

constexpr double kFloor = 0.02;  // of the residual share: better fits do not count more
                                 // evidence

// the rules are about joints, as if the base stood still
bool is_looked_at(const SampleArray& array) {
  return array.view && array.per != SampleColumn::base;
}

Eigen::ArrayXXd picked(const Eigen::ArrayXXd& array, Eigen::Index stride) {
  if (array.size() == 0) return array;
  const Eigen::Index rows = (array.rows() + stride - 1) / stride;
  Eigen::ArrayXXd some(rows, array.cols());
  for (Eigen::Index k = 0; k < rows; ++k) some.row(k) = array.row(k * stride);
  return some;
}

Samples thinned(const Samples& all, Eigen::Index most) {
  const Eigen::Index stride = std::max<Eigen::Index>(1, (all.size() + most - 1) / most);
  Samples some;
  some.time = picked(all.time, stride);
  for_each_array(all, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    if (is_looked_at(array)) some.*array.member = picked(numbers, stride);
  });
  return some;
}

PerJointOf<std::string> without_guess(PerJointOf<std::string> unit) {
  const auto settle = [](std::string& one) {
    if (one == "auto") one = "rad";
  };
  settle(unit.for_all);
  for (std::string& one : unit.in_order) settle(one);
  for (auto& [joint, one] : unit.by_name) settle(one);
  return unit;
}

/// Part of a joint's torque explained by its own drive: an offset, friction and, if requested, a
/// rotor.
Eigen::MatrixXd drive_columns(const Samples& samples, int joint, const Eigen::VectorXd& weight,
                              bool with_rotor) {
  const Eigen::ArrayXd velocity = samples.velocity.col(joint);
  Eigen::MatrixXd columns(samples.size(), with_rotor ? 4 : 3);
  columns.col(0) = weight;
  columns.col(1) = weight.array() * velocity;
  columns.col(2) = weight.array() * (velocity / kCoulombWidth).tanh();
  if (with_rotor) columns.col(3) = weight.array() * samples.acceleration.col(joint);
  return columns;
}

/// Residual of the model without an offset, which would compensate for misread positions.
void measure_shares(const Eigen::MatrixXd& friction, const Eigen::MatrixXd& both,
                    Agreement& agreement) {
  const auto sliding = friction.middleCols(1, 2);
  const Eigen::MatrixXd left = both - sliding * sliding.colPivHouseholderQr().solve(both);
  const double yy = left.col(0).squaredNorm(), xx = left.col(1).squaredNorm(),
               xy = std::max(left.col(0).dot(left.col(1)), 0.0);
  if (!(yy > 0)) return;
  agreement.left_as_it_is = (left.col(0) - left.col(1)).squaredNorm() / yy;
  if (xx > 0) agreement.left_scaled = 1 - xy / xx * xy / yy;
}

// a torque that was found clipped drops out, as it should in identification
void leave_out_clipped(const LogFacts& log, ConditioningOptions& options) {
  const auto num_limited = std::count_if(log.channels.begin(), log.channels.end(),
                                         [](const Channel& c) { return !c.is_sensor; });
  std::vector<double> limits(static_cast<std::size_t>(num_limited),
                             std::numeric_limits<double>::max());
  for (std::size_t c = 0; c < limits.size(); ++c)
    if (!options.torque_limit.empty())
      limits[c] = options.torque_limit[options.torque_limit.size() == 1 ? 0 : c];
  for (const JointLog& joint : log.joints)
    if (const auto clipped = torque_saturated(log, joint))
      limits[static_cast<std::size_t>(joint.channel)] = 0.999 * std::abs(clipped->measure);
  options.torque_limit = limits;
}

}  // namespace

double Agreement::score() const {
  const double r = std::max(correlation, 0.0);
  return known ? std::log(std::max(1 - r * r, kFloor)) : 0;
}

Result<CleanLog> condition_for_tests(const Log& file, const LogFacts& log,
                                     const Progress& progress) {
  CleanLog clean;
  std::vector<Samples> blocks;
  Eigen::Index rows = 0;
  const auto made =
      log.model ? Result<Model>(*log.model) : make_model(log.robot, log.options.model);
  if (!made) return made.error();  // expressions may hold loads
  ConditioningOptions options = log.options.conditioning;
  options.keep_every = 1;
  options.filter_rows = false;
  options.rows = "torque";
  leave_out_clipped(log, options);
  double fraction = 0;
  const auto sink = [&](int segment, const Samples& block) -> Result<Done> {
    HEFT_CHECK(report_progress(progress, "conditioning the log", fraction));
    if (rows >= CleanLog::kMaxRows) return Done{};
    clean.segment.insert(clean.segment.end(), static_cast<std::size_t>(block.size()), segment);
    rows += block.size();
    blocks.push_back(block);
    return Done{};
  };
  LogFormat format = log.options.log;
  format.angle_unit = without_guess(format.angle_unit);  // degrees are the finding of a rule, no
                                                         // error
  const DerivedSignals derived = made->derived_of(file.name());
  HEFT_CHECK(condition_log(file, {log.robot, log.channels, format, options, derived}, sink,
                           [&](double done) { fraction = done; }));
  Samples& all = clean.samples;
  all.time.resize(rows);
  Eigen::Index at = 0;
  for (const Samples& block : blocks) {
    all.time.segment(at, block.size()) = block.time;
    for_each_array(block, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
      if (!is_looked_at(array)) return;
      Eigen::ArrayXXd& joined = all.*array.member;
      if (joined.rows() != rows) joined.resize(rows, numbers.cols());
      joined.middleRows(at, numbers.rows()) = numbers;
    });
    at += block.size();
  }
  for (const JointLog& joint : log.joints)
    if (torque_dead(log, joint)) all.weight.col(joint.channel) = 0;
  return clean;
}

Result<TorqueTest> TorqueTest::make(const LogFacts& log, const Samples& samples) {
  TorqueTest test;
  HEFT_TRY(plan, make_regressor_plan(log.robot, log.channels, {}));
  test.plan_ = plan;
  HEFT_TRY(columns, make_columns(log.robot, log.channels, log.options.model));
  HEFT_TRY(free_plan, make_regressor_plan(log.robot, log.channels, std::move(columns)));
  test.free_plan_ = free_plan;
  test.prior_.resize(plan->layout.num_parameters());
  for (int i = 0; i < plan->layout.num_bodies(); ++i)
    test.prior_.segment<core::kNumParameters>(core::kNumParameters * i) =
        log.robot
            .bodies[static_cast<std::size_t>(plan->layout.body_index[static_cast<std::size_t>(i)])]
            .prior;
  // pairs of joints to try grow with the square of their number
  test.samples_ = thinned(samples, log.joints.size() <= 12 ? 3000 : 1000);
  return test;
}

Result<std::vector<Agreement>> TorqueTest::agreements(const Samples& samples,
                                                      const std::optional<Eigen::Vector3d>& gravity,
                                                      bool beside_rotors) const {
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  PlanPtr plan = plan_;
  if (gravity) {
    Robot robot = plan_->robot;
    robot.gravity = *gravity;
    HEFT_TRY(turned, make_regressor_plan(std::move(robot), plan_->channels, {}));
    plan = std::move(turned);
  }
  const PredictJob job{plan.get(), &samples, &prior_};
  Eigen::ArrayXXd model;
  HEFT_CHECK(backend->predict({&job, 1}, {&model, 1}));

  std::vector<Agreement> agreements(plan_->channels.size());
  for (std::size_t c = 0; c < agreements.size(); ++c) {
    const auto column = static_cast<Eigen::Index>(c);
    const int joint = plan_->channels[c].coordinate;
    const Eigen::VectorXd weight = samples.weight.col(column);
    if (joint < 0 || !(weight.sum() > 50)) continue;
    const Eigen::MatrixXd friction = drive_columns(samples, joint, weight, beside_rotors);
    Eigen::MatrixXd both(samples.size(), 2);  // y and x
    both.col(0) = samples.torque.col(column) * weight.array();
    both.col(1) = model.col(column) * weight.array();
    const Eigen::Vector2d before = both.colwise().norm();
    agreements[c].rms_measured = before[0] / weight.norm();
    agreements[c].rms_model = before[1] / weight.norm();
    measure_shares(friction, both, agreements[c]);
    both -= friction * friction.colPivHouseholderQr().solve(both);
    const double yy = both.col(0).squaredNorm(), xx = both.col(1).squaredNorm();
    const double xy = both.col(0).dot(both.col(1));
    // both residuals must exceed rounding
    if (!(yy > 1e-8 * before[0] * before[0]) || !(xx > 1e-8 * before[1] * before[1])) continue;
    agreements[c].known = true;
    agreements[c].correlation = xy / std::sqrt(xx * yy);
    agreements[c].scale = xy / xx;
  }
  return agreements;
}

Result<double> TorqueTest::braking(const Samples& samples, int channel) const {
  const int joint = plan_->channels[static_cast<std::size_t>(channel)].coordinate;
  if (joint < 0 || !(samples.weight.col(channel).sum() > 50)) return 0.0;
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const PredictJob job{plan_.get(), &samples, &prior_};
  Eigen::ArrayXXd model;
  HEFT_CHECK(backend->predict({&job, 1}, {&model, 1}));
  const Eigen::VectorXd weight = samples.weight.col(channel),
                        torque = samples.torque.col(channel) * weight.array();
  const Eigen::MatrixXd drive = drive_columns(samples, joint, weight, true),
                        sliding = drive.middleCols(1, 2);
  Eigen::MatrixXd others(samples.size(), 3), all(samples.size(), 5);
  others << drive.col(0), drive.col(3), Eigen::VectorXd(model.col(channel) * weight.array());
  all << sliding, others;
  const Eigen::VectorXd fit = all.colPivHouseholderQr().solve(torque);
  const double left = (torque - all * fit).squaredNorm(),
               left_without =
                   (torque - others * others.colPivHouseholderQr().solve(torque)).squaredNorm();
  if (!(left_without > 1e-8 * torque.squaredNorm())) return 0.0;
  const double power = (sliding * fit.head<2>()).dot(drive.col(1));
  return std::copysign(std::clamp(1 - left / left_without, 0.0, 1.0), power);
}

Result<std::optional<MissingDynamics>> TorqueTest::missing_dynamics(const Samples& samples) const {
  if (!(plan_->robot.gravity.norm() > 0)) return std::optional<MissingDynamics>();
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  HEFT_TRY(terms, dynamics_terms(*backend, *plan_, prior_, {&samples}));
  return heft::missing_dynamics(*plan_, {&samples}, terms);
}

Result<Eigen::ArrayXd> TorqueTest::left_by_free_bodies(const Samples& samples) const {
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  MomentAccumulator accumulator(free_plan_, *backend);
  HEFT_CHECK(accumulator.push(0, samples));
  HEFT_TRY(moments, accumulator.finish());
  const int num_channels = free_plan_->num_channels();
  const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(free_plan_->layout.num_parameters());
  Eigen::VectorXd size(num_channels), weights = Eigen::VectorXd::Zero(num_channels);
  for (int c = 0; c < num_channels; ++c) {
    size[c] = residual_sum(moments, c, nothing);
    if (size[c] > 0) weights[c] = 1 / size[c];
  }
  HEFT_TRY(fit, least_squares(free_plan_->layout, normal_equations(moments, weights)));
  Eigen::ArrayXd left = Eigen::ArrayXd::Ones(num_channels);
  for (int c = 0; c < num_channels; ++c)
    if (size[c] > 0) left[c] = std::clamp(residual_sum(moments, c, fit.x) / size[c], 0.0, 1.0);
  return left;
}

}  // namespace heft::check
