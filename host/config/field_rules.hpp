// What descriptions of options are made of: checks of values, names of choices.
#pragma once

#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"

namespace heft::config {

/// The names of an enumeration; none of any other type.
template <class Value>
std::vector<std::string> choices() {
  std::vector<std::string> names;
  if constexpr (NamedEnum<Value>)
    for (const auto& entry : EnumNames<Value>::kList) names.emplace_back(entry.name);
  return names;
}

inline auto positive() {
  return [](auto x) { return x > 0 ? std::string() : std::string("must be positive"); };
}
inline auto not_negative() {
  return [](auto x) { return x >= 0 ? std::string() : std::string("must not be negative"); };
}

}  // namespace heft::config
