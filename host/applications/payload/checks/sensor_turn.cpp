#include "sample_checks.hpp"

#include <Eigen/Geometry>

#include "base/number_text.hpp"
#include "linalg/factorizations.hpp"
#include "methods/methods.hpp"
#include "model/units.hpp"
#include "sums/sums.hpp"

namespace heft::payload {

namespace {

constexpr double kTurned = 3 * kDegree;  // of the sensor against the motion
constexpr double kClearlyBetter = 0.25;  // share of the residual without rotation

/// Finds R such that a body best explains the wrench rotated by R': alternates between fitting the
/// body and the rotation, from an initial R.
Eigen::Matrix3d refined(Eigen::Matrix3d R, WrenchSamples samples, BiasKind bias) {
  constexpr int kRounds = 30;
  const Eigen::ArrayXXd measured = samples.wrench;
  for (int round = 0; round < kRounds; ++round) {
    for (int k = 0; k < 2; ++k)
      samples.wrench.middleCols(3 * k, 3) = (measured.middleCols(3 * k, 3).matrix() * R).array();
    const auto fit = least_squares_of(sums_of(samples, bias), 0);
    if (!fit) return R;
    const Eigen::ArrayXXd left = residuals_of(samples, bias, fit->x);
    const Eigen::ArrayXXd whole = residuals_of(samples, bias, BodyParameters::Zero());
    Eigen::Matrix3d product = Eigen::Matrix3d::Zero();  // of the wrench without bias and what the
                                                        // body explains of it
    for (int k = 0; k < 2; ++k) {
      const double power = whole.middleCols(3 * k, 3).square().sum();
      if (power > 0)
        product += whole.middleCols(3 * k, 3).matrix().transpose() *
                   (whole - left).middleCols(3 * k, 3).matrix() / power;
    }
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(product, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::Matrix3d sign = Eigen::Matrix3d::Identity();
    sign(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant();
    R = (R * svd.matrixU() * sign * svd.matrixV().transpose()).eval();
  }
  return R;
}

std::string degrees(double radians) {
  return number_text(radians / kDegree, 3);
}

std::string mounting_words(const Eigen::Matrix3d& R) {
  const Eigen::Matrix<double, 6, 1> pose = numbers_of(Eigen::Isometry3d(R));
  return "payload.mounting: [0, 0, 0, " + number_text(pose[3], 4) + ", " + number_text(pose[4], 4) +
         ", " + number_text(pose[5], 4) + "]";
}

}  // namespace

std::vector<PayloadDoubt> doubts_about_turn(const WrenchSamples& samples, const Centered& about,
                                            BiasKind bias) {
  std::vector<PayloadDoubt> doubts;
  const LinearMap map = map_of(about.u, about.force);
  if (!map.known || map.left > kMaxLeft) return doubts;
  const Turned fit = turned(map, about.u, about.force);
  if (Eigen::AngleAxisd(fit.R).angle() < kTurned) return doubts;
  const Eigen::Matrix3d R = refined(fit.R, samples, bias);
  const double angle = Eigen::AngleAxisd(R).angle();
  const double straight =
      (about.force - mass_of(about) * about.u).square().sum() / about.force.square().sum();
  if (fit.mass > 0 && angle > kTurned && fit.left < kClearlyBetter * straight)
    doubts.push_back({"sensor-turned", true,
                      "the force is rotated by " + degrees(angle) +
                          " degrees relative to the motion: the sensor's mounting differs from "
                          "the one that the log assumes",
                      "set " + mounting_words(R.transpose()) +
                          " (the sensor's pose in the frame whose motion is logged), in addition "
                          "to a configured mounting"});
  return doubts;
}

}  // namespace heft::payload
