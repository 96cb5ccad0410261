#include "sampled_span.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "linalg/factorizations.hpp"
#include "subspace.hpp"

namespace heft::identifiability {

namespace {

constexpr double kManyTurns = 100;  ///< [rad] that distinguish joints with ratios 1 and 1.1
constexpr double kFewUnits = 10;    ///< of a slide, whose travel must not hide all else

Eigen::Index place_of(const std::vector<int>& coordinates, int coordinate) {
  return std::find(coordinates.begin(), coordinates.end(), coordinate) - coordinates.begin();
}

/// State of a cluster at one position of its coordinates: the poses of its members in the slots of
/// the parent, and a screw of the whole stack for each coordinate.
struct ClusterState {
  std::vector<Eigen::Isometry3d> poses;
  Eigen::MatrixXd F;  // 6n x coordinates
};

ClusterState state_at(const Robot& robot, const Cluster& cluster,
                      const std::vector<int>& coordinates, const Eigen::VectorXd& q) {
  const Eigen::Index n = cluster.num_members();
  ClusterState state{{}, Eigen::MatrixXd::Zero(6 * n, std::ssize(coordinates))};
  for (Eigen::Index i = 0; i < n; ++i) {
    const Member& member = cluster.members[static_cast<std::size_t>(i)];
    if (member.relay) {
      state.poses.push_back(member.pose);
      continue;
    }
    const Body& body = robot.bodies[static_cast<std::size_t>(member.body)];
    const Eigen::Index at = place_of(coordinates, body.coordinate);
    const bool moves = body.coordinate >= 0;
    Eigen::Isometry3d pose = pose_at(body, moves ? body.ratio * q[at] + body.offset : body.offset);
    if (member.carrier >= 0) {
      state.F.middleRows(6 * i, 6) =
          motion_transform(pose) * state.F.middleRows(6 * member.carrier, 6);
      pose = state.poses[static_cast<std::size_t>(member.carrier)] * pose;
    }
    if (moves) state.F.block<6, 1>(6 * i, at) += member.screw;
    state.poses.push_back(pose);
  }
  return state;
}

Eigen::VectorXd coupling_of_stacks(Eigen::Index n, const Eigen::VectorXd& v,
                                   const Eigen::VectorXd& f) {
  Eigen::VectorXd k(10 * n);
  for (Eigen::Index i = 0; i < n; ++i)
    k.segment<10>(10 * i) = coupling(v.segment<6>(6 * i), f.segment<6>(6 * i));
  return k;
}

std::vector<int> coordinates_of(const Robot& robot, const Cluster& cluster) {
  std::vector<int> coordinates;
  for (const Member& member : cluster.members)
    if (!member.relay)
      if (const int k = robot.bodies[static_cast<std::size_t>(member.body)].coordinate;
          k >= 0 && std::find(coordinates.begin(), coordinates.end(), k) == coordinates.end())
        coordinates.push_back(k);
  return coordinates;
}

/// Contributions of random positions of a cluster's coordinates to the spans; the first position is
/// zero.
class SampledColumns {
 public:
  SampledColumns(const Robot& robot, const Cluster& cluster, const ClusterSpan& parent,
                 bool static_only)
      : robot_(robot),
        cluster_(cluster),
        parent_(parent),
        static_only_(static_only),
        coordinates_(coordinates_of(robot, cluster)),
        ranges_(Eigen::VectorXd::Constant(num_coordinates(), kManyTurns)) {
    for (const Member& member : cluster.members)
      if (!member.relay && member.screw.tail<3>().any())
        ranges_[place_of(coordinates_,
                         robot.bodies[static_cast<std::size_t>(member.body)].coordinate)] =
            kFewUnits;
    add(Eigen::VectorXd::Zero(num_coordinates()));
  }

  void add_positions(int count) {
    for (; count > 0; --count) {
      Eigen::VectorXd q(num_coordinates());
      // 53 leading bits in [-1, 1], the same on every platform
      for (Eigen::Index k = 0; k < q.size(); ++k)
        q[k] = ranges_[k] * (static_cast<double>(engine_() >> 11) * 0x1p-52 - 1);
      add(q);
    }
  }

  /// All columns at once: the longest of all joins first, so that no direction carries the rounding
  /// of a short rest where another position shows it well.
  ClusterSpan span(double tolerance) const {
    const Eigen::Index n = cluster_.num_members();
    Subspace V(6 * n, tolerance), K(10 * n, tolerance), rows(10 * n, tolerance);
    V.add_columns(condensed(velocities_));
    K.add_columns(condensed(functionals_));
    rows.add_columns(condensed(rows_));
    return {V.basis(), K.basis(), rows.basis().transpose()};
  }

