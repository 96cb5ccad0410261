// The readings of all joints together that leave least of the torques.
//
// A choice leaves of every channel's torque y, with x the torque by the URDF's own bodies,
// min(|y - x|^2, 2 min_s |y - s x|^2) / |y|^2: the likelihood of x as it is, or, at a price, of
// torques in another unit. The sum of the logs is lowered unit by unit, then joint by joint.
#pragma once

#include <string>
#include <vector>

#include "readable_joint.hpp"
#include "torque_agreement.hpp"

namespace heft::check {

using ReadingChoice = std::vector<int>;  ///< by joint: index of a reading, or kAsTold

class ReadingSearch {
 public:
  ReadingSearch(const TorqueTest& test, const std::vector<ReadJoint>& joints)
      : test_(test), joints_(joints) {}

  /// The readings of least score.
  Result<ReadingChoice> best() const;

  Result<double> score_of(const ReadingChoice& choice) const;

  /// The score, with what limits say.
  Result<double> cost_of(const ReadingChoice& choice) const;

  /// The same with bodies that are free to follow.
  Result<double> free_score_of(const ReadingChoice& choice) const;

  Result<std::vector<Agreement>> agreements_of(const ReadingChoice& choice) const;

  /// Of a choice whose joints `group` are scaled by another `factor`.
  Result<double> score_scaled(const ReadingChoice& choice, const std::vector<std::size_t>& group,
                              double factor) const;

 private:
  Samples read(const ReadingChoice& choice) const;
  double price(std::size_t j, int k) const;
  Result<ReadingChoice> best_shared() const;
  std::vector<std::string> units(bool is_angle) const;

  const TorqueTest& test_;
  const std::vector<ReadJoint>& joints_;
};

}  // namespace heft::check
