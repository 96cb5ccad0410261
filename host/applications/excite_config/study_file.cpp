#include "excite_config/study_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "config/field_reader.hpp"
#include "excite_config/design_input.hpp"
#include "excite_config/excite_options.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "heft/version.hpp"
#include "robot/mesh_path.hpp"

namespace heft {

namespace {

using config::FieldReader;
using config::place_of;

constexpr std::size_t kMaxDesigns = 10000;
constexpr std::size_t kMaxFolderName = 100;
constexpr const char* kSections[] = {"limits", "beliefs", "columns"};

/// A mapping of options, its keys that are not options, and the line at which errors point.
struct OptionLevel {
  YAML::Node node;
  std::vector<const char*> own_keys;
  std::string name, where;
};

/// Reads options of one level over those of the levels before.
class OptionReader {
 public:
  OptionReader(FieldReader& reader, const YAML::Node& node, const std::string& file,
               DesignInput& input)
      : reader_(reader), node_(node), file_(file), input_(input) {}

  void read() {
    read_robot_options();
    read_search();
    read_surroundings();
    read_configuration();
  }

 private:
  /// Reads an option by its name, also as it is written in a flag: until_mass, until-mass. Returns
  /// whether it is given.
  template <class Value, class... Rest>
  bool option(const std::string& name, Value& value, const char* unit, const char* help,
              const Rest&... check) {
    reader_(name.c_str(), value, unit, help, check...);
    std::string of_flag = name;
    std::replace(of_flag.begin(), of_flag.end(), '_', '-');
    if (of_flag == name || !node_[of_flag].IsDefined()) return node_[name].IsDefined();
    reader_(of_flag.c_str(), value, unit, help, check...);
    return true;
  }

  void file_option(const char* name, std::string& value, const char* help) {
    if (option(name, value, "", help)) value = path_beside(file_, value);
  }

  void read_robot_options() {
    file_option("rotors", input_.robot_options.rotors_path,
                "YAML file with motor rotors as bodies");
    reader_.section("joints", [&](FieldReader& joints) {
      joints("locked", input_.robot_options.locked_joints, "rad, m", "joints that stand still");
    });
    option("base", input_.base, "", "how a floating base is held");
    file_option("known", input_.known, "moments of existing logs");
  }

  void read_search() {
    using config::not_negative, config::positive, config::within;
    ExciteOptions& options = input_.options;
    input_.has_duration |=
        option("duration", options.shape.duration, "s", "duration of the motion", positive());
    input_.has_motion |= option("motion", input_.motion, "", "functions of time");
    option("intervals", input_.intervals, "", "intervals of splines, or harmonics", not_negative());
    option("rate", options.rate_hz, "Hz", "samples per second in the files", positive());
    option("objective", options.objective, "", "what to maximize");
    file_option("task", input_.task, "CSV of the states of the robot's task");
    file_option("from", input_.from, "trajectory.json from which the search starts");
    file_option("start", input_.start, "JSON of the posture at the beginning and end");
    option("starts", options.starts, "", "random motions from which the search starts",
           within(1, 100000));
    int seed = static_cast<int>(options.seed);
    option("seed", seed, "", "seed of the random motions", not_negative());
    options.seed = static_cast<std::uint64_t>(std::max(0, seed));
    option("time_budget", options.time_budget_s, "s", "time for the search of one design, 0: any",
           not_negative());
    option("speed", options.slow_speed, "", "fraction of the speed of a slow first run",
           within(0, 1));
    option("until_mass", options.mass_share, "", "relative error to which masses become known",
           within(0, 1));
  }

  void read_surroundings() {
    ClearanceOptions& clearance = input_.options.clearance;
    option("floor", clearance.floor, "m", "height of a level floor");
    file_option("obstacles", input_.obstacles, "YAML file of obstacles");
    file_option("srdf", clearance.srdf_path, "SRDF file");
    if (option("package_path", clearance.package_folders, "", "folders of packages of meshes"))
      for (std::string& folder : clearance.package_folders) folder = path_beside(file_, folder);
    option("ignore_collisions", clearance.ignore, "", "check no collisions");
  }

  /// Options that need the joints of the robot: a file, then the sections beside it.
  void read_configuration() {
    std::string config;
    file_option("config", config, "YAML file with limits, beliefs and columns");
    if (!config.empty()) {
      input_.of_joints.push_back([config](const Robot& robot, ExciteOptions& options) {
        return read_excite_options(config, robot, options);
      });
      input_.configs.push_back(config);
    }
    YAML::Node sections(YAML::NodeType::Map);
    for (const char* section : kSections) {
      reader_.leave(section);
      if (node_[section]) sections[section] = node_[section];
    }
    if (sections.size() == 0) return;
    input_.of_joints.push_back(
        [sections, file = file_](const Robot& robot, ExciteOptions& options) {
          return read_excite_sections(sections, file, robot, options);
        });
  }

