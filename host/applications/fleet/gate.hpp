// Release gate: the rules of a YAML file promote or hold each robot and give the reason.
//
//   certified: true          the answer has its certificate
//   verdict: green           worst accepted verdict: green, or amber
//   held_out_below: 0.05     relative held-out error
//   outliers_below: 5        sigma from the population median, of any quantity
//   doubts_allowed: [payload]   ids of open serious doubts that do not hold a robot; others do
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "outliers.hpp"

namespace heft {

struct GateRules {
  bool certified = true;
  std::string verdict;  ///< empty: any
  std::optional<double> held_out_below, outliers_below;
  std::vector<std::string> doubts_allowed;
};

/// Errors name file and line: not a mapping, an unknown rule, a value of the wrong type.
Result<GateRules> read_gate_rules(const std::string& path);

/// Returns why a robot is held; empty: promoted. `robot` as in fleet.json.
std::vector<std::string> reasons_to_hold(const GateRules& rules,
                                         const nlohmann::ordered_json& robot,
                                         const std::vector<Outlier>& outliers);

}  // namespace heft
