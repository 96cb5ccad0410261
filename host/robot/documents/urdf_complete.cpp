// check_urdf_complete: checks for required values without defaults.
#include <fmt/format.h>

#include <string_view>

#include "urdf_document.hpp"

namespace heft {

namespace {

constexpr const char* kTensorEntries[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};

const char* name_attribute(pugi::xml_node node) {
  return node.attribute("name").value();
}

Result<Done> check_inertial(const UrdfDocument& document, pugi::xml_node link) {
  const pugi::xml_node inertial = link.child("inertial");
  if (!inertial) return Done{};
  if (!inertial.child("mass").attribute("value"))
    return Error{document.where(inertial),
                 fmt::format("the <inertial> of link '{}' has no mass", name_attribute(link)),
                 "add <mass value=\"..\"/> in kg, or remove the <inertial>"};
  const pugi::xml_node tensor = inertial.child("inertia");
  for (const char* entry : kTensorEntries) {
    if (tensor.attribute(entry)) continue;
    return Error{document.where(tensor ? tensor : inertial),
                 fmt::format("the <inertia> of link '{}' has no {}", name_attribute(link), entry),
                 "add <inertia ixx ixy ixz iyy iyz izz> in kg m^2, about the center of mass"};
  }
  return Done{};
}

Result<Done> check_limit(const UrdfDocument& document, pugi::xml_node joint) {
  const std::string_view type = joint.attribute("type").value();
  const pugi::xml_node limit = joint.child("limit");
  if (!limit) {
    if (type != "revolute" && type != "prismatic") return Done{};
    return Error{document.where(joint),
                 fmt::format("the {} joint '{}' has no <limit>", type, name_attribute(joint)),
                 type == "revolute"
                     ? "add <limit lower upper effort velocity>, or make the joint continuous"
                     : "add <limit lower upper effort velocity>"};
  }
  for (const char* name : {"effort", "velocity"}) {
    if (limit.attribute(name)) continue;
    return Error{document.where(limit),
                 fmt::format("the <limit> of joint '{}' has no {}", name_attribute(joint), name),
                 "give both, effort in N m or N and velocity in rad/s or m/s"};
  }
  return Done{};
}

Result<Done> check_joint(const UrdfDocument& document, pugi::xml_node joint) {
  HEFT_CHECK(check_limit(document, joint));
  const pugi::xml_node dynamics = joint.child("dynamics"), mimic = joint.child("mimic");
  if (dynamics && !dynamics.attribute("damping") && !dynamics.attribute("friction"))
    return Error{document.where(dynamics),
                 fmt::format("the <dynamics> of joint '{}' has neither damping nor friction",
                             name_attribute(joint)),
                 "give one of them, or remove the element"};
  if (mimic && !mimic.attribute("joint"))
    return Error{document.where(mimic),
                 fmt::format("the <mimic> of joint '{}' names no joint", name_attribute(joint)),
                 "give it an attribute joint=\"..\", or remove it"};
  return Done{};
}

}  // namespace

Result<Done> check_urdf_complete(const UrdfDocument& document) {
  if (!document.root().attribute("name"))
    return Error{document.where(document.root()), "the <robot> has no name",
                 "give it an attribute name=\"..\""};
  for (const pugi::xml_node link : document.root().children("link"))
    HEFT_CHECK(check_inertial(document, link));
  for (const pugi::xml_node joint : document.root().children("joint"))
    HEFT_CHECK(check_joint(document, joint));
  return Done{};
}

}  // namespace heft
