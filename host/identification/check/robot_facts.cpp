#include "robot_facts.hpp"

#include <algorithm>

#include "tensor.hpp"

namespace heft::check {

namespace {

// Walks outward from the roots; a link on a cycle is never reached and keeps its defaults.
class TreeWalk {
 public:
  explicit TreeWalk(RobotFacts& robot) : robot_(robot) {
    for (const JointFacts& joint : robot.joints) {
      below_[joint.parent].push_back(&joint);
      if (const auto at = robot.link_index.find(joint.child); at != robot.link_index.end())
        robot.links[at->second].joint_above = joint.name;
    }
  }

  void run() {
    for (LinkFacts& link : robot_.links)
      if (link.joint_above.empty()) pending_.push_back({&link, nullptr, 0});
    std::size_t visits = 0;
    while (!pending_.empty() && visits++ <= robot_.links.size()) {
      const Step step = pending_.back();
      pending_.pop_back();
      visit(step);
    }
  }

 private:
  struct Step {
    LinkFacts* link;
    LinkFacts* carrier;  // the link that moves and takes this one along
    double way;          // from the root
  };

  void visit(const Step& step) {
    LinkFacts& link = *step.link;
    robot_.reach = std::max(robot_.reach, step.way);
    if (step.carrier) step.carrier->moved_mass += link.mass;
    link.moves = step.carrier != nullptr;
    for (const JointFacts* joint : below_[link.name]) {
      const Eigen::Vector3d place = joint->X_parent_joint.translation();
      link.joints_below.push_back(place);
      const auto at = robot_.link_index.find(joint->child);
      if (at == robot_.link_index.end()) continue;
      LinkFacts& child = robot_.links[at->second];
      child.X_root_link = link.X_root_link * joint->X_parent_joint;
      if (joint->moves()) child.moved_mass = 0;
      pending_.push_back({&child, joint->moves() ? &child : step.carrier, step.way + place.norm()});
    }
  }

  RobotFacts& robot_;
  std::map<std::string, std::vector<const JointFacts*>> below_;
  std::vector<Step> pending_;
};

}  // namespace

double LinkFacts::size() const {
  double size = geometry.diagonal();
  if (size > 0) return size;
  for (const Eigen::Vector3d& place : joints_below) size = std::max(size, place.norm());
  return size;
}

double LinkFacts::body_size() const {
  if (geometry.known()) return geometry.diagonal();
  return has_tensor && mass > 0 ? 4 * spread_radius(tensor, mass) : 0;
}

const LinkFacts* RobotFacts::link(const std::string& name) const {
  const auto at = link_index.find(name);
  return at == link_index.end() ? nullptr : &links[at->second];
}

RobotFacts gather_facts(const WrittenRobot& written, const RobotDocument& document,
                        const CheckOptions& options) {
  RobotFacts robot;
  robot.terms = written.terms;
  for (const WrittenLink& link : written.links) {
    robot.link_index.emplace(link.name, robot.links.size());
    robot.links.push_back({link, gather_geometry(link, document, options)});
  }
  for (const WrittenJoint& joint : written.joints) robot.joints.push_back({joint});
  TreeWalk(robot).run();
  for (const LinkFacts& link : robot.links) {
    robot.total_mass += std::max(link.mass, 0.0);
    if (link.moves) robot.moving_mass += std::max(link.mass, 0.0);
  }
  return robot;
}

}  // namespace heft::check
