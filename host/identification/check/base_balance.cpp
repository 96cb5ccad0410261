#include "base_balance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "heft/executor/executor.hpp"
#include "rows/unknown_wrenches.hpp"

namespace heft::check {

namespace {

using Vector6d = Eigen::Matrix<double, 6, 1>;

/// Wrenches by their functions' names, block after block.
struct RecordedWrench {
  std::array<std::vector<Eigen::MatrixXd>, 3> rows;
  std::optional<Eigen::Vector3d> place;  ///< in the first row
  Eigen::Index num_rows = 0;
};
using Recorded = std::map<std::string, RecordedWrench>;

/// What a function of a wrench adds to the base, for given columns.
Result<Eigen::MatrixXd> base_part(const BlockFunction& function, const Eigen::ArrayXXd& logged,
                                  const BlockInputs& inputs, const Samples& block) {
  Samples alone = block;
  alone.known_torque.setZero();
  HEFT_CHECK(function.apply({logged, inputs.orientation}, alone));
  return Eigen::MatrixXd(-alone.known_torque.leftCols<kBaseChannels>().matrix());
}

Eigen::Matrix3d world_axes(const Eigen::ArrayXXd& orientation, Eigen::Index row) {
  return Eigen::Quaterniond(orientation(row, 3), orientation(row, 0), orientation(row, 1),
                            orientation(row, 2))
      .toRotationMatrix()
      .transpose();
}

/// A logged wrench in other axes: `parts` are the base's wrenches of unit columns at this row, of
/// which the first three are sign R and sign [p]x R.
Vector6d in_axes(const Eigen::Matrix3d& R, const std::vector<Eigen::MatrixXd>& parts,
                 const Eigen::ArrayXXd& logged, Eigen::Index row) {
  Eigen::Matrix3d turn, moment;
  for (int k = 0; k < 3; ++k) {
    turn.col(k) = parts[static_cast<std::size_t>(k)].row(row).head<3>().transpose();
    moment.col(k) = parts[static_cast<std::size_t>(k)].row(row).tail<3>().transpose();
  }
  const double sign = turn.determinant() < 0 ? -1 : 1;
  const Eigen::Vector3d f = logged.row(row).head<3>().transpose().matrix();
  Vector6d wrench;
  wrench.head<3>() = sign * R * f;
  wrench.tail<3>() = moment * turn.transpose() * wrench.head<3>();
  if (logged.cols() == 6)
    wrench.tail<3>() += sign * R * logged.row(row).tail<3>().transpose().matrix();
  return wrench;
}

/// Returns p of the first row.
Eigen::Vector3d place_of(const std::vector<Eigen::MatrixXd>& parts) {
  Eigen::Matrix3d turn, moment;
  for (int k = 0; k < 3; ++k) {
    turn.col(k) = parts[static_cast<std::size_t>(k)].row(0).head<3>().transpose();
    moment.col(k) = parts[static_cast<std::size_t>(k)].row(0).tail<3>().transpose();
  }
  const Eigen::Matrix3d cross = moment * turn.transpose();
  return {cross(2, 1), cross(0, 2), cross(1, 0)};
}

Result<Done> record_wrench(const BlockFunction& function, const BlockInputs& inputs,
                           const Samples& block, Recorded& recorded) {
  RecordedWrench& of_wrench = recorded[function.where];
  if (of_wrench.num_rows >= kMostBaseRows) return Done{};
  of_wrench.num_rows += block.size();
  HEFT_TRY(given, base_part(function, inputs.logged, inputs, block));
  std::vector<Eigen::MatrixXd> parts;
  for (int k = 0; k < 3; ++k) {
    Eigen::ArrayXXd unit = Eigen::ArrayXXd::Zero(block.size(), inputs.logged.cols());
    unit.col(k) = 1;
    HEFT_TRY(part, base_part(function, unit, inputs, block));
    parts.push_back(std::move(part));
  }
  Eigen::MatrixXd in_base(block.size(), kBaseChannels), in_world(0, kBaseChannels);
  if (inputs.orientation.size() > 0) in_world.resize(block.size(), kBaseChannels);
  for (Eigen::Index i = 0; i < block.size(); ++i) {
    in_base.row(i) = in_axes(Eigen::Matrix3d::Identity(), parts, inputs.logged, i).transpose();
    if (in_world.rows() > 0)
      in_world.row(i) =
          in_axes(world_axes(inputs.orientation, i), parts, inputs.logged, i).transpose();
  }
  of_wrench.rows[0].push_back(std::move(given));
  of_wrench.rows[1].push_back(std::move(in_base));
  of_wrench.rows[2].push_back(std::move(in_world));
  if (!of_wrench.place && block.size() > 0) of_wrench.place = place_of(parts);
  return Done{};
}

/// The model with functions that also record.
DerivedSignals recording(DerivedSignals derived, Recorded& recorded) {
  for (BlockFunction& function : derived.functions) {
    if (!function.adds_known_torque) continue;
    function.apply = [function, &recorded](const BlockInputs& inputs,
                                           Samples& block) -> Result<Done> {
      HEFT_CHECK(record_wrench(function, inputs, block, recorded));
      return function.apply(inputs, block);
    };
  }
  return derived;
}

/// Flags of contacts as logged, rows x contacts.
Eigen::ArrayXXd flags_of(const Samples& block, const UnknownWrenches& wrenches,
                         const std::vector<ContactSpec>& specs) {
  constexpr double kFlag = 0.5;
  Eigen::ArrayXXd flags(block.size(), std::ssize(wrenches.contacts));
  for (std::size_t k = 0; k < wrenches.contacts.size(); ++k) {
    const ContactState& state = specs[k].state;
    flags.col(static_cast<Eigen::Index>(k)) = (block.signal.col(wrenches.contacts[k].state_signal) >
                                               (state.force.empty() ? kFlag : state.threshold))
                                                  .cast<double>();
  }
  return flags;
}

/// Removes known torques, and decides where contacts act.
Result<Samples> with_states(Samples block, const LogFacts& facts, const UnknownWrenches* wrenches) {
  if (block.known_torque.size() > 0) block.torque -= block.known_torque;
  if (!wrenches) return block;
  std::vector<bool> measured;
  for (int c = 0; c < block.torque.cols(); ++c) measured.push_back(facts.raw.has_torque(c));
  HEFT_CHECK(wrenches->set_states(block, measured));
  return block;
}

std::vector<ContactRows> contact_rows(const UnknownWrenches& wrenches,
                                      const std::vector<ContactSpec>& specs,
                                      const std::vector<Samples>& blocks,
                                      const std::vector<Eigen::ArrayXXd>& flags,
                                      Eigen::Index stride) {
  std::vector<ContactRows> list;
  for (std::size_t k = 0; k < wrenches.contacts.size(); ++k) {
    const UnknownContact& contact = wrenches.contacts[k];
    ContactRows of_contact{contact.frame, {}, {}};
    Eigen::Index row = 0, flag_row = 0;
    for (const Eigen::ArrayXXd& block : flags)
      for (const double flag : block.col(static_cast<Eigen::Index>(k)))
        if (flag_row++ % stride == 0 && !specs[k].state.is_automatic())
          of_contact.flags.push_back(flag);
    for (const Samples& block : blocks)
      for (const double acts : block.signal.col(contact.state_signal))
        if (row++ % stride == 0) of_contact.touches.push_back(acts);
    list.push_back(std::move(of_contact));
  }
  return list;
}

Eigen::MatrixXd kept_wrenches(const std::vector<Eigen::MatrixXd>& blocks, Eigen::Index rows,
                              Eigen::Index stride) {
  Eigen::Index sum = 0;
  for (const Eigen::MatrixXd& block : blocks) sum += block.rows();
  if (sum < rows) return {};
  Eigen::MatrixXd all(sum, kBaseChannels);
  Eigen::Index at = 0;
  for (const Eigen::MatrixXd& block : blocks) {
    all.middleRows(at, block.rows()) = block;
    at += block.rows();
  }
  Eigen::MatrixXd some((rows + stride - 1) / stride, kBaseChannels);
  for (Eigen::Index k = 0; k < some.rows(); ++k) some.row(k) = all.row(k * stride);
  return some;
}

/// Joins blocks, keeping every `stride`-th row.
Samples kept_rows(const std::vector<Samples>& blocks, Eigen::Index rows, Eigen::Index stride) {
  Samples samples;
  const Eigen::Index kept = (rows + stride - 1) / stride;
  samples.time.resize(kept);
  Eigen::Index row = 0, at = 0;
  for (const Samples& block : blocks)
    for (Eigen::Index i = 0; i < block.size(); ++i, ++row) {
      if (row % stride != 0) continue;
      samples.time[at] = block.time[i];
      for_each_array(block, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
        if (!array.view || array.per == SampleColumn::signal || numbers.size() == 0) return;
        Eigen::ArrayXXd& target = samples.*array.member;
        if (target.rows() != kept) target.setZero(kept, numbers.cols());
        target.row(at) = numbers.row(i);
      });
      ++at;
    }
  return samples;
}

Result<Eigen::ArrayXXd> torque_of(const BaseLog& log, const Eigen::VectorXd& parameters) {
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const PredictJob job{log.plan.get(), &log.samples, &parameters};
  Eigen::ArrayXXd torque;
  HEFT_CHECK(backend->predict({&job, 1}, {&torque, 1}));
  return torque;
}

Eigen::VectorXd parameters_of_file(const RegressorPlan& plan) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(plan.layout.num_parameters());
  for (int b = 0; b < plan.layout.num_bodies(); ++b)
    x.segment<core::kNumParameters>(plan.layout.index(b, core::kMass)) =
        plan.robot
            .bodies[static_cast<std::size_t>(plan.layout.body_index[static_cast<std::size_t>(b)])]
            .prior;
  return x;
}

