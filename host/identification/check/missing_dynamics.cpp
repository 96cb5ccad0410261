#include "check/missing_dynamics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/factorizations.hpp"
#include "rows/filtered_prediction.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

constexpr int kNumBlocks = 10;  // of the jackknife
constexpr double kShows = 0.3;  // share of gravity in the file's torque: channels with less cannot
                                // tell whether it is there
constexpr double kMissing = 0.35;  // share of a term below which it is missing, its error included
constexpr double kLeastShare = 0.02;  // of the accelerations, by which others are measured
constexpr double kExplained = 0.1;    // of the squared gravity of the file: most that may be left
constexpr double kPushed = 0.3;     // the same where pushes may be in the torques, and nothing else
constexpr double kLittle = 0.5;     // of the squared torques: left where the file explains next to
                                    // nothing
constexpr double kRounding = 1e-4;  // of the squared torques: less is not left by any file

// columns of the regression of a channel
enum TermColumn { kTorque, kAcceleration, kVelocity, kGravity, kNumTerms = kGravity + 3 };
using Products = Eigen::Matrix<double, kNumTerms, kNumTerms>;
using TermVector = Eigen::Matrix<double, kNumTerms, 1>;

Samples without_velocity(Samples samples) {
  samples.velocity.setZero();
  if (samples.unfiltered) {
    UnfilteredMotion motion = *samples.unfiltered;
    motion.samples = without_velocity(std::move(motion.samples));
    samples.unfiltered = std::make_shared<const UnfilteredMotion>(std::move(motion));
  }
  return samples;
}

Result<std::vector<Eigen::ArrayXXd>> predicted(Backend& backend, const RegressorPlan& plan,
                                               const Eigen::Vector3d& gravity,
                                               const Eigen::VectorXd& parameters,
                                               const std::vector<Samples>& stretches) {
  Robot robot = plan.robot;
  robot.gravity = gravity;
  HEFT_TRY(turned, make_regressor_plan(std::move(robot), plan.channels, plan.layout.columns));
  std::vector<PredictJob> jobs;
  for (const Samples& stretch : stretches) jobs.push_back({turned.get(), &stretch, &parameters});
  std::vector<Eigen::ArrayXXd> torques(stretches.size());
  HEFT_CHECK(predict_as_measured(backend, jobs, torques));
  return torques;
}

using TermRows = Eigen::Matrix<double, Eigen::Dynamic, kNumTerms>;

/// Makes the columns orthonormal by Gram and Schmidt, twice against rounding; columns that follow
/// from others become zero.
void make_orthonormal(Eigen::MatrixXd& columns) {
  constexpr double kFollows = 1e-12;
  for (Eigen::Index c = 0; c < columns.cols(); ++c) {
    const double before = columns.col(c).norm();
    for (int pass = 0; pass < 2; ++pass)
      for (Eigen::Index e = 0; e < c; ++e)
        columns.col(c) -= columns.col(e).dot(columns.col(c)) * columns.col(e);
    const double left = columns.col(c).norm();
    columns.col(c) *= left > kFollows * before ? 1 / left : 0;
  }
}

/// Torque and terms of all samples after removing friction and an offset; both are weighted.
TermRows without_friction(const std::vector<const Samples*>& samples,
                          const std::vector<DynamicsTerms>& terms, int channel, int joint) {
  Eigen::Index num_rows = 0;
  for (const Samples* stretch : samples) num_rows += stretch->size();
  TermRows all(num_rows, static_cast<int>(kNumTerms));
  Eigen::MatrixXd friction(num_rows, 3);
  Eigen::Index at = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Samples& stretch = *samples[i];
    const Eigen::Index rows = stretch.size();
    const Eigen::ArrayXd used = (stretch.weight.col(channel) > 0).cast<double>(),
                         velocity = stretch.velocity.col(joint);
    auto part = all.middleRows(at, rows);
    part.col(kTorque) = used * stretch.torque.col(channel);
    part.col(kAcceleration) = used * terms[i].acceleration.col(channel);
    part.col(kVelocity) = used * terms[i].velocity.col(channel);
    for (int k = 0; k < 3; ++k)
      part.col(kGravity + k) = used * terms[i].gravity[static_cast<std::size_t>(k)].col(channel);
    friction.col(0).segment(at, rows) = used;
    friction.col(1).segment(at, rows) = used * velocity;
    friction.col(2).segment(at, rows) = used * (velocity / kCoulombWidth).tanh();
    at += rows;
  }
  make_orthonormal(friction);
  const Eigen::Matrix<double, 3, kNumTerms> shares = friction.transpose() * all;
  all -= friction.lazyProduct(shares);
  return all;
}

/// Sums of products over consecutive blocks of rows.
struct ChannelSums {
  std::array<Products, kNumBlocks> of_block;
  Products whole = Products::Zero();
  double weight = 0;  ///< 1 / squares that the terms leave
  bool shows_gravity = false;
};

