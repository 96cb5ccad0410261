// read_urdf: from urdfdom's links and joints to Heft's bodies and coordinates.
//
// Bodies come depth first, the joints below a link (fixed ones too) sorted by name byte by byte, which is
// Pinocchio's order. A fixed joint makes no body: its link rides on the body above, which takes its inertia.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "files/whole_file.hpp"
#include "heft/robot/urdf.hpp"
#include "robot/urdf_document.hpp"
#include "rotors.hpp"
#include "urdf_frames.hpp"
#include "urdf_joint_chain.hpp"
#include "urdf_model.hpp"

namespace heft {

namespace {

// the tensor of a URDF is about the centre of mass and in the axes of the inertial's own origin
BodyParameters link_parameters(const urdf::Link& link) {
  if (!link.inertial) return BodyParameters::Zero();
  const urdf::Inertial& inertial = *link.inertial;
  const Eigen::Isometry3d X_link_com = isometry(inertial.origin);
  Eigen::Matrix3d tensor;
  tensor << inertial.ixx, inertial.ixy, inertial.ixz,  //
      inertial.ixy, inertial.iyy, inertial.iyz,        //
      inertial.ixz, inertial.iyz, inertial.izz;
  const Eigen::Matrix3d& R = X_link_com.linear();
  return parameters_about_origin(inertial.mass, X_link_com.translation(), R * tensor * R.transpose());
}

std::vector<urdf::JointSharedPtr> joints_below_by_name(const urdf::Link& link) {
  std::vector<urdf::JointSharedPtr> joints = link.child_joints;
  std::sort(joints.begin(), joints.end(), [](const auto& a, const auto& b) { return a->name < b->name; });
  return joints;
}

class RobotBuilder {
 public:
  RobotBuilder(const UrdfDocument& document, const urdf::ModelInterface& model, const UrdfOptions& options)
      : document_(document), model_(model) {
    robot_.name = model.getName();
    robot_.source = document.path;
    robot_.source_text = document.text;
    robot_.floating_base = options.floating_base;
    robot_.gravity = options.gravity;
  }

  Result<Done> build() {
    const urdf::LinkConstSharedPtr root = model_.getRoot();
    HEFT_CHECK(check_mass(*root));
    LinkFrame root_frame;
    if (robot_.floating_base) {
      Body body;
      body.name = root->name;
      body.type = JointType::rigid;
      body.prior = link_parameters(*root);
      robot_.bodies.push_back(std::move(body));
      root_frame.body = 0;
    }
    frames_.links[root->name] = root_frame;

    // a stack of our own: the depth of a tree is the file's choice
    std::vector<urdf::JointSharedPtr> pending = joints_below_by_name(*root);
    std::reverse(pending.begin(), pending.end());
    while (!pending.empty()) {
      const urdf::JointSharedPtr joint = pending.back();
      pending.pop_back();
      HEFT_CHECK(add_joint(*joint));
      const auto below = joints_below_by_name(*model_.getLink(joint->child_link_name));
      pending.insert(pending.end(), below.rbegin(), below.rend());
    }
    share_coordinates_of_mimic_joints();
    return check_unique_body_names();
  }

  Robot& robot() { return robot_; }
  const UrdfFrames& frames() const { return frames_; }

 private:
  Result<Done> check_mass(const urdf::Link& link) const {
    if (!link.inertial || link.inertial->mass >= 0) return Done{};
    return Error{document_.where(document_.link(link.name).child("inertial")),
                 fmt::format("link '{}' has the negative mass {} kg", link.name, link.inertial->mass),
                 "give the link's mass, or remove its <inertial> if it is not known"};
  }

  Result<Done> add_joint(const urdf::Joint& joint) {
    const urdf::Link& child = *model_.getLink(joint.child_link_name);
    HEFT_CHECK(check_mass(child));
    const LinkFrame parent = frames_.links.at(joint.parent_link_name);
    const Eigen::Isometry3d X_parent_joint =
        parent.X_body_link * isometry(joint.parent_to_joint_origin_transform);
    if (joint.type == urdf::Joint::FIXED) {
      merge_fixed_link(child, {parent.body, X_parent_joint});
      return Done{};
    }

    const bool has_axis = joint.type != urdf::Joint::FLOATING;
    const Eigen::Vector3d axis(joint.axis.x, joint.axis.y, joint.axis.z);
    if (has_axis && !(axis.stableNorm() > 0)) {
      const pugi::xml_node node = document_.joint(joint.name);
      return Error{document_.where(node.child("axis")),
                   fmt::format("the axis of joint '{}' is zero", joint.name),
                   "give a direction, e.g. <axis xyz=\"0 0 1\"/>"};
    }
    JointChain chain = joint_chain(joint, axis.stableNormalized());
    for (std::size_t i = 0; i < chain.bodies.size(); ++i) {
      Body& body = chain.bodies[i];
      body.parent = i == 0 ? parent.body : robot_.num_bodies() - 1;
      if (i == 0) body.X_parent_body = X_parent_joint;
      if (!joint.mimic) {
        body.coordinate = robot_.num_coordinates();
        robot_.coordinates.push_back(chain.coordinates[i]);
      }
      robot_.bodies.push_back(std::move(body));
    }
    robot_.bodies.back().prior = link_parameters(child);
    frames_.links[child.name] = {robot_.num_bodies() - 1, Eigen::Isometry3d::Identity()};
    if (chain.bodies.size() == 1) frames_.parent_links[joint.name] = joint.parent_link_name;
    return Done{};
  }

