#include "robot_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "robot/urdf_values.hpp"
#include "tensor.hpp"

namespace heft::check {

namespace {

// Clamps a number so that rules can multiply and divide by it: implausibly large ones to the
// maximum, tiny ones to zero. The reader's rules report the former.
double within_bounds(double value) {
  if (std::abs(value) < 1 / kLargestQuantity) return 0;
  return std::clamp(value, -kLargestQuantity, kLargestQuantity);
}

// One unit in the last place as written: 0.0040 -> 1e-4, 3.1e-3 -> 1e-4; none for numbers without a
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

void read_tensor(pugi::xml_node element, LinkFacts& link) {
  constexpr struct {
    const char* name;
    int row, column;
  } kEntries[] = {{"ixx", 0, 0}, {"ixy", 0, 1}, {"ixz", 0, 2},
                  {"iyy", 1, 1}, {"iyz", 1, 2}, {"izz", 2, 2}};
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

LinkFacts read_link(pugi::xml_node node, const UrdfDocument& document,
                    const CheckOptions& options) {
  LinkFacts link;
  link.name = node.attribute("name").value();
  link.node = node;
  link.inertial = node.child("inertial");
  link.geometry = gather_geometry(node, document, options);
  if (!link.inertial) return link;
  link.X_link_inertial = read_origin(link.inertial);
  const double mass = read_number(link.inertial.child("mass").attribute("value"), NAN);
  link.has_mass = std::isfinite(mass);
  if (link.has_mass) link.mass = mass;
  read_tensor(link.inertial.child("inertia"), link);
  return link;
}

JointFacts read_joint(pugi::xml_node node) {
  JointFacts joint;
  joint.name = node.attribute("name").value();
  joint.type = node.attribute("type").value();
  joint.parent = node.child("parent").attribute("link").value();
  joint.child = node.child("child").attribute("link").value();
  joint.node = node;
  joint.X_parent_joint = read_origin(node);
  joint.axis = read_vector(node.child("axis").attribute("xyz"), joint.axis);
  return joint;
}

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

double read_number(pugi::xml_attribute attribute, double fallback) {
  return within_bounds(number_of(attribute, fallback));
}

Eigen::Vector3d read_vector(pugi::xml_attribute attribute, const Eigen::Vector3d& fallback) {
  return vector_of(attribute, fallback).unaryExpr(&within_bounds);
}

Eigen::Isometry3d read_origin(pugi::xml_node parent) {
  Eigen::Isometry3d X = origin_of(parent);
  X.translation() = X.translation().unaryExpr(&within_bounds).eval();
  return X;
}

RobotFacts gather_facts(std::unique_ptr<UrdfDocument> document, const CheckOptions& options) {
  RobotFacts robot;
  for (const pugi::xml_node node : document->root().children("link")) {
    robot.link_index.emplace(node.attribute("name").value(), robot.links.size());
    robot.links.push_back(read_link(node, *document, options));
  }
  for (const pugi::xml_node node : document->root().children("joint"))
    robot.joints.push_back(read_joint(node));
  TreeWalk(robot).run();
  for (const LinkFacts& link : robot.links) {
    robot.total_mass += std::max(link.mass, 0.0);
    if (link.moves) robot.moving_mass += std::max(link.mass, 0.0);
  }
  robot.document = std::move(document);
  return robot;
}

}  // namespace heft::check
