// Joints that share a unit, and the evidence for it.
//
// A unit is accepted if two independent indications agree: numbers that cannot be radians or meters
// (far beyond the limits but within them in this unit; integers), and torques that prefer it to all
// other units; or, if limits are inconclusive, torques from the URDF's bodies and from freely
// fitted bodies.
#pragma once

#include <string>
#include <vector>

#include "reading_search.hpp"

namespace heft::check {

constexpr double kGainBesideNumbers = 0.5;  ///< required decrease of the score if the numbers also
                                            ///< indicate the unit
constexpr double kUndecided = 0.3;          ///< a smaller change of the score is inconclusive

class UnitHypothesis {
 public:
  UnitHypothesis(const ReadingSearch& search, const std::vector<ReadJoint>& joints,
                 const ReadingChoice& choice, std::vector<std::size_t> group);

  const PositionReading& reading() const { return of(group_.front()); }
  const PositionReading& of(std::size_t j) const {
    return joints_[j].readings[static_cast<std::size_t>(choice_[j])];
  }

  /// Decrease of the score relative to the log as configured.
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

/// Returns the joints with this unit in the choice.
std::vector<std::size_t> sharing(const std::vector<ReadJoint>& joints, const ReadingChoice& choice,
                                 const std::string& unit);

}  // namespace heft::check
