#include "projected_information.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/factorizations.hpp"

namespace heft {

UnknownWrenches without_contact(const UnknownWrenches& all, int contact) {
  UnknownWrenches rest = all;
  if (contact < 0) return rest;
  const UnknownContact& one = all.contacts[static_cast<std::size_t>(contact)];
  const auto begin = rest.directions.begin() + one.first_direction;
  for (auto direction = begin; direction != begin + one.num_directions; ++direction)
    direction->channels.clear();
  return rest;
}

void ProjectedInformation::add(const Samples& samples, const std::vector<RowArray>& rows,
                               const std::vector<bool>& used) {
  NullSpace null_space(wrenches_, used);
  const std::vector<int>& channels = null_space.channels();
  RowArray values(plan_.num_channels(), G_.cols());
  for (Eigen::Index i = 0; i < samples.size(); ++i) {
    values.setZero();
    for (int c = 0; c < plan_.num_channels(); ++c)
      if (used[c]) values.row(c)(plan_.channel_columns[c]) = rows[c].row(i);
    if (null_space.set(samples, i) > 0) {
      RowArray affected = values(channels, Eigen::all);
      null_space.apply(affected);
      values(channels, Eigen::all) = affected;
    }
    values.colwise() /= wrenches_.noise.array();
    G_.selfadjointView<Eigen::Lower>().rankUpdate(values.matrix().transpose());
  }
}

double share_lost(const Eigen::MatrixXd& more, const Eigen::MatrixXd& less) {
  constexpr double kSignificant = 1e-10;  ///< of the largest eigenvalue, for columns of equal length
  const Eigen::VectorXd scale =
      more.diagonal().unaryExpr([](double g) { return g > 0 ? 1 / std::sqrt(g) : 0.0; });
  const Eigen::MatrixXd scaled = scale.asDiagonal() * more * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  const Eigen::VectorXd& values = eigen.eigenvalues();
  double kept = 0;
  int rank = 0;
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    if (!(values[k] > kSignificant * values[values.size() - 1])) continue;
    const Eigen::VectorXd v = scale.asDiagonal() * eigen.eigenvectors().col(k);
    kept += v.dot(less * v) / values[k];
    ++rank;
  }
  return rank == 0 ? 0 : std::clamp(1 - kept / rank, 0.0, 1.0);
}

}  // namespace heft
