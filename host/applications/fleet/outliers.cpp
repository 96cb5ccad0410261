#include "outliers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/median.hpp"

namespace heft {

namespace {

constexpr std::size_t kMinToCompare = 8;

struct Reading {
  std::size_t robot;
  double value, low, high;
};

/// Quantities by name, with units.
using Readings = std::map<std::pair<std::string, std::string>, std::vector<Reading>>;

void read(const AnswerRecord& record, std::size_t robot, Readings& readings) {
  const auto add = [&](const std::string& name, const RecordedQuantity& quantity) {
    if (const auto& interval = quantity.interval)
      readings[{name, quantity.unit}].push_back(
          {robot, quantity.value, (*interval)[0], (*interval)[1]});
  };
  for (const RecordedQuantity& mass : record.masses) add("mass of " + mass.name, mass);
  for (const RecordedQuantity& column : record.columns) add(column.name, column);
  if (const auto error = record.held_out)
    readings[{"held-out error", "1"}].push_back({robot, *error, *error, *error});
}

}  // namespace

std::vector<Outlier> outliers_of(const std::vector<std::optional<AnswerRecord>>& records,
                                 double least_sigma) {
  std::map<std::string, Readings> populations;
  for (std::size_t r = 0; r < records.size(); ++r)
    if (records[r]) read(*records[r], r, populations[records[r]->model]);
  std::vector<Outlier> found;
  for (const auto& [model, readings] : populations)
    for (const auto& [name, list] : readings) {
      if (list.size() < kMinToCompare) continue;
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
  std::stable_sort(found.begin(), found.end(), [](const Outlier& a, const Outlier& b) {
    return std::abs(a.sigma) > std::abs(b.sigma);
  });
  return found;
}

std::string words_of(const Outlier& outlier, const std::string& robot_id) {
  return fmt::format("robot {}: {} {:.1f} sigma {} the population median ({:.4g} against {:.4g}{})",
                     robot_id, outlier.quantity, std::abs(outlier.sigma),
                     outlier.sigma > 0 ? "above" : "below", outlier.value, outlier.median,
                     outlier.unit == "1" ? "" : " " + outlier.unit);
}

}  // namespace heft
