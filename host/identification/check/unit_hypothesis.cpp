#include "unit_hypothesis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace heft::check {

namespace {

constexpr double kWitnessAgrees = 0.85;  ///< correlation of a joint's torque that makes it a
                                         ///< witness
constexpr double kGainAlone = 1.5;       ///< fall of the score, of torques alone
constexpr double kWitness = 0.7;         ///< of one joint's own fall, where torques are alone
constexpr double kOtherScale = 0.5;      ///< fall at another scale that speaks for a gear
constexpr double kSharp = 0.3;           ///< rise at another scale, where torques are alone

}  // namespace

UnitHypothesis::UnitHypothesis(const ReadingSearch& search, const std::vector<ReadJoint>& joints,
                               const ReadingChoice& choice, std::vector<std::size_t> group)
    : search_(search), joints_(joints), choice_(choice), group_(std::move(group)) {}

Result<double> UnitHypothesis::gain() const {
  HEFT_TRY(score, search_.score_of(choice_));
  HEFT_TRY(other, search_.score_of(as_told()));
  return other - score;
}

Result<bool> UnitHypothesis::holds() {
  HEFT_CHECK(find_best_other());
  HEFT_TRY(cost, search_.cost_of(choice_));
  HEFT_TRY(cost_otherwise, search_.cost_of(best_other_));
  const double fall = cost_otherwise - cost;
  HEFT_TRY(free, search_.free_score_of(choice_));
  HEFT_TRY(free_other, search_.free_score_of(best_other_));
  HEFT_TRY(is_scale_right, no_other_scale_is_better());
  const double free_fall = free_other - free;
  if (!is_scale_right) return false;
  if (reading().is_inconspicuous) {
    HEFT_TRY(has_witness, is_seen_by_a_joint());
    return has_witness && fall > kGainAlone && free_fall > kUndecided;
  }
  return std::max(fall, free_fall) > kGainBesideNumbers && std::min(fall, free_fall) > -kUndecided;
}

bool UnitHypothesis::is_only_kind() const {
  return std::all_of(group_.begin(), group_.end(), [&](std::size_t j) {
    return std::all_of(joints_[j].readings.begin(), joints_[j].readings.end(),
                       [&](const PositionReading& one) { return one.unit == of(j).unit; });
  });
}

ReadingChoice UnitHypothesis::as_told() const {
  ReadingChoice choice = choice_;
  for (const std::size_t j : group_) choice[j] = kAsTold;
  return choice;
}

/// All of the group as told, or in another unit that all can have.
Result<Done> UnitHypothesis::find_best_other() {
  double least = std::numeric_limits<double>::infinity();
  const auto attempt = [&](const ReadingChoice& other) -> Result<Done> {
    HEFT_TRY(score, search_.cost_of(other));
    if (score < least) {
      least = score;
      best_other_ = other;
    }
    return Done{};
  };
  HEFT_CHECK(attempt(as_told()));
  for (const PositionReading& unit : joints_[group_.front()].readings) {
    ReadingChoice other = choice_;
    bool is_possible = unit.unit != reading().unit;
    for (const std::size_t j : group_) {
      other[j] = joints_[j].index_of(unit.unit);
      is_possible = is_possible && other[j] != kAsTold;
    }
    if (is_possible) HEFT_CHECK(attempt(other));
  }
  return Done{};
}

Result<bool> UnitHypothesis::no_other_scale_is_better() const {
  HEFT_TRY(score, search_.score_scaled(choice_, group_, 1));
  double least_nearby = std::numeric_limits<double>::infinity();
  for (const double factor : {0.62, 0.75, 0.87, 1.15, 1.33, 1.6}) {
    HEFT_TRY(other, search_.score_scaled(choice_, group_, factor));
    if (other < score - kOtherScale) return false;
    if (std::abs(std::log(factor)) > 0.25) least_nearby = std::min(least_nearby, other);
  }
  return !reading().is_inconspicuous || least_nearby > score + kSharp;
}

/// The torque of one joint at least prefers the unit clearly, and agrees with the file's.
Result<bool> UnitHypothesis::is_seen_by_a_joint() const {
  HEFT_TRY(agreements, search_.agreements_of(choice_));
  HEFT_TRY(score, search_.score_of(choice_));
  for (const std::size_t j : group_) {
    ReadingChoice other = choice_;
    other[j] = kAsTold;
    HEFT_TRY(without, search_.score_of(other));
    const Agreement& own = agreements[static_cast<std::size_t>(joints_[j].channel)];
    if (own.known && own.correlation > kWitnessAgrees && without > score + kWitness) return true;
  }
  return false;
}

std::vector<std::size_t> sharing(const std::vector<ReadJoint>& joints, const ReadingChoice& choice,
                                 const std::string& unit) {
  std::vector<std::size_t> group;
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (choice[j] != kAsTold &&
        joints[j].readings[static_cast<std::size_t>(choice[j])].unit == unit)
      group.push_back(j);
  return group;
}

}  // namespace heft::check
