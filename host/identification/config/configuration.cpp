// Reads the configuration from YAML and writes it as JSON; both iterate over the same description
// of the fields.
#include "heft/config/configuration.hpp"

#include <filesystem>
#include <string_view>
#include <type_traits>
#include <utility>

#include "body_priors.hpp"
#include "config/column_specs.hpp"
#include "config/field_reader.hpp"
#include "contact_specs.hpp"
#include "field_writer.hpp"
#include "files/whole_file.hpp"
#include "log_kinds.hpp"
#include "payload_specs.hpp"
#include "readers/devices.hpp"
#include "sensor_specs.hpp"
#include "wrench_specs.hpp"

namespace heft {

namespace {

void take_notes(const config::FieldReader& reader, const std::string& section,
                Configuration& configuration) {
  for (const std::string& note : reader.notes())
    configuration.notes.push_back(section + "." + note);
}

Result<Done> read_sections(const YAML::Node& root, const std::string& file,
                           Configuration& configuration) {
  // `payload` is heft payload's, which reads it beside these (payload_options.hpp)
  std::vector<std::string> known = {"sensors",  "columns",  "candidates", "known_torque",
                                    "priors",   "payload",  "payloads",   "wrenches",
                                    "contacts", "log_kinds"};
  std::optional<Error> error;
  config::for_each_section(configuration, [&](const char* name, auto& options) {
    known.emplace_back(name);
    const YAML::Node section = root[name];
    if (!section || section.IsNull() || error) return;
    if (!section.IsMap()) {
      error = Error{config::place_of(file, section),
                    std::string(name) + " must be a mapping of options",
                    "write 'option: value' lines below it, indented"};
      return;
    }
    config::FieldReader reader(section, file);
    config::describe(options, reader);
    error = reader.finish();
    take_notes(reader, name, configuration);
  });
  if (error) return *error;
  if (const auto wrong = config::wrong_name(root, known, "section", file)) return *wrong;
  return Done{};
}

/// Calls visit(key, entry) for "section.option" of every mapping in a file.
template <class Visit>
void for_each_option(const YAML::Node& root, const Visit& visit) {
  if (!root.IsMap()) return;
  for (const auto& section : root)
    if (section.first.IsScalar() && section.second.IsMap())
      for (const auto& option : section.second)
        if (option.first.IsScalar())
          visit(section.first.Scalar() + "." + option.first.Scalar(), option.second);
}

/// Options of a device or their defaults, without those that were given.
Result<Done> put_below(const YAML::Node& options, Configuration& configuration) {
  YAML::Node free;
  for_each_option(options, [&](const std::string& key, const YAML::Node& value) {
    if (configuration.given.contains(key)) return;
    const std::size_t dot = key.find('.');
    free[key.substr(0, dot)][key.substr(dot + 1)] = value;
  });
  return free.IsNull() ? Result<Done>(Done{}) : read_sections(free, "", configuration);
}

nlohmann::ordered_json sections_json(Configuration configuration) {
  nlohmann::ordered_json json;
  config::for_each_section(configuration, [&](const char* name, auto& options) {
    config::FieldWriter writer;
    config::describe(options, writer);
    json[name] = writer.json();
  });
  return json;
}

/// A device's options rank below those of files and flags, regardless of order.
Result<Done> apply_device(const YAML::Node& root, Configuration& configuration) {
  for_each_option(root, [&](const std::string& key, const YAML::Node& /*value*/) {
    configuration.given.insert(key);
  });
  const YAML::Node log = root.IsMap() ? root["log"] : YAML::Node();
  const YAML::Node name = log && log.IsMap() ? log["device"] : YAML::Node();
  if (!name || !name.IsScalar() || name.Scalar() == configuration.device) return Done{};
  if (const Device* before = find_device(configuration.device)) {
    const nlohmann::ordered_json defaults = sections_json({});
    YAML::Node usual;
    for_each_option(YAML::Load(before->options),
                    [&](const std::string& key, const YAML::Node& /*value*/) {
                      const std::string section = key.substr(0, key.find('.')),
                                        option = key.substr(key.find('.') + 1);
                      usual[section][option] = YAML::Load(defaults[section][option].dump());
                    });
    HEFT_CHECK(put_below(usual, configuration));
  }
  const Device* device = find_device(name.Scalar());
  return device != nullptr ? put_below(YAML::Load(device->options), configuration)
                           : Result<Done>(Done{});
}

Result<Done> read_known_torque(const YAML::Node& node, const std::string& file,
                               Configuration& configuration) {
  if (!node) return Done{};
  configuration.known_torque.clear();
  if (!node.IsMap())
    return Error{config::place_of(file, node), "known_torque must map joints to expressions",
                 "write, for example, joint_2: 12.5*cos(q2)"};
  for (const auto& entry : node) {
    if (!entry.second.IsScalar())
      return Error{config::place_of(file, entry.second),
                   "the expression of a known torque must be text",
                   "write, for example, joint_2: 12.5*cos(q2)"};
    configuration.known_torque[entry.first.Scalar()] = entry.second.Scalar();
  }
  return Done{};
}

Result<Configuration> configuration_of(const YAML::Node& root, const std::string& file,
                                       Configuration configuration = {}) {
  if (root.IsNull()) return configuration;
  if (!root.IsMap())
    return Error{file, "must be a mapping of sections",
                 "write sections such as 'log:', and their options below, indented"};
  HEFT_CHECK(apply_device(root, configuration));
  HEFT_CHECK(read_sections(root, file, configuration));
  HEFT_CHECK(read_known_torque(root["known_torque"], file, configuration));
  if (root["columns"]) {
    HEFT_TRY(columns, config::read_column_specs(root["columns"], file));
    configuration.columns = columns;
  }
  if (root["sensors"]) {
    HEFT_TRY(sensors, config::read_sensor_specs(root["sensors"], file));
    configuration.sensors = std::move(sensors);
  }
  if (root["payloads"]) {
    HEFT_TRY(payloads, config::read_payload_specs(root["payloads"], file));
    configuration.payloads = std::move(payloads);
  }
  if (root["wrenches"]) {
    HEFT_TRY(wrenches, config::read_wrench_specs(root["wrenches"], file));
    configuration.wrenches = std::move(wrenches);
  }
  if (root["contacts"]) {
    HEFT_TRY(contacts, config::read_contact_specs(root["contacts"], file));
    configuration.contacts = std::move(contacts);
  }
  if (root["log_kinds"]) {
    HEFT_TRY(kinds, config::read_log_kinds(root["log_kinds"], file));
    configuration.log_kinds = std::move(kinds);
  }
  if (root["priors"]) {
    HEFT_TRY(priors, config::read_body_priors(root["priors"], file));
    configuration.priors = std::move(priors);
  }
  if (root["candidates"]) {
    HEFT_TRY(candidates, config::read_column_specs(root["candidates"], file));
    configuration.selection.candidates = candidates;
  }
  return configuration;
}

}  // namespace

Result<Configuration> configuration_from_yaml(const std::string& text, const std::string& where,
                                              const Configuration& base) {
  return config::with_root(
      text, where, [&](const YAML::Node& root) { return configuration_of(root, where, base); });
}

Result<Configuration> read_configuration(const std::string& path, const Configuration& base) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  HEFT_TRY(configuration, configuration_from_yaml(text, path, base));
  // files and folders are named relative to the configuration that names them
  const auto resolve = [&](std::string& name) { name = path_beside(path, name); };
  if (configuration.robot.rotors_path != base.robot.rotors_path)
    resolve(configuration.robot.rotors_path);
  if (configuration.estimation.package_folders != base.estimation.package_folders)
    for (std::string& folder : configuration.estimation.package_folders) resolve(folder);
  return configuration;
}

