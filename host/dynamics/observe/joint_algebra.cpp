#include "joint_algebra.hpp"

#include <cmath>

namespace heft::identifiability {

namespace {

/// One part of one member's space: the subspace that rotates at a frequency, and its quarter turn.
struct Part {
  double frequency;
  Eigen::Index first;  // row and column of the block in the stack
  Eigen::MatrixXd projection, quarter_turn;
};

bool are_equal(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(a, b);
}

/// Projections on the eigenvalues 0, +-i and, with two harmonics, +-2i of a unit rotation's
/// operator S.
std::vector<Eigen::MatrixXd> projections(const Eigen::MatrixXd& S, int num_harmonics) {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(S.rows(), S.cols()), S2 = S * S;
  if (num_harmonics == 1) return {one + S2, -S2};
  return {(S2 + one) * (S2 + 4 * one) / 4, -S2 * (S2 + 4 * one) / 3, S2 * (S2 + one) / 12};
}

template <class Operator>
JointAlgebra algebra(const Cluster& cluster, Eigen::Index size, int num_harmonics,
                     const Operator& operator_of) {
  const Eigen::Index dimension = size * cluster.num_members();
  std::vector<Part> parts;
  Eigen::MatrixXd nilpotent = Eigen::MatrixXd::Zero(dimension, dimension);
  for (Eigen::Index i = 0; i < cluster.num_members(); ++i) {
    Vector6 turn = cluster.members[i].screw, slide = turn;
    turn.tail<3>().setZero();
    slide.head<3>().setZero();
    nilpotent.block(i * size, i * size, size, size) = operator_of(slide);
    const double frequency = turn.norm();
    const Eigen::MatrixXd S = operator_of(frequency > 0 ? Vector6(turn / frequency) : turn);
    if (!(frequency > 0)) {
      parts.push_back({0, i * size, Eigen::MatrixXd::Identity(size, size), S});
      continue;
    }
    const std::vector<Eigen::MatrixXd> P = projections(S, num_harmonics);
    for (int h = 0; h <= num_harmonics; ++h)
      parts.push_back(
          {h * frequency, i * size, P[h], h > 0 ? Eigen::MatrixXd(S * P[h] / h) : 0 * S});
  }

  JointAlgebra result;
  const auto add = [](std::vector<Eigen::MatrixXd>& operators, const Eigen::MatrixXd& O) {
    if (O.any()) operators.push_back(O / O.norm());
  };
  std::vector<bool> is_taken(parts.size(), false);
  for (std::size_t a = 0; a < parts.size(); ++a) {
    if (is_taken[a]) continue;
    Eigen::MatrixXd P = Eigen::MatrixXd::Zero(dimension, dimension), Q = P;
    for (std::size_t b = a; b < parts.size(); ++b) {
      if (!are_equal(parts[a].frequency, parts[b].frequency)) continue;
      is_taken[b] = true;
      P.block(parts[b].first, parts[b].first, size, size) += parts[b].projection;
      Q.block(parts[b].first, parts[b].first, size, size) += parts[b].quarter_turn;
    }
    add(result.generators, P);
    add(result.generators, Q);
    // O has an inverse on what turns; elsewhere only its nilpotent part is left
    add(result.rates, parts[a].frequency > 0 ? P : nilpotent * P);
  }
  add(result.generators, nilpotent);
  return result;
}

}  // namespace

JointAlgebra motion_algebra(const Cluster& cluster) {
  return algebra(cluster, 6, 1, [](const Vector6& f) { return motion_cross(f); });
}

JointAlgebra inertia_algebra(const Cluster& cluster) {
  return algebra(cluster, 10, 2, [](const Vector6& f) { return inertia_rate(f); });
}

}  // namespace heft::identifiability
