// Reads options from a YAML mapping and reports fields that do not exist.
#pragma once

#include <yaml-cpp/yaml.h>

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/field_rules.hpp"
#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// A visitor of option fields that reads each from a mapping.
class FieldReader {
 public:
  /// `where` is the file; errors add the line of the node.
  FieldReader(const YAML::Node& mapping, std::string where)
      : mapping_(mapping), where_(std::move(where)) {}

  template <class Value>
  void operator()(const char* name, Value& value, const char* /*unit*/, const char* /*help*/) {
    known_.emplace_back(name);
    const YAML::Node node = mapping_[name];
    if (!node || error_) return;
    if (decode(node, value)) return;
    const auto [part, wrong] = wrong_part(name, node, value);
    error_ = Error{place(wrong), part + ": cannot read " + shown(wrong), expected(value)};
  }

  template <class Item>
  void operator()(const char* name, PerJointOf<Item>& value, const char* /*unit*/,
                  const char* /*help*/) {
    known_.emplace_back(name);
    if (const YAML::Node node = mapping_[name]; node && !error_) read_by_joint(name, node, value);
  }

  template <class Value, class Check>
  void operator()(const char* name, Value& value, const char* unit, const char* help,
                  const Check& check) {
    (*this)(name, value, unit, help);
    if (error_ || !mapping_[name]) return;
    if (const std::string wrong = check(value); !wrong.empty())
      error_ =
          Error{place(mapping_[name]), std::string(name) + " " + wrong + instead_of(mapping_[name]),
                std::string("give ") + name + (*unit ? std::string(" [") + unit + "]" : "") + ": " +
                    help};
  }

  template <NamedEnum Enum>
  void operator()(const char* name, Enum& value, const char* /*unit*/, const char* /*help*/) {
    known_.emplace_back(name);
    const YAML::Node node = mapping_[name];
    if (!node || error_) return;
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    if (const auto chosen = enum_value<Enum>(text)) {
      value = *chosen;
      return;
    }
    if (const auto chosen = value_of_former_name<Enum>(text)) {
      value = *chosen;
      notes_.push_back(std::string(name) + ": " + text + " is now called " + enum_name(*chosen));
      return;
    }
    std::string all;
    for (const std::string& choice : choices<Enum>()) all += (all.empty() ? "" : ", ") + choice;
    error_ =
        Error{place(node), std::string(name) + ": unknown choice '" + text + "'", "one of: " + all};
  }

  /// Returns notes on renamed values: "prior: sisters is now called population".
  const std::vector<std::string>& notes() const { return notes_; }

  /// Declares a field that is read elsewhere.
  void leave(const char* name) { known_.emplace_back(name); }

  /// Reads a section of options: calls describe(reader) if it exists.
  template <class Describe>
  void section(const char* name, const Describe& describe) {
    known_.emplace_back(name);
    const YAML::Node node = mapping_[name];
    if (!node || node.IsNull() || error_) return;
    if (!node.IsMap()) {
      error_ = Error{place(node), std::string(name) + " must be a mapping of options",
                     "write 'option: value' lines below it, indented"};
      return;
    }
    FieldReader inside(node, where_);
    describe(inside);
    error_ = inside.finish();
  }

  /// Reads a list of mappings: calls describe(reader) for every item.
  template <class Describe>
  void list(const char* name, const Describe& describe) {
    known_.emplace_back(name);
    const YAML::Node node = mapping_[name];
    if (!node || node.IsNull() || error_) return;
    if (!node.IsSequence()) {
      error_ = Error{place(node), std::string(name) + " must be a list of mappings",
                     "write '- {option: value, ..}' lines below it"};
      return;
    }
    for (const YAML::Node& item : node) {
      if (error_) return;
      if (!item.IsMap()) {
        error_ =
            Error{place(item), "an item of " + std::string(name) + " must be a mapping of options",
                  "write {option: value, ..}"};
        return;
      }
      FieldReader inside(item, where_);
      describe(inside);
      error_ = inside.finish();
    }
  }

  /// Refuses the mapping because its fields do not fit together, unless one of them has an error.
  void refuse(const std::string& what, const std::string& remedy) {
    if (!refusal_) refusal_ = Error{place(mapping_), what, remedy};
  }

