#include "expectation.hpp"

#include <algorithm>

#include "base/parallel_for.hpp"
#include "linalg/factorizations.hpp"

namespace heft::population {

namespace {

constexpr double kFileDeviation = 0.3;      ///< of bodies from the robot file, relative, at first
constexpr double kStartingDeviation = 0.1;  ///< of the robots' bodies from each other, at first
constexpr double kStartingColumn = 0.5;     ///< the same for columns, in units of typical values
constexpr double kFarColumn = 10;           ///< an unknown mean of columns
constexpr double kLeastVariance = 1e-6;
constexpr double kReleased = 1e2;  ///< variance of a robot in a group where it is released: as good
                                   ///< as unbounded

Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& A) {
  return A.llt().solve(Eigen::MatrixXd::Identity(A.rows(), A.cols()));
}

Eigen::VectorXd file_precision(const PopulationLayout& layout, double file_variance) {
  Eigen::VectorXd precision(layout.file.size());
  for (Eigen::Index k = 0; k < precision.size(); ++k)
    precision[k] = layout.is_of_body[static_cast<std::size_t>(k)] ? 1 / file_variance
                                                                  : 1 / (kFarColumn * kFarColumn);
  return precision;
}

/// Mean, its covariance and lambda^2 from sums of M and v.
void set_mean(const PopulationLayout& layout, const Eigen::MatrixXd& M, const Eigen::VectorXd& v,
              double file_variance, Belief& belief) {
  const Eigen::VectorXd precision = file_precision(layout, file_variance);
  Eigen::MatrixXd A = M;
  A.diagonal() += precision;
  belief.covariance = inverse_of(A);
  belief.mean = belief.covariance * (v + precision.cwiseProduct(layout.file));
  double squares = 0, count = 0;
  for (Eigen::Index k = 0; k < belief.mean.size(); ++k) {
    if (!layout.is_of_body[static_cast<std::size_t>(k)]) continue;
    const double away = belief.mean[k] - layout.file[k];
    squares += belief.covariance(k, k) + away * away, count += 1;
  }
  belief.file_variance = count > 0 ? std::max(kLeastVariance, squares / count) : file_variance;
}

/// Adds [V]_kk + (m - mu)_k^2, by group.
void add_squares(const PopulationLayout& layout, const Member& member, const MemberShare& share,
                 const Eigen::VectorXd& mean, double sign, Sums& sums) {
  const Eigen::VectorXd away = share.V * (member.information.g + share.D.cwiseProduct(mean)) - mean;
  for (Eigen::Index k = 0; k < away.size(); ++k) {
    const int group = layout.group[static_cast<std::size_t>(k)];
    if (member.released[static_cast<std::size_t>(group)]) continue;
    sums.squares[group] += sign * (share.V(k, k) + away[k] * away[k]);
    sums.counts[group] += sign;
  }
}

/// Updates the scatter of nonempty groups; the others keep theirs.
void set_variance(const Sums& sums, const Belief& before, Belief& belief) {
  belief.variance = before.variance;
  for (Eigen::Index group = 0; group < belief.variance.size(); ++group)
    if (sums.counts[group] > 0.5)
      belief.variance[group] = std::max(kLeastVariance, sums.squares[group] / sums.counts[group]);
}

}  // namespace

Belief starting_belief(const PopulationLayout& layout) {
  const Eigen::Index n = layout.file.size();
  Belief belief{
      .mean = layout.file,
      .variance = Eigen::VectorXd::Constant(layout.num_groups, kStartingColumn * kStartingColumn),
      .covariance = Eigen::MatrixXd::Zero(n, n),
      .file_variance = kFileDeviation * kFileDeviation};
  for (Eigen::Index k = 0; k < n; ++k)
    if (const auto at = static_cast<std::size_t>(k); layout.is_of_body[at])
      belief.variance[layout.group[at]] = kStartingDeviation * kStartingDeviation;
  return belief;
}

MemberShare share_of(const PopulationLayout& layout, const Member& member, const Belief& belief) {
  const Eigen::Index n = layout.file.size();
  MemberShare share;
  share.D.resize(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int group = layout.group[static_cast<std::size_t>(k)];
    share.D[k] =
        1 / (member.released[static_cast<std::size_t>(group)] ? kReleased : belief.variance[group]);
  }
  // in units of the scatter, where no eigenvalue is below one: V = s B s, B = (1 + s H s)^-1, s =
  // D^-1/2
  const Eigen::VectorXd scatter = share.D.cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd A = scatter.asDiagonal() * member.information.H * scatter.asDiagonal();
  A.diagonal().array() += 1;
  const Eigen::MatrixXd B = inverse_of(A);
  share.V = scatter.asDiagonal() * B * scatter.asDiagonal();
  // H V = 1 - D V
  const Eigen::VectorXd precise = scatter.cwiseInverse();
  share.M = -(precise.asDiagonal() * B * precise.asDiagonal());
  share.M.diagonal() += share.D;
  share.v = share.D.cwiseProduct(share.V * member.information.g);
  return share;
}

Belief next_belief(const PopulationLayout& layout, const std::vector<Member>& members,
                   const Belief& before, int num_threads, Sums* sums) {
  const Eigen::Index n = layout.file.size();
  std::vector<MemberShare> shares(members.size());
  parallel_for(static_cast<std::int64_t>(members.size()), num_threads, [&](std::int64_t r, int) {
    const auto at = static_cast<std::size_t>(r);
    shares[at] = share_of(layout, members[at], before);
  });
  Sums all{.M = Eigen::MatrixXd::Zero(n, n),
           .v = Eigen::VectorXd::Zero(n),
           .squares = Eigen::VectorXd::Zero(layout.num_groups),
           .counts = Eigen::VectorXd::Zero(layout.num_groups)};
  for (const MemberShare& share : shares) all.M += share.M, all.v += share.v;
  Belief belief;
  set_mean(layout, all.M, all.v, before.file_variance, belief);
  for (std::size_t r = 0; r < members.size(); ++r)
    add_squares(layout, members[r], shares[r], belief.mean, 1, all);
  set_variance(all, before, belief);
  if (sums) *sums = std::move(all);
  return belief;
}

Belief belief_without(const PopulationLayout& layout, const Member& member,
                      const Belief& before_last, const Belief& last, const Sums& sums) {
  const MemberShare share = share_of(layout, member, before_last);
  Belief belief;
  set_mean(layout, sums.M - share.M, sums.v - share.v, before_last.file_variance, belief);
  Sums others{.squares = sums.squares, .counts = sums.counts};
  add_squares(layout, member, share, last.mean, -1, others);
  set_variance(others, before_last, belief);
  return belief;
}

}  // namespace heft::population
