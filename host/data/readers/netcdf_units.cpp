#include "netcdf_units.hpp"

#include <algorithm>
#include <cctype>
#include <numbers>
#include <string>
#include <utility>

namespace heft {

namespace {

constexpr std::string_view kDegrees[] = {"deg", "degs", "degree", "degrees", "\xc2\xb0"};
constexpr std::string_view kRates[] = {"",     "/s",   "/sec", "/second", "s-1",
                                       "s^-1", ".s-1", "/s2",  "/s^2",    "per second",
                                       "s-2",  "s^-2", ".s-2"};
constexpr std::pair<std::string_view, double> kTimes[] = {
    {"ms", 1e-3},          {"msec", 1e-3},       {"millisecond", 1e-3}, {"us", 1e-6},
    {"microsecond", 1e-6}, {"nanosecond", 1e-9}, {"ns", 1e-9},          {"min", 60},
    {"minute", 60},        {"hour", 3600},       {"h", 3600},           {"day", 86400}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

template <class List>
bool holds(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

}  // namespace

double netcdf_unit_factor(std::string_view units) {
  std::string lower(trimmed(units));
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  const std::string_view text = lower;
  const std::size_t end = std::min(text.find_first_of(" /."), text.size());
  if (holds(kDegrees, text.substr(0, end)) && holds(kRates, trimmed(text.substr(end))))
    return std::numbers::pi / 180;
  const std::string_view unit = trimmed(text.substr(0, text.find(" since ")));
  for (const auto& [name, seconds] : kTimes)
    if (unit == name || (name.size() > 3 && unit == std::string(name) + "s")) return seconds;
  return 1;
}

}  // namespace heft
