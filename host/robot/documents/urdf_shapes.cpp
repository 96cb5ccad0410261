// UrdfDocument: reads <visual> and <collision>, and the poses of fixed links.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "urdf_document.hpp"
#include "urdf_values.hpp"

namespace heft {

namespace {

// tiny sizes become zero, so that volumes are safe divisors
double flushed(double value) {
  return std::abs(value) < 1 / kLargestQuantity ? 0 : value;
}

// reads the attributes of one element and remembers the first that is no quantity
class QuantityReader {
 public:
  QuantityReader(const UrdfDocument& document, pugi::xml_node element)
      : document_(document), element_(element) {}

  void read(const char* name, double& value) {
    if (const auto numbers = numbers_of(name, 1)) value = numbers->x();
  }

  void read(const char* name, Eigen::Vector3d& value) {
    if (const auto numbers = numbers_of(name, 3)) value = *numbers;
  }

  void read_if_given(const char* name, Eigen::Vector3d& value) {
    if (element_.attribute(name)) read(name, value);
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Eigen::Vector3d> numbers_of(const char* name, std::size_t num_values) {
    const std::vector<double> numbers =
        finite_numbers(element_.attribute(name).value(), num_values);
    Eigen::Vector3d values = Eigen::Vector3d::Zero();
    bool sound = !numbers.empty();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      values[static_cast<Eigen::Index>(k)] = flushed(numbers[k]);
      sound = sound && std::abs(numbers[k]) <= kLargestQuantity;
    }
    if (sound) return values;
    if (!error_) {
      error_ = Error{document_.where(element_),
                     fmt::format("{} of <{}> is not {}: '{}'", name, element_.name(),
                                 num_values == 1 ? "a finite number" : "three finite numbers",
                                 element_.attribute(name).value()),
                     "write decimal numbers with a point, in meters, separated by spaces"};
    }
    return {};
  }

  const UrdfDocument& document_;
  pugi::xml_node element_;
  std::optional<Error> error_;
};

pugi::xml_node first_element(pugi::xml_node parent) {
  return parent.find_child([](pugi::xml_node node) { return node.type() == pugi::node_element; });
}

Error no_such_link(const UrdfDocument& document, const std::string& name) {
  return {document.path(), fmt::format("has no link '{}'", name), "identify again from the file"};
}

}  // namespace

Result<Shape> UrdfDocument::shape(pugi::xml_node element) const {
  const pugi::xml_node kind = first_element(element.child("geometry"));
  if (!kind)
    return Error{where(element), fmt::format("a <{}> has no geometry", element.name()),
                 "give it a <geometry> with a box, cylinder, sphere or mesh, or remove it"};

  Shape shape;
  QuantityReader pose(*this, element.child("origin")), sizes(*this, kind);
  Eigen::Vector3d checked = Eigen::Vector3d::Zero();
  for (const char* name : {"xyz", "rpy"}) pose.read_if_given(name, checked);
  if (pose.error()) return *pose.error();
  shape.X_link_shape = origin_of(element);

  const std::string_view name = kind.name();
  if (name == "box") {
    sizes.read("size", shape.size);
  } else if (name == "cylinder") {
    shape.kind = Shape::Kind::cylinder;
    sizes.read("radius", shape.radius);
    sizes.read("length", shape.length);
  } else if (name == "sphere") {
    shape.kind = Shape::Kind::sphere;
    sizes.read("radius", shape.radius);
  } else if (name == "mesh") {
    shape.kind = Shape::Kind::mesh;
    shape.mesh = kind.attribute("filename").value();
    sizes.read_if_given("scale", shape.scale);
    if (shape.mesh.empty())
      return Error{where(kind), "a <mesh> has no file", "give it an attribute filename=\"..\""};
  } else {
    return Error{where(kind), fmt::format("a shape has the unknown kind <{}>", name),
                 "give a box, cylinder, sphere or mesh"};
  }
  if (sizes.error()) return *sizes.error();
  return shape;
}

Result<std::vector<Shape>> UrdfDocument::shapes(const std::string& name, ShapeUse use) const {
  const pugi::xml_node owner = link(name);
  if (!owner) return no_such_link(*this, name);
  std::vector<Shape> shapes;
  for (const pugi::xml_node element :
       owner.children(use == ShapeUse::visual ? "visual" : "collision")) {
    HEFT_TRY(read, shape(element));
    shapes.push_back(read);
  }
  return shapes;
}

std::vector<std::string> UrdfDocument::links() const {
  std::vector<std::string> names;
  for (const pugi::xml_node link : root().children("link"))
    names.emplace_back(link.attribute("name").value());
  return names;
}

Result<Eigen::Isometry3d> UrdfDocument::pose(const std::string& name,
                                             const std::string& carrier) const {
  if (!link(name)) return no_such_link(*this, name);
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  std::string at = name;
  std::set<std::string> seen;
  while (at != carrier) {
    const pugi::xml_node joint = joint_above(at);
    if (joint.attribute("type").value() != std::string_view("fixed") || !seen.insert(at).second)
      return Error{path(), fmt::format("link '{}' is not fixed to link '{}'", name, carrier),
                   "identify again from the file"};
    X = origin_of(joint) * X;
    at = joint.child("parent").attribute("link").value();
  }
  return X;
}

}  // namespace heft
