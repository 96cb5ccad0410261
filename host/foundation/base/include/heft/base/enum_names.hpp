// Names of enumerations: one list a type, from which names are written, read and shown.
// Threads: functions without memory: any number of threads may call them.
#pragma once

#include <optional>
#include <string_view>

#pragma GCC visibility push(default)
namespace heft {

template <class Enum>
struct EnumName {
  Enum value;
  const char* name;
};

/// Specialised for every enumeration that has names, each value once, in the order in which people
/// see them:
///
///   template <>
///   struct EnumNames<Severity> {
///     static constexpr EnumName<Severity> kList[] = {{Severity::note, "note"}, ..};
///   };
template <class Enum>
struct EnumNames;

template <class Enum>
concept NamedEnum = requires {
  EnumNames<Enum>::kList;
};

/// The name of a value; "?" for a number that is no value of the enumeration.
template <NamedEnum Enum>
constexpr const char* enum_name(Enum value) {
  for (const EnumName<Enum>& entry : EnumNames<Enum>::kList)
    if (entry.value == value) return entry.name;
  return "?";
}

/// The value of a name; none if there is no such name.
template <NamedEnum Enum>
constexpr std::optional<Enum> enum_value(std::string_view name) {
  for (const EnumName<Enum>& entry : EnumNames<Enum>::kList)
    if (entry.name == name) return entry.value;
  return {};
}

}  // namespace heft
#pragma GCC visibility pop