  /// Returns the first error, or an unknown field of the mapping with the nearest known name as
  /// remedy, or a refusal.
  std::optional<Error> finish() const;

 private:
  std::string place(const YAML::Node& node) const;

  static std::string instead_of(const YAML::Node& node) {
    return node.IsScalar() ? ", not " + shown(node) : "";
  }
  static std::string shown(const YAML::Node& node) {
    return node.IsScalar() ? "'" + node.Scalar() + "'"
           : node.IsNull() ? "an empty value"
                           : "this structure";
  }

  /// Returns the unreadable part of a value, and its name: "name.key" in a mapping, "name[2]" in a
  /// list, or the whole value.
  template <class Value>
  static std::pair<std::string, YAML::Node> wrong_part(const std::string& name,
                                                       const YAML::Node& node, const Value&) {
    double number = 0;
    std::string text;
    const auto is_wrong = [&](const YAML::Node& item) {
      return std::is_same_v<Value, std::vector<std::string>> ? !decode(item, text)
                                                             : !decode(item, number);
    };
    constexpr bool kIsMapping =
        std::is_same_v<Value, PerJoint> || std::is_same_v<Value, std::map<std::string, double>>;
    constexpr bool kIsList = kIsMapping || std::is_same_v<Value, Eigen::Vector3d> ||
                             std::is_same_v<Value, std::vector<double>> ||
                             std::is_same_v<Value, std::vector<std::string>>;
    if (kIsMapping && node.IsMap())
      for (const auto& entry : node)
        if (entry.first.IsScalar() && is_wrong(entry.second))
          return {name + "." + entry.first.Scalar(), entry.second};
    if (kIsList && node.IsSequence())
      for (std::size_t i = 0; i < node.size(); ++i)
        if (is_wrong(node[i])) return {name + "[" + std::to_string(i) + "]", node[i]};
    return {name, node};
  }

  static bool decode(const YAML::Node& node, bool& value) {
    return YAML::convert<bool>::decode(node, value);
  }
  static bool decode(const YAML::Node& node, int& value) {
    return YAML::convert<int>::decode(node, value);
  }
  static bool decode(const YAML::Node& node, std::optional<int>& value);
  static bool decode(const YAML::Node& node, double& value);
  static bool decode(const YAML::Node& node, std::optional<double>& value);
  static bool decode(const YAML::Node& node, std::optional<Range>& value);
  static bool decode(const YAML::Node& node, NumberOrRange& value);
  static bool decode(const YAML::Node& node, NumberOrAuto& value);
  static bool decode(const YAML::Node& node, NumberBesideAuto& value);
  static bool decode(const YAML::Node& node, TimeColumns& value);
  static bool decode(const YAML::Node& node, JointChoice& value);
  static bool decode(const YAML::Node& node, LogTopics& value);
  static bool decode(const YAML::Node& node, std::string& value);
  static bool decode(const YAML::Node& node, Eigen::Vector3d& value);
  static bool decode(const YAML::Node& node, std::map<std::string, double>& value);
  static bool decode(const YAML::Node& node, std::vector<double>& value);
  static bool decode(const YAML::Node& node, std::vector<std::string>& value);

  /// Accepts a list, or a single item in its place.
  template <class Item>
  static bool decode_list(const YAML::Node& node, std::vector<Item>& value);

