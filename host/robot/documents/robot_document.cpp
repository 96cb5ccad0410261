// Reads documents from files and texts, and robots from documents: the format-independent part.
#include "heft/robot/robot_document.hpp"

#include <filesystem>

#include "files/whole_file.hpp"
#include "urdf_document.hpp"

namespace heft {

Result<std::unique_ptr<RobotDocument>> parse_robot_document(const std::string& path,
                                                            const std::string& text) {
  HEFT_TRY(document, UrdfDocument::parse(path, text));
  return std::unique_ptr<RobotDocument>(std::move(document));
}

Result<std::unique_ptr<RobotDocument>> load_robot_document(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestRobot));
  return parse_robot_document(path, text);
}

Result<Robot> read_robot(const std::string& path, const RobotOptions& options) {
  HEFT_TRY(text, read_text_whole(path, kLargestRobot));
  if (options.rotors_path.empty()) return read_robot_text(path, text, "", options);
  HEFT_TRY(rotors_text, read_text_whole(options.rotors_path, kLargestConfiguration));
  if (rotors_text.empty()) rotors_text.push_back('\n');  // an empty file is refused, no file is not
  return read_robot_text(path, text, rotors_text, options);
}

Result<Robot> read_robot_text(const std::string& path, const std::string& text,
                              const std::string& rotors_text, const RobotOptions& options) {
  HEFT_TRY(document, parse_robot_document(path, text));
  return document->robot(rotors_text, options);
}

Result<std::string> with_identified(const Robot& robot,
                                    const std::vector<BodyParameters>& parameters,
                                    const IdentifiedDynamics& dynamics) {
  HEFT_TRY(document, parse_robot_document(robot.source, robot.source_text));
  return document->with_identified(robot, parameters, dynamics);
}

std::vector<std::string> identified_names() {
  return {UrdfDocument::kIdentifiedName};
}

std::string identified_file_in(const std::string& folder) {
  namespace fs = std::filesystem;
  const std::vector<std::string> names = identified_names();
  for (const std::string& name : names)
    if (std::error_code ignored; fs::exists(fs::path(folder) / name, ignored))
      return (fs::path(folder) / name).string();
  return (fs::path(folder) / names.front()).string();
}

Result<Done> write_identified(const Robot& robot, const std::vector<BodyParameters>& parameters,
                              const std::string& path, const IdentifiedDynamics& dynamics) {
  HEFT_TRY(text, with_identified(robot, parameters, dynamics));
  return write_file_whole(path, text);
}

}  // namespace heft