ChannelSums sums_of(const TermRows& rows) {
  ChannelSums sums;
  for (int b = 0; b < kNumBlocks; ++b) {
    const Eigen::Index first = b * rows.rows() / kNumBlocks,
                       end = (b + 1) * rows.rows() / kNumBlocks;
    const auto block = rows.middleRows(first, end - first);
    sums.of_block[static_cast<std::size_t>(b)] = block.transpose() * block;
    sums.whole += sums.of_block[static_cast<std::size_t>(b)];
  }
  return sums;
}

/// Shares of the terms, without the torque's column.
Eigen::VectorXd fitted(const Products& sums) {
  const Eigen::MatrixXd G = sums.bottomRightCorner<kNumTerms - 1, kNumTerms - 1>();
  const Eigen::VectorXd b = sums.col(kTorque).tail<kNumTerms - 1>();
  return G.completeOrthogonalDecomposition().solve(b);
}

/// Residual squares of a fit.
double left_by(const Products& sums, const Eigen::VectorXd& shares) {
  TermVector error;
  error << 1, -shares;
  return error.dot(sums * error);
}

struct Shares {
  Eigen::VectorXd value, error;  ///< of accelerations, velocities, gravity along x, y, z
};

/// Fits all channels; jackknife errors by leaving out one time block at a time.
Shares pooled(const std::vector<ChannelSums>& channels) {
  const auto without = [&](int left_out) {
    Products sums = Products::Zero();
    for (const ChannelSums& channel : channels) {
      sums += channel.weight * channel.whole;
      if (left_out >= 0)
        sums -= channel.weight * channel.of_block[static_cast<std::size_t>(left_out)];
    }
    return fitted(sums);
  };
  Shares shares{without(-1), Eigen::VectorXd::Zero(kNumTerms - 1)};
  for (int b = 0; b < kNumBlocks; ++b)
    shares.error += (without(b) - shares.value).cwiseAbs2() * (kNumBlocks - 1.0) / kNumBlocks;
  shares.error = shares.error.cwiseSqrt();
  return shares;
}

}  // namespace

Result<std::vector<DynamicsTerms>> dynamics_terms(Backend& backend, const RegressorPlan& plan,
                                                  const Eigen::VectorXd& parameters,
                                                  const std::vector<const Samples*>& samples) {
  std::vector<Samples> moving, accelerating, still;
  for (const Samples* stretch : samples) {
    moving.push_back(*stretch);
    accelerating.push_back(without_velocity(*stretch));
    still.push_back(at_rest(*stretch));
  }
  const double g = plan.robot.gravity.norm();
  const Eigen::Vector3d none = Eigen::Vector3d::Zero();
  std::vector<DynamicsTerms> terms(samples.size());
  HEFT_TRY(rigid, predicted(backend, plan, none, parameters, moving));
  HEFT_TRY(inertia, predicted(backend, plan, none, parameters, accelerating));
  for (std::size_t i = 0; i < terms.size(); ++i) {
    terms[i].velocity = rigid[i] - inertia[i];
    terms[i].acceleration = std::move(inertia[i]);
  }
  for (int k = 0; k < 3; ++k) {
    HEFT_TRY(of_axis, predicted(backend, plan, g * Eigen::Vector3d::Unit(k), parameters, still));
    for (std::size_t i = 0; i < terms.size(); ++i)
      terms[i].gravity[static_cast<std::size_t>(k)] = std::move(of_axis[i]);
  }
  return terms;
}

namespace {

struct Heard {
  std::vector<ChannelSums> channels;
  double gravity2 = 0,
         left2 = 0;    ///< squares of the file's gravity and of what the terms leave, where gravity
                       ///< shows
  double torque2 = 0;  ///< of the torques there
};

/// The channels with torques, and their residuals where gravity is significant.
Heard heard_channels(const RegressorPlan& plan, const std::vector<const Samples*>& samples,
                     const std::vector<DynamicsTerms>& terms) {
  constexpr double kFewestRows = 200;
  TermVector of_gravity = TermVector::Zero(), of_file = TermVector::Zero();
  of_gravity.tail<3>() = plan.robot.gravity.normalized();
  of_file = of_gravity;
  of_file[kAcceleration] = of_file[kVelocity] = 1;
  Heard heard;
  for (int c = 0; c < plan.num_channels(); ++c) {
    const int joint = plan.channels[static_cast<std::size_t>(c)].coordinate;
    double rows = 0;
    for (const Samples* stretch : samples)
      rows += static_cast<double>((stretch->weight.col(c) > 0).count());
    if (joint < 0 || rows < kFewestRows) continue;
    ChannelSums sums = sums_of(without_friction(samples, terms, c, joint));
    const double torque2 = sums.whole(kTorque, kTorque), file2 = of_file.dot(sums.whole * of_file),
                 gravity2 = of_gravity.dot(sums.whole * of_gravity);
    if (!(torque2 > 0) || !(file2 > 0)) continue;
    const double left2 = std::max(left_by(sums.whole, fitted(sums.whole)), kRounding * torque2);
    sums.weight = 1 / left2;
    if (gravity2 > kShows * kShows * file2) {
      sums.shows_gravity = true;
      heard.gravity2 += gravity2;
      heard.left2 += left2;
      heard.torque2 += torque2;
    }
    heard.channels.push_back(sums);
  }
  return heard;
}

/// Whether gravity is still missing after excluding any one channel: a torque in a wrong unit
/// imitates it alone.
bool agrees_without_each(const std::vector<ChannelSums>& channels, double most) {
  const auto shows = [](const ChannelSums& channel) { return channel.shows_gravity; };
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (!channels[c].shows_gravity) continue;
    std::vector<ChannelSums> others = channels;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(c));
    if (std::none_of(others.begin(), others.end(), shows)) continue;
    if (!(pooled(others).value.tail<3>().norm() < most)) return false;
  }
  return true;
}

}  // namespace