  FieldReader& reader_;
  const YAML::Node& node_;
  const std::string& file_;
  DesignInput& input_;
};

/// A name as that of a folder: letters, digits, - and _ stay.
std::string folder_name(const std::string& name) {
  std::string folder = name.substr(0, kMaxFolderName);
  for (char& letter : folder) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) == 0 && byte < 128 && letter != '-') letter = '_';
  }
  return folder;
}

/// Refuses names that are missing or taken, also as folders.
class Names {
 public:
  explicit Names(std::string noun) : noun_(std::move(noun)) {}

  Result<Done> add(const OptionLevel& level) {
    const std::string remedy = "give each a name of its own: {name: ..}";
    if (level.name.empty()) return Error{level.where, "a " + noun_ + " has no name", remedy};
    const auto [other, is_new] = folders_.emplace(folder_name(level.name), level);
    if (is_new) return Done{};
    if (other->second.name == level.name)
      return Error{level.where, fmt::format("another {} is already named '{}'", noun_, level.name),
                   remedy};
    return Error{level.where,
                 fmt::format("the {}s '{}' and '{}' would have the same folder, '{}'", noun_,
                             other->second.name, level.name, other->first),
                 remedy};
  }

 private:
  std::string noun_;
  std::map<std::string, OptionLevel> folders_;
};

/// A mapping as one line, without its name: "duration: 10, objective: i".
std::string words_of(const YAML::Node& mapping) {
  YAML::Node options(YAML::NodeType::Map);
  for (const auto& entry : mapping)
    if (entry.first.Scalar() != "name" && entry.first.Scalar() != "robot")
      options[entry.first.Scalar()] = entry.second;
  if (options.size() == 0) return {};
  YAML::Emitter text;
  text << YAML::Flow << options;
  const std::string line = text.c_str();
  return line.size() > 1 && line.front() == '{' ? line.substr(1, line.size() - 2) : line;
}

/// SHA-256 of the files and options that determine a design.
class InputDigest {
 public:
  std::string of(const DesignInput& input, const Robot& robot,
                 const std::vector<std::string>& options) {
    std::string text = std::string(kVersion) + '\0' + robot.source_text + '\0';
    for (const std::string& words : options) text += words + '\0';
    for (const auto& files : {files_of(input), input.configs})
      for (const std::string& file : files) text += of_file(file) + '\0';
    for (const std::string& uri : mesh_names(robot.source_text))
      text += of_file(find_mesh(uri, robot.source, input.options.clearance.package_folders)) + '\0';
    return sha256_of(text);
  }

 private:
  /// The values of all attributes filename="..".
  static std::set<std::string> mesh_names(std::string_view text) {
    constexpr std::string_view kAttribute = "filename=";
    std::set<std::string> names;
    for (std::size_t at = text.find(kAttribute); at != std::string_view::npos;
         at = text.find(kAttribute, at + 1)) {
      const std::size_t quote = at + kAttribute.size();
      if (quote >= text.size()) break;
      const std::size_t end = text.find(text[quote], quote + 1);
      if (end == std::string_view::npos) break;
      names.emplace(text.substr(quote + 1, end - quote - 1));
    }
    return names;
  }

  /// Empty for a file that cannot be read, such as a mesh that is missing.
  const std::string& of_file(const std::string& path) {
    const auto [digest, is_new] = digests_.emplace(path, "");
    if (is_new && !path.empty())
      if (const auto bytes = read_file_whole(path)) digest->second = sha256_of(*bytes);
    return digest->second;
  }

  std::map<std::string, std::string> digests_;
};

class StudyReader {
 public:
  StudyReader(YAML::Node root, std::string path) : root_(std::move(root)), path_(std::move(path)) {}

  Result<Study> read() {
    if (!root_.IsMap())
      return Error{place_of(path_, root_), "must be a mapping",
                   "write robots: [arm.urdf], designs: [{duration: 10}] and starts: 8"};
    HEFT_CHECK(input_of({of_all()}));
    HEFT_TRY(robots, levels("robots", "robot"));
    if (robots.empty())
      return Error{path_, "has no list 'robots'", "write robots: [arm.urdf, other.urdf]"};
    HEFT_TRY(designs, levels("designs", ""));
    if (designs.empty()) designs.push_back({YAML::Node(YAML::NodeType::Map), {}, "", path_});
    HEFT_CHECK(name_designs(designs));
    if (robots.size() * designs.size() > kMaxDesigns)
      return Error{path_,
                   fmt::format("has {} robots with {} designs each", robots.size(), designs.size()),
                   fmt::format("split it: at most {} designs per study", kMaxDesigns)};
    Study study;
    study.files.push_back(path_);
    Names names("robot");
    for (OptionLevel& level : robots) {
      HEFT_TRY(robot, read_one(level, designs, study.files));
      level.name = robot.name;
      HEFT_CHECK(names.add(level));
      study.robots.push_back(std::move(robot));
    }
    return study;
  }

 private:
  OptionLevel of_all() const { return {root_, {"robots", "designs"}, "", path_}; }

