#include "motion_faults.hpp"

#include <cmath>

#include "base/number_text.hpp"

namespace heft::excite {

std::string words_of(const LimitUse& use) {
  return use.name + " of " + use.joint + ": " + number_text(use.worst_ratio, 4) +
         " times its limit" + (std::isfinite(use.limit) ? " of " + number_text(use.limit, 4) : "") +
         ", at " + number_text(use.at_s, 4) + " s";
}

std::string words_of(const MinClearance& least) {
  const std::string pair = least.first + " and " + least.second;
  if (least.value <= 0) return pair + " collide at " + number_text(least.at_s, 4) + " s";
  return pair + " are only " + number_text(least.value, 3) + " m apart at " +
         number_text(least.at_s, 4) + " s, less than limits.clearance, " +
         number_text(least.wanted, 3) + " m";
}

std::string words_of(const StartResult& result) {
  const LimitUse& worst = worst_of(result.limits);
  if (worst.worst_ratio <= 1 && result.clearance) return words_of(result.clearance->worst);
  std::string words = words_of(worst);
  if (result.clearance && is_too_near(result.clearance->worst))
    words += "; and " + words_of(result.clearance->worst);
  return words;
}

}  // namespace heft::excite
