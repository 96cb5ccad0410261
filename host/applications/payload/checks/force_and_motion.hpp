// How the force follows a - g, without a body: what tells a turned sensor, a wrong sign and columns
// that are mixed up.
#pragma once

#include "heft/payload/options.hpp"
#include "heft/payload/samples.hpp"

namespace heft::payload {

inline constexpr double kMaxLeft = 0.5;  ///< share of the power that a map may leave and still
                                         ///< count as an explanation

/// Samples x 3 each, less the means of those that share a bias; u = a - g.
struct Centered {
  Eigen::ArrayXXd u, force, torque;
};

Centered centered(const WrenchSamples& samples, BiasKind bias);

/// f . u / u . u: the mass that force and motion have in one direction.
double mass_of(const Centered& about);

/// f about its means = A u about its means, by least squares; `left` is the share of f's power that
/// A leaves.
struct LinearMap {
  Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
  double left = 1;
  bool known = false;  ///< u goes three ways
};

LinearMap map_of(const Eigen::ArrayXXd& u, const Eigen::ArrayXXd& f);

/// f = m R u with R the rotation nearest to A / m; it leaves the share `left` of f's power. m < 0
/// where R would be a reflection.
struct Turned {
  Eigen::Matrix3d R;
  double mass;
  double left;
};

Turned turned(const LinearMap& map, const Eigen::ArrayXXd& u, const Eigen::ArrayXXd& f);

}  // namespace heft::payload
