// Checks of urdf_document.hpp on the tree of links and joints, before any number is read.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "urdf_document.hpp"
#include "urdf_values.hpp"

namespace heft {

namespace {

using NodesByName = std::map<std::string, pugi::xml_node>;

constexpr std::array<std::string_view, 6> kJointTypes = {"revolute", "continuous", "prismatic",
                                                         "fixed",    "planar",     "floating"};

bool has_own_coordinate(std::string_view joint_type) {
  return joint_type == "revolute" || joint_type == "continuous" || joint_type == "prismatic";
}

constexpr const char* kExpandRemedy =
    "expand it with the xacro tool first: xacro robot.xacro > robot.urdf";

bool is_xacro_expression(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos;
}

// the first attribute of a node that xacro would replace; null if there is none
pugi::xml_attribute expression_in(pugi::xml_node node) {
  for (const pugi::xml_attribute attribute : node.attributes())
    if (is_xacro_expression(attribute.value())) return attribute;
  return {};
}

// " of joint 'elbow'": the named element that a node belongs to; empty if it has a name itself, or
// none has
std::string owner_of(pugi::xml_node node) {
  if (node.attribute("name")) return "";
  for (pugi::xml_node at = node.parent(); at && at.parent().parent(); at = at.parent())
    if (const pugi::xml_attribute name = at.attribute("name"))
      return fmt::format(" of {} '{}'", at.name(), name.value());
  return "";
}

Result<NodesByName> collect(const UrdfDocument& document, const char* element) {
  NodesByName nodes;
  for (pugi::xml_node node : document.root().children(element)) {
    const std::string name = node.attribute("name").value();
    if (name.empty()) {
      return Error{document.where(node), fmt::format("a <{}> has no name", element),
                   "give it an attribute name=\"...\""};
    }
    const auto [other, is_new] = nodes.emplace(name, node);
    if (!is_new) {
      return Error{document.where(node),
                   fmt::format("{} '{}' appears twice, first at {}", element, name,
                               document.where(other->second)),
                   "rename or remove one of them"};
    }
  }
  return nodes;
}

class StructureCheck {
 public:
  StructureCheck(const UrdfDocument& document, NodesByName links, NodesByName joints)
      : document_(document), links_(std::move(links)), joints_(std::move(joints)) {}

  Result<Done> run() {
    for (const auto& [name, link] : links_) HEFT_CHECK(check_link(name, link));
    for (const auto& [name, joint] : joints_) HEFT_CHECK(check_joint(name, joint));
    HEFT_TRY(root, find_root());
    HEFT_CHECK(check_all_hang_on(root));
    for (const auto& [name, joint] : joints_) HEFT_CHECK(check_mimic(name, joint));
    return Done{};
  }

 private:
  Result<Done> check_link(const std::string& name, pugi::xml_node link) const {
    const pugi::xml_node second = link.child("inertial").next_sibling("inertial");
    if (!second) return Done{};
    return Error{document_.where(second),
                 fmt::format("link '{}' has two <inertial> elements", name), "keep one"};
  }

  Result<Done> check_joint(const std::string& name, pugi::xml_node joint) {
    const std::string_view type = joint.attribute("type").value();
    if (std::find(kJointTypes.begin(), kJointTypes.end(), type) == kJointTypes.end()) {
      return Error{
          document_.where(joint), fmt::format("joint '{}' has the unknown type '{}'", name, type),
          fmt::format("use one of {}", fmt::join(kJointTypes.begin(), kJointTypes.end(), ", "))};
    }
    for (const char* end : {"parent", "child"}) {
      const std::string link = joint.child(end).attribute("link").value();
      if (!links_.contains(link)) {
        return Error{
            document_.where(joint),
            fmt::format("the {} of joint '{}' is link '{}', which does not exist", end, name, link),
            "add the link or correct its name"};
      }
    }
    const std::string child = joint.child("child").attribute("link").value();
    const auto [other, is_new] = joint_above_.emplace(child, joint);
    if (!is_new) {
      return Error{
          document_.where(joint),
          fmt::format("link '{}' is the child of joint '{}' and of joint '{}'", child, name,
                      other->second.attribute("name").value()),
          "a URDF is a tree: give every link one parent joint (closed loops cannot be read)"};
    }
    links_below_[joint.child("parent").attribute("link").value()].push_back(child);
    return Done{};
  }

  Result<std::string> find_root() const {
    std::string root;
    for (const auto& [name, link] : links_) {
      if (joint_above_.contains(name)) continue;
      if (!root.empty()) {
        return Error{document_.where(link),
                     fmt::format("two root links, '{}' and '{}': neither is the child of a joint",
                                 root, name),
                     "connect all links to one tree, by fixed joints where nothing moves"};
      }
      root = name;
    }
    if (!root.empty()) return root;
    if (links_.empty()) {
      return Error{document_.path(), "has no links",
                   "give a URDF with <link> and <joint> elements"};
    }
    return cycle_error(links_.begin()->second, "every link is the child of a joint");
  }

