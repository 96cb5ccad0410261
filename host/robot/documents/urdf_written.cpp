// UrdfDocument: links and joints as they are written, and the file with other inertials.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "urdf_document.hpp"
#include "urdf_values.hpp"

namespace heft {

namespace {

constexpr struct {
  const char* name;
  int row, column;
} kEntries[] = {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2},
                {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}};

double within_bounds(double value) {
  if (std::abs(value) < 1 / kLargestQuantity) return 0;
  return std::clamp(value, -kLargestQuantity, kLargestQuantity);
}

std::optional<double> quantity(pugi::xml_attribute attribute) {
  const double value = number_of(attribute, NAN);
  if (!std::isfinite(value)) return {};
  return within_bounds(value);
}

Eigen::Vector3d quantities(pugi::xml_attribute attribute, const Eigen::Vector3d& fallback) {
  return vector_of(attribute, fallback).unaryExpr(&within_bounds);
}

Eigen::Isometry3d bounded_origin(pugi::xml_node element) {
  Eigen::Isometry3d X = origin_of(element);
  X.translation() = X.translation().unaryExpr(&within_bounds).eval();
  return X;
}

// One unit in the last place as written: 0.0040 -> 1e-4, 3.1e-3 -> 1e-4; zero for numbers without a
// point, which are meant exactly.
double last_place(std::string_view word) {
  const std::size_t point = word.find('.');
  if (point == std::string_view::npos) return 0;
  const std::size_t end = word.find_first_of("eE", point);
  const std::size_t digits = std::min(end, word.size()) - point - 1;
  const double exponent =
      end == std::string_view::npos ? 0 : finite_number(word.substr(end + 1)).value_or(0);
  return std::pow(10.0, exponent - static_cast<double>(digits));
}

void read_tensor(pugi::xml_node element, WrittenLink& link) {
  double finest = std::numeric_limits<double>::infinity();
  for (const auto& [name, row, column] : kEntries) {
    const std::string_view word = trimmed(element.attribute(name).value());
    const std::optional<double> number = finite_number(word);
    if (!number) return;
    const double value = within_bounds(*number);
    link.tensor(row, column) = link.tensor(column, row) = value;
    if (const double unit = last_place(word); unit > 0 && value != 0)
      finest = std::min(finest, unit);
  }
  link.has_tensor = true;
  link.rounding = std::isfinite(finest) ? finest / 2 : 0;
}

// empty for a null node
std::string place_of(const UrdfDocument& document, pugi::xml_node node) {
  return node ? document.where(node) : "";
}

std::vector<WrittenShape> shapes_of(const UrdfDocument& document, pugi::xml_node link,
                                    const char* use) {
  std::vector<WrittenShape> shapes;
  for (const pugi::xml_node element : link.children(use)) {
    WrittenShape& one = shapes.emplace_back();
    if (const auto shape = document.shape(element)) one.shape = *shape;
    const pugi::xml_node mesh = element.child("geometry").child("mesh");
    one.has_mesh = !mesh.empty();
    one.mesh = mesh.attribute("filename").value();
  }
  return shapes;
}

WrittenLink link_of(const UrdfDocument& document, pugi::xml_node node) {
  WrittenLink link;
  link.name = node.attribute("name").value();
  link.where = document.where(node);
  link.visuals = shapes_of(document, node, "visual");
  link.collisions = shapes_of(document, node, "collision");
  const pugi::xml_node inertial = node.child("inertial");
  if (!inertial) return link;
  const pugi::xml_node mass = inertial.child("mass"), tensor = inertial.child("inertia");
  link.where_inertial = document.where(inertial);
  link.where_com = place_of(document, inertial.child("origin"));
  link.where_mass = place_of(document, mass);
  link.where_tensor = place_of(document, tensor);
  link.mass_is_written = !mass.attribute("value").empty();
  link.tensor_is_written =
      std::all_of(std::begin(kEntries), std::end(kEntries),
                  [&](const auto& entry) { return !tensor.attribute(entry.name).empty(); });
  link.X_link_inertial = bounded_origin(inertial);
  const std::optional<double> number = quantity(mass.attribute("value"));
  link.has_mass = number.has_value();
  link.mass = number.value_or(0);
  read_tensor(tensor, link);
  return link;
}

WrittenJoint joint_of(const UrdfDocument& document, pugi::xml_node node) {
  const pugi::xml_node origin = node.child("origin"), axis = node.child("axis"),
                       limit = node.child("limit"), dynamics = node.child("dynamics");
  WrittenJoint joint;
  joint.name = node.attribute("name").value();
  joint.type = node.attribute("type").value();
  joint.parent = node.child("parent").attribute("link").value();
  joint.child = node.child("child").attribute("link").value();
  joint.where = document.where(node);
  joint.where_origin = place_of(document, origin);
  joint.where_axis = place_of(document, axis);
  joint.where_limit = place_of(document, limit);
  joint.where_dynamics = place_of(document, dynamics);
  joint.X_parent_joint = bounded_origin(node);
  joint.rpy = quantities(origin.attribute("rpy"), joint.rpy);
  joint.axis = quantities(axis.attribute("xyz"), joint.axis);
  joint.is_mimic = !node.child("mimic").empty();
  joint.effort_is_written = !limit.attribute("effort").empty();
  joint.velocity_is_written = !limit.attribute("velocity").empty();
  joint.lower = quantity(limit.attribute("lower"));
  joint.upper = quantity(limit.attribute("upper"));
  joint.effort = quantity(limit.attribute("effort"));
  joint.velocity = quantity(limit.attribute("velocity"));
  joint.damping = quantity(dynamics.attribute("damping"));
  joint.friction = quantity(dynamics.attribute("friction"));
  if (const auto sound = check_unused_numbers(document, node); !sound)
    joint.unused_number = sound.error().what;
  return joint;
}

std::optional<Error> error_of(const Result<Done>& checked) {
  if (checked) return {};
  return checked.error();
}

void change_inertial(pugi::xml_node inertial, const InertialChange& change) {
  if (const auto& com = change.com)
    set_attribute(inertial.child("origin"), "xyz",
                  fmt::format("{} {} {}", com->x(), com->y(), com->z()));
  if (change.mass) set_attribute(inertial.child("mass"), "value", fmt::format("{}", *change.mass));
  if (!change.tensor) return;
  for (const auto& [name, row, column] : kEntries)
    set_attribute(inertial.child("inertia"), name,
                  fmt::format("{}", (*change.tensor)(row, column)));
}

}  // namespace