std::optional<MissingDynamics> missing_dynamics(const RegressorPlan& plan,
                                                const std::vector<const Samples*>& samples,
                                                const std::vector<DynamicsTerms>& terms) {
  const Heard heard = heard_channels(plan, samples, terms);
  // gravity that is present but at wrong positions remains
  if (!(heard.gravity2 > 0) || !(heard.left2 < kPushed * heard.gravity2)) return {};
  const Shares shares = pooled(heard.channels);
  const double gravity = shares.value.tail<3>().norm(),
               gravity_error = 2 * shares.error.tail<3>().norm();
  const double acceleration = shares.value[0], acceleration_error = 2 * shares.error[0];
  const double velocity = shares.value[1], velocity_error = 2 * shares.error[1];
  // rotors that the file lacks make the share of the accelerations larger than 1, other units make
  // all smaller
  const bool is_moved = acceleration > 2 * acceleration_error && acceleration > kLeastShare;
  const double whole = is_moved ? std::min(acceleration, 1.0) : 1.0;
  if (!(gravity + gravity_error < kMissing * whole)) return {};
  if (!agrees_without_each(heard.channels, 2 * kMissing * whole)) return {};
  MissingDynamics missing{.gravity_share = gravity,
                          .acceleration_share = acceleration_error < kMissing
                                                    ? acceleration
                                                    : std::numeric_limits<double>::quiet_NaN()};
  const bool explains_little = heard.left2 > kLittle * heard.torque2;
  if (std::abs(acceleration) + acceleration_error < kMissing && explains_little)
    missing.part = MissingPart::dynamics;
  else if (!(heard.left2 < kExplained * heard.gravity2))
    return {};
  else if (is_moved && std::abs(velocity) + velocity_error < kMissing * whole)
    missing.part = MissingPart::gravity_and_coriolis;
  return missing;
}

bool has_gravity(const RegressorPlan& plan, const std::vector<const Samples*>& samples,
                 const std::vector<DynamicsTerms>& terms) {
  constexpr double kClearly = 2 * kMissing;
  const Heard heard = heard_channels(plan, samples, terms);
  if (!(heard.gravity2 > 0)) return false;
  const Shares shares = pooled(heard.channels);
  return shares.value.tail<3>().norm() - 2 * shares.error.tail<3>().norm() > kClearly;
}

Finding finding_of(const MissingDynamics& missing, const std::string& path) {
  const auto percent = [](double share) { return fmt::format("{:.0f} %", 100 * share); };
  const std::string shares =
      percent(missing.gravity_share) + " of the gravity torque" +
      (std::isfinite(missing.acceleration_share)
           ? " and " + percent(missing.acceleration_share) + " of the inertia torque"
           : "") +
      " that the robot's file predicts";
  Finding finding{.name = "torque-without-gravity",
                  .severity = Severity::error,
                  .subject = "all torques",
                  .where = path + ":1",
                  .measure = missing.gravity_share,
                  .unit = "1"};
  if (missing.part == MissingPart::dynamics) {
    finding.name = "torque-external";
    finding.what = "the torques contain only " + shares +
                   "; they may be an external-torque estimate (tau_ext_hat)";
    finding.remedy = "log the measured joint torque, before a model is subtracted from it";
    return finding;
  }
  const bool is_gravity_alone = missing.part == MissingPart::gravity;
  finding.what = fmt::format(
      "gravity {} missing: the torques contain {}; the controller may have subtracted {}",
      is_gravity_alone ? "is" : "and Coriolis torques are", shares,
      is_gravity_alone ? "it" : "them");
  if (is_gravity_alone)
    finding.fix = {.yaml = "robot: {gravity: [0, 0, 0]}\n", .gravity = Eigen::Vector3d::Zero()};
  finding.remedy =
      is_gravity_alone
          ? "log the torque with gravity; or add to the configuration: robot: {gravity: [0, 0, 0]}"
          : "log the measured joint torque; no option removes the Coriolis torques, but robot: "
            "{gravity: [0, 0, 0]} fits slow motions";
  return finding;
}

}  // namespace heft
