// Detects robots that do not belong to the population, from the improbability of their deviation,
// group by group.
//
//   s = v - M mu, of covariance M;   LR_g = s_g' [M_gg]^+ s_g, chi-squared of the rank of M_gg
//
// scaled so that the fleet's median matches that of chi-squared (FORMULAS 10). The scatter of
// robots differs by direction, unlike M: LR is a sum of squares with unequal weights, approximately
// chi-squared with fewer degrees [Satterthwaite 1946], chosen to match the fleet's spread.
#pragma once

#include <vector>

#include "expectation.hpp"

namespace heft::population {

inline constexpr double kImprobable = 4;  ///< -log10 of the probability beyond which a group is
                                          ///< released

struct Discrepancy {
  double ratio = 0;  ///< LR_g
  int rank = 0;      ///< 0: the robot's logs do not determine the group
};

/// Compares a member with the estimate from the others, by group.
std::vector<Discrepancy> discrepancies(const PopulationLayout& layout, const Member& member,
                                       const Belief& others);

/// Calibration of a group's discrepancies over the fleet.
struct Typical {
  double scale = 1;   ///< median of LR, relative to that of chi-squared
  double spread = 1;  ///< of their normal deviates, from the median absolute deviation; at least 1,
                      ///< because smaller values are chance
};

/// Computed by group, over members; 1 without data.
std::vector<Typical> typical_discrepancies(const std::vector<std::vector<Discrepancy>>& members);

/// Returns -log10 p of a group's discrepancy.
double improbability(const Discrepancy& discrepancy, const Typical& typical);

/// Releases the most improbable group and tests the others again without it, since it may have
/// caused their discrepancies, until none exceeds kImprobable. `found` are the initial
/// discrepancies() of the member. Sets `improbabilities` of released groups.
void release_strangers(const PopulationLayout& layout, const Belief& others,
                       const std::vector<Typical>& typical, std::vector<Discrepancy> found,
                       Member& member, std::vector<double>& improbabilities);

}  // namespace heft::population