namespace {

/// Earlier results write Coulomb friction by sign(qd) without a width, which stands for the
/// default's since.
void spell_out_sign(const YAML::Node& columns) {
  if (!columns || !columns.IsSequence()) return;
  for (const YAML::Node& column : columns) {
    if (!column.IsMap() || column.size() != 1 || column.begin()->first.Scalar() != "coulomb")
      continue;
    YAML::Node options = column.begin()->second;
    if (options.IsMap() && !std::as_const(options)["tanh_width"]) options["tanh_width"] = 0;
  }
}

}  // namespace

Result<Configuration> configuration_from_json(const std::string& json, const std::string& where) {
  if (json.size() > kLargestConfiguration)
    return Error{where, "has options that are too large for a configuration", "identify again"};
  try {
    const YAML::Node root = YAML::Load(json);  // YAML reads JSON
    spell_out_sign(root["columns"]);
    spell_out_sign(root["candidates"]);
    return configuration_of(root, where);
  } catch (const YAML::Exception& e) {
    return Error{where, "has options that are not a valid configuration: " + e.msg,
                 "identify again"};
  }
}

std::string place_of_option(const std::string& path, const std::string& option) {
  const std::size_t dot = option.find('.');
  const auto text = read_text_whole(path, kLargestConfiguration);
  if (!text || dot == std::string::npos) return "";
  try {
    const YAML::Node section = YAML::Load(*text)[option.substr(0, dot)];
    if (!section || !section.IsMap()) return "";
    for (const auto& entry : section)
      if (entry.first.Scalar() == option.substr(dot + 1))
        return config::place_of(path, entry.first);
  } catch (const YAML::Exception&) {
    return "";
  }
  return "";
}

