#include "outlying.hpp"

#include <algorithm>

#include "base/median.hpp"
#include "chi_squared.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft::sisters {

namespace {

constexpr double kRankCut = 1e-6;  ///< of what perfect knowledge would give: less is rounding

}  // namespace

std::vector<Discrepancy> discrepancies(const FamilyLayout& family, const Member& member,
                                       const Belief& others) {
  const MemberShare share = share_of(family, member, others);
  const Eigen::VectorXd s = share.v - share.M * others.mean;
  std::vector<Discrepancy> found(static_cast<std::size_t>(family.num_groups));
  for (int group = 0; group < family.num_groups; ++group) {
    if (member.released[static_cast<std::size_t>(group)]) continue;
    std::vector<int> places;
    for (std::size_t k = 0; k < family.group.size(); ++k)
      if (family.group[k] == group) places.push_back(static_cast<int>(k));
    const SymmetricEigen<Eigen::Dynamic> eigen(Eigen::MatrixXd(share.M(places, places)));
    const Eigen::VectorXd along = eigen.eigenvectors().transpose() * s(places);
    Discrepancy& one = found[static_cast<std::size_t>(group)];
    for (Eigen::Index k = 0; k < along.size(); ++k)
      if (eigen.eigenvalues()[k] > kRankCut / others.variance[group])
        one.ratio += along[k] * along[k] / eigen.eigenvalues()[k], ++one.rank;
  }
  return found;
}

std::vector<double> typical_ratios(const std::vector<std::vector<Discrepancy>>& members) {
  std::vector<double> typical(members.empty() ? 0 : members.front().size(), 1.0);
  for (std::size_t group = 0; group < typical.size(); ++group) {
    std::vector<double> ratios;
    for (const auto& member : members)
      if (member[group].rank > 0)
        ratios.push_back(member[group].ratio / chi_squared_median(member[group].rank));
    if (const double usual = median(ratios); usual > 0) typical[group] = usual;
  }
  return typical;
}

double improbability(const Discrepancy& discrepancy, double typical) {
  return discrepancy.rank > 0 ? chi_squared_improbability(discrepancy.ratio / typical, discrepancy.rank) : 0;
}

bool release_strangers(const FamilyLayout& family, const Belief& others, const std::vector<double>& typical,
                       Member& member, std::vector<double>& improbabilities) {
  bool has_released = false;
  for (;;) {
    const std::vector<Discrepancy> found = discrepancies(family, member, others);
    std::vector<double> is;
    for (std::size_t g = 0; g < found.size(); ++g) is.push_back(improbability(found[g], typical[g]));
    const auto most = std::max_element(is.begin(), is.end());
    if (most == is.end() || !(*most > kImprobable)) return has_released;
    const auto group = static_cast<std::size_t>(most - is.begin());
    member.released[group] = has_released = true;
    improbabilities[group] = *most;
  }
}

}  // namespace heft::sisters