/// Rows of six numbers as one column, forces and torques scaled.
Eigen::VectorXd scaled_column(const Eigen::MatrixXd& rows, const BaseScale& scale) {
  Eigen::MatrixXd scaled = rows / scale.force;
  scaled.rightCols<3>() /= scale.length;
  return scaled.reshaped();
}

Result<Done> add_torques(BaseLog& log) {
  HEFT_TRY(torque, torque_of(log, parameters_of_file(*log.plan)));
  log.torque = std::move(torque);
  log.trunk.resize(kBaseChannels * log.samples.size(), 4);
  for (int k = 0; k < 4; ++k) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(log.plan->layout.num_parameters(),
                                                       log.plan->layout.index(0, core::kMass) + k);
    HEFT_TRY(of_one, torque_of(log, unit));
    log.trunk.col(k) = of_one.leftCols<kBaseChannels>().matrix().reshaped();
  }
  return Done{};
}

}  // namespace

Result<BaseLog> read_base_log(const LogFacts& facts, const Log& file, const BaseLogRows& wanted) {
  const auto made =
      facts.model ? Result<Model>(*facts.model) : make_model(facts.robot, facts.options.model);
  if (!made) return made.error();
  ConditioningOptions options = facts.options.conditioning;
  options.keep_every = 1;
  options.filter_rows = false;
  options.rows = "torque";
  if (wanted.filters_alike) options.torque_lowpass_hz = 0;
  if (wanted.other_quaternion)
    options.base.quaternion = options.base.quaternion == PoseQuaternion::xyzw
                                  ? PoseQuaternion::wxyz
                                  : PoseQuaternion::xyzw;
  Recorded recorded;
  const DerivedSignals derived = recording(made->derived_of(file.name()), recorded);
  const UnknownWrenches* const unknown = derived.unknown_wrenches.get();
  BaseLog log;
  HEFT_TRY(plan, make_regressor_plan(facts.robot, facts.channels, {}));
  log.plan = plan;
  const std::vector<ContactSpec> specs = projected_contacts(facts.options.model);
  std::vector<Samples> blocks;
  std::vector<Eigen::ArrayXXd> flags;
  Eigen::Index rows = 0;
  const auto sink = [&](int, const Samples& block) -> Result<Done> {
    if (rows >= kMostBaseRows) return Done{};
    rows += block.size();
    if (unknown) flags.push_back(flags_of(block, *unknown, specs));
    HEFT_TRY(with, with_states(block, facts, unknown));
    blocks.push_back(std::move(with));
    return Done{};
  };
  HEFT_CHECK(condition_log(file, {facts.robot, facts.channels, facts.options.log, options, derived},
                           sink));
  if (rows == 0) return log;
  const Eigen::Index stride = std::max<Eigen::Index>(1, rows / wanted.kept);
  log.samples = kept_rows(blocks, rows, stride);
  if (unknown) log.contacts = contact_rows(*unknown, specs, blocks, flags, stride);
  log.R_root_imu = derived.X_root_frame.linear();
  log.has_imu = options.base.source == BaseMeasurement::imu;
  if (log.samples.size() > 1) log.period_s = log.samples.time[1] - log.samples.time[0];
  log.has_measured_base = facts.raw.has_torque(0);
  constexpr std::size_t kPrefix = sizeof("wrenches: ") - 1;
  for (const auto& [where, of_wrench] : recorded) {
    PushedRows wrench{.name = where.substr(std::min(kPrefix, where.size()))};
    wrench.place = of_wrench.place.value_or(Eigen::Vector3d::Zero());
    for (std::size_t k = 0; k < of_wrench.rows.size(); ++k)
      wrench.rows[k] = kept_wrenches(of_wrench.rows[k], rows, stride);
    log.has_orientation = wrench.rows[2].size() > 0;
    if (wrench.rows[0].size() == 0) return BaseLog{};
    log.wrenches.push_back(std::move(wrench));
  }
  HEFT_CHECK(add_torques(log));
  return log;
}

