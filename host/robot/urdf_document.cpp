#include "robot/urdf_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "files/whole_file.hpp"

namespace heft {

namespace {

// all that a URDF can hold is kept; line ends too, so that only inertials differ after writing
constexpr unsigned kParseFlags =
    (pugi::parse_full | pugi::parse_ws_pcdata | pugi::parse_fragment) & ~pugi::parse_eol;

struct Place {
  std::ptrdiff_t line = 1;
  std::ptrdiff_t column = 1;
};

std::vector<std::ptrdiff_t> find_line_starts(const std::string& text) {
  std::vector<std::ptrdiff_t> starts = {0};
  for (std::ptrdiff_t i = 0; i < std::ssize(text); ++i)
    if (text[i] == '\n') starts.push_back(i + 1);
  return starts;
}

Place place_of(const UrdfDocument& document, std::ptrdiff_t offset) {
  const std::vector<std::ptrdiff_t>& starts = document.line_starts;
  offset = std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(document.text));
  const auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  return {next - starts.begin(), 1 + offset - *(next - 1)};
}

pugi::xml_node named_child(pugi::xml_node parent, const char* element, const std::string& name) {
  return parent.find_child([&](pugi::xml_node node) {
    return std::strcmp(node.name(), element) == 0 && name == node.attribute("name").value();
  });
}

}  // namespace

pugi::xml_node UrdfDocument::link(const std::string& name) const {
  return named_child(robot(), "link", name);
}

pugi::xml_node UrdfDocument::joint(const std::string& name) const {
  return named_child(robot(), "joint", name);
}

std::string UrdfDocument::where(pugi::xml_node node) const {
  if (!node) return path;
  return fmt::format("{}:{}", path, place_of(*this, node.offset_debug()).line);
}

Result<UrdfDocument> load_urdf_document(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestRobot));
  return parse_urdf_document(path, text);
}

Result<UrdfDocument> parse_urdf_document(const std::string& path, const std::string& text) {
  UrdfDocument document;
  document.path = path;
  document.text = text;
  document.line_starts = find_line_starts(text);
  if (document.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{path, "is empty", "give a URDF file: XML with a <robot> element"};
  }

  const pugi::xml_parse_result parsed =
      document.xml.load_buffer(document.text.data(), document.text.size(), kParseFlags);
  if (!parsed) {
    const Place place = place_of(document, parsed.offset);
    return Error{fmt::format("{}:{}:{}", path, place.line, place.column),
                 fmt::format("malformed XML: {}", parsed.description()),
                 "mend the XML at or just before this place"};
  }
  document.encoding = parsed.encoding;

  if (!document.robot()) {
    return Error{path, "has no <robot> element",
                 "give a URDF file (a xacro file must be expanded with the xacro tool first)"};
  }
  return document;
}

}  // namespace heft