  // with one parent per link, a link that cannot be reached from the root hangs on a cycle
  Result<Done> check_all_hang_on(const std::string& root) const {
    std::set<std::string> reached = {root};
    std::vector<std::string> pending = {root};
    while (!pending.empty()) {
      const auto below = links_below_.find(pending.back());
      pending.pop_back();
      if (below == links_below_.end()) continue;
      reached.insert(below->second.begin(), below->second.end());
      pending.insert(pending.end(), below->second.begin(), below->second.end());
    }
    for (const auto& [name, link] : links_) {
      if (reached.contains(name)) continue;
      return cycle_error(link,
                         fmt::format("link '{}' is not connected to the root '{}'", name, root));
    }
    return Done{};
  }

  Error cycle_error(pugi::xml_node link, const std::string& symptom) const {
    return Error{document_.where(link), fmt::format("the joints form a cycle: {}", symptom),
                 "a URDF is a tree: remove the joint that closes the loop"};
  }

  Result<Done> check_mimic(const std::string& name, pugi::xml_node joint) {
    if (!joint.child("mimic")) return Done{};
    const std::string_view type = joint.attribute("type").value();
    if (type == "fixed") return Done{};  // does not move, whatever it mimics
    if (!has_own_coordinate(type)) {
      return Error{document_.where(joint),
                   fmt::format("{} joint '{}' cannot mimic another joint", type, name),
                   "remove its <mimic>"};
    }
    pugi::xml_node at = joint;
    std::set<std::string> followers;  // of what comes next
    while (true) {
      const pugi::xml_node mimic = at.child("mimic");
      const std::string at_name = at.attribute("name").value();
      if (!mimic || sound_mimics_.contains(at_name)) {
        sound_mimics_.merge(followers);
        return Done{};
      }
      if (!followers.insert(at_name).second) break;
      const std::string followed = mimic.attribute("joint").value();
      if (number_of(mimic.attribute("multiplier"), 1) == 0) {
        return Error{document_.where(mimic),
                     fmt::format("joint '{}' mimics '{}' with the multiplier 0", at_name, followed),
                     "make the joint fixed, in the pose of its offset, or correct the multiplier"};
      }
      const auto found = joints_.find(followed);
      if (found == joints_.end()) {
        return Error{
            document_.where(mimic),
            fmt::format("joint '{}' mimics joint '{}', which does not exist", at_name, followed),
            "add the joint or correct its name in <mimic>"};
      }
      at = found->second;
      if (!has_own_coordinate(at.attribute("type").value())) {
        return Error{
            document_.where(mimic),
            fmt::format("joint '{}' mimics the {} joint '{}', which has no single coordinate", name,
                        at.attribute("type").value(), followed),
            "mimic a revolute, continuous or prismatic joint"};
      }
    }
    return Error{document_.where(joint), fmt::format("joint '{}' mimics itself in a cycle", name),
                 "let one joint of the cycle move freely: remove its <mimic>"};
  }

  const UrdfDocument& document_;
  NodesByName links_;
  NodesByName joints_;
  NodesByName joint_above_;  // by child link
  std::map<std::string, std::vector<std::string>> links_below_;
  std::set<std::string> sound_mimics_;  // joints known to follow one that moves freely
};

}  // namespace

// the file is not expanded: links may be in macros, numbers in expressions
Result<Done> check_urdf_expanded(const UrdfDocument& document) {
  const pugi::xml_node macro = document.root().find_node(
      [](pugi::xml_node node) { return std::string_view(node.name()).starts_with("xacro:"); });
  if (macro)
    return Error{document.where(macro),
                 fmt::format("<{}>: this is a xacro file, not yet a URDF", macro.name()),
                 kExpandRemedy};
  pugi::xml_node node = document.root();
  if (!expression_in(node))
    node = node.find_node([](pugi::xml_node at) { return !expression_in(at).empty(); });
  if (!node) return Done{};
  const pugi::xml_attribute attribute = expression_in(node);
  return Error{document.where(node),
               fmt::format("this file still contains xacro expressions: {}=\"{}\" of <{}>{}",
                           attribute.name(), attribute.value(), node.name(), owner_of(node)),
               kExpandRemedy};
}

Result<Done> check_urdf_structure(const UrdfDocument& document) {
  HEFT_CHECK(check_urdf_expanded(document));
  HEFT_TRY(links, collect(document, "link"));
  HEFT_TRY(joints, collect(document, "joint"));
  return StructureCheck(document, std::move(links), std::move(joints)).run();
}

}  // namespace heft