Result<Done> rotate(const Eigen::Matrix3d& R, BaseLog& log) {
  for (int k = 0; k < 3; ++k)
    log.samples.base_motion.middleCols<3>(3 * k) =
        (log.samples.base_motion.middleCols<3>(3 * k).matrix() * R.transpose()).eval().array();
  return add_torques(log);
}

Eigen::MatrixXd shifted(const Eigen::MatrixXd& rows, Eigen::Index later) {
  if (later == 0) return rows;
  Eigen::MatrixXd moved(rows.rows(), rows.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    moved.row(i) = rows.row(std::clamp<Eigen::Index>(i + later, 0, rows.rows() - 1));
  return moved;
}

BaseScale scale_of(const BaseLog& log) {
  constexpr double kShortest = 0.05;
  BaseScale scale;
  scale.force = std::sqrt(log.torque.leftCols<3>().square().rowwise().sum().mean() + 1e-12);
  double moment = 0;
  for (const PushedRows& wrench : log.wrenches)
    moment = std::max(moment, std::sqrt(wrench.rows[0].rightCols<3>().squaredNorm() /
                                        static_cast<double>(wrench.rows[0].rows())));
  scale.length = std::max(kShortest, moment / scale.force);
  return scale;
}

Eigen::MatrixXd residual_of(const BaseLog& log) {
  Eigen::MatrixXd left = log.torque.leftCols<kBaseChannels>().matrix();
  for (const PushedRows& wrench : log.wrenches) left -= wrench.rows[0];
  return left;
}

double left_of(const BaseLog& log) {
  constexpr double kPrice = 0.1;  // share of squares for a mass as large as the robot
  const BaseScale scale = scale_of(log);
  const Eigen::VectorXd y = scaled_column(residual_of(log), scale);
  const auto count = static_cast<double>(log.samples.size());
  Eigen::MatrixXd columns(y.size(), 4);
  for (int k = 0; k < 4; ++k)
    columns.col(k) = scaled_column(
        log.trunk.col(k).reshaped(log.samples.size(), Eigen::Index{kBaseChannels}), scale);
  const double g = 9.81, mass = scale.force / g;
  columns.col(0) *= mass;
  columns.rightCols<3>() *= mass * scale.length;
  const Eigen::Matrix4d G =
      columns.transpose() * columns + kPrice * count * Eigen::Matrix4d::Identity();
  const Eigen::Vector4d b = columns.transpose() * y;
  const double all =
      scaled_column(log.torque.leftCols<kBaseChannels>().matrix(), scale).squaredNorm();
  return (y.squaredNorm() - b.dot(G.ldlt().solve(b))) / all;
}

}  // namespace heft::check
