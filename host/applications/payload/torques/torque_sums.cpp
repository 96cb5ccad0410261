#include "torque_sums.hpp"

#include <cmath>

#include "linalg/seen_directions.hpp"

namespace heft::payload {

namespace {

constexpr int kPasses = 4;
constexpr std::size_t kFewBlocks = 8;     // cannot estimate their own scatter
constexpr double kRankCutOfSums = 1e-12;  // of eigenvalues of scaled sums

/// Normal equations in base quantities.
struct Equations {
  Eigen::MatrixXd A;
  Eigen::VectorXd b;
  double tau2 = 0, num_rows = 0;
};

Equations equations_of(const Moments& moments, const Eigen::VectorXd& weights,
                       const Eigen::MatrixXd& E) {
  const NormalEquations all = normal_equations(moments, weights);
  const Eigen::MatrixXd A = E.transpose() * all.G * E;
  return {0.5 * (A + A.transpose()), E.transpose() * all.b, all.tau2, all.num_rows};
}

/// Weights of the channels from their residuals for parameters of the layout.
Eigen::VectorXd weights_for(const Moments& moments, const Eigen::VectorXd& parameters) {
  constexpr double kLeast = 1e-13;  // of the channel's power: below, the difference of sums is
                                    // rounding
  Eigen::VectorXd weights =
      Eigen::VectorXd::Zero(static_cast<Eigen::Index>(moments.num_rows.size()));
  const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(parameters.size());
  for (Eigen::Index c = 0; c < weights.size(); ++c) {
    const int channel = static_cast<int>(c);
    const double rows = moments.num_rows[static_cast<std::size_t>(c)],
                 power = residual_sum(moments, channel, nothing);
    if (!(rows > 0) || !(power > 0)) continue;
    weights[c] = rows / std::max(residual_sum(moments, channel, parameters), kLeast * power);
  }
  return weights;
}

class TorqueFitter {
 public:
  TorqueFitter(const KnownRobot& robot, const CarryingLink& link)
      : robot_(robot), R_(quantities_of_payload(robot, link)) {}

  /// One solution with the channels weighted by fit.channel_weights and fit.worth_one.
  void solve(const Moments& moments, TorqueFit& fit) {
    equations_ = equations_of(moments, fit.channel_weights, robot_.quantities.E);
    const Eigen::MatrixXd A = equations_.A / fit.worth_one;
    const Eigen::VectorXd b = equations_.b / fit.worth_one;
    Matrix10d S;
    BodyParameters g;
    const bool is_exact = robot_.information.size() == 0;
    if (is_exact) {
      const Eigen::VectorXd theta = robot_.quantities.R * robot_.parameters;
      data_share_ = R_;
      S = R_.transpose() * A * R_;
      g = R_.transpose() * (b - A * theta);
      fit.robot_alone = theta, fit.moved_by_payload = R_;
    } else {
      const Eigen::MatrixXd &K = robot_.information,
                            inverse = seen_directions(A + K, kRankCutOfSums).inverse();
      const Eigen::VectorXd& k = robot_.information_times_estimate;
      data_share_ = inverse * (K * R_);
      robot_share_ = inverse * (A * R_);
      S = data_share_.transpose() * (A * R_);
      g = data_share_.transpose() * b - robot_share_.transpose() * k;
      fit.robot_alone = inverse * (b + k);
      fit.moved_by_payload = R_ - robot_share_;
    }
    S = (0.5 * (S + S.transpose())).eval();
    const SeenDirections seen = seen_directions(S, kRankCutOfSums);
    const Matrix10d covariance = seen.inverse();
    fit.x = covariance * g;
    fit.to_x = covariance;
    fit.data_share = data_share_, fit.robot_share = is_exact ? Eigen::MatrixXd() : robot_share_;
    fit.covariances = {covariance};
    for (std::size_t i = 0; i < 10; ++i) fit.open[i] = seen.open[i];
    const double num_rows = std::max(equations_.num_rows / fit.worth_one, 1.0);
    // tau2 is such that the mean squared residual of x is one: channels are weighted by their own
    // residuals
    fit.sums = {S, g, fit.x.dot(g) + num_rows, num_rows};
  }