  void merge_fixed_link(const urdf::Link& link, const LinkFrame& frame) {
    frames_.links[link.name] = frame;
    if (frame.body < 0) return;  // part of the world
    Body& carrier = robot_.bodies[frame.body];
    carrier.prior += transformed(frame.X_body_link, link_parameters(link));
    carrier.merged_links.push_back(link.name);
  }

  // q = ratio q_leader + offset of a joint that mimics
  struct Following {
    int coordinate = -1;
    double ratio = 1;
    double offset = 0;
  };

  // A mimic joint may follow another one: q_i = multiplier_i q_j + offset_i composes along the chain, from its end
  // on, and what is known of a joint serves all that follow it.
  Following following_of(const std::string& name, std::map<std::string, Following>& known) const {
    std::vector<urdf::JointConstSharedPtr> chain = {model_.getJoint(name)};
    while (!known.contains(chain.back()->name))
      chain.push_back(model_.getJoint(chain.back()->mimic->joint_name));
    Following at = known[chain.back()->name];
    chain.pop_back();
    for (; !chain.empty(); chain.pop_back()) {
      const urdf::JointMimic& mimic = *chain.back()->mimic;
      at.offset = mimic.multiplier * at.offset + mimic.offset;
      at.ratio *= mimic.multiplier;
      known[chain.back()->name] = at;
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
      const urdf::JointDynamicsSharedPtr dynamics = model_.getJoint(body.joint)->dynamics;
      if (!dynamics) continue;
      // same power: the leader feels its follower's friction through the ratio
      Coordinate& leader = robot_.coordinates[following.coordinate];
      leader.damping += body.ratio * body.ratio * dynamics->damping;
      leader.friction += std::abs(body.ratio) * dynamics->friction;
    }
  }

  // a planar joint p makes a body and a coordinate p.x, which could be a link's or a joint's name as well
  Result<Done> check_unique_body_names() const {
    std::set<std::string> names, joints;
    for (const Body& body : robot_.bodies) {
      if (names.insert(body.name).second && joints.insert(body.joint).second) continue;
      return Error{document_.path, fmt::format("two bodies are called '{}'", body.joint),
                   "planar and floating joints make bodies <joint>.x, .y and so on: rename the joint or the "
                   "link that clashes"};
    }
    return Done{};
  }

  const UrdfDocument& document_;
  const urdf::ModelInterface& model_;
  Robot robot_;
  UrdfFrames frames_;
};

// finite numbers of the file may still multiply to an infinite one
Result<Done> check_finite(const Robot& robot) {
  for (const Body& body : robot.bodies) {
    if (body.prior.allFinite() && body.X_parent_body.matrix().allFinite() && std::isfinite(body.ratio) &&
        std::isfinite(body.offset)) {
      continue;
    }
    return Error{robot.source, fmt::format("the inertia or the pose of body '{}' overflows", body.name),
                 "use SI units: metres, kilograms, radians"};
  }
  return Done{};
}

}  // namespace

Result<Robot> read_urdf(const std::string& path, const UrdfOptions& options) {
  HEFT_TRY(text, read_text_whole(path, kLargestRobot));
  if (options.rotors_path.empty()) return read_urdf_text(path, text, "", options);
  HEFT_TRY(rotors_text, read_text_whole(options.rotors_path, kLargestConfiguration));
  if (rotors_text.empty()) rotors_text.push_back('\n');  // an empty file is refused, no file is not
  return read_urdf_text(path, text, rotors_text, options);
}

Result<Robot> read_urdf_text(const std::string& path, const std::string& text, const std::string& rotors_text,
                             const UrdfOptions& options) {
  if (!options.gravity.allFinite()) {
    return Error{"gravity", "is not finite", "give three numbers in m/s^2, e.g. 0 0 -9.81"};
  }
  HEFT_TRY(document, parse_urdf_document(path, text));
  HEFT_CHECK(check_urdf_structure(document));
  HEFT_CHECK(check_urdf_numbers(document));
  HEFT_TRY(model, parse_urdf_model(document));
  RobotBuilder builder(document, *model, options);
  HEFT_CHECK(builder.build());

  Robot& robot = builder.robot();
  if (robot.coordinates.empty() && !options.floating_base) {
    return Error{path, fmt::format("robot '{}' has no moving joint", robot.name),
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
