// Names of enumerators: one list per type, used to write, parse and display names. Threads:
// stateless; safe to call from several threads.
#pragma once

#include <optional>
#include <string_view>

#pragma GCC visibility push(default)
namespace heft {

/// One enumerator and its name.
template <class Enum>
struct EnumName {
  Enum value;
  const char* name;
};

/// Specialized for every enumeration with names. Lists each value once, in display order:
///
///   template <>
///   struct EnumNames<Severity> {
///     static constexpr EnumName<Severity> kList[] = {{Severity::note, "note"}, ..};
///   };
template <class Enum>
struct EnumNames;

/// Enumerations that have a list of names.
template <class Enum>
concept NamedEnum = requires { EnumNames<Enum>::kList; };

/// Returns the name of a value, or "?" for a number outside the enumeration.
template <NamedEnum Enum>
constexpr const char* enum_name(Enum value) {
  for (const EnumName<Enum>& entry : EnumNames<Enum>::kList)
    if (entry.value == value) return entry.name;
  return "?";
}

/// Returns the value with this name, or an empty optional if there is no such name.
template <NamedEnum Enum>
constexpr std::optional<Enum> enum_value(std::string_view name) {
  for (const EnumName<Enum>& entry : EnumNames<Enum>::kList)
    if (entry.name == name) return entry.value;
  return {};
}

}  // namespace heft
#pragma GCC visibility pop
