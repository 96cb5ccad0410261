#include "reading_search.hpp"

#include <algorithm>
#include <cmath>

#include "column_mistakes.hpp"

namespace heft::check {

namespace {

constexpr double kSmallestShare = 0.02;     ///< better fits are not stronger evidence
constexpr double kOtherTorqueUnit = 2;      ///< price of a torque in another unit
constexpr double kPriceBeyondLimits = 1.5;  ///< price of radians or meters far beyond a joint's
                                            ///< limits

}  // namespace

Result<ReadingChoice> ReadingSearch::best() const {
  HEFT_TRY(start, best_shared());
  ReadingChoice choice = start;
  HEFT_TRY(score, cost_of(choice));
  for (int round = 0; round < 2; ++round)
    for (std::size_t j = 0; j < joints_.size(); ++j)
      for (int k = kAsTold; k < std::ssize(joints_[j].readings); ++k) {
        ReadingChoice other = choice;
        other[j] = k;
        HEFT_TRY(found, cost_of(other));
        if (!(found < score - price(j, k))) continue;
        choice = other;
        score = found;
      }
  return choice;
}

Result<double> ReadingSearch::score_of(const ReadingChoice& choice) const {
  HEFT_TRY(agreements, agreements_of(choice));
  double sum = 0;
  for (const Agreement& agreement : agreements)
    sum += std::log(
        std::clamp(std::min(agreement.left_as_it_is, kOtherTorqueUnit * agreement.left_scaled),
                   kSmallestShare, 1.0));
  return sum;
}

Result<double> ReadingSearch::cost_of(const ReadingChoice& choice) const {
  HEFT_TRY(score, score_of(choice));
  double cost = score;
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (joints_[j].is_beyond && choice[j] == kAsTold) cost += kPriceBeyondLimits;
  return cost;
}

Result<double> ReadingSearch::free_score_of(const ReadingChoice& choice) const {
  HEFT_TRY(left, test_.left_by_free_bodies(read(choice)));
  return left.max(1e-3).log().sum();
}

Result<std::vector<Agreement>> ReadingSearch::agreements_of(const ReadingChoice& choice) const {
  return test_.agreements(read(choice));
}

Result<double> ReadingSearch::score_scaled(const ReadingChoice& choice,
                                           const std::vector<std::size_t>& group,
                                           double factor) const {
  Samples samples = read(choice);
  for (const std::size_t j : group) scaled_motion(joints_[j].coordinate, factor)(samples);
  HEFT_TRY(agreements, test_.agreements(samples));
  double sum = 0;
  for (const Agreement& agreement : agreements)
    sum += std::log(std::clamp(agreement.left_as_it_is, kSmallestShare, 1.0));
  return sum;
}

Samples ReadingSearch::read(const ReadingChoice& choice) const {
  Samples samples = test_.samples();
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (choice[j] != kAsTold)
      read_as(joints_[j].coordinate,
              joints_[j].readings[static_cast<std::size_t>(choice[j])])(samples);
  return samples;
}

/// Requires clear evidence for a joint with the opposite sign.
double ReadingSearch::price(std::size_t j, int k) const {
  constexpr double kAny = 1e-9, kReversed = 0.1;
  return k != kAsTold && joints_[j].readings[static_cast<std::size_t>(k)].scale < 0 ? kReversed
                                                                                    : kAny;
}

/// One unit of all angles that can have it, one of all travels.
Result<ReadingChoice> ReadingSearch::best_shared() const {
  ReadingChoice choice(joints_.size(), kAsTold);
  for (const bool is_angle : {false, true}) {
    HEFT_TRY(score, cost_of(choice));
    const ReadingChoice start = choice;
    for (const std::string& unit : units(is_angle)) {
      ReadingChoice other = start;
      for (std::size_t j = 0; j < joints_.size(); ++j)
        if (joints_[j].is_angle == is_angle) other[j] = joints_[j].index_of(unit);
      HEFT_TRY(found, cost_of(other));
      if (!(found < score)) continue;
      choice = other;
      score = found;
    }
  }
  return choice;
}

std::vector<std::string> ReadingSearch::units(bool is_angle) const {
  std::vector<std::string> all;
  for (const ReadJoint& joint : joints_)
    for (const PositionReading& reading : joint.readings)
      if (joint.is_angle == is_angle &&
          std::find(all.begin(), all.end(), reading.unit) == all.end())
        all.push_back(reading.unit);
  return all;
}

}  // namespace heft::check
