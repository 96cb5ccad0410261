// Building blocks for descriptions of options: checks of values, names of choices.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/log/per_joint.hpp"
#include "readers/option_bounds.hpp"

namespace heft::config {

/// The name of one time column, or of two in a list.
struct TimeColumns {
  std::string& seconds;
  std::string& nanoseconds;
};

/// A number in one option, "auto" in another.
struct NumberBesideAuto {
  double& value;
  bool& automatic;
};

/// A lower and an upper bound.
using Range = std::pair<double, double>;

/// A number for both sides of zero, or a range; neither if it is not given.
struct NumberOrRange {
  std::optional<double> number = {};
  std::optional<Range> range = {};
};

/// Returns the names of an enumeration; empty for other types.
template <class Value>
std::vector<std::string> choices() {
  std::vector<std::string> names;
  if constexpr (NamedEnum<Value>)
    for (const auto& entry : EnumNames<Value>::kList) names.emplace_back(entry.name);
  return names;
}

/// Returns the value of a name from an earlier version (EnumNames::kFormer); empty if there is no
/// such name.
template <NamedEnum Enum>
std::optional<Enum> value_of_former_name(const std::string& name) {
  if constexpr (requires { EnumNames<Enum>::kFormer; })
    for (const auto& entry : EnumNames<Enum>::kFormer)
      if (entry.name == name) return entry.value;
  return std::nullopt;
}

/// Applies the check of a number to every value of a per-joint option; returns the place and what
/// is wrong, "" if nothing is.
template <class Rule>
auto by_joint(const Rule& rule) {
  return [rule](const auto& option) {
    std::string wrong = rule(option.for_all);
    for (std::size_t k = 0; k < option.in_order.size() && wrong.empty(); ++k)
      if (const std::string one = rule(option.in_order[k]); !one.empty())
        wrong = fmt::format("of joint {} in the list {}", k + 1, one);
    for (const auto& [joint, value] : option.by_name)
      if (const std::string one = rule(value); !one.empty() && wrong.empty())
        wrong = fmt::format("of {} {}", joint, one);
    return wrong;
  };
}
inline auto scale() {
  return by_joint([](double x) {
    if (x == 0) return std::string("must not be zero");
    return option_bounds::is_scale(x)
               ? std::string()
               : fmt::format("must be between 1e-9 and 1e9 in size ({:g})", x);
  });
}
inline auto within(double low, double high) {
  return [=](auto x) {
    return x >= low && x <= high ? std::string()
                                 : fmt::format("must be between {:g} and {:g}", low, high);
  };
}
inline auto joints_within(const option_bounds::Bounds& bounds) {
  return by_joint(within(bounds.lowest, bounds.highest));
}

/// The largest number for options without a bound of their own; larger ones are typing errors whose
/// squares may overflow.
inline constexpr double kLargest = 1e12;

inline auto positive(double largest = kLargest) {
  return [=](auto x) {
    if (!(x > 0)) return std::string("must be positive");
    return static_cast<double>(x) <= largest ? std::string()
                                             : fmt::format("must be at most {:g}", largest);
  };
}
inline auto not_negative(double largest = kLargest) {
  return [=](auto x) {
    if (!(x >= 0)) return std::string("must not be negative");
    return static_cast<double>(x) <= largest ? std::string()
                                             : fmt::format("must be at most {:g}", largest);
  };
}
/// Accepts an empty list, or one of a given length.
inline auto no_or(std::size_t size) {
  return [=](const std::vector<std::string>& list) {
    return list.empty() || list.size() == size
               ? std::string()
               : fmt::format("has {} names instead of {}", list.size(), size);
  };
}
/// Applies a check to every number of a list.
inline auto each(const std::function<std::string(double)>& rule) {
  return [rule](const std::vector<double>& list) {
    for (const double x : list)
      if (const std::string wrong = rule(x); !wrong.empty()) return wrong;
    return std::string();
  };
}

}  // namespace heft::config
