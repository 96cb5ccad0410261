// Robots that do not belong to the population: how improbable it is that a robot differs as much as
// it does, group by group.
//
//   s = v - M mu, of covariance M;   LR_g = s_g' [M_gg]^+ s_g, chi-squared of the rank of M_gg
//
// scaled so that the fleet's own median is what chi-squared says (FORMULAS 10). Robots do not
// scatter alike in all directions, as M has it: LR is a sum of squares of unequal weight, nearly
// chi-squared of fewer degrees [Satterthwaite 1946], as many as give it the spread that the fleet's
// has.
#pragma once

#include <vector>

#include "expectation.hpp"

namespace heft::population {

inline constexpr double kImprobable = 4;  ///< -log10: beyond it a group is released

struct Discrepancy {
  double ratio = 0;  ///< LR_g
  int rank = 0;      ///< 0: the robot's logs say nothing of the group
};

/// Of a member against the belief of the others, by group.
std::vector<Discrepancy> discrepancies(const PopulationLayout& layout, const Member& member,
                                       const Belief& others);

/// A group's discrepancies over the fleet.
struct Typical {
  double scale = 1;   ///< median of LR over what chi-squared says
  double spread = 1;  ///< of their normal deviates, by the median absolute deviation; at least 1,
                      ///< less is luck
};

/// By group, over members; 1 without any data.
std::vector<Typical> typical_discrepancies(const std::vector<std::vector<Discrepancy>>& members);

/// -log10 p of a group's discrepancy.
double improbability(const Discrepancy& discrepancy, const Typical& typical);

/// Releases the group that is most improbable, and judges the others again with that one free,
/// whose fault they may have shown, until none is beyond kImprobable. `found` are discrepancies()
/// of the member as it comes. Sets `improbabilities` of what it releases.
void release_strangers(const PopulationLayout& layout, const Belief& others,
                       const std::vector<Typical>& typical, std::vector<Discrepancy> found,
                       Member& member, std::vector<double>& improbabilities);

}  // namespace heft::population