  /// A scalar as the mapping {plain: scalar}; other items as they are. An assignment to a node
  /// would change the document.
  static YAML::Node mapping_of(const YAML::Node& item, const std::string& plain) {
    if (plain.empty() || !item.IsScalar()) return item;
    YAML::Node mapping(YAML::NodeType::Map);
    mapping[plain] = item.Scalar();
    return mapping;
  }

  /// The items of a list: mappings, or for `plain` also the value of that key alone.
  Result<std::vector<OptionLevel>> levels(const char* list, const std::string& plain) const {
    std::vector<OptionLevel> found;
    const YAML::Node node = root_[list];
    if (!node || node.IsNull()) return found;
    const std::string form = plain.empty() ? "{duration: 10}" : "arm.urdf or {robot: arm.urdf}";
    if (!node.IsSequence() || node.size() == 0)
      return Error{place_of(path_, node),
                   std::string(list) + (node.IsSequence() ? " is empty" : " must be a list"),
                   "write '- ' and " + form + " below it"};
    for (const YAML::Node& item : node) {
      OptionLevel level{mapping_of(item, plain), {"name"}, "", place_of(path_, item)};
      if (!plain.empty()) level.own_keys.push_back("robot");
      if (!level.node.IsMap())
        return Error{level.where, std::string("an item of ") + list + " must be " + form,
                     "write '- ' and " + form};
      found.push_back(std::move(level));
    }
    return found;
  }

  /// The name that a level gives; empty if it gives none.
  Result<std::string> name_of(const OptionLevel& level) const {
    const YAML::Node name = std::as_const(level.node)["name"];
    if (!name) return std::string();
    if (name.IsScalar() && !name.Scalar().empty()) return name.Scalar();
    return Error{place_of(path_, name), "name: cannot read this value", "write a string"};
  }

  Result<Done> name_designs(std::vector<OptionLevel>& designs) const {
    Names names("design");
    for (std::size_t i = 0; i < designs.size(); ++i) {
      HEFT_TRY(name, name_of(designs[i]));
      designs[i].name = name.empty() ? "design_" + std::to_string(i + 1) : name;
      HEFT_CHECK(names.add(designs[i]));
    }
    return Done{};
  }

  /// Options of the levels, the last of which may override the others.
  Result<DesignInput> input_of(const std::vector<OptionLevel>& levels) const {
    DesignInput input;
    for (const OptionLevel& level : levels) {
      FieldReader reader(level.node, path_);
      const YAML::Node node = level.node;
      OptionReader(reader, node, path_, input).read();
      for (const char* key : level.own_keys) reader.leave(key);
      if (const auto error = reader.finish()) return *error;
    }
    return input;
  }

  Result<StudyRobot> read_one(const OptionLevel& level, const std::vector<OptionLevel>& designs,
                              std::vector<std::string>& files) {
    const YAML::Node file = std::as_const(level.node)["robot"];
    if (!file || !file.IsScalar())
      return Error{level.where, "a robot has no file", "write {robot: arm.urdf}"};
    StudyRobot robot{.file = path_beside(path_, file.Scalar())};
    HEFT_TRY(name, name_of(level));
    robot.name = name;
    for (const OptionLevel& design : designs) {
      HEFT_TRY(input, input_of({of_all(), level, design}));
      input.robot = robot.file;
      auto task = read_design_input(input);
      if (!task) return at_line(task.error(), level, design);
      if (robot.name.empty()) robot.name = task->robot.name;
      for (const auto& more : {files_of(input), input.configs})
        files.insert(files.end(), more.begin(), more.end());
      const std::string digest =
          digest_.of(input, task->robot,
                     {words_of(without_lists()), words_of(level.node), words_of(design.node)});
      robot.designs.push_back({.name = design.name,
                               .words = words_of(design.node),
                               .where = design.where,
                               .inputs = digest,
                               .robot = std::move(task->robot),
                               .options = std::move(task->options),
                               .known = std::move(task->known)});
    }
    for (StudyDesign& design : robot.designs)
      design.folder = folder_name(robot.name) + "/" + folder_name(design.name);
    return robot;
  }

  /// An error that names no line gets that of the robot.
  static Error at_line(Error error, const OptionLevel& level, const OptionLevel& design) {
    const bool has_place = error.where.find(':') != std::string::npos;
    if (!has_place)
      error.where =
          level.where + ": design " + design.name + (error.where.empty() ? "" : ": " + error.where);
    return error;
  }

  YAML::Node without_lists() const {
    YAML::Node options(YAML::NodeType::Map);
    for (const auto& entry : root_)
      if (entry.first.Scalar() != "robots" && entry.first.Scalar() != "designs")
        options[entry.first.Scalar()] = entry.second;
    return options;
  }

  const YAML::Node root_;
  std::string path_;
  InputDigest digest_;
};

}  // namespace

Result<Study> read_study(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  return config::with_root(text, path,
                           [&](const YAML::Node& root) { return StudyReader(root, path).read(); });
}

}  // namespace heft