Result<WrittenRobot> UrdfDocument::as_written() const {
  WrittenRobot robot;
  constexpr std::ptrdiff_t kMaxElements = 100000;
  const auto elements = root().children();
  const auto is_element = [](const pugi::xml_node& node) {
    return node.type() == pugi::node_element;
  };
  if (const auto count = std::count_if(elements.begin(), elements.end(), is_element);
      count > kMaxElements)
    return Error{path(), fmt::format("has {} links and joints, more than {}", count, kMaxElements),
                 "no robot has that many: check the program that wrote the file"};
  robot.name = root().attribute("name").value();
  robot.terms = {.format = "URDF",
                 .inertial = "<inertial>",
                 .origin = "<origin>",
                 .rotation = "<origin rpy>",
                 .mass_form = "<mass value=\"..\"/>",
                 .tensor_form = "<inertia ixx ixy ixz iyy iyz izz>",
                 .axis_form = "<axis xyz=\"0 0 1\"/>",
                 .limit_form = "<limit lower upper effort velocity>",
                 .needed_limits = "<limit effort velocity>",
                 .millimeters_form = "add scale=\"0.001 0.001 0.001\" to the <mesh>"};
  for (const pugi::xml_node node : elements)
    if (is_element(node)) robot.elements.push_back({node.attribute("name").value(), where(node)});
  for (const pugi::xml_node node : root().children("link"))
    robot.links.push_back(link_of(*this, node));
  for (const pugi::xml_node node : root().children("joint"))
    robot.joints.push_back(joint_of(*this, node));
  robot.unexpanded = error_of(check_urdf_expanded(*this));
  robot.structure = error_of(check_urdf_structure(*this));
  robot.numbers = error_of(check_urdf_numbers(*this));
  return robot;
}

Result<std::string> UrdfDocument::with_inertials(const std::vector<InertialChange>& changes) const {
  HEFT_TRY(copy, parse(path(), text()));
  std::vector<pugi::xml_node> links;
  for (const pugi::xml_node link : copy->root().children("link")) links.push_back(link);
  for (const InertialChange& change : changes)
    if (change.link < links.size()) change_inertial(links[change.link].child("inertial"), change);
  return with_changes(*copy);
}

}  // namespace heft
