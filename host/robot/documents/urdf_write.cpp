// UrdfDocument::with_identified: writes identified inertias and friction into a document.
//
// The moving link takes the inertia of its whole body, so the fixed links merged into the body lose
// their <inertial>. Links with shapes keep an <inertial> of zero, because some readers (MuJoCo)
// otherwise compute a mass from the shapes. <origin> becomes the center of mass with rpy zero; the
// tensor is about it and in the link's axes: I_com = I_origin - m [c]x [c]x'.
//
// A body with locked joints was identified together with the links that they carry. Those links
// keep their inertials and the moving link takes the difference, so that the file is correct at the
// locked positions, and simulators find mass on those links.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "base/text.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "urdf_document.hpp"
#include "urdf_link_inertia.hpp"
#include "urdf_values.hpp"

namespace heft {

namespace {

using NodesByName = std::map<std::string, pugi::xml_node>;

// a body on the boundary of the cone (a rod, a point, many an optimum) has eigenvalues that are
// zero up to the rounding of its ten numbers and of the eigenvalues themselves
constexpr double kBoundaryTolerance = 64 * std::numeric_limits<double>::epsilon();

struct LinkInertia {
  double mass = 0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Matrix3d tensor_com = Eigen::Matrix3d::Zero();
};

Eigen::Vector4d pseudo_inertia_eigenvalues(const BodyParameters& parameters) {
  return SymmetricEigen<4>(pseudo_inertia(parameters), Eigen::EigenvaluesOnly).eigenvalues();
}

bool is_on_or_in_cone(const Eigen::Vector4d& eigenvalues) {
  return eigenvalues.minCoeff() >= -kBoundaryTolerance * eigenvalues.cwiseAbs().maxCoeff();
}

Result<Done> check_physical(const Body& body, const BodyParameters& parameters) {
  const std::string where = fmt::format("body '{}'", body.name);
  const std::string remedy =
      "identify with the physical constraints on, or give the body a prior with mass";
  if (!parameters.allFinite())
    return Error{where, "its parameters are not all finite numbers", remedy};
  const Eigen::Vector4d eigenvalues = pseudo_inertia_eigenvalues(parameters);
  if (!is_on_or_in_cone(eigenvalues)) {
    return Error{where,
                 fmt::format("no real object has these parameters: the smallest eigenvalue of its "
                             "pseudo-inertia is {:.6g}, which is not positive",
                             eigenvalues.minCoeff()),
                 remedy};
  }
  const Eigen::Vector3d first_moment = parameters.segment<3>(core::kMcx);
  if (!(parameters[core::kMass] > 0) && !first_moment.isZero(0)) {
    return Error{
        where,
        fmt::format("it has a first moment but a mass of {:.6g} kg", parameters[core::kMass]),
        remedy};
  }
  return Done{};
}

LinkInertia about_com(const BodyParameters& parameters) {
  LinkInertia inertia;
  inertia.mass = parameters[core::kMass];
  if (inertia.mass > 0) inertia.com = parameters.segment<3>(core::kMcx) / inertia.mass;
  Eigen::Matrix3d tensor;
  tensor << parameters[core::kIxx], parameters[core::kIxy], parameters[core::kIxz],  //
      parameters[core::kIxy], parameters[core::kIyy], parameters[core::kIyz],        //
      parameters[core::kIxz], parameters[core::kIyz], parameters[core::kIzz];
  const Eigen::Vector3d& c = inertia.com;
  inertia.tensor_com =
      tensor - inertia.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
  return inertia;
}

bool is_white_space(pugi::xml_node node) {
  return node.type() == pugi::node_pcdata &&
         std::string_view(node.value()).find_first_not_of(kBlanks) == std::string_view::npos;
}

// line end and indentation in front of a node; empty if it does not begin a line
std::string indentation(pugi::xml_node node) {
  const pugi::xml_node before = node.previous_sibling();
  if (!is_white_space(before)) return "";
  const std::string text = before.value();
  const std::size_t line_end = text.rfind('\n');
  return line_end == std::string::npos ? "" : text.substr(line_end);
}

void append_text(pugi::xml_node parent, const std::string& text) {
  if (!text.empty()) parent.append_child(pugi::node_pcdata).set_value(text.c_str());
}

// the child of that name; if there is none, a new first child on a line of its own
pugi::xml_node child_or_new(pugi::xml_node parent, const char* name) {
  if (pugi::xml_node child = parent.child(name)) return child;
  const std::string outer = indentation(parent);
  const bool was_empty = !parent.first_child();
  pugi::xml_node child = parent.prepend_child(name);
  if (outer.empty()) return child;
  parent.prepend_child(pugi::node_pcdata).set_value((outer + "  ").c_str());
  if (was_empty) append_text(parent, outer);
  return child;
}

std::string digits17(double value) {
  return fmt::format("{:.17g}", value);
}

void set_inertial(pugi::xml_node link, const LinkInertia& inertia) {
  // new children come first, so create them in reverse order
  pugi::xml_node inertial = child_or_new(link, "inertial");
  pugi::xml_node tensor = child_or_new(inertial, "inertia");
  pugi::xml_node mass = child_or_new(inertial, "mass");
  pugi::xml_node origin = child_or_new(inertial, "origin");
  const Eigen::Vector3d& c = inertia.com;
  set_attribute(origin, "xyz",
                fmt::format("{} {} {}", digits17(c.x()), digits17(c.y()), digits17(c.z())));
  set_attribute(origin, "rpy", "0 0 0");
  set_attribute(mass, "value", digits17(inertia.mass));
  const Eigen::Matrix3d& I = inertia.tensor_com;
  set_attribute(tensor, "ixx", digits17(I(0, 0)));
  set_attribute(tensor, "ixy", digits17(I(0, 1)));
  set_attribute(tensor, "ixz", digits17(I(0, 2)));
  set_attribute(tensor, "iyy", digits17(I(1, 1)));
  set_attribute(tensor, "iyz", digits17(I(1, 2)));
  set_attribute(tensor, "izz", digits17(I(2, 2)));
}

void clear_inertial(pugi::xml_node link) {
  pugi::xml_node inertial = link.child("inertial");
  if (!inertial) return;
  if (link.child("collision"))
    return set_inertial(link, {0, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Zero()});
  if (const pugi::xml_node before = inertial.previous_sibling(); is_white_space(before)) {
    link.remove_child(before);
  }
  link.remove_child(inertial);
}

// links on locked joints, and their combined inertia in the axes of their body
struct LockedPart {
  std::vector<std::string> links;
  BodyParameters parameters = BodyParameters::Zero();
};

// what the body has in the file beyond its link and the links that are fixed to it
LockedPart locked_part(const UrdfDocument& document, const Body& body) {
  LockedPart part;
  part.parameters = body.prior - link_parameters(document.link(body.name));
  for (const std::string& name : body.merged_links) {
    const auto X_body_link = document.pose(name, body.name);
    if (X_body_link)
      part.parameters -= transformed(*X_body_link, link_parameters(document.link(name)));
    else
      part.links.push_back(name);
  }
  return part;
}

// the largest share of the locked part that leaves a real body
double kept_share(const LockedPart& part, const BodyParameters& parameters) {
  constexpr double kLeast = 1e-3;
  for (double share = 1; share > kLeast; share /= 2) {
    const BodyParameters rest = parameters - share * part.parameters;
    if (rest[core::kMass] > 0 && pseudo_inertia_eigenvalues(rest).minCoeff() > 0) return share;
  }
  return 0;
}

void scale_inertial(pugi::xml_node link, double share) {
  if (link.child("inertial")) set_inertial(link, about_com(share * link_parameters(link)));
}

// the document is the robot's own source_text, so that its links are there
void set_body(const UrdfDocument& document, const Body& body, const BodyParameters& parameters) {
  const LockedPart locked = locked_part(document, body);
  const bool has_locked = !locked.links.empty() && locked.parameters[core::kMass] > 0;
  const double share = has_locked ? kept_share(locked, parameters) : 0;
  set_inertial(document.link(body.name), about_com(parameters - share * locked.parameters));
  for (const std::string& name : body.merged_links) {
    const bool is_locked = share > 0 && std::ranges::find(locked.links, name) != locked.links.end();
    if (!is_locked)
      clear_inertial(document.link(name));
    else if (share < 1)
      scale_inertial(document.link(name), share);
  }
}

void set_friction(pugi::xml_node joint, double damping, double friction) {
  if (!joint.child("dynamics") && damping == 0 && friction == 0) return;
  pugi::xml_node dynamics = child_or_new(joint, "dynamics");
  const auto set = [&](const char* name, double value) {
    if (value != 0 || dynamics.attribute(name)) set_attribute(dynamics, name, digits17(value));
  };
  set("damping", damping);
  set("friction", friction);
}

// Distributes a coordinate's friction over its joints in the proportions of the file; without
// friction in the file, the leading joint takes all.
void set_shared_friction(const NodesByName& joints, const Robot& robot,
                         const JointFriction& identified) {
  const auto is_it = [&](const Coordinate& other) { return other.name == identified.joint; };
  const auto coordinate = std::ranges::find_if(robot.coordinates, is_it);
  if (coordinate == robot.coordinates.end()) return;
  const auto index = static_cast<int>(coordinate - robot.coordinates.begin());
  for (const Body& body : robot.bodies) {
    if (body.is_rotor || body.coordinate != index) continue;
    const auto joint = joints.find(body.joint);
    if (joint == joints.end()) continue;
    const pugi::xml_node dynamics = joint->second.child("dynamics");
    const bool leads = body.joint == identified.joint;
    const auto part = [&](const char* name, double total, double total_of_file) {
      if (!(total_of_file > 0)) return leads ? total : 0.0;
      return total * (number_of(dynamics.attribute(name), 0) / total_of_file);
    };
    set_friction(joint->second, part("damping", identified.damping, coordinate->damping),
                 part("friction", identified.friction, coordinate->friction));
  }
}

// a comment cannot hold "--" nor end in '-', which names may
std::string for_comment(std::string text) {
  for (std::size_t at = text.find("--"); at != std::string::npos; at = text.find("--", at + 1))
    text.replace(at, 2, "- ");
  return text;
}

void set_comment(pugi::xml_node robot, pugi::xml_node comment,
                 const std::vector<std::string>& not_expressed) {
  if (not_expressed.empty()) {
    if (comment) robot.remove_child(comment);
    return;
  }
  pugi::xml_node first = robot.first_child();
  while (first && first.type() != pugi::node_element) first = first.next_sibling();
  const std::string line = first ? indentation(first) : "";
  std::string text =
      std::string(kHeftComment) + "the identified model also has terms that a URDF cannot express:";
  for (const std::string& one : not_expressed)
    text += (line.empty() ? "; " : line + "  ") + for_comment(one);
  text += line.empty() ? " " : line;
  if (!comment) {
    comment = robot.prepend_child(pugi::node_comment);
    if (!line.empty()) robot.prepend_child(pugi::node_pcdata).set_value(line.c_str());
  }
  comment.set_value(text.c_str());
}

void set_dynamics(const UrdfDocument& document, const Robot& robot,
                  const IdentifiedDynamics& dynamics) {
  NodesByName joints;
  for (const pugi::xml_node joint : document.root().children("joint"))
    joints[joint.attribute("name").value()] = joint;
  for (const JointFriction& friction : dynamics.friction)
    set_shared_friction(joints, robot, friction);
  set_comment(document.root(), document.heft_comment(), dynamics.not_expressed);
}

}  // namespace

Result<std::string> UrdfDocument::with_identified(const Robot& robot,
                                                  const std::vector<BodyParameters>& parameters,
                                                  const IdentifiedDynamics& dynamics) const {
  if (parameters.size() != robot.bodies.size()) {
    return Error{path(),
                 fmt::format("robot '{}' has {} bodies, but parameters are given for {}",
                             robot.name, robot.bodies.size(), parameters.size()),
                 "give ten parameters for every body, in the order of Robot::bodies"};
  }
  HEFT_TRY(copy, parse(path(), text()));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Body& body = robot.bodies[i];
    if (!body.has_parameters || body.is_rotor) continue;
    HEFT_CHECK(check_physical(body, parameters[i]));
    const bool stays_massless = parameters[i].isZero(0) && body.prior.isZero(0);
    if (!stays_massless) set_body(*copy, body, parameters[i]);
  }
  set_dynamics(*copy, robot, dynamics);
  return with_changes(*copy);
}

}  // namespace heft
