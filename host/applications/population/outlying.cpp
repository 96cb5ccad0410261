#include "outlying.hpp"

#include <algorithm>
#include <cmath>

#include "base/median.hpp"
#include "chi_squared.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft::population {

namespace {

constexpr double kRankCut = 1e-6;  ///< relative to perfect knowledge: less is rounding

}  // namespace

std::vector<Discrepancy> discrepancies(const PopulationLayout& layout, const Member& member,
                                       const Belief& others) {
  const MemberShare share = share_of(layout, member, others);
  const Eigen::VectorXd s = share.v - share.M * others.mean;
  std::vector<Discrepancy> found(static_cast<std::size_t>(layout.num_groups));
  for (int group = 0; group < layout.num_groups; ++group) {
    if (member.released[static_cast<std::size_t>(group)]) continue;
    std::vector<int> places;
    for (std::size_t k = 0; k < layout.group.size(); ++k)
      if (layout.group[k] == group) places.push_back(static_cast<int>(k));
    const SymmetricEigen<Eigen::Dynamic> eigen(Eigen::MatrixXd(share.M(places, places)));
    const Eigen::VectorXd along = eigen.eigenvectors().transpose() * s(places);
    Discrepancy& one = found[static_cast<std::size_t>(group)];
    for (Eigen::Index k = 0; k < along.size(); ++k)
      if (eigen.eigenvalues()[k] > kRankCut / others.variance[group])
        one.ratio += along[k] * along[k] / eigen.eigenvalues()[k], ++one.rank;
  }
  return found;
}

std::vector<Typical> typical_discrepancies(const std::vector<std::vector<Discrepancy>>& members) {
  std::vector<Typical> typical(members.empty() ? 0 : members.front().size());
  for (std::size_t group = 0; group < typical.size(); ++group) {
    std::vector<const Discrepancy*> informative;
    for (const auto& member : members)
      if (member[group].rank > 0) informative.push_back(&member[group]);
    std::vector<double> ratios, deviates, away;
    for (const Discrepancy* one : informative)
      ratios.push_back(one->ratio / chi_squared_median(one->rank));
    if (const double usual = median(ratios); usual > 0) typical[group].scale = usual;
    for (const Discrepancy* one : informative)
      deviates.push_back(chi_squared_deviate(one->ratio / typical[group].scale, one->rank));
    const double middle = median(deviates);
    for (const double deviate : deviates) away.push_back(std::abs(deviate - middle));
    typical[group].spread = std::max(1.0, kDeviationOverMad * median(away));
  }
  return typical;
}

double improbability(const Discrepancy& discrepancy, const Typical& typical) {
  if (discrepancy.rank == 0) return 0;
  // one direction at least is left, and the median stays where it is
  const double degrees = std::max(1.0, discrepancy.rank / (typical.spread * typical.spread));
  const double same_median = chi_squared_median(degrees) / chi_squared_median(discrepancy.rank);
  return chi_squared_improbability(discrepancy.ratio / typical.scale * same_median, degrees);
}

void release_strangers(const PopulationLayout& layout, const Belief& others,
                       const std::vector<Typical>& typical, std::vector<Discrepancy> found,
                       Member& member, std::vector<double>& improbabilities) {
  for (;;) {
    std::vector<double> is;
    for (std::size_t g = 0; g < found.size(); ++g)
      is.push_back(improbability(found[g], typical[g]));
    const auto most = std::max_element(is.begin(), is.end());
    if (most == is.end() || !(*most > kImprobable)) return;
    const auto group = static_cast<std::size_t>(most - is.begin());
    member.released[group] = true;
    improbabilities[group] = *most;
    found = discrepancies(layout, member, others);
  }
}

}  // namespace heft::population
