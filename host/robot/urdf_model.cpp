#include "urdf_model.hpp"

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <exception>
#include <mutex>
#include <sstream>
#include <vector>

namespace heft {

namespace {

// While it lives, what urdfdom would print is collected. console_bridge keeps one handler per process, so
// only one reader may listen at a time.
class ConsoleCapture : public console_bridge::OutputHandler {
 public:
  ConsoleCapture()
      : lock_(mutex()),
        previous_handler_(console_bridge::getOutputHandler()),
        previous_level_(console_bridge::getLogLevel()) {
    console_bridge::useOutputHandler(this);
    console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_ERROR);
  }
  ~ConsoleCapture() override {
    console_bridge::useOutputHandler(previous_handler_);
    console_bridge::setLogLevel(previous_level_);
  }
  ConsoleCapture(const ConsoleCapture&) = delete;
  ConsoleCapture& operator=(const ConsoleCapture&) = delete;

  void log(const std::string& text, console_bridge::LogLevel, const char*, int) override {
    messages_.push_back(text);
  }

  std::string messages() const { return fmt::format("{}", fmt::join(messages_, "; ")); }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }

  std::lock_guard<std::mutex> lock_;
  console_bridge::OutputHandler* previous_handler_;
  console_bridge::LogLevel previous_level_;
  std::vector<std::string> messages_;
};

// An element with its attributes alone: nothing nested in it matters to kinematics, and urdfdom's XML parser
// recurses, however deep a file nests.
pugi::xml_node append_flat(pugi::xml_node parent, pugi::xml_node element) {
  if (!element) return {};
  pugi::xml_node copy = parent.append_child(element.name());
  for (const pugi::xml_attribute attribute : element.attributes()) copy.append_copy(attribute);
  return copy;
}

std::string kinematic_part(const UrdfDocument& document) {
  pugi::xml_document part;
  pugi::xml_node robot = part.append_child("robot");
  if (const auto name = document.robot().attribute("name")) robot.append_copy(name);
  for (pugi::xml_node link : document.robot().children("link")) {
    pugi::xml_node copy = robot.append_child("link");
    copy.append_copy(link.attribute("name"));
    if (const auto inertial = link.child("inertial")) {
      pugi::xml_node inertial_copy = append_flat(copy, inertial);
      for (const char* element : {"origin", "mass", "inertia"})
        append_flat(inertial_copy, inertial.child(element));
    }
  }
  for (pugi::xml_node joint : document.robot().children("joint")) {
    pugi::xml_node copy = robot.append_child("joint");
    copy.append_copy(joint.attribute("name"));
    copy.append_copy(joint.attribute("type"));
    for (const char* element : {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}) {
      append_flat(copy, joint.child(element));
    }
  }
  std::ostringstream text;
  part.save(text, "", pugi::format_raw);
  return text.str();
}

}  // namespace

Result<urdf::ModelInterfaceSharedPtr> parse_urdf_model(const UrdfDocument& document) {
  const std::string text = kinematic_part(document);
  std::string complaint;
  {
    const ConsoleCapture console;
    try {
      auto model = urdf::parseURDF(text);
      complaint = console.messages();
      // urdfdom returns a model even where it could not read an <inertial>
      if (model && complaint.empty()) return model;
    } catch (const std::exception& exception) {
      complaint = exception.what();
    }
  }
  return Error{
      document.path, fmt::format("urdfdom refuses it: {}", complaint),
      "add what the message misses: a name for the robot, all six entries of an <inertia>, a <limit> with "
      "effort and velocity for a revolute or prismatic joint"};
}

}  // namespace heft
