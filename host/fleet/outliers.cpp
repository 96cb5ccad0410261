#include "outliers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/median.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFewestToCompare = 8;

struct Reading {
  std::size_t robot;
  double value, low, high;
};

/// By name, with its unit.
using Readings = std::map<std::pair<std::string, std::string>, std::vector<Reading>>;

/// What sisters share.
std::string family_of(const Json& record) {
  std::string text;
  for (const Json& body : record["bodies"]) text += body["name"].dump() + body["prior"].dump();
  for (const Json& column : record["columns"]) text += column["name"].dump();
  return text;
}

void read(const Json& record, std::size_t robot, Readings& readings) {
  const auto add = [&](const std::string& name, const std::string& unit, const std::string& parameter,
                       const Json& value) {
    if (!value.is_number() || !record.contains("intervals")) return;
    const auto interval = record["intervals"].find(parameter);
    if (interval == record["intervals"].end()) return;
    readings[{name, unit}].push_back({robot, value, (*interval)[0], (*interval)[1]});
  };
  for (const Json& body : record["bodies"]) {
    const std::string name = body["name"];
    add("mass of " + name, "kg", name + ".m", body["parameters"][0]);
  }
  for (const Json& column : record["columns"])
    add(column["name"], column["unit"], column["name"], column["value"]);
  if (const Json& error = record["held_out"]; error.is_number())
    readings[{"held-out error", "1"}].push_back({robot, error, error, error});
}

}  // namespace

std::vector<Outlier> outliers_of(const std::vector<Json>& records, double least_sigma) {
  std::map<std::string, Readings> families;
  for (std::size_t r = 0; r < records.size(); ++r)
    if (records[r].is_object()) read(records[r], r, families[family_of(records[r])]);
  std::vector<Outlier> found;
  for (const auto& [family, readings] : families)
    for (const auto& [name, list] : readings) {
      if (list.size() < kFewestToCompare) continue;
      std::vector<double> values, deviations;
      for (const Reading& reading : list) values.push_back(reading.value);
      const double median = balanced_median(values);
      for (const double value : values) deviations.push_back(std::abs(value - median));
      const double spread = kDeviationOverMad * balanced_median(deviations);
      if (!(spread > 0)) continue;
      for (const Reading& reading : list) {
        const double sigma = (reading.value - median) / spread;
        const bool is_sure = reading.low > median || reading.high < median;
        if (is_sure && std::abs(sigma) > least_sigma)
          found.push_back({reading.robot, name.first, name.second, reading.value, median, sigma});
      }
    }
  std::stable_sort(found.begin(), found.end(),
                   [](const Outlier& a, const Outlier& b) { return std::abs(a.sigma) > std::abs(b.sigma); });
  return found;
}

std::string words_of(const Outlier& outlier, const std::string& robot_id) {
  return fmt::format("robot {}: {} {:.1f} sigma {} its sisters ({:.4g} against {:.4g}{})", robot_id,
                     outlier.quantity, std::abs(outlier.sigma), outlier.sigma > 0 ? "above" : "below",
                     outlier.value, outlier.median, outlier.unit == "1" ? "" : " " + outlier.unit);
}

}  // namespace heft
