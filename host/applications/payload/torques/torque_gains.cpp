#include "torque_gains.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/seen_directions.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft::payload {

namespace {

constexpr double kRankCut = 1e-12;      // of eigenvalues of scaled sums
constexpr double kWellSeen = 0.02;      // standard error of a difference that counts by a quarter
constexpr double kFewestSeen = 3;       // differences that an estimate of the spread needs
constexpr double kWide = 0.3;           // standard deviation of scales before a calibration
constexpr double kIdentifiable = 0.10;  // largest half width of a calibrated scale
constexpr double kNeglected = 1.5;  // standard error by the products left out, over the mean of e^2

}  // namespace

/// Normal equations H u = -c of u = (e, theta, x) from where they were fitted: joints, Q and 10
/// numbers.
struct TorqueGains::Equations {
  Eigen::MatrixXd H;
  Eigen::VectorXd c;
};

TorqueGains::TorqueGains(const KnownRobot& robot, const CarryingLink& link, const Moments& moments,
                         const TorqueFit& fit)
    : robot_(robot), fit_(fit), R_(quantities_of_payload(robot, link)) {
  const RegressorPlan& plan = *robot.plan;
  const Eigen::MatrixXd& E = robot.quantities.E;
  const Eigen::VectorXd weights = fit.channel_weights / fit.worth_one;
  for (int c = 0; c < plan.num_channels(); ++c)
    if (plan.channels[c].coordinate >= 0) channels_.push_back(c);
  const NormalEquations all = normal_equations(moments, weights);
  y_ = fit.robot_alone + fit.moved_by_payload * fit.x;
  A_ = E.transpose() * all.G * E;
  q_ = E.transpose() * all.b - A_ * y_;
  const bool has_parts = robot.channel_parts.score.size() > 0;
  measured_.resize(E.cols(), num_joints());
  predicted_ = of_payload_ = measured_;
  of_robot_.setZero(E.cols(), num_joints());
  score_.setZero(num_joints());
  for (Eigen::Index j = 0; j < num_joints(); ++j) {
    const int c = channels_[static_cast<std::size_t>(j)];
    const NormalEquations of_joint =
        normal_equations(moments, weights[c] * Eigen::VectorXd::Unit(weights.size(), c));
    measured_.col(j) = E.transpose() * of_joint.b;
    predicted_.col(j) = E.transpose() * (of_joint.G * (E * y_));
    of_payload_.col(j) = E.transpose() * (of_joint.G * (E * (R_ * fit.x)));
    if (has_parts)
      of_robot_.col(j) = robot.channel_parts.times_estimate.col(c),
      score_[j] = robot.channel_parts.score[c];
  }
  // older results lack the parts: assume an identification from motion like this log's
  if (!has_parts && robot.information.size() > 0)
    of_robot_ = robot.information * (seen_directions(A_, kRankCut).inverse() * predicted_);
}

Eigen::Matrix<double, 10, Eigen::Dynamic> TorqueGains::contributions() const {
  // an exact robot is assumed to have been identified with the same torque scales
  if (robot_.information.size() == 0)
    return fit_.to_x * (R_.transpose() * (measured_ - predicted_ + of_payload_));
  return fit_.to_x *
         (fit_.data_share.transpose() * measured_ - fit_.robot_share.transpose() * of_robot_);
}

std::vector<TorqueGains::JointMass> TorqueGains::masses() const {
  std::vector<JointMass> masses;
  const Eigen::VectorXd payload = R_ * fit_.x;
  for (Eigen::Index j = 0; j < num_joints(); ++j) {
    const double power = payload.dot(of_payload_.col(j)),
                 more = payload.dot(measured_.col(j) - predicted_.col(j));
    const double mass = fit_.x[core::kMass];
    masses.push_back({.channel = channels_[static_cast<std::size_t>(j)],
                      .mass = power > 0 ? mass * (1 + more / power) : 0,
                      .error = power > 0 ? std::abs(mass) / std::sqrt(power)
                                         : std::numeric_limits<double>::infinity()});
  }
  return masses;
}

