// UrdfDocument::robot: converts links and joints to Heft's bodies and coordinates.
//
// Bodies are ordered depth first, with the joints below a link (including fixed ones) sorted
// bytewise by name, which is Pinocchio's order. A fixed joint makes no body: its link is part of
// the body above, which includes its inertia, unless RobotOptions::separate_links names it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "files/name_hint.hpp"
#include "locked_joints.hpp"
#include "rotors.hpp"
#include "urdf_document.hpp"
#include "urdf_frames.hpp"
#include "urdf_joint_chain.hpp"
#include "urdf_link_inertia.hpp"
#include "urdf_values.hpp"

namespace heft {

namespace {

std::string name_of(pugi::xml_node node) {
  return node.attribute("name").value();
}

std::string link_at(pugi::xml_node joint, const char* end) {
  return joint.child(end).attribute("link").value();
}

// of a document whose structure, numbers and completeness have been checked
class RobotBuilder {
 public:
  RobotBuilder(const UrdfDocument& document, const RobotOptions& options) : document_(document) {
    robot_.name = name_of(document.root());
    robot_.source = document.path();
    robot_.source_text = document.text();
    robot_.floating_base = options.floating_base;
    robot_.gravity = options.gravity;
    separate_links_.insert(options.separate_links.begin(), options.separate_links.end());
    wanted_locked_ = options.locked_joints;
    for (const pugi::xml_node link : document.root().children("link")) links_[name_of(link)] = link;
    for (const pugi::xml_node joint : document.root().children("joint")) {
      joints_[name_of(joint)] = joint;
      below_[link_at(joint, "parent")][name_of(joint)] = joint;
    }
  }

  Result<Done> build() {
    HEFT_CHECK(check_separate_links());
    HEFT_TRY(locked, locked_positions(document_, wanted_locked_));
    locked_ = locked;
    pugi::xml_node root = root_link();
    HEFT_CHECK(check_mass(root));
    LinkFrame root_frame;
    if (robot_.floating_base) root = base_link(root);
    if (robot_.floating_base) {
      Body body;
      body.name = name_of(root);
      body.type = JointType::rigid;
      body.prior = link_parameters(root);
      robot_.bodies.push_back(std::move(body));
      root_frame.body = 0;
    }
    frames_.links[name_of(root)] = root_frame;

    // a stack of our own: the depth of a tree is the file's choice
    std::vector<pugi::xml_node> pending;
    push_joints_below(name_of(root), pending);
    while (!pending.empty()) {
      const pugi::xml_node joint = pending.back();
      pending.pop_back();
      HEFT_CHECK(add_joint(joint));
      push_joints_below(link_at(joint, "child"), pending);
    }
    share_coordinates_of_mimic_joints();
    return check_unique_body_names();
  }

  Robot& robot() { return robot_; }
  const UrdfFrames& frames() const { return frames_; }

 private:
  // the one link that is no joint's child
  pugi::xml_node root_link() const {
    std::set<std::string> children;
    for (const auto& [name, joint] : joints_) children.insert(link_at(joint, "child"));
    for (const auto& [name, link] : links_)
      if (!children.contains(name)) return link;
    return {};
  }

  // Simulators attach a free robot to a massless world by a floating joint: the child of that joint
  // is the base.
  pugi::xml_node base_link(pugi::xml_node root) {
    std::vector<std::string> world;
    for (pugi::xml_node link = root;;) {
      world.push_back(name_of(link));
      const auto below = below_.find(world.back());
      if (below == below_.end() || below->second.size() != 1 || !link_parameters(link).isZero(0))
        return root;
      const pugi::xml_node joint = below->second.begin()->second;
      const std::string_view type = joint.attribute("type").value();
      const bool floats = type == "floating" && !locked_.contains(name_of(joint));
      if (!floats && type != "fixed") return root;
      link = links_.at(link_at(joint, "child"));
      if (!floats) continue;
      for (const std::string& name : world) frames_.links[name] = {};
      return link;
    }
  }

  // push the last name first: the stack is last in, first out
  void push_joints_below(const std::string& link, std::vector<pugi::xml_node>& pending) const {
    const auto found = below_.find(link);
    if (found == below_.end()) return;
    for (auto joint = found->second.rbegin(); joint != found->second.rend(); ++joint)
      pending.push_back(joint->second);
  }

  Result<Done> check_separate_links() const {
    std::vector<std::string> names;
    for (const auto& [name, link] : links_) names.push_back(name);
    for (const std::string& name : separate_links_)
      if (!links_.contains(name))
        return Error{document_.path(), fmt::format("unknown link '{}'", name),
                     name_hint(name, names, "links of the file:")};
    return Done{};
  }

