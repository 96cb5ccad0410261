#include "clearance/sphere_distances.hpp"

#include <algorithm>
#include <cmath>

#include "pair_distances.hpp"

namespace heft {

namespace {

using Eigen::Vector3d;

constexpr int kComparedPostures = 400;  // random, where spheres are compared with hulls
constexpr double kNear = 0.08;          // [m] between hulls, where spheres are compared with them

}  // namespace

SpherePairs::SpherePairs(const CollisionModel& model)
    : model_(&model), of_link_(model.links.size()) {
  for (std::size_t i = 0; i < model.links.size(); ++i)
    for (const Hull& hull : model.links[i].hulls)
      for (const CoverSphere& sphere : sphere_cover(hull)) {
        of_link_[i].push_back(static_cast<int>(spheres_.size()));
        spheres_.push_back({model.links[i].body, sphere.center, sphere.radius});
      }
  put_constraints();
  put_surplus();
}

void SpherePairs::put_constraints() {
  for (int p = 0; p < static_cast<int>(model_->pairs.size()); ++p) {
    const CollisionPair& pair = model_->pairs[p];
    groups_.push_back({.pair = p, .begin = num_constraints()});
    for (const int first : of_link_[pair.first])
      if (pair.with_world)
        constraints_.push_back({first, pair.second});
      else
        for (const int second : of_link_[pair.second]) constraints_.push_back({first, second});
    groups_.back().end = num_constraints();
  }
}

void SpherePairs::put_surplus() {
  std::vector<std::vector<double>> surplus(groups_.size());
  RandomStream random(13);
  SphereDistances distances(*this);
  PairDistances hulls(*model_);
  for (int posture = 0; posture < kComparedPostures; ++posture) {
    const Eigen::VectorXd q = model_->random_posture(random);
    distances.set(q);
    const auto poses = model_->poses(q);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      constexpr std::size_t kEnough = 24;
      if (surplus[g].size() >= kEnough) continue;
      double by_spheres = HUGE_VAL;
      for (int c = groups_[g].begin; c < groups_[g].end; ++c)
        by_spheres = std::min(by_spheres, distances.distance(groups_[g], c));
      if (by_spheres > kNear) continue;
      const double by_hulls = hulls.at_least(groups_[g].pair, poses, kNear);
      if (by_hulls > 0 && by_hulls < kNear)
        surplus[g].push_back(std::max(0.0, by_hulls - by_spheres));
    }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (surplus[g].empty()) continue;
    const auto middle = surplus[g].begin() + static_cast<std::ptrdiff_t>(surplus[g].size() / 2);
    std::nth_element(surplus[g].begin(), middle, surplus[g].end());
    groups_[g].surplus = *middle;
  }
}

SphereDistances::SphereDistances(const SpherePairs& pairs)
    : pairs_(pairs),
      centers_(pairs.spheres().size()),
      force_(pairs.model().robot.bodies.size() + 1, Vector3d::Zero()),
      moment_(force_) {}

void SphereDistances::set(const Eigen::VectorXd& position) {
  poses_ = pairs_.model().poses(position);
  for (std::size_t i = 0; i < centers_.size(); ++i) {
    const SpherePairs::Sphere& sphere = pairs_.spheres()[i];
    centers_[i] = poses_[sphere.body + 1] * sphere.center;
  }
}

double SphereDistances::least_of(const SpherePairs::Group& group) const {
  return spheres_apart(pairs_.model(), pairs_.model().pairs[group.pair], poses_);
}

double SphereDistances::distance(const SpherePairs::Group& group, int constraint) const {
  const SpherePairs::Constraint& c = pairs_.constraints()[constraint];
  const CollisionPair& pair = pairs_.model().pairs[group.pair];
  const double radius = pairs_.spheres()[c.first].radius;
  if (pair.with_world) {
    Vector3d slope;
    return pairs_.model().world[c.second].distance(centers_[c.first], slope) - radius;
  }
  return (centers_[c.first] - centers_[c.second]).norm() - radius -
         pairs_.spheres()[c.second].radius;
}

void SphereDistances::add_slope(const SpherePairs::Group& group, int constraint, double slope) {
  const SpherePairs::Constraint& c = pairs_.constraints()[constraint];
  const CollisionPair& pair = pairs_.model().pairs[group.pair];
  Vector3d direction;
  if (pair.with_world)
    pairs_.model().world[c.second].distance(centers_[c.first], direction);
  else
    direction = (centers_[c.first] - centers_[c.second]).normalized();
  const auto push = [&](int sphere, const Vector3d& force) {
    const int body = pairs_.spheres()[sphere].body + 1;
    force_[body] += force;
    moment_[body] += centers_[sphere].cross(force);
  };
  push(c.first, slope * direction);
  if (!pair.with_world) push(c.second, -slope * direction);
  has_slopes_ = true;
}

void SphereDistances::add_gradient(Eigen::VectorXd& by_position) {
  if (!has_slopes_) return;
  const Robot& robot = pairs_.model().robot;
  for (int i = robot.num_bodies() - 1; i >= 0; --i) {
    const Body& body = robot.bodies[i];
    Vector3d &force = force_[i + 1], &moment = moment_[i + 1];
    if (body.coordinate >= 0) {
      const Vector3d axis = poses_[i + 1].linear() * body.axis;
      double work = 0;
      if (body.type == JointType::revolute || body.type == JointType::helical)
        work = axis.dot(moment - poses_[i + 1].translation().cross(force));
      if (body.type == JointType::prismatic) work = axis.dot(force);
      if (body.type == JointType::helical) work += body.pitch * axis.dot(force);
      by_position[body.coordinate] += body.ratio * work;
    }
    force_[body.parent + 1] += force;
    moment_[body.parent + 1] += moment;
    force.setZero();
    moment.setZero();
  }
  force_[0].setZero();
  moment_[0].setZero();
  has_slopes_ = false;
}

}  // namespace heft
