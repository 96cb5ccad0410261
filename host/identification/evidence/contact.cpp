#include "evidence/contact.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/median.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/minimum_norm.hpp"
#include "model/poses.hpp"
#include "windows.hpp"

namespace heft {

namespace {

constexpr Eigen::Index kPostures = 4;  ///< that are kept of a window
constexpr float kStruck = 5,
                kStruckToo = 3;  ///< times the usual error of a joint, and of another one
constexpr float kOfTorque = 0.2F, kOfTorqueToo = 0.1F;  ///< and of their rms torques
constexpr double kMaxOfLog = 0.3;                       ///< longer stretches are not exceptional
constexpr std::size_t kShortestContact = 2;
constexpr double kExplainedByForce = 0.75;  ///< share of the squared errors that one force must
                                            ///< explain
/// Errors that a stretch must have, one a joint and window, since those within a window are nearly
/// one posture's: a force at a point has six numbers, which explain any six.
constexpr Eigen::Index kErrorsNeeded = 12;
constexpr float kAtRest = 0.03F,
                kAtRestBesideFastest = 0.005F;  ///< of a joint's rms velocity, and of the fastest's
constexpr double kOfEffort = 2;  ///< times the force that the drives can bear: limits of files are
                                 ///< cautious
constexpr double kLeastOfBearable = 0.03;  ///< of that force: less is friction at a slow reversal,
                                           ///< or a bearing that varies
constexpr double kOfOneJoint = 0.9;  ///< share of a single joint that indicates its drive rather
                                     ///< than a force

/// Equations of one stretch: errors in usual errors, with the postures that they belong to.
struct TouchedStretch {
  struct Row {
    std::size_t posture;
    int coordinate;
    double error, scale;  ///< in usual errors; one over the usual error
  };
  std::vector<std::vector<Eigen::Isometry3d>> postures;  ///< poses of all bodies
  std::vector<Row> rows;
};

struct ContactForce {
  Eigen::Vector3d force = Eigen::Vector3d::Zero(),
                  point = Eigen::Vector3d::Zero();        ///< base axes; in the link
  double left = std::numeric_limits<double>::infinity();  ///< squared errors
};

/// Bodies from this one to the base that a coordinate moves.
template <class Visit>
void for_each_joint_below(const Robot& robot, int body, int coordinate, const Visit& visit) {
  for (int b = body; b >= 0; b = robot.bodies[static_cast<std::size_t>(b)].parent)
    if (robot.bodies[static_cast<std::size_t>(b)].coordinate == coordinate) visit(b);
}

/// Rows such that the torque of a coordinate is row . f.
Eigen::Vector3d by_force(const Robot& robot, const std::vector<Eigen::Isometry3d>& poses, int body,
                         int coordinate, const Eigen::Vector3d& point) {
  Eigen::Vector3d row = Eigen::Vector3d::Zero();
  const Eigen::Vector3d p = poses[static_cast<std::size_t>(body)] * point;
  for_each_joint_below(robot, body, coordinate, [&](int b) {
    const Body& link = robot.bodies[static_cast<std::size_t>(b)];
    const Eigen::Isometry3d& pose = poses[static_cast<std::size_t>(b)];
    const Eigen::Vector3d axis = pose.linear() * link.axis;
    const double slides = link.type == JointType::prismatic ? 1
                          : link.type == JointType::helical ? link.pitch
                                                            : 0;
    const double turns = link.type == JointType::prismatic ? 0 : 1;
    row += link.ratio * (turns * axis.cross(p - pose.translation()) + slides * axis);
  });
  return row;
}

/// Rows such that the torque of a coordinate is row . r plus the torque of the force at the link's
/// origin, with r the point in the link.
Eigen::Vector3d by_point(const Robot& robot, const std::vector<Eigen::Isometry3d>& poses, int body,
                         int coordinate, const Eigen::Vector3d& force) {
  Eigen::Vector3d row = Eigen::Vector3d::Zero();
  for_each_joint_below(robot, body, coordinate, [&](int b) {
    const Body& link = robot.bodies[static_cast<std::size_t>(b)];
    if (link.type == JointType::prismatic) return;
    const Eigen::Vector3d axis = poses[static_cast<std::size_t>(b)].linear() * link.axis;
    row += link.ratio *
           (poses[static_cast<std::size_t>(body)].linear().transpose() * force.cross(axis));
  });
  return row;
}

/// Alternates between the force and its point on a link that best explain a stretch.
ContactForce force_on(const Robot& robot, const TouchedStretch& stretch, int body) {
  constexpr int kTurns = 6;
  constexpr double kPointRidge = 1e-3;  // m: of points that the force does not determine
  const auto num_rows = static_cast<Eigen::Index>(stretch.rows.size());
  ContactForce best;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  for (int turn = 0; turn < kTurns; ++turn) {
    Eigen::MatrixXd A(num_rows, 3);
    Eigen::VectorXd e(num_rows);
    for (Eigen::Index i = 0; i < num_rows; ++i) {
      const TouchedStretch::Row& row = stretch.rows[static_cast<std::size_t>(i)];
      A.row(i) =
          row.scale * by_force(robot, stretch.postures[row.posture], body, row.coordinate, point);
      e[i] = row.error;
    }
    const Eigen::Vector3d force = minimum_norm_solution(A, e);
    const double left = (e - A * force).squaredNorm();
    if (left < best.left) best = {force, point, left};
    Eigen::MatrixXd B(num_rows + 3, 3);
    Eigen::VectorXd rest(num_rows + 3);
    for (Eigen::Index i = 0; i < num_rows; ++i) {
      const TouchedStretch::Row& row = stretch.rows[static_cast<std::size_t>(i)];
      const auto& poses = stretch.postures[row.posture];
      B.row(i) = row.scale * by_point(robot, poses, body, row.coordinate, force);
      rest[i] =
          row.error -
          row.scale *
              by_force(robot, poses, body, row.coordinate, Eigen::Vector3d::Zero()).dot(force);
    }
    B.bottomRows<3>().setIdentity();
    B.bottomRows<3>() *= kPointRidge * B.topRows(num_rows).norm();
    rest.tail<3>().setZero();
    point = Eigen::VectorXd(B.colPivHouseholderQr().solve(rest));
  }
  return best;
}

/// The largest force at a point of a link that the drives can bear in every direction, in the best
/// posture.
double bearable_force(const Robot& robot, const TouchedStretch& stretch, int body,
                      const Eigen::Vector3d& point) {
  double best = 0;
  for (const auto& poses : stretch.postures) {
    double force = std::numeric_limits<double>::infinity();
    for (int k = 0; k < robot.num_coordinates(); ++k) {
      const double effort = robot.coordinates[static_cast<std::size_t>(k)].max_effort,
                   lever = by_force(robot, poses, body, k, point).norm();
      if (effort > 0 && lever > 0) force = std::min(force, effort / lever);
    }
    best = std::max(best, force);
  }
  return best;
}

/// The force and link that best explain the stretch; empty if the force explains too little or
/// exceeds the drives.
std::optional<Contact> contact_of(const Robot& robot, const TouchedStretch& stretch) {
  if (std::ssize(stretch.rows) < kErrorsNeeded * kPostures) return std::nullopt;
  double all = 0;
  std::vector<double> by_coordinate(robot.coordinates.size(), 0.0);
  for (const TouchedStretch::Row& row : stretch.rows) {
    all += row.error * row.error;
    by_coordinate[static_cast<std::size_t>(row.coordinate)] += row.error * row.error;
  }
  if (!(*std::max_element(by_coordinate.begin(), by_coordinate.end()) < kOfOneJoint * all))
    return std::nullopt;
  std::optional<Contact> best;
  for (int body = 0; body < robot.num_bodies(); ++body) {
    const Body& link = robot.bodies[static_cast<std::size_t>(body)];
    if (link.is_rotor || link.coordinate < 0) continue;
    const ContactForce found = force_on(robot, stretch, body);
    const double explained = 1 - found.left / all;
    const double bearable = bearable_force(robot, stretch, body, found.point);
    if (!(found.force.norm() <= kOfEffort * bearable)) continue;
    if (std::isfinite(bearable) && !(found.force.norm() >= kLeastOfBearable * bearable)) continue;
    if (explained > kExplainedByForce && (!best || explained > best->explained))
      best = Contact{.link = link.name,
                     .force = found.force,
                     .explained = explained,
                     .gain = 0.5 * (all - found.left)};
  }
  return best;
}

}  // namespace

void ContactRecorder::push(int segment, const Samples& block, const Eigen::ArrayXXd& predicted) {
  if (block.size() < 2) return;
  const Eigen::Index window = window_rows(block);
  for (Eigen::Index first = 0; first + window <= block.size() && windows_.size() < kMaxWindows;
       first += window) {
    Window found{segment, block.time[first], block.time[first + window - 1], {}, {}, {}, {}};
    const Eigen::ArrayXXd used = (block.weight.middleRows(first, window) != 0).cast<double>();
    const Eigen::ArrayXXd error =
        used * (block.torque.middleRows(first, window) - predicted.middleRows(first, window));
    const Eigen::ArrayXd rows = used.colwise().sum().transpose();
    found.rms = (error.square().colwise().sum().transpose() / rows).sqrt().cast<float>();
    found.torque2 =
        block.torque.middleRows(first, window).square().colwise().mean().transpose().cast<float>();
    found.velocity2 = block.velocity.middleRows(first, window)
                          .square()
                          .colwise()
                          .mean()
                          .transpose()
                          .cast<float>();
    found.position.resize(kPostures, block.position.cols());
    found.error.resize(kPostures, predicted.cols());
    for (Eigen::Index i = 0; i < kPostures; ++i) {
      const Eigen::Index row = (2 * i + 1) * window / (2 * kPostures);
      found.position.row(i) = block.position.row(first + row).cast<float>();
      for (Eigen::Index c = 0; c < error.cols(); ++c)
        found.error(i, c) = used(row, c) > 0 ? static_cast<float>(error(row, c))
                                             : std::numeric_limits<float>::quiet_NaN();
    }
    windows_.push_back(std::move(found));
  }
}

std::vector<Contact> ContactRecorder::by_log(const std::vector<LogSummary>& logs, bool held_out,
                                             const RegressorPlan& plan) const {
  std::vector<Contact> all;
  if (plan.robot.floating_base || plan.whitened_from) return all;
  const std::vector<SegmentRange> segments = segments_of(logs);
  for (std::size_t l = 0; l < logs.size(); ++l) {
    const std::vector<const Window*> windows = windows_in(windows_, segments[l]);
    if (windows.size() < 2 * kShortestContact) continue;
    const Eigen::Index num_channels = windows[0]->rms.size();
    Eigen::ArrayXf torque = Eigen::ArrayXf::Zero(num_channels);
    for (const Window* window : windows)
      torque += window->torque2 / static_cast<float>(windows.size());
    torque = torque.sqrt();
    Eigen::ArrayXf at_rest = Eigen::ArrayXf::Zero(windows[0]->velocity2.size());
    for (const Window* window : windows)
      at_rest += window->velocity2 / static_cast<float>(windows.size());
    at_rest = (kAtRest * at_rest.sqrt()).max(kAtRestBesideFastest * std::sqrt(at_rest.maxCoeff()));
    const auto rests = [&](const Window& window) {
      return (window.velocity2.sqrt() <= at_rest).all();
    };
    Eigen::ArrayXf usual = Eigen::ArrayXf::Zero(num_channels);
    for (Eigen::Index c = 0; c < num_channels; ++c) {
      std::vector<float> sizes;
      for (const Window* window : windows)
        if (std::isfinite(window->rms[c]) && !rests(*window)) sizes.push_back(window->rms[c]);
      if (!sizes.empty() && plan.channels[static_cast<std::size_t>(c)].coordinate >= 0)
        usual[c] = median(std::move(sizes));
    }
    // at rest friction has any size up to that of sticking
    const auto is_usable = [&](const Window& window, Eigen::Index c) {
      const int k = plan.channels[static_cast<std::size_t>(c)].coordinate;
      return usual[c] > 0 && std::sqrt(window.velocity2[k]) > at_rest[k];
    };
    const auto is_struck = [&](const Window& window) {
      int num_clear = 0, num_struck = 0;
      for (Eigen::Index c = 0; c < num_channels; ++c) {
        if (!is_usable(window, c)) continue;
        num_clear += window.rms[c] > std::max(kStruck * usual[c], kOfTorque * torque[c]);
        num_struck += window.rms[c] > std::max(kStruckToo * usual[c], kOfTorqueToo * torque[c]);
      }
      return num_clear > 0 && num_struck > 1;
    };
    std::size_t run = 0, longest = 0, end = 0;
    for (std::size_t w = 0; w < windows.size(); ++w) {
      const bool goes_on = w > 0 && windows[w]->segment == windows[w - 1]->segment;
      run = is_struck(*windows[w]) ? (goes_on ? run : 0) + 1 : 0;
      if (run > longest) longest = run, end = w + 1;
    }
    if (longest < kShortestContact ||
        static_cast<double>(longest) > kMaxOfLog * static_cast<double>(windows.size()))
      continue;
    TouchedStretch stretch;
    for (std::size_t w = end - longest; w < end; ++w)
      for (Eigen::Index i = 0; i < windows[w]->position.rows(); ++i) {
        stretch.postures.push_back(body_poses(
            plan.robot, windows[w]->position.row(i).transpose().matrix().cast<double>()));
        for (Eigen::Index c = 0; c < num_channels; ++c)
          if (is_usable(*windows[w], c) && std::isfinite(windows[w]->error(i, c)))
            stretch.rows.push_back({stretch.postures.size() - 1,
                                    plan.channels[static_cast<std::size_t>(c)].coordinate,
                                    windows[w]->error(i, c) / usual[c], 1 / usual[c]});
      }
    auto contact = contact_of(plan.robot, stretch);
    if (!contact) continue;
    contact->log = logs[l].path;
    contact->held_out = held_out;
    contact->from_s = windows[end - longest]->from_s;
    contact->to_s = windows[end - 1]->to_s;
    all.push_back(std::move(*contact));
  }
  return all;
}

}  // namespace heft
