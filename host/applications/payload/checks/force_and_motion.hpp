// Relation between force and a - g without a body model, which shows a rotated sensor, a wrong sign
// and swapped columns.
#pragma once

#include "heft/payload/options.hpp"
#include "heft/payload/samples.hpp"

namespace heft::payload {

inline constexpr double kMaxLeft = 0.5;  ///< maximum unexplained share of the power for a map that
                                         ///< counts as an explanation

/// Samples x 3 each, minus the means of samples that share a bias; u = a - g.
struct Centered {
  Eigen::ArrayXXd u, force, torque;
};

Centered centered(const WrenchSamples& samples, BiasKind bias);

/// Returns f . u / u . u: the apparent mass along the motion.
double mass_of(const Centered& about);

/// Least-squares map f = A u about the means; `left` is the unexplained share of f's power.
struct LinearMap {
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  double left = 1;
  bool known = false;  ///< u spans three dimensions
};

LinearMap map_of(const Eigen::ArrayXXd& u, const Eigen::ArrayXXd& f);

/// Rotation model f = m R u, with R the rotation nearest to A / m; `left` is the unexplained share
/// of f's power. m < 0 where R would be a reflection.
struct Turned {
  Eigen::Matrix3d R;
  double mass;
  double left;
};

Turned turned(const LinearMap& map, const Eigen::ArrayXXd& u, const Eigen::ArrayXXd& f);

}  // namespace heft::payload
