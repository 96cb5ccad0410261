// Sisters that are none: how improbable it is that a robot differs as much as it does, group by group.
//
//   s = v - M mu, of covariance M;   LR_g = s_g' [M_gg]^+ s_g, chi-squared of the rank of M_gg
//
// scaled so that the fleet's own median is what chi-squared says (FORMULAS 10).
#pragma once

#include <vector>

#include "expectation.hpp"

namespace heft::sisters {

inline constexpr double kImprobable = 4;  ///< -log10: beyond it a group is released

struct Discrepancy {
  double ratio = 0;  ///< LR_g
  int rank = 0;      ///< 0: the robot's logs say nothing of the group
};

/// Of a member against the belief of the others, by group.
std::vector<Discrepancy> discrepancies(const FamilyLayout& family, const Member& member,
                                       const Belief& others);

/// By group: the median over members of LR_g over the median of chi-squared of its rank; 1 where nobody says anything.
std::vector<double> typical_ratios(const std::vector<std::vector<Discrepancy>>& members);

/// -log10 p of a group's discrepancy.
double improbability(const Discrepancy& discrepancy, double typical);

/// Releases the group that is most improbable, and judges the others again with that one free, whose fault they may have shown, until
/// none is beyond kImprobable. Sets `improbabilities` of what it releases; whether that is anything.
bool release_strangers(const FamilyLayout& family, const Belief& others, const std::vector<double>& typical,
                       Member& member, std::vector<double>& improbabilities);

}  // namespace heft::sisters
