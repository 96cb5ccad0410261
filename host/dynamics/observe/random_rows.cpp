#include "random_rows.hpp"

#include <cmath>
#include <random>

#include "linalg/factorizations.hpp"

namespace heft::identifiability {

namespace {

using Matrix6x10 = Eigen::Matrix<double, 6, 10>;

/// Uniform in [-1, 1] from the 53 leading bits, the same on every platform.
double draw(std::mt19937_64& engine) {
  return static_cast<double>(engine() >> 11) * 0x1p-52 - 1;
}

Eigen::VectorXd draw_vector(std::mt19937_64& engine, Eigen::Index size) {
  Eigen::VectorXd v(size);
  for (double& x : v) x = draw(engine);
  return v;
}

struct BodyMotion {
  Vector6 velocity = Vector6::Zero(), acceleration = Vector6::Zero();
};

struct RandomState {
  Eigen::VectorXd q, qd, qdd;
  BodyMotion base;
};

RandomState draw_state(const Robot& robot, const ObserveOptions& options, std::mt19937_64& engine) {
  const int n = robot.num_coordinates();
  RandomState state{3 * draw_vector(engine, n), draw_vector(engine, n), draw_vector(engine, n), {}};
  const bool moves = robot.floating_base || options.base == BaseMotion::uncounted;
  state.base.acceleration.tail<3>() = -robot.gravity;
  if (options.static_only) {
    state.qd.setZero();
    state.qdd.setZero();
    if (moves && robot.gravity.any()) state.base.acceleration.tail<3>() = draw_vector(engine, 3);
  } else if (moves) {
    state.base.velocity = draw_vector(engine, 6);
    state.base.acceleration = draw_vector(engine, 6);
  }
  return state;
}

/// 6x10 matrix W with W pi = I(pi) a + v x* I(pi) v, moment first. I(pi) b = (Ibar b_w + h x b_u, m
/// b_u - h x b_w).
Matrix6x10 wrench_map(const BodyMotion& motion) {
  const auto momentum = [](const Vector6& b) {
    const Eigen::Vector3d w = b.head<3>(), u = b.tail<3>();
    Matrix6x10 W = Matrix6x10::Zero();
    W.bottomLeftCorner<3, 1>() = u;
    W.block<3, 3>(0, core::kMcx) = -cross_matrix(u);
    W.block<3, 3>(3, core::kMcx) = cross_matrix(w);
    W.topRightCorner<3, 6>() << w.x(), w.y(), 0, w.z(), 0, 0,  //
        0, w.x(), w.y(), 0, w.z(), 0,                          //
        0, 0, 0, w.x(), w.y(), w.z();
    return W;
  };
  return momentum(motion.acceleration) -
         motion_cross(motion.velocity).transpose() * momentum(motion.velocity);
}

}  // namespace

/// Rows of one motion.
class RowMaker {
 public:
  RowMaker(const Robot& robot, const RandomState& state) : robot_(&robot) {
    for (const Body& body : robot.bodies) {
      const bool is_rigid = body.type == JointType::rigid;
      const double q = is_rigid ? 0 : body.ratio * state.q[body.coordinate] + body.offset;
      screws_.push_back(body.ratio * joint_screw(body));
      transforms_.push_back(motion_transform(pose_at(body, q)));
      const BodyMotion& parent = body.parent < 0 ? state.base : motions_[body.parent];
      BodyMotion motion{transforms_.back() * parent.velocity,
                        transforms_.back() * parent.acceleration};
      if (!is_rigid) {
        const Vector6 joint_velocity = screws_.back() * state.qd[body.coordinate];
        motion.velocity += joint_velocity;
        motion.acceleration += screws_.back() * state.qdd[body.coordinate] +
                               motion_cross(motion.velocity) * joint_velocity;
      }
      motions_.push_back(motion);
      wrenches_.push_back(wrench_map(motion));
    }
  }

  /// The channel's row, ten columns per body, of length one; zero if wrenches and screws of their
  /// sizes leave less than `tolerance` of what they could, which is rounding: gravity about a
  /// vertical axis.
  Eigen::VectorXd row(const Channel& channel, double tolerance) const {
    const Robot& robot = *robot_;
    Eigen::VectorXd row = Eigen::VectorXd::Zero(10 * robot.num_bodies());
    double terms2 = 0;
    std::vector<Vector6> screw(robot.num_bodies(), Vector6::Zero());
    for (int j = 0; j < robot.num_bodies(); ++j) {
      const Body& body = robot.bodies[j];
      if (body.parent >= 0) screw[j] = transforms_[j] * screw[body.parent];
      if (channel.coordinate >= 0 && body.coordinate == channel.coordinate) screw[j] += screws_[j];
      if (channel.coordinate < 0 && j == channel.body) {
        screw[j].head<3>() += channel.angular;
        screw[j].tail<3>() += channel.linear;
      }
      if (screw[j].isZero(0)) continue;  // nothing outward of the joint
      row.segment<10>(10 * j) = wrenches_[j].transpose() * screw[j];
      terms2 += wrenches_[j].squaredNorm() * screw[j].squaredNorm();
    }
    if (!(row.norm() > tolerance * std::sqrt(terms2))) return Eigen::VectorXd::Zero(row.size());
    return row.stableNormalized();
  }

 private:
  const Robot* robot_;
  std::vector<Vector6> screws_;
  std::vector<Matrix6> transforms_;
  std::vector<BodyMotion> motions_;
  std::vector<Matrix6x10> wrenches_;
};

RandomMotions::RandomMotions(const Robot& robot, const ObserveOptions& options, int num_samples)
    : robot_(robot), tolerance_(options.tolerance) {
  std::mt19937_64 engine(20240607);
  for (int sample = 0; sample < num_samples; ++sample)
    makers_.emplace_back(robot, draw_state(robot, options, engine));
}

RandomMotions::~RandomMotions() = default;

Eigen::MatrixXd RandomMotions::rows(const Channel& channel) const {
  Eigen::MatrixXd rows(std::ssize(makers_), 10 * robot_.num_bodies());
  for (Eigen::Index sample = 0; sample < rows.rows(); ++sample)
    rows.row(sample) =
        makers_[static_cast<std::size_t>(sample)].row(channel, tolerance_).transpose();
  return rows;
}

Eigen::MatrixXd row_space(const Eigen::MatrixXd& rows, double tolerance) {
  std::vector<Eigen::Index> used;
  for (Eigen::Index j = 0; j < rows.cols(); ++j)
    if (rows.col(j).norm() > tolerance) used.push_back(j);
  Eigen::MatrixXd space = Eigen::MatrixXd::Zero(0, rows.cols());
  if (used.empty()) return space;

  const Eigen::MatrixXd kept = rows(Eigen::all, used);
  const Eigen::VectorXd lengths = kept.colwise().norm();
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(tolerance);
  Eigen::MatrixXd scaled = kept * lengths.cwiseInverse().asDiagonal();
  if (2 * scaled.rows() > 3 * scaled.cols()) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> blocked(std::move(scaled));
    scaled = blocked.matrixQR().topRows(kept.cols()).triangularView<Eigen::Upper>();
  }
  qr.compute(scaled);
  const Eigen::Index rank = qr.rank();
  Eigen::MatrixXd R = qr.matrixR().topRows(rank).template triangularView<Eigen::Upper>();
  R = R * qr.colsPermutation().transpose() * lengths.asDiagonal();
  space.setZero(rank, rows.cols());
  space(Eigen::all, used) = R.rowwise().normalized();
  return space;
}

}  // namespace heft::identifiability
