#include "clearance/min_clearance.hpp"

#include <algorithm>
#include <cmath>

#include "pair_distances.hpp"

namespace heft {

namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kFirstStep = 0.04;  // [s] of the intervals that are halved
constexpr long kMaxNodes = 4000000;  // pairs times intervals, after which a proof is given up
constexpr double kLeastStep = 1e-6;  // [s]

/// Bound on the relative displacement of links within half an interval.
class Displacements {
 public:
  Displacements(const CollisionModel& model, const VectorXd& max_acceleration)
      : model_(model), acceleration_(max_acceleration) {
    for (const CollisionPair& pair : model.pairs) {
      const int first = model.links[pair.first].body,
                second = pair.with_world ? -1 : model.links[pair.second].body;
      common_.push_back(common_carrier(first, second));
    }
  }

  void set(const std::vector<Eigen::Isometry3d>& poses, const VectorXd& velocity, double half) {
    poses_ = &poses;
    turn_ = half * velocity.cwiseAbs() + 0.5 * half * half * acceleration_;
  }

  double of_pair(int p) const {
    const CollisionPair& pair = model_.pairs[p];
    double displacement = of_link(model_.links[pair.first], common_[p]);
    if (!pair.with_world) displacement += of_link(model_.links[pair.second], common_[p]);
    return displacement;
  }

 private:
  int common_carrier(int one, int other) const {
    while (one != other)
      (one > other ? one : other) = model_.robot.bodies[std::max(one, other)].parent;
    return one;
  }

  double of_link(const LinkShapes& link, int carrier) const {
    if (link.body < 0) return 0;
    const Vector3d center = (*poses_)[link.body + 1] * link.center;
    double displacement = 0;
    for (int i = link.body; i != carrier; i = model_.robot.bodies[i].parent) {
      const Body& body = model_.robot.bodies[i];
      if (body.coordinate < 0) continue;
      const Eigen::Isometry3d& X = (*poses_)[i + 1];
      const double turn = std::abs(body.ratio) * turn_[body.coordinate];
      double along = 0, about = 0;
      if (body.type == JointType::prismatic) along = turn;
      if (body.type == JointType::helical) along = std::abs(body.pitch) * turn;
      if (body.type != JointType::prismatic) {
        const Vector3d axis = X.linear() * body.axis;
        about = turn * (axis.cross(center - X.translation()).norm() + link.reach + displacement);
      }
      displacement += along + about;
    }
    return displacement;
  }

  const CollisionModel& model_;
  const VectorXd& acceleration_;
  std::vector<int> common_;  ///< the body that carries both of a pair
  const std::vector<Eigen::Isometry3d>* poses_ = nullptr;
  VectorXd turn_;
};

struct Interval {
  double middle, half;
  std::vector<int> pairs;  ///< that are open
};

/// Names the pair that is nearest, and the one that lacks most.
void put_least(const CollisionModel& model, ClearanceFound& found) {
  int least = -1, worst = -1;
  const auto spare = [&](int p) { return found.pairs[p].value - model.pairs[p].wanted; };
  for (int p = 0; p < static_cast<int>(found.pairs.size()); ++p) {
    if (least < 0 || found.pairs[p].value < found.pairs[least].value) least = p;
    if (worst < 0 || spare(p) < spare(worst)) worst = p;
  }
  if (least < 0) return;
  const auto named = [&](int p) {
    MinClearance of_pair = found.least;
    of_pair.value = found.pairs[p].value;
    of_pair.at_s = found.pairs[p].at_s;
    of_pair.first = model.first_name(model.pairs[p]);
    of_pair.second = model.second_name(model.pairs[p]);
    of_pair.wanted = model.pairs[p].wanted;
    return of_pair;
  };
  found.worst = named(worst);
  found.least = named(least);
}

}  // namespace

ClearanceFound prove_clearance(const CollisionModel& model, const MotionInTime& motion,
                               double tolerance) {
  ClearanceFound found{.least = {.proved = true},
                       .pairs = std::vector<PairClearance>(model.pairs.size(), {HUGE_VAL, 0})};
  PairDistances distances(model);
  Displacements displacements(model, motion.max_acceleration);
  VectorXd q(model.robot.num_coordinates()), qd(q.size());
  double least = HUGE_VAL;
  // refine a pair only until it is known not to be the closest, or to keep its clearance
  const auto enough = [&](int p) {
    return std::min(found.pairs[p].value, std::max(model.pairs[p].wanted, least)) - tolerance;
  };

  std::vector<int> all(model.pairs.size());
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = static_cast<int>(p);
  const int count = std::max(1, static_cast<int>(std::ceil(motion.duration / kFirstStep)));
  std::vector<Interval> open;
  for (int i = 0; i < count; ++i) {
    const double length = motion.duration / count;
    open.push_back({(i + 0.5) * length, 0.5 * length, all});
  }
  long nodes = 0;
  while (!open.empty()) {
    std::vector<Interval> next;
    for (const Interval& interval : open) {
      motion.at(interval.middle, q, qd);
      const auto poses = model.poses(q);
      displacements.set(poses, qd, interval.half);
      std::vector<int> left;
      for (const int p : interval.pairs) {
        const double displaced = displacements.of_pair(p);
        const double distance =
            distances.at_least(p, poses, std::max(enough(p) + displaced, found.pairs[p].value));
        ++nodes;
        if (distance < found.pairs[p].value) found.pairs[p] = {distance, interval.middle};
        least = std::min(least, distance);
        if (distance <= 0 || distance - displaced >= enough(p)) continue;
        left.push_back(p);
      }
      if (left.empty()) continue;
      if (nodes > kMaxNodes || interval.half < kLeastStep) {
        found.least.proved = false;
        found.least.step_s = std::max(found.least.step_s, 2 * interval.half);
        continue;
      }
      next.push_back({interval.middle - 0.5 * interval.half, 0.5 * interval.half, left});
      next.push_back({interval.middle + 0.5 * interval.half, 0.5 * interval.half, left});
    }
    open = std::move(next);
  }
  for (PairClearance& pair : found.pairs) pair.value = std::max(0.0, pair.value - tolerance);
  put_least(model, found);
  return found;
}

ClearanceFound sample_clearance(const CollisionModel& model, const VectorXd& time,
                                const Eigen::ArrayXXd& position) {
  ClearanceFound found{.pairs = std::vector<PairClearance>(model.pairs.size(), {HUGE_VAL, 0})};
  PairDistances distances(model);
  for (Index i = 0; i < position.rows(); ++i) {
    const auto poses = model.poses(position.row(i).transpose().matrix());
    for (std::size_t p = 0; p < found.pairs.size(); ++p) {
      if (found.pairs[p].value <= 0) continue;
      const double distance = distances.at_least(static_cast<int>(p), poses, found.pairs[p].value);
      if (distance < found.pairs[p].value) found.pairs[p] = {distance, time[i]};
    }
  }
  if (time.size() > 1)
    found.least.step_s = (time[time.size() - 1] - time[0]) / static_cast<double>(time.size() - 1);
  put_least(model, found);
  return found;
}

}  // namespace heft
