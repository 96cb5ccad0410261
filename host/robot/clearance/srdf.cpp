#include "srdf.hpp"

#include <algorithm>
#include <pugixml.hpp>

#include "files/name_hint.hpp"
#include "files/whole_file.hpp"

namespace heft {

Result<std::set<LinkNames>> read_disabled_pairs(const std::string& path, const std::string& robot,
                                                const std::vector<std::string>& links) {
  HEFT_TRY(text, read_text_whole(path, kLargestRobot));
  const auto where = [&](std::ptrdiff_t offset) {
    const auto end = text.begin() + std::clamp<std::ptrdiff_t>(
                                        offset, 0, static_cast<std::ptrdiff_t>(text.size()));
    return path + ":" + std::to_string(1 + std::count(text.begin(), end, '\n'));
  };
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed = xml.load_buffer(text.data(), text.size());
  if (!parsed)
    return Error{where(parsed.offset), std::string("is not valid XML: ") + parsed.description(),
                 "fix the file"};
  const pugi::xml_node root = xml.child("robot");
  if (!root) return Error{path, "has no <robot> element", "give the SRDF file of the robot"};
  if (const pugi::xml_node own = root.child("link") ? root.child("link") : root.child("joint"))
    return Error{
        where(own.offset_debug()), "is a URDF, not an SRDF file",
        "give the SRDF file of the robot: pairs of links in <disable_collisions link1=.. link2=..>"};
  if (const std::string name = root.attribute("name").value(); name != robot)
    return Error{where(root.offset_debug()),
                 "describes the robot '" + name + "', not '" + robot + "'",
                 "give the SRDF file of this robot"};
  std::set<LinkNames> disabled;
  for (const pugi::xml_node pair : root.children("disable_collisions")) {
    std::string names[2];
    for (int side = 0; side < 2; ++side) {
      const char* const attribute = side == 0 ? "link1" : "link2";
      names[side] = pair.attribute(attribute).value();
      if (std::find(links.begin(), links.end(), names[side]) == links.end())
        return Error{
            where(pair.offset_debug()),
            std::string(attribute) + " names '" + names[side] +
                "', which is not a link of the robot",
            "give the SRDF file of this robot; " + name_hint(names[side], links, "it has")};
    }
    disabled.insert(std::minmax(names[0], names[1]));
  }
  return disabled;
}

}  // namespace heft