  static const char* expected(bool) { return "write true or false"; }
  static const char* expected(int) { return "write a whole number"; }
  static const char* expected(const std::optional<int>&) { return "write a whole number, or auto"; }
  static const char* expected(double) { return "write a finite number"; }
  static const char* expected(const std::optional<double>&) { return "write a finite number"; }
  static const char* expected(const std::optional<Range>&) {
    return "write two numbers: [lower, upper]";
  }
  static const char* expected(const NumberOrAuto&) { return "write a finite number, or auto"; }
  static const char* expected(const NumberBesideAuto&) { return "write a finite number, or auto"; }
  static const char* expected(const TimeColumns&) {
    return "write the name of a column, or two: [seconds, nanoseconds]; in quotes if it contains "
           "any of { } [ ] # % * & ! @ or ': '";
  }
  static const char* expected(const JointChoice&) {
    return "write true, false or joints: [a, b, ..]";
  }
  static const char* expected(const LogTopics&) {
    return "write {position: \"/topic.field\", velocity: .., torque: ..}, each a string or a list "
           "of strings";
  }
  static const char* expected(const std::string&) { return "write a string"; }
  static const char* expected(const std::map<std::string, double>&) {
    return "write joint: position, e.g. {finger: 0.02}, or a list of joints locked at 0: [finger]";
  }
  static const char* expected(const Eigen::Vector3d&) { return "write three numbers: [x, y, z]"; }
  static const char* expected(const std::vector<double>&) { return "write numbers: [a, b, ..]"; }
  static const char* expected(const std::vector<std::string>&) {
    return "write strings: [a, b, ..]; in quotes if they contain any of { } [ ] # % * & ! @ or ': "
           "', as \"{joint}_pos\"";
  }

  /// Reads one value for all joints, a list, or a mapping; joints that are not named keep their
  /// defaults.
  template <class Item>
  void read_by_joint(const std::string& name, const YAML::Node& node, PerJointOf<Item>& value) {
    PerJointOf<Item> read = value.for_all;
    const std::string noun = std::is_same_v<Item, std::string>     ? "string"
                             : std::is_same_v<Item, NumberOrRange> ? "number or [lower, upper]"
                                                                   : "finite number";
    const auto refuse = [&](const YAML::Node& at, const std::string& of) {
      error_ = Error{place(at), name + of + ": cannot read " + shown(at),
                     "write a " + noun + ", a list with one per joint, or joint: " + noun};
    };
    if (node.IsMap()) {
      for (const auto& entry : node) {
        if (!entry.first.IsScalar()) return refuse(entry.first, "");
        const std::string joint = entry.first.Scalar();
        Item item = {};
        if (!decode(entry.second, item)) return refuse(entry.second, " of " + joint);
        if (!read.by_name.emplace(joint, item).second) {
          error_ = Error{place(entry.first), name + ": joint '" + joint + "' is given twice",
                         "remove one of them"};
          return;
        }
      }
    } else if (node.IsSequence()) {
      for (const YAML::Node& entry : node)
        if (!decode(entry, read.in_order.emplace_back()))
          return refuse(entry,
                        " of joint " + std::to_string(read.in_order.size()) + " of the list");
      if (read.in_order.empty()) return refuse(node, "");
    } else if (!decode(node, read.for_all)) {
      return refuse(node, "");
    }
    value = read;
  }

  const YAML::Node mapping_;  ///< const, because a lookup in a mutable node would insert the name
  std::string where_;
  std::vector<std::string> known_, notes_;
  std::optional<Error> error_, refusal_;
};

/// Returns "file:line" of a node.
std::string place_of(const std::string& file, const YAML::Node& node);

/// Returns the root of a text with at most one YAML document, null if there is none. Error: several
/// documents. Throws if the text is not YAML.
Result<YAML::Node> root_of(const std::string& text, const std::string& file);

/// Returns the value of a flag whose option is a string or a list of strings: a list if it is in
/// brackets, a quoted string without its quotes, otherwise the string itself, however YAML would
/// interpret it.
YAML::Node text_of_flag(const std::string& value);

/// Converts an exception from reading the YAML of `text` to an Error at its place.
Error yaml_error(const YAML::Exception& thrown, const std::string& text, const std::string& file);

/// Calls `read` with the root of a text and returns its result. Errors: invalid YAML, several
/// documents; those of `read`, which may throw like the YAML library.
template <class Read>
auto with_root(const std::string& text, const std::string& file, const Read& read)
    -> decltype(read(YAML::Node())) {
  try {
    HEFT_TRY(root, root_of(text, file));
    return read(root);
  } catch (const YAML::Exception& thrown) {
    return yaml_error(thrown, text, file);
  }
}

/// Returns an Error for the first key of `mapping` that is not in `known` (with the nearest known
/// one) or is duplicated. `noun` describes a key.
std::optional<Error> wrong_name(const YAML::Node& mapping, const std::vector<std::string>& known,
                                const std::string& noun, const std::string& file);

}  // namespace heft::config
#pragma GCC visibility pop
