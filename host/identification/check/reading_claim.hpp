// Joints that share a unit, and whether enough speaks for it.
//
// A unit is claimed if two independent signs agree: numbers that no radians or meters are (far
// beyond the limits, and within them if so read; whole numbers), and torques that prefer it to all
// other units; or, where limits say nothing, torques by the URDF's bodies and by bodies that are
// free to follow.
#pragma once

#include <string>
#include <vector>

#include "reading_search.hpp"

namespace heft::check {

constexpr double kGainBesideNumbers = 0.5;  ///< fall of the score beside a sign of the numbers
                                            ///< themselves
constexpr double kUndecided = 0.3;          ///< a change of the score that is no preference

class Claim {
 public:
  Claim(const ReadingSearch& search, const std::vector<ReadJoint>& joints,
        const ReadingChoice& choice, std::vector<std::size_t> group);

  const PositionReading& reading() const { return of(group_.front()); }
  const PositionReading& of(std::size_t j) const {
    return joints_[j].readings[static_cast<std::size_t>(choice_[j])];
  }

  /// Fall of the score against the log as it was told.
  Result<double> gain() const;

  Result<bool> holds();

  /// No unit of another kind is possible.
  bool is_only_kind() const;

 private:
  ReadingChoice as_told() const;
  Result<Done> find_best_other();
  Result<bool> no_other_scale_is_better() const;
  Result<bool> is_seen_by_a_joint() const;

  const ReadingSearch& search_;
  const std::vector<ReadJoint>& joints_;
  const ReadingChoice& choice_;
  std::vector<std::size_t> group_;
  ReadingChoice best_other_;
};

/// Joints whose choice is this unit.
std::vector<std::size_t> sharing(const std::vector<ReadJoint>& joints, const ReadingChoice& choice,
                                 const std::string& unit);

}  // namespace heft::check
