// The list `log_kinds` of the configuration, for logs of different experiments in one fit:
//     - {kind: hung, logs: [hung_1.csv, hung_2.csv], weight: 1}
#pragma once

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/training/training_data.hpp"

namespace heft::config {

/// Returns the kinds of a list. Errors name file and line: no kind or logs, a kind or log that is
/// listed twice, a weight that is not positive.
Result<std::vector<LogKind>> read_log_kinds(const YAML::Node& node, const std::string& file);

/// Returns the list that read_log_kinds reads.
nlohmann::ordered_json write_log_kinds(const std::vector<LogKind>& kinds);

}  // namespace heft::config