  Result<Done> check_mass(pugi::xml_node link) const {
    const double mass = link_mass(link);
    if (mass >= 0) return Done{};
    return Error{document_.where(link.child("inertial")),
                 fmt::format("link '{}' has a negative mass, {} kg", name_of(link), mass),
                 "give the link's mass, or remove its <inertial> if the mass is unknown"};
  }

  // along x where the joint names none
  Result<Eigen::Vector3d> axis_of(pugi::xml_node joint) const {
    const pugi::xml_node element = joint.child("axis");
    const Eigen::Vector3d axis = element
                                     ? vector_of(element.attribute("xyz"), Eigen::Vector3d::Zero())
                                     : Eigen::Vector3d(Eigen::Vector3d::UnitX());
    if (axis.stableNorm() > 0) return Eigen::Vector3d(axis.stableNormalized());
    return Error{document_.where(element),
                 fmt::format("the axis of joint '{}' is zero", name_of(joint)),
                 "give a direction, e.g. <axis xyz=\"0 0 1\"/>"};
  }

  // of a joint that stands still away from its origin
  Result<Eigen::Isometry3d> locked_motion(pugi::xml_node joint) const {
    const double position = locked_.at(name_of(joint));
    const std::string_view type = joint.attribute("type").value();
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    if (type == "planar" || type == "floating") return X;
    HEFT_TRY(axis, axis_of(joint));
    if (type == "prismatic")
      X.translation() = position * axis;
    else
      X.linear() = Eigen::AngleAxisd(position, axis).toRotationMatrix();
    return X;
  }

  Result<Done> add_joint(pugi::xml_node joint) {
    const std::string parent_link = link_at(joint, "parent"), child_link = link_at(joint, "child");
    const std::string_view type = joint.attribute("type").value();
    const pugi::xml_node child = links_.at(child_link);
    HEFT_CHECK(check_mass(child));
    const LinkFrame parent = frames_.links.at(parent_link);
    Eigen::Isometry3d X_parent_joint = parent.X_body_link * origin_of(joint);
    if (type == "fixed" || locked_.contains(name_of(joint))) {
      if (type != "fixed") {
        HEFT_TRY(X_locked, locked_motion(joint));
        X_parent_joint = X_parent_joint * X_locked;
      }
      if (separate_links_.contains(child_link))
        add_separate_link(joint, child, {parent.body, X_parent_joint});
      else
        merge_fixed_link(child, {parent.body, X_parent_joint});
      return Done{};
    }

    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();
    if (type != "floating") {
      HEFT_TRY(given, axis_of(joint));
      axis = given;
    }
    JointChain chain = joint_chain(joint, axis);
    for (std::size_t i = 0; i < chain.bodies.size(); ++i) {
      Body& body = chain.bodies[i];
      body.parent = i == 0 ? parent.body : robot_.num_bodies() - 1;
      if (i == 0) body.X_parent_body = X_parent_joint;
      if (!joint.child("mimic")) {
        body.coordinate = robot_.num_coordinates();
        robot_.coordinates.push_back(chain.coordinates[i]);
      }
      robot_.bodies.push_back(std::move(body));
    }
    robot_.bodies.back().prior = link_parameters(child);
    frames_.links[child_link] = {robot_.num_bodies() - 1, Eigen::Isometry3d::Identity()};
    if (chain.bodies.size() == 1) frames_.parent_links[name_of(joint)] = parent_link;
    return Done{};
  }

  void merge_fixed_link(pugi::xml_node link, const LinkFrame& frame) {
    frames_.links[name_of(link)] = frame;
    if (frame.body < 0) return;  // part of the world
    Body& carrier = robot_.bodies[frame.body];
    carrier.prior += transformed(frame.X_body_link, link_parameters(link));
    carrier.merged_links.push_back(name_of(link));
  }

  void add_separate_link(pugi::xml_node joint, pugi::xml_node link, const LinkFrame& frame) {
    Body body;
    body.name = name_of(link);
    body.joint = name_of(joint);
    body.parent = frame.body;
    body.type = JointType::rigid;
    body.X_parent_body = frame.X_body_link;
    body.prior = link_parameters(link);
    robot_.bodies.push_back(std::move(body));
    frames_.links[name_of(link)] = {robot_.num_bodies() - 1, Eigen::Isometry3d::Identity()};
  }

  // q = ratio q_leader + offset of a joint that mimics
  struct Following {
    int coordinate = -1;
    double ratio = 1;
    double offset = 0;
  };

