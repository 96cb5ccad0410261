// UrdfDocument::with_inertias: new inertias into an old document.
//
// The link that moves takes its whole body, so the fixed links merged into the body lose their <inertial>; one with
// shapes keeps an <inertial> of zero, since some readers (MuJoCo) weigh a shape that has none as if it were solid.
// <origin> becomes the centre of mass with rpy zero, the tensor is about it and in the link's axes:
// I_com = I_origin - m [c]x [c]x'.
#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "base/text.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "robot/urdf_document.hpp"

namespace heft {

namespace {

// a body on the boundary of the cone (a rod, a point, many an optimum) has eigenvalues that are zero up to
// the rounding of its ten numbers and of the eigenvalues themselves
constexpr double kBoundaryTolerance = 64 * std::numeric_limits<double>::epsilon();

struct LinkInertia {
  double mass = 0;
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  Eigen::Matrix3d tensor_com = Eigen::Matrix3d::Zero();
};

Result<Done> check_physical(const Body& body, const BodyParameters& parameters) {
  const std::string where = fmt::format("body '{}'", body.name);
  const std::string remedy = "identify with the physical constraints on, or give the body a prior with mass";
  if (!parameters.allFinite()) return Error{where, "its parameters are not all finite numbers", remedy};
  const SymmetricEigen<4> solver(pseudo_inertia(parameters), Eigen::EigenvaluesOnly);
  const double smallest = solver.eigenvalues().minCoeff();
  const double largest = solver.eigenvalues().cwiseAbs().maxCoeff();
  if (!(smallest >= -kBoundaryTolerance * largest)) {
    return Error{where,
                 fmt::format("no real object has these parameters: the smallest eigenvalue of its "
                             "pseudo-inertia is {:.6g}, not positive",
                             smallest),
                 remedy};
  }
  const Eigen::Vector3d first_moment = parameters.segment<3>(core::kMcx);
  if (!(parameters[core::kMass] > 0) && !first_moment.isZero(0)) {
    return Error{where, fmt::format("a first moment with a mass of {:.6g} kg", parameters[core::kMass]),
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

void set_attribute(pugi::xml_node node, const char* name, const std::string& value) {
  pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) attribute = node.append_attribute(name);
  attribute.set_value(value.c_str());
}

std::string digits17(double value) {
  return fmt::format("{:.17g}", value);
}

void set_inertial(pugi::xml_node link, const LinkInertia& inertia) {
  // new children come first, so they are asked for last to first
  pugi::xml_node inertial = child_or_new(link, "inertial");
  pugi::xml_node tensor = child_or_new(inertial, "inertia");
  pugi::xml_node mass = child_or_new(inertial, "mass");
  pugi::xml_node origin = child_or_new(inertial, "origin");
  const Eigen::Vector3d& c = inertia.com;
  set_attribute(origin, "xyz", fmt::format("{} {} {}", digits17(c.x()), digits17(c.y()), digits17(c.z())));
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

// the document is the robot's own source_text, so that its links are there
void set_body(const UrdfDocument& document, const Body& body, const BodyParameters& parameters) {
  set_inertial(document.link(body.name), about_com(parameters));
  for (const std::string& name : body.merged_links) clear_inertial(document.link(name));
}

}  // namespace

Result<std::string> UrdfDocument::with_inertias(const Robot& robot,
                                                const std::vector<BodyParameters>& parameters) const {
  if (parameters.size() != robot.bodies.size()) {
    return Error{path(),
                 fmt::format("robot '{}' has {} bodies but parameters of {} are given", robot.name,
                             robot.bodies.size(), parameters.size()),
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
  return with_inertials(*copy);
}

}  // namespace heft