TorqueGains::Equations TorqueGains::equations() const {
  const Eigen::Index joints = num_joints(), size = A_.rows(), first_x = joints + size;
  Equations equations{Eigen::MatrixXd::Zero(first_x + 10, first_x + 10),
                      Eigen::VectorXd::Zero(first_x + 10)};
  Eigen::MatrixXd& H = equations.H;
  // loaded log, about y
  for (Eigen::Index j = 0; j < joints; ++j) {
    H(j, j) = y_.dot(predicted_.col(j));
    equations.c[j] = y_.dot(measured_.col(j) - predicted_.col(j));
  }
  H.block(joints, joints, size, size) = A_;
  H.block(joints, 0, size, joints) = -predicted_;
  H.block(first_x, 0, 10, joints) = -R_.transpose() * predicted_;
  H.block(first_x, joints, 10, size) = R_.transpose() * A_;
  H.bottomRightCorner(10, 10) = R_.transpose() * A_ * R_;
  equations.c.segment(joints, size) = -q_;
  equations.c.tail(10) = -R_.transpose() * q_;
  // identification, about its own estimate
  if (robot_.information.size() > 0) {
    const Eigen::MatrixXd& K = robot_.information;
    const Eigen::VectorXd theta = y_ - R_ * fit_.x,
                          identified = seen_directions(K, kRankCut).inverse() *
                                       robot_.information_times_estimate;
    for (Eigen::Index j = 0; j < joints; ++j) {
      H(j, j) += identified.dot(of_robot_.col(j));
      equations.c[j] += score_[j] - of_robot_.col(j).dot(theta - identified);
    }
    H.block(joints, joints, size, size) += K;
    H.block(joints, 0, size, joints) -= of_robot_;
    equations.c.segment(joints, size) += K * (theta - identified);
  }
  H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
  return equations;
}

TorqueScaleSpread TorqueGains::spread() const {
  const TorqueScaleSpread fallback;
  const Eigen::Index joints = num_joints();
  if (joints < 2) return fallback;
  const Equations all = equations();
  const Eigen::Index rest = all.H.rows() - joints;
  const Eigen::MatrixXd others =
      all.H.topRightCorner(joints, rest) *
      seen_directions(all.H.bottomRightCorner(rest, rest), kRankCut).inverse();
  const Eigen::MatrixXd M =
      all.H.topLeftCorner(joints, joints) - others * all.H.bottomLeftCorner(rest, joints);
  const Eigen::VectorXd g = all.c.head(joints) - others * all.c.tail(rest);
  // a factor common to all joints is not identifiable
  const Eigen::MatrixXd apart =
      Eigen::MatrixXd::Identity(joints, joints) -
      Eigen::MatrixXd::Constant(joints, joints, 1 / static_cast<double>(joints));
  const SymmetricEigen<Eigen::Dynamic> modes(apart * M * apart);
  double seen = 0, squares = 0;
  for (Eigen::Index k = 0; k < joints; ++k) {
    const double information = modes.eigenvalues()[k];
    if (!(information > 0)) continue;
    const double share = 1 / (1 + 1 / (information * kWellSeen * kWellSeen));
    const double difference = modes.eigenvectors().col(k).dot(apart * g) / information;
    seen += share * share, squares += share * share * difference * difference;
  }
  if (!(seen >= kFewestSeen)) return fallback;
  return {std::sqrt(squares / seen), seen, TorqueScaleSpread::Source::residuals};
}

std::optional<TorqueCalibration> TorqueGains::calibrated(double known_mass) const {
  if (robot_.information.size() == 0) return {};
  const Eigen::Index joints = num_joints();
  Equations all = equations();
  all.H.diagonal().head(joints).array() += 1 / (kWide * kWide);
  // fix the mass; the other unknowns follow
  const Eigen::Index at = all.H.rows() - 10 + core::kMass;
  all.c += (known_mass - fit_.x[core::kMass]) * all.H.col(at);
  all.H.row(at).setZero(), all.H.col(at).setZero(), all.c[at] = 0;
  const Eigen::MatrixXd inverse = seen_directions(all.H, kRankCut).inverse();
  const Eigen::VectorXd e = (-inverse * all.c).head(joints);
  const Eigen::MatrixXd covariance = inverse.topLeftCorner(joints, joints);
  const double quantile = student_quantile(0.975, fit_.freedom),
               neglected = kNeglected * e.squaredNorm() / static_cast<double>(joints);
  TorqueCalibration calibration;
  for (Eigen::Index j = 0; j < joints; ++j) {
    const Channel& channel = robot_.plan->channels[channels_[static_cast<std::size_t>(j)]];
    const double half =
                     quantile * std::hypot(std::sqrt(std::max(covariance(j, j), 0.0)), neglected),
                 low = 1 + e[j] - half, high = 1 + e[j] + half;
    TorqueGain gain{
        .joint = channel.name, .coordinate = channel.coordinate, .value = 1 / (1 + e[j])};
    if (low > 0) gain.interval = {1 / high, 1 / low};
    gain.is_identifiable = half < kIdentifiable;
    calibration.gains.push_back(gain);
  }
  // standard deviation of independent scales that gives the mass the same variance
  const Eigen::VectorXd shares = contributions().row(core::kMass).transpose();
  calibration.sd = std::hypot(
      std::sqrt(std::max(shares.dot(covariance * shares), 0.0) / shares.squaredNorm()), neglected);
  return calibration;
}

}  // namespace heft::payload
