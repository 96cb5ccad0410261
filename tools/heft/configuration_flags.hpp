// One flag per field of the configuration, made from the fields' own descriptions:
// --conditioning.lowpass_hz 20.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "heft/configuration.hpp"
#include "heft/result.hpp"

namespace heft::tools {

class ConfigurationFlags {
 public:
  /// Adds --config and one flag a field, in groups by section. `short_names` maps a field to a plain flag of
  /// its own, e.g. {"estimation.solver", "--solver"}. If `sections` are named, fields of others get no flag.
  void add_to(CLI::App& command, const std::map<std::string, std::string>& short_names,
              const std::set<std::string>& sections = {}) {
    command.add_option("--config", path_, "configuration file (YAML); flags override it");
    for (const FieldDescription& field : configuration_fields()) {
      if (!sections.empty() && !sections.contains(field.section)) continue;
      const std::string path = field.section + "." + field.name;
      const auto short_name = short_names.find(path);
      const std::string flags =
          (short_name == short_names.end() ? "" : short_name->second + ",") + "--" + path;
      const std::string unit = field.unit.empty() ? "" : " [" + field.unit + "]";
      std::string choices;
      for (const std::string& choice : field.choices) choices += (choices.empty() ? ": " : ", ") + choice;
      options_[path] = command
                           .add_option(flags, values_[path],
                                       field.help + choices + unit + " (default " + field.default_value + ")")
                           ->group(field.section)
                           ->type_name("");
    }
  }

  /// The defaults, then the file, then the flags.
  Result<Configuration> configuration() const { return configuration_over({}); }

  /// `configuration` unless there is a file, then the flags.
  Result<Configuration> configuration_over(Configuration configuration) const {
    if (!path_.empty()) {
      HEFT_TRY(from_file, read_configuration(path_));
      configuration = from_file;
    }
    for (const auto& [path, option] : options_)
      if (option->count() > 0) HEFT_CHECK(set_field(configuration, path, values_.at(path)));
    return configuration;
  }

 private:
  std::string path_;
  std::map<std::string, std::string> values_;
  std::map<std::string, const CLI::Option*> options_;
};

}  // namespace heft::tools