 private:
  Eigen::Index num_coordinates() const { return std::ssize(coordinates_); }

  void add(const Eigen::VectorXd& q) {
    const Eigen::Index n = cluster_.num_members();
    ClusterState state = state_at(robot_, cluster_, coordinates_, q);
    for (Eigen::Index k = 0; k < num_coordinates(); ++k)
      if (const double size = state.F.col(k).norm(); size > 0) state.F.col(k) /= size;
    Eigen::MatrixXd carried_V(6 * n, parent_.V.cols()), carried_K(10 * n, parent_.K.cols());
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Index slot = cluster_.members[static_cast<std::size_t>(i)].parent_slot;
      const Eigen::Isometry3d& pose = state.poses[static_cast<std::size_t>(i)];
      carried_V.middleRows(6 * i, 6) = motion_transform(pose) * parent_.V.middleRows(6 * slot, 6);
      carried_K.middleRows(10 * i, 10) =
          inertia_to_parent(pose).transpose() * parent_.K.middleRows(10 * slot, 10);
    }
    if (num_positions_++ == 0) K_at_zero_ = carried_K;
    rows_.push_back(carried_K - K_at_zero_);
    const Eigen::MatrixXd couplings = couplings_of(carried_V, state.F);
    velocities_.push_back(std::move(carried_V));
    if (!static_only_) velocities_.push_back(std::move(state.F));
    functionals_.push_back(std::move(carried_K));
    functionals_.push_back(couplings);
    rows_.push_back(couplings);
  }

  /// Products of all velocities at one position with the screw of every coordinate.
  Eigen::MatrixXd couplings_of(const Eigen::MatrixXd& carried_V, const Eigen::MatrixXd& F) const {
    const Eigen::Index n = cluster_.num_members();
    std::vector<Eigen::MatrixXd> velocities{carried_V};
    if (!static_only_) velocities.push_back(F);
    const Eigen::MatrixXd moving = joined(velocities);
    Eigen::MatrixXd M(10 * n, moving.cols() * F.cols());
    for (Eigen::Index j = 0; j < moving.cols(); ++j)
      for (Eigen::Index k = 0; k < F.cols(); ++k)
        M.col(j * F.cols() + k) = coupling_of_stacks(n, moving.col(j), F.col(k));
    return M;
  }

  static Eigen::MatrixXd joined(const std::vector<Eigen::MatrixXd>& blocks) {
    Eigen::Index num_columns = 0;
    for (const Eigen::MatrixXd& block : blocks) num_columns += block.cols();
    Eigen::MatrixXd all(blocks.front().rows(), num_columns);
    Eigen::Index done = 0;
    for (const Eigen::MatrixXd& block : blocks) {
      all.middleCols(done, block.cols()) = block;
      done += block.cols();
    }
    return all;
  }

  /// Columns with the same span and products, the root of their mean over the positions: at most as
  /// many as rows.
  Eigen::MatrixXd condensed(const std::vector<Eigen::MatrixXd>& blocks) const {
    const Eigen::MatrixXd all = joined(blocks) / std::sqrt(static_cast<double>(num_positions_));
    if (all.cols() <= all.rows()) return all;
    const Eigen::MatrixXd R =
        Eigen::HouseholderQR<Eigen::MatrixXd>(all.transpose()).matrixQR().topRows(all.rows());
    return R.triangularView<Eigen::Upper>().toDenseMatrix().transpose();
  }

  const Robot& robot_;
  const Cluster& cluster_;
  const ClusterSpan& parent_;
  bool static_only_;
  std::vector<int> coordinates_;
  Eigen::VectorXd ranges_;
  std::mt19937_64 engine_{20261128};
  int num_positions_ = 0;
  Eigen::MatrixXd K_at_zero_;
  std::vector<Eigen::MatrixXd> velocities_, functionals_, rows_;
};

}  // namespace

ClusterSpan sampled_span_of(const Robot& robot, const Cluster& cluster, const ClusterSpan& parent,
                            const ObserveOptions& options) {
  constexpr int kFirstPositions = 12;
  SampledColumns columns(robot, cluster, parent, options.static_only);
  columns.add_positions(kFirstPositions);
  ClusterSpan half = columns.span(options.tolerance);
  for (int count = kFirstPositions;; count *= 2) {
    columns.add_positions(count);
    ClusterSpan span = columns.span(options.tolerance);
    const bool is_whole = span.V.cols() == half.V.cols() && span.K.cols() == half.K.cols() &&
                          span.N.rows() == half.N.rows();
    if (is_whole) return span;
    half = std::move(span);
  }
}

}  // namespace heft::identifiability
