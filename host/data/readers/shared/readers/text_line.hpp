// Lines of a text table that arrive one by one: fields between commas, numbers, the unit of their
// times.
#pragma once

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "heft/log/source.hpp"

namespace heft {

/// Replaces `fields` by the fields of a line, without blanks and quotes around them. They refer to
/// the line.
inline void split_line(std::string_view line, std::vector<std::string_view>& fields) {
  constexpr std::string_view kAroundFields = " \t\r\"";
  fields.clear();
  for (;;) {
    const auto comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma), kAroundFields));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

/// Returns the names in the header of a table.
inline std::vector<std::string> names_of_header(const std::string& line) {
  std::vector<std::string_view> fields;
  split_line(line, fields);
  return {fields.begin(), fields.end()};
}

/// Returns the number of a field: nan if it is empty or "nan", nothing if it is not a number.
inline std::optional<double> number_of_field(std::string_view field) {
  if (field.empty()) return std::nan("");
  // a field longer than any number would be copied to the heap
  char text[64];
  if (field.size() >= sizeof text) return {};
  text[field.copy(text, sizeof text - 1)] = '\0';
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end != text + field.size()) return {};
  return value;
}

/// Returns [s] per unit of the time column. Error: a unit for which one number of a line is not a
/// time.
inline Result<double> seconds_per_stamp(const LogFormat& format) {
  if (format.time_unit == "iso" || format.time_unit == "sec_nsec" ||
      !format.time_nanoseconds.empty())
    return Error{"log.time_unit", "is not supported for samples that arrive line by line",
                 "send the time as one number, with log.time_unit s, ms, us or ns"};
  for (const auto& [unit, seconds] :
       {std::pair(std::string_view("ms"), 1e-3), std::pair(std::string_view("us"), 1e-6),
        std::pair(std::string_view("ns"), 1e-9)})
    if (format.time_unit == unit) return seconds;
  return format.time_unit == "s" ? 1 : format.time_scale;
}

}  // namespace heft
