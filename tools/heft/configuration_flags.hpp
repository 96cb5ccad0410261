// Makes one flag per field of the configuration from the descriptions of the fields:
// --conditioning.lowpass_hz 20. Flags of lists may be given several times.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"
#include "tools/heft/renamed.hpp"

namespace heft::tools {

class ConfigurationFlags {
 public:
  /// Adds --config and one flag per field, grouped by section, and the flags of `short_names` from
  /// the table below. If `sections` are given, fields of other sections get no flag.
  void add_to(CLI::App& command, const std::set<std::string>& short_names,
              const std::set<std::string>& sections = {}) {
    command.add_option("--config", path_, "configuration file (YAML); flags override it");
    for (const FieldDescription& field : configuration_fields()) {
      if (!sections.empty() && !sections.contains(field.section)) continue;
      const std::string path = field.section + "." + field.name;
      const auto short_name = kShortNames.find(path);
      const bool has_short =
          short_name != kShortNames.end() && short_names.contains(short_name->second);
      const std::string flags = (has_short ? short_name->second + "," : "") + "--" + path;
      const std::string unit = field.unit.empty() ? "" : " [" + field.unit + "]";
      std::string choices;
      for (const std::string& choice : field.choices)
        choices += (choices.empty() ? ": " : ", ") + choice;
      const bool names_values = field.help.find(": true") != std::string::npos;
      if (!names_values && (field.default_value == "true" || field.default_value == "false"))
        choices = ": true or false";
      const bool is_list = field.default_value.starts_with('[');
      options_[path] =
          command
              .add_option(flags, values_[path],
                          field.help + choices + unit + " (default " + field.default_value + ")")
              ->expected(1, is_list ? CLI::detail::expected_max_vector_size : 1)
              ->allow_extra_args(false)
              ->group(field.section)
              ->type_name("");
    }
  }

  /// The defaults, then the file, then the flags.
  Result<Configuration> configuration() const { return configuration_over({}); }

  /// `configuration`, then the file, then the flags.
  Result<Configuration> configuration_over(Configuration configuration) const {
    if (!path_.empty()) {
      HEFT_TRY(from_file, read_configuration(path_, configuration));
      configuration = from_file;
    }
    return with_flags(std::move(configuration));
  }

  /// `configuration`, then the flags alone.
  Result<Configuration> with_flags(Configuration configuration) const {
    for (const auto& [path, option] : options_)
      if (option->count() > 0) HEFT_CHECK(set_field(configuration, path, joined(values_.at(path))));
    for (const std::string& note : configuration.notes) note_renamed(note);
    return configuration;
  }

  /// Adds the file and line that set an option to an error about it:
  /// "robot.yaml:3: log.unwrap".
  Error located(Error error) const {
    const std::string place = path_.empty() ? "" : place_of_option(path_, error.where);
    const auto flag = options_.find(error.where);
    if (flag != options_.end() && flag->second->count() > 0)
      error.where = "--" + error.where;
    else if (!place.empty())
      error.where = place + ": " + error.where;
    return error;
  }

  /// The configuration file; empty if none is given.
  const std::string& path() const { return path_; }

 private:
  /// The values of a flag that is given several times, as a YAML list.
  static std::string joined(const std::vector<std::string>& values) {
    if (values.size() == 1) return values.front();
    std::string list;
    for (std::string value : values) {
      for (std::size_t at = 0; (at = value.find('\'', at)) != std::string::npos; at += 2)
        value.insert(at, 1, '\'');
      list += (list.empty() ? "['" : ", '") + value + "'";
    }
    return list + "]";
  }

  /// Short flags of frequently used fields.
  inline static const std::map<std::string, std::string> kShortNames = {
      {"backend.backend", "--backend"},
      {"backend.threads", "--threads"},
      {"conditioning.lowpass_hz", "--lowpass"},
      {"conditioning.rows", "--rows"},
      {"estimation.package_folders", "--package-path"},
      {"estimation.prior_weight", "--prior-weight"},
      {"estimation.solver", "--solver"},
      {"fleet.prior", "--prior"},
      {"robot.rotors", "--rotors"},
      {"selection.columns", "--columns"}};

  std::string path_;
  std::map<std::string, std::vector<std::string>> values_;
  std::map<std::string, const CLI::Option*> options_;
};

}  // namespace heft::tools
