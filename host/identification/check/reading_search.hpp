// Finds the interpretations of all joints together that minimize the torque residual.
//
// For every channel with torque y, and x the torque from the URDF's bodies, the residual of a
// choice is min(|y - x|^2, 2 min_s |y - s x|^2) / |y|^2: the likelihood of x unchanged or, with a
// penalty, of torques in another unit. The sum of the logarithms is minimized unit by unit, then
// joint by joint.
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

  /// Returns the readings with the smallest score.
  Result<ReadingChoice> best() const;

  Result<double> score_of(const ReadingChoice& choice) const;

  /// Returns the score, including the evidence from limits.
  Result<double> cost_of(const ReadingChoice& choice) const;

  /// Returns the same with freely fitted bodies.
  Result<double> free_score_of(const ReadingChoice& choice) const;

  Result<std::vector<Agreement>> agreements_of(const ReadingChoice& choice) const;

  /// Scores a choice with the joints of `group` scaled by another `factor`.
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