  /// Number of correlated rows worth one: scatter of block scores relative to that of independent
  /// rows.
  double worth_one(const std::vector<Moments>& blocks, const TorqueFit& fit) {
    find_scores(blocks, fit);
    const auto num_blocks = static_cast<double>(blocks.size());
    const SeenDirections seen = seen_directions(equations_.A, kRankCutOfSums);
    return (seen.root.transpose() * scatter_ * seen.root).trace() * num_blocks / (num_blocks - 1) /
           static_cast<double>(seen.rank());
  }

  /// The covariance of x from the scatter of the blocks and the robot's own covariance.
  Matrix10d scattered(const std::vector<Moments>& blocks, const TorqueFit& fit) {
    find_scores(blocks, fit);
    const auto num_blocks = static_cast<double>(blocks.size());
    const Eigen::MatrixXd of_data =
        scatter_ * (num_blocks / (num_blocks - 1) / (fit.worth_one * fit.worth_one));
    Matrix10d meat = data_share_.transpose() * of_data * data_share_;
    if (robot_.information.size() > 0)
      meat += robot_share_.transpose() * robot_.information * robot_share_;
    return fit.covariances.front() * meat * fit.covariances.front();
  }

 private:
  void find_scores(const std::vector<Moments>& blocks, const TorqueFit& fit) {
    const Eigen::VectorXd y = fit.robot_alone + fit.moved_by_payload * fit.x;
    scatter_.setZero(y.size(), y.size());
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(y.size());
    for (const Moments& block : blocks) {
      const Equations equations = equations_of(block, fit.channel_weights, robot_.quantities.E);
      const Eigen::VectorXd score = equations.b - equations.A * y;
      scatter_ += score * score.transpose();
      sum += score;
    }
    scatter_ -= sum * sum.transpose() / static_cast<double>(blocks.size());
  }

  const KnownRobot& robot_;
  Eigen::MatrixXd R_;
  Equations equations_;
  Eigen::MatrixXd data_share_, robot_share_;  ///< (A + K)^-1 K R and (A + K)^-1 A R
  Eigen::MatrixXd scatter_;
};

}  // namespace

Eigen::MatrixXd quantities_of_payload(const KnownRobot& robot, const CarryingLink& link) {
  Matrix10d to_body;
  for (int k = 0; k < core::kNumParameters; ++k)
    to_body.col(k) = transformed(link.X_body_link, BodyParameters::Unit(k));
  const int first = robot.plan->layout.index(link.body, core::kMass);
  return robot.quantities.R.middleCols(first, core::kNumParameters) * to_body;
}

Result<TorqueFit> fit_torques(const KnownRobot& robot, const CarryingLink& link,
                              const Moments& moments, const std::vector<Moments>& blocks,
                              double worth_one) {
  TorqueFit fit{.worth_one = worth_one, .from_robot = robot.quantities.E};
  fit.channel_weights = weights_for(moments, robot.parameters);
  if ((robot.residual_rms.array() > 0).all() &&
      robot.residual_rms.size() == fit.channel_weights.size())
    fit.channel_weights =
        (fit.channel_weights.array() > 0).select(robot.residual_rms.cwiseAbs2().cwiseInverse(), 0);
  TorqueFitter fitter(robot, link);
  const bool has_blocks = blocks.size() >= kFewBlocks;
  for (int pass = 0; pass <= kPasses; ++pass) {
    fitter.solve(moments, fit);
    if (!fit.x.allFinite())
      return Error{link.name, "the sums of the log are numerically invalid",
                   "check units and signs of the torques in the log"};
    if (pass == kPasses) break;
    fit.channel_weights = weights_for(moments, fit.loaded(fit.x));
    fitter.solve(moments, fit);
    if (has_blocks) fit.worth_one = std::max(fitter.worth_one(blocks, fit), 1.0);
  }
  if (fit.open[core::kMass])
    return Error{link.name, "no torque in the log determines the mass of its payload",
                 "name the link that carries the payload, and move the joints that lift it"};
  fit.freedom = fit.sums.num_rows;
  if (has_blocks) {
    fit.covariances.push_back(fitter.scattered(blocks, fit));
    fit.freedom = static_cast<double>(blocks.size()) - 1;
  }
  return fit;
}

}  // namespace heft::payload