  // A mimic joint may follow another one: q_i = multiplier_i q_j + offset_i composes along the
  // chain, from its end on, and what is known of a joint serves all that follow it.
  Following following_of(const std::string& name, std::map<std::string, Following>& known) const {
    std::vector<std::string> chain = {name};
    const auto mimic_of = [&](const std::string& joint) {
      return joints_.at(joint).child("mimic");
    };
    while (!known.contains(chain.back()))
      chain.emplace_back(mimic_of(chain.back()).attribute("joint").value());
    Following at = known[chain.back()];
    chain.pop_back();
    for (; !chain.empty(); chain.pop_back()) {
      const pugi::xml_node mimic = mimic_of(chain.back());
      const double multiplier = number_of(mimic.attribute("multiplier"), 1);
      at.offset = multiplier * at.offset + number_of(mimic.attribute("offset"), 0);
      at.ratio *= multiplier;
      known[chain.back()] = at;
    }
    return at;
  }

  void share_coordinates_of_mimic_joints() {
    std::map<std::string, Following> known;
    for (int k = 0; k < robot_.num_coordinates(); ++k) known[robot_.coordinates[k].name] = {k};
    for (Body& body : robot_.bodies) {
      if (body.type == JointType::rigid || body.coordinate >= 0) continue;
      const Following following = following_of(body.joint, known);
      body.coordinate = following.coordinate;
      body.ratio = following.ratio;
      body.offset = following.offset;
      const pugi::xml_node dynamics = joints_.at(body.joint).child("dynamics");
      // same power: the leader feels its follower's friction through the ratio
      Coordinate& leader = robot_.coordinates[following.coordinate];
      leader.damping += body.ratio * body.ratio * number_of(dynamics.attribute("damping"), 0);
      leader.friction += std::abs(body.ratio) * number_of(dynamics.attribute("friction"), 0);
    }
  }

  // a planar joint p makes a body and a coordinate p.x, which could be a link's or a joint's name
  // as well
  Result<Done> check_unique_body_names() const {
    std::set<std::string> names, joints;
    for (const Body& body : robot_.bodies) {
      if (names.insert(body.name).second && joints.insert(body.joint).second) continue;
      return Error{
          document_.path(), fmt::format("two bodies are named '{}'", body.joint),
          "planar and floating joints make bodies <joint>.x, .y and so on: rename the joint or the "
          "link that clashes"};
    }
    return Done{};
  }

  const UrdfDocument& document_;
  std::map<std::string, pugi::xml_node> links_, joints_;
  std::map<std::string, std::map<std::string, pugi::xml_node>> below_;  // joints by parent link,
                                                                        // then by name
  std::set<std::string> separate_links_;
  std::map<std::string, double> wanted_locked_,
      locked_;  // positions by joint; the latter with all that mimic them
  Robot robot_;
  UrdfFrames frames_;
};

// finite numbers of the file may still multiply to an infinite one
Result<Done> check_finite(const Robot& robot) {
  for (const Body& body : robot.bodies) {
    if (body.prior.allFinite() && body.X_parent_body.matrix().allFinite() &&
        std::isfinite(body.ratio) && std::isfinite(body.offset)) {
      continue;
    }
    return Error{robot.source,
                 fmt::format("the inertia or the pose of body '{}' overflows", body.name),
                 "use SI units: meters, kilograms, radians"};
  }
  return Done{};
}

}  // namespace

Result<Robot> UrdfDocument::robot(const std::string& rotors_text,
                                  const RobotOptions& options) const {
  if (!options.gravity.allFinite())
    return Error{"gravity", "is not finite", "give three numbers in m/s^2, e.g. 0 0 -9.81"};
  HEFT_CHECK(check_urdf_structure(*this));
  HEFT_CHECK(check_urdf_numbers(*this));
  HEFT_CHECK(check_urdf_complete(*this));
  RobotBuilder builder(*this, options);
  HEFT_CHECK(builder.build());

  Robot& robot = builder.robot();
  if (robot.coordinates.empty() && !options.floating_base) {
    if (!options.locked_joints.empty())
      return Error{"joints.locked",
                   fmt::format("locks all joints that move in robot '{}'", robot.name),
                   "remove at least one joint that moves in the log"};
    return Error{
        path(), fmt::format("robot '{}' has no moving joint", robot.name),
        "give a robot with at least one joint that is not fixed, or read it with a floating base"};
  }
  if (!rotors_text.empty()) {
    HEFT_TRY(rotors, read_rotors(options.rotors_path, rotors_text, robot, builder.frames()));
    robot.bodies.insert(robot.bodies.end(), rotors.begin(), rotors.end());
    robot.rotors_text = rotors_text;
  }
  HEFT_CHECK(check_finite(robot));
  return std::move(robot);
}

}  // namespace heft