namespace {

/// Joints in the form used on a command line, "a,b", "a: 0.02, b: 0" or "a=0.02", as a list or
/// a mapping of YAML.
std::string with_brackets(std::string value) {
  if (value.find_first_of("'\"") != std::string::npos) return value;
  for (std::size_t at = 0; at + 1 < value.size(); ++at) {
    const bool is_number =
        std::string_view("+-.0123456789").find(value[at + 1]) != std::string_view::npos;
    if ((value[at] == ':' || value[at] == '=') && is_number) value.replace(at, 1, ": ");
  }
  if (value.find_first_of("[{") != std::string::npos) return value;
  if (value.find(": ") != std::string::npos) return "{" + value + "}";
  return value.find(',') != std::string::npos ? "[" + value + "]" : value;
}

/// Whether an option is a text or a list of texts.
bool holds_text(const std::string& path) {
  Configuration defaults;
  bool is_text = false;
  config::for_each_section(defaults, [&](const char* section, auto& options) {
    config::describe(options, [&](const char* name, auto& value, const auto&...) {
      using Value = std::remove_cvref_t<decltype(value)>;
      if (path == std::string(section) + "." + name)
        is_text = std::is_same_v<Value, std::string> ||
                  std::is_same_v<Value, std::vector<std::string>> ||
                  std::is_same_v<Value, config::TimeColumns>;
    });
  });
  return is_text && !path.starts_with("joints.");
}

}  // namespace

Result<Done> set_field(Configuration& configuration, const std::string& path,
                       const std::string& value) {
  const std::size_t dot = path.find('.');
  const std::string option = path.substr(dot + 1);
  YAML::Node mapping;
  try {
    mapping[option] = holds_text(path)
                          ? config::text_of_flag(value)
                          : YAML::Load(path.starts_with("joints.") ? with_brackets(value) : value);
  } catch (const YAML::Exception&) {
    return Error{"--" + path, "cannot read '" + value + "'",
                 "quote text that YAML would read as structure"};
  }
  YAML::Node root;
  root[path.substr(0, dot)] = mapping;
  HEFT_CHECK(apply_device(root, configuration));
  std::optional<Error> error;
  bool found = false;
  config::for_each_section(configuration, [&](const char* name, auto& options) {
    if (dot == std::string::npos || path.substr(0, dot) != name) return;
    found = true;
    config::FieldReader reader(mapping, "");
    config::describe(options, reader);
    error = reader.finish();
    take_notes(reader, name, configuration);
  });
  if (!found) return Error{"--" + path, "unknown section", "see --help for the list"};
  if (!error) return Done{};
  const std::string name = option + ": ";  // the flag already says it
  return Error{"--" + path,
               error->what.starts_with(name) ? error->what.substr(name.size()) : error->what,
               error->remedy};
}

