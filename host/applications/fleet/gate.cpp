#include "gate.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "files/name_hint.hpp"
#include "files/whole_file.hpp"
#include "heft/report/report.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kRules = {"certified", "verdict", "held_out_below", "outliers_below",
                                         "doubts_allowed"};

std::string place_of(const std::string& path, const YAML::Node& node) {
  return fmt::format("{}:{}", path, node.Mark().line + 1);
}

Result<Done> read_rule(const std::string& name, const YAML::Node& value, const std::string& path,
                       GateRules& rules) {
  if (name == "certified") {
    rules.certified = value.as<bool>();
  } else if (name == "verdict") {
    rules.verdict = value.as<std::string>();
    if (rules.verdict != "green" && rules.verdict != "amber")
      return Error{place_of(path, value),
                   "the verdict '" + rules.verdict + "' is not valid for a gate",
                   "write green or amber"};
  } else if (name == "doubts_allowed") {
    rules.doubts_allowed = value.as<std::vector<std::string>>();
    for (const std::string& id : rules.doubts_allowed)
      if (const auto known = check_doubt_id(id); !known)
        return Error{place_of(path, value), known.error().what, known.error().remedy};
  } else {
    const double number = value.as<double>();
    if (!(number > 0) || !std::isfinite(number))
      return Error{place_of(path, value), name + " must be above zero",
                   "write a number, e.g. 0.05 for 5 %"};
    (name == "held_out_below" ? rules.held_out_below : rules.outliers_below) = number;
  }
  return Done{};
}

}  // namespace

Result<GateRules> read_gate_rules(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  GateRules rules;
  YAML::Node root;
  try {
    root = YAML::Load(text);
  } catch (const YAML::Exception& e) {
    return Error{fmt::format("{}:{}", path, e.mark.line + 1), "is not valid YAML: " + e.msg,
                 "fix the line, or the one before it"};
  }
  if (!root.IsMap())
    return Error{path, "must be a mapping of rules",
                 "write one rule per line, e.g. held_out_below: 0.05"};
  std::set<std::string> seen;
  for (const auto& entry : root) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (std::find(kRules.begin(), kRules.end(), name) == kRules.end())
      return Error{place_of(path, entry.first), "there is no rule '" + name + "'",
                   name_hint(name, kRules, "there are")};
    if (!seen.insert(name).second)
      return Error{place_of(path, entry.first), "the rule '" + name + "' is given twice",
                   "keep one of the lines"};
    try {
      HEFT_CHECK(read_rule(name, entry.second, path, rules));
    } catch (const YAML::Exception&) {
      return Error{place_of(path, entry.second), "the value of " + name + " has the wrong type",
                   "certified: true, verdict: green, held_out_below: 0.05, outliers_below: 5, "
                   "doubts_allowed: [payload]"};
    }
  }
  return rules;
}

std::vector<std::string> reasons_to_hold(const GateRules& rules, const Json& robot,
                                         const std::vector<Outlier>& outliers) {
  std::vector<std::string> reasons;
  if (robot["state"] != "done") return {"it is " + robot["state"].get<std::string>()};
  if (rules.certified && robot["certified"] != true) reasons.emplace_back("it has no certificate");
  const std::string level = robot["verdict"].is_string() ? robot["verdict"].get<std::string>() : "";
  if (rules.verdict == "green" && level != "green") reasons.push_back("its verdict is " + level);
  if (rules.verdict == "amber" && level == "red") reasons.emplace_back("its verdict is red");
  if (rules.held_out_below) {
    if (!robot["held_out"].is_number())
      reasons.emplace_back("it has no held-out log");
    else if (const double error = robot["held_out"]; !(error < *rules.held_out_below))
      reasons.push_back(fmt::format("held-out error {:.3g} % is not below {:.3g} %", 100 * error,
                                    100 * *rules.held_out_below));
  }
  for (const Json& id : robot["doubts"])
    if (std::find(rules.doubts_allowed.begin(), rules.doubts_allowed.end(),
                  id.get<std::string>()) == rules.doubts_allowed.end())
      reasons.push_back("in doubt: " + id.get<std::string>());
  if (rules.outliers_below)
    for (const Outlier& outlier : outliers)
      if (!(std::abs(outlier.sigma) < *rules.outliers_below))
        reasons.push_back(fmt::format("{} {:.1f} sigma from the population median",
                                      outlier.quantity, std::abs(outlier.sigma)));
  return reasons;
}

}  // namespace heft
