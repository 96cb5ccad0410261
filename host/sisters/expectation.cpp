#include "expectation.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/parallel_for.hpp"

namespace heft::sisters {

namespace {

constexpr double kFileDeviation = 0.3;      ///< of bodies from the robot file, relative, at first
constexpr double kStartingDeviation = 0.1;  ///< of sisters' bodies from each other, at first
constexpr double kStartingColumn = 0.5;     ///< the same of columns, in units of what is typical
constexpr double kFarColumn = 10;           ///< a mean of columns that nobody knows
constexpr double kLeastVariance = 1e-6;
constexpr double kReleased = 1e2;  ///< variance of what is none of the family's: as good as all of it

Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& A) {
  return A.llt().solve(Eigen::MatrixXd::Identity(A.rows(), A.cols()));
}

Eigen::VectorXd file_precision(const Frame& frame, double file_variance) {
  Eigen::VectorXd precision(frame.file.size());
  for (Eigen::Index k = 0; k < precision.size(); ++k)
    precision[k] =
        frame.is_of_body[static_cast<std::size_t>(k)] ? 1 / file_variance : 1 / (kFarColumn * kFarColumn);
  return precision;
}

/// Mean, its covariance and lambda^2 from sums of M and v.
void set_mean(const Frame& frame, const Eigen::MatrixXd& M, const Eigen::VectorXd& v, double file_variance,
              Belief& belief) {
  const Eigen::VectorXd precision = file_precision(frame, file_variance);
  Eigen::MatrixXd A = M;
  A.diagonal() += precision;
  belief.covariance = inverse_of(A);
  belief.mean = belief.covariance * (v + precision.cwiseProduct(frame.file));
  double squares = 0, count = 0;
  for (Eigen::Index k = 0; k < belief.mean.size(); ++k) {
    if (!frame.is_of_body[static_cast<std::size_t>(k)]) continue;
    const double away = belief.mean[k] - frame.file[k];
    squares += belief.covariance(k, k) + away * away, count += 1;
  }
  belief.file_variance = count > 0 ? std::max(kLeastVariance, squares / count) : file_variance;
}

/// Adds [V]_kk + (m - mu)_k^2, by group.
void add_squares(const Frame& frame, const Member& member, const View& view, const Eigen::VectorXd& mean,
                 double sign, Sums& sums) {
  const Eigen::VectorXd away = view.V * (member.evidence.g + view.D.cwiseProduct(mean)) - mean;
  for (Eigen::Index k = 0; k < away.size(); ++k) {
    const int group = frame.group[static_cast<std::size_t>(k)];
    if (member.released[static_cast<std::size_t>(group)]) continue;
    sums.squares[group] += sign * (view.V(k, k) + away[k] * away[k]);
    sums.counts[group] += sign;
  }
}

/// Scatter of groups that somebody is in; the others keep theirs.
void set_variance(const Sums& sums, const Belief& before, Belief& belief) {
  belief.variance = before.variance;
  for (Eigen::Index group = 0; group < belief.variance.size(); ++group)
    if (sums.counts[group] > 0.5)
      belief.variance[group] = std::max(kLeastVariance, sums.squares[group] / sums.counts[group]);
}

}  // namespace

Belief starting_belief(const Frame& frame) {
  const Eigen::Index n = frame.file.size();
  Belief belief{.mean = frame.file,
                .variance = Eigen::VectorXd::Constant(frame.num_groups, kStartingColumn * kStartingColumn),
                .covariance = Eigen::MatrixXd::Zero(n, n),
                .file_variance = kFileDeviation * kFileDeviation};
  for (Eigen::Index k = 0; k < n; ++k)
    if (const auto at = static_cast<std::size_t>(k); frame.is_of_body[at])
      belief.variance[frame.group[at]] = kStartingDeviation * kStartingDeviation;
  return belief;
}

View view_of(const Frame& frame, const Member& member, const Belief& belief) {
  const Eigen::Index n = frame.file.size();
  View view;
  view.D.resize(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int group = frame.group[static_cast<std::size_t>(k)];
    view.D[k] = 1 / (member.released[static_cast<std::size_t>(group)] ? kReleased : belief.variance[group]);
  }
  // in units of the scatter, where no eigenvalue is below one: V = s B s, B = (1 + s H s)^-1, s = D^-1/2
  const Eigen::VectorXd scatter = view.D.cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd A = scatter.asDiagonal() * member.evidence.H * scatter.asDiagonal();
  A.diagonal().array() += 1;
  const Eigen::MatrixXd B = inverse_of(A);
  view.V = scatter.asDiagonal() * B * scatter.asDiagonal();
  // H V = 1 - D V
  const Eigen::VectorXd precise = scatter.cwiseInverse();
  view.M = -(precise.asDiagonal() * B * precise.asDiagonal());
  view.M.diagonal() += view.D;
  view.v = view.D.cwiseProduct(view.V * member.evidence.g);
  return view;
}

Belief next_belief(const Frame& frame, const std::vector<Member>& members, const Belief& before,
                   int num_threads, Sums* sums) {
  const Eigen::Index n = frame.file.size();
  std::vector<View> views(members.size());
  parallel_for(static_cast<std::int64_t>(members.size()), num_threads, [&](std::int64_t r, int) {
    const auto at = static_cast<std::size_t>(r);
    views[at] = view_of(frame, members[at], before);
  });
  Sums all{.M = Eigen::MatrixXd::Zero(n, n),
           .v = Eigen::VectorXd::Zero(n),
           .squares = Eigen::VectorXd::Zero(frame.num_groups),
           .counts = Eigen::VectorXd::Zero(frame.num_groups)};
  for (const View& view : views) all.M += view.M, all.v += view.v;
  Belief belief;
  set_mean(frame, all.M, all.v, before.file_variance, belief);
  for (std::size_t r = 0; r < members.size(); ++r)
    add_squares(frame, members[r], views[r], belief.mean, 1, all);
  set_variance(all, before, belief);
  if (sums) *sums = std::move(all);
  return belief;
}

Belief belief_without(const Frame& frame, const Member& member, const Belief& before_last, const Belief& last,
                      const Sums& sums) {
  const View view = view_of(frame, member, before_last);
  Belief belief;
  set_mean(frame, sums.M - view.M, sums.v - view.v, before_last.file_variance, belief);
  Sums others{.squares = sums.squares, .counts = sums.counts};
  add_squares(frame, member, view, last.mean, -1, others);
  set_variance(others, before_last, belief);
  return belief;
}

}  // namespace heft::sisters