namespace {

nlohmann::ordered_json json_of(const Configuration& configuration) {
  nlohmann::ordered_json json = sections_json(configuration);
  json["columns"] = config::write_column_specs(configuration.columns);
  json["candidates"] = config::write_column_specs(configuration.selection.candidates);
  json["known_torque"] = configuration.known_torque;
  json["priors"] = config::write_body_priors(configuration.priors);
  json["sensors"] = config::write_sensor_specs(configuration.sensors);
  json["payloads"] = config::write_payload_specs(configuration.payloads);
  json["wrenches"] = config::write_wrench_specs(configuration.wrenches);
  json["contacts"] = config::write_contact_specs(configuration.contacts);
  json["log_kinds"] = config::write_log_kinds(configuration.log_kinds);
  return json;
}

// texts from the command line may hold any bytes
std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string to_json(const Configuration& configuration) {
  nlohmann::ordered_json json = json_of(configuration);
  // as readers of earlier results expect
  if (configuration.priors.empty()) json.erase("priors");
  if (configuration.sensors.empty()) json.erase("sensors");
  if (configuration.payloads.empty()) json.erase("payloads");
  if (configuration.wrenches.empty()) json.erase("wrenches");
  if (configuration.contacts.empty()) json.erase("contacts");
  if (configuration.log_kinds.empty()) json.erase("log_kinds");
  if (configuration.estimation.log_weights == LogWeights::automatic)
    json["estimation"].erase("log_weights");
  if (configuration.load.noise.empty()) json["load"].erase("noise");
  if (configuration.estimation.contacts == ContactForces::measured)
    json["estimation"].erase("contacts");
  if (configuration.conditioning.base == BaseSource()) json.erase("base");
  return dump(json);
}

std::string to_yaml(const Configuration& configuration) {
  // every JSON value is a YAML value, so that numbers come back as the same bits
  Configuration usual;
  if (!set_field(usual, "log.device", configuration.device)) usual = {};
  usual.device.clear();  // and is written itself
  const nlohmann::ordered_json json = json_of(configuration), defaults = json_of(usual);
  std::string text;
  for (const auto& [section, value] : json.items()) {
    if (value == defaults[section] && section != "columns") continue;
    text += section + ":" + (value.empty() ? " " + dump(value) : "") + "\n";
    if (value.is_array())
      for (const auto& item : value) text += "  - " + dump(item) + "\n";
    else
      for (const auto& [name, option] : value.items())
        if (!defaults[section].contains(name) || option != defaults[section][name])
          text +=
              "  " + (defaults[section].empty() ? dump(name) : name) + ": " + dump(option) + "\n";
  }
  return text;
}

std::vector<FieldDescription> configuration_fields() {
  std::vector<FieldDescription> fields;
  Configuration defaults;
  config::for_each_section(defaults, [&](const char* section, auto& options) {
    config::FieldWriter writer;
    config::describe(options, writer);
    const nlohmann::ordered_json values = writer.json();
    config::describe(options, [&](const char* name, auto& value, const char* unit, const char* help,
                                  const auto&...) {
      const auto choices = config::choices<std::remove_cvref_t<decltype(value)>>();
      fields.push_back({section, name, unit, help, values[name].dump(), choices});
    });
  });
  return fields;
}

}  // namespace heft
