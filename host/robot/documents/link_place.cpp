#include "robot/link_place.hpp"

#include <algorithm>

#include "files/name_hint.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft {

Result<LinkPlace> find_link(const Robot& robot, const std::string& name, const std::string& where) {
  std::vector<std::string> known;
  for (int b = 0; b < robot.num_bodies(); ++b) {
    const Body& body = robot.bodies[static_cast<std::size_t>(b)];
    if (body.is_rotor) continue;
    if (body.name == name) return LinkPlace{.body = b};
    known.push_back(body.name);
    known.insert(known.end(), body.merged_links.begin(), body.merged_links.end());
    if (std::find(body.merged_links.begin(), body.merged_links.end(), name) ==
        body.merged_links.end())
      continue;
    HEFT_TRY(document, parse_robot_document(robot.source, robot.source_text));
    HEFT_TRY(pose, document->pose(name, body.name));
    return LinkPlace{.body = b, .X_body_link = pose};
  }
  return Error{where, "is not a link that the robot moves", name_hint(name, known, "it moves")};
}

}  // namespace heft
