// What descriptions of options are made of: checks of values, names of choices.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/log/per_joint.hpp"

namespace heft::config {

/// The names of an enumeration; none of any other type.
template <class Value>
std::vector<std::string> choices() {
  std::vector<std::string> names;
  if constexpr (NamedEnum<Value>)
    for (const auto& entry : EnumNames<Value>::kList) names.emplace_back(entry.name);
  return names;
}

/// The same of every number of an option by joint.
inline auto no_zero() {
  return [](const PerJoint& option) {
    bool has_zero = false;
    option.for_each([&](double x) { has_zero = has_zero || x == 0; });
    return has_zero ? std::string("must not be zero") : std::string();
  };
}
inline auto within(double low, double high) {
  return [=](const PerJoint& option) {
    bool is_within = true;
    option.for_each([&](double x) { is_within = is_within && x >= low && x <= high; });
    return is_within ? std::string() : fmt::format("must lie between {} and {}", low, high);
  };
}
inline auto positive() {
  return [](auto x) { return x > 0 ? std::string() : std::string("must be positive"); };
}
inline auto not_negative() {
  return [](auto x) { return x >= 0 ? std::string() : std::string("must not be negative"); };
}

}  // namespace heft::config
