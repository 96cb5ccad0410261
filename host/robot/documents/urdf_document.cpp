#include "urdf_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "robot/mesh_path.hpp"

namespace heft {

namespace {

// keep everything in the file, including line ends, so that writing changes only inertials
constexpr unsigned kParseFlags =
    (pugi::parse_full | pugi::parse_ws_pcdata | pugi::parse_fragment) & ~pugi::parse_eol;

std::vector<std::ptrdiff_t> find_line_starts(const std::string& text) {
  std::vector<std::ptrdiff_t> starts = {0};
  for (std::ptrdiff_t i = 0; i < std::ssize(text); ++i)
    if (text[i] == '\n') starts.push_back(i + 1);
  return starts;
}

pugi::xml_node found(const auto& nodes, const std::string& name) {
  const auto at = nodes.find(name);
  return at == nodes.end() ? pugi::xml_node() : at->second;
}

/// Why XML without <robot> is refused: it may be a robot in another format.
Error another_format(const std::string& path, const pugi::xml_document& xml) {
  if (xml.child("mujoco") || xml.child("mujocoinclude"))
    return {
        path, "is an MJCF model, not a URDF",
        fmt::format("use python3 -m heft_robot, which reads it with the same options (in Python: "
                    "heft.Robot.from_mjcf); or convert it: python3 -m heft_robot convert-robot {} "
                    "robot.urdf",
                    path)};
  if (xml.child("sdf")) return {path, "is an SDF model, not a URDF", "export the robot as URDF"};
  return {path, "has no <robot> element",
          "give a URDF file (a xacro file must be expanded with the xacro tool first)"};
}

}  // namespace

UrdfDocument::UrdfDocument(const std::string& path, const std::string& text)
    : RobotDocument(path, text), line_starts_(find_line_starts(text)) {}

Result<std::unique_ptr<UrdfDocument>> UrdfDocument::parse(const std::string& path,
                                                          const std::string& text) {
  if (text.find_first_not_of(kBlanks) == std::string::npos)
    return Error{path, "is empty", "give a URDF file: XML with a <robot> element"};
  std::unique_ptr<UrdfDocument> document(new UrdfDocument(path, text));
  const pugi::xml_parse_result parsed =
      document->xml_.load_buffer(text.data(), text.size(), kParseFlags);
  if (!parsed) {
    const Place place = document->place_of(parsed.offset);
    return Error{fmt::format("{}:{}:{}", path, place.line, place.column),
                 fmt::format("malformed XML: {}", parsed.description()),
                 "fix the XML at or just before this place"};
  }
  document->encoding_ = parsed.encoding;
  HEFT_CHECK(document->check_entities());
  if (!document->root()) return another_format(path, document->xml_);
  for (const pugi::xml_node link : document->root().children("link"))
    document->links_.emplace(link.attribute("name").value(), link);
  for (const pugi::xml_node joint : document->root().children("joint"))
    document->joints_above_.emplace(joint.child("child").attribute("link").value(), joint);
  return document;
}

// a reader that knew them might find other names and numbers, or never end
Result<Done> UrdfDocument::check_entities() const {
  for (const pugi::xml_node node : xml_.children())
    if (node.type() == pugi::node_doctype &&
        std::string_view(node.value()).find("<!ENTITY") != std::string_view::npos)
      return Error{where(node), "defines XML entities, which are not expanded here",
                   "replace every entity with its text, and remove the definitions"};
  return Done{};
}

UrdfDocument::Place UrdfDocument::place_of(std::ptrdiff_t offset) const {
  offset = std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text()));
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return {next - line_starts_.begin(), 1 + offset - *(next - 1)};
}

pugi::xml_node UrdfDocument::link(const std::string& name) const {
  return found(links_, name);
}

pugi::xml_node UrdfDocument::joint_above(const std::string& link) const {
  return found(joints_above_, link);
}

std::string UrdfDocument::where(pugi::xml_node node) const {
  if (!node) return path();
  return fmt::format("{}:{}", path(), place_of(node.offset_debug()).line);
}

std::string UrdfDocument::find_mesh(const std::string& name,
                                    const std::vector<std::string>& package_folders) const {
  return heft::find_mesh(name, path(), package_folders);
}

}  // namespace heft
