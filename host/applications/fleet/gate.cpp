#include "gate.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "config/field_reader.hpp"
#include "files/whole_file.hpp"
#include "heft/report/report.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

void describe(GateRules& rules, config::FieldReader& reader) {
  const auto above_zero = [](const std::optional<double>& x) { return config::positive()(*x); };
  reader("certified", rules.certified, "", "whether the result must have a certificate");
  reader("verdict", rules.verdict, "", "worst allowed verdict: green or amber",
         [](const std::string& verdict) {
           return verdict == "green" || verdict == "amber" ? std::string()
                                                           : std::string("must be green or amber");
         });
  reader("held_out_below", rules.held_out_below, "", "relative held-out error, e.g. 0.05 for 5 %",
         above_zero);
  reader("outliers_below", rules.outliers_below, "", "sigma from the population median",
         above_zero);
  reader("doubts_allowed", rules.doubts_allowed, "",
         "ids of open serious doubts that do not hold a robot",
         [](const std::vector<std::string>& ids) {
           for (const std::string& id : ids)
             if (const auto known = check_doubt_id(id); !known)
               return fmt::format("cannot be used: {} ({})", known.error().what,
                                  known.error().remedy);
           return std::string();
         });
}

}  // namespace

Result<GateRules> read_gate_rules(const std::string& path) {
  HEFT_TRY(text, read_text_whole(path, kLargestConfiguration));
  return config::with_root(text, path, [&](const YAML::Node& root) -> Result<GateRules> {
    if (!root.IsMap())
      return Error{path, "must be a mapping of rules",
                   "write one rule per line, e.g. held_out_below: 0.05"};
    GateRules rules;
    config::FieldReader reader(root, path);
    describe(rules, reader);
    if (const auto error = reader.finish()) return *error;
    return rules;
  });
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
