// Random numbers that do not depend on the standard library: the standard defines std::mt19937_64
// but not the distributions, which are therefore implemented here. Only the last bits of log, pow
// and cos may differ.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <random>

namespace heft::oracle {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, 1): the 53 leading bits of a draw.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }
  /// Uniform in the logarithm; 0 < lower < upper.
  double log_uniform(double lower, double upper) {
    return lower * std::pow(upper / lower, uniform());
  }
  /// Uniform in {first, ..., last}.
  int integer(int first, int last) {
    return first + static_cast<int>(uniform() * (last - first + 1));
  }
  bool chance(double probability) { return uniform() < probability; }
  double sign() { return chance(0.5) ? 1.0 : -1.0; }

  /// Standard normal [Box, Muller 1958]; 1 - uniform() is never zero.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * uniform());
  }
  Eigen::VectorXd normal_vector(int size) {
    Eigen::VectorXd v(size);
    for (double& x : v) x = normal();
    return v;
  }
  Eigen::Vector3d normal3() { return normal_vector(3); }
  Eigen::Vector3d direction() { return normal3().normalized(); }
  /// Uniform over all rotations: a uniformly distributed unit quaternion.
  Eigen::Matrix3d rotation() {
    const Eigen::Vector4d xyzw = normal_vector(4).normalized();
    return Eigen::Quaterniond(xyzw).toRotationMatrix();
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace heft::oracle
