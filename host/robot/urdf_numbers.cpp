// check_urdf_numbers: every number that Heft reads from a URDF, judged where it stands.
//
// urdfdom would find most of these faults too, but names no line, and passes the offending text to printf as
// a format.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "robot/urdf_document.hpp"

namespace heft {

namespace {

struct NumericAttribute {
  const char* element;
  const char* name;
  std::size_t num_values;
};

constexpr NumericAttribute kNumericAttributes[] = {
    {"origin", "xyz", 3},        {"origin", "rpy", 3},       {"axis", "xyz", 3},
    {"mass", "value", 1},        {"inertia", "ixx", 1},      {"inertia", "ixy", 1},
    {"inertia", "ixz", 1},       {"inertia", "iyy", 1},      {"inertia", "iyz", 1},
    {"inertia", "izz", 1},       {"limit", "lower", 1},      {"limit", "upper", 1},
    {"limit", "effort", 1},      {"limit", "velocity", 1},   {"dynamics", "damping", 1},
    {"dynamics", "friction", 1}, {"mimic", "multiplier", 1}, {"mimic", "offset", 1},
};

std::optional<double> finite_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) return {};
  return value;
}

// the numbers of a text; none unless it holds as many finite ones
std::vector<double> numbers_of(std::string_view text, std::size_t num_values) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<double> numbers;
  while (true) {
    const std::size_t start = text.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    const std::optional<double> number = finite_number(word);
    if (!number) return {};
    numbers.push_back(*number);
    text.remove_prefix(word.size());
  }
  return numbers.size() == num_values ? numbers : std::vector<double>();
}

bool overflows(const NumericAttribute& attribute, const std::vector<double>& numbers) {
  return attribute.element != std::string_view("limit") &&
         std::any_of(numbers.begin(), numbers.end(),
                     [](double number) { return std::abs(number) > kLargestQuantity; });
}

// `owner` is the link or joint to name, `parent` the element that holds the ones with numbers
Result<Done> check_numbers_in(const UrdfDocument& document, pugi::xml_node owner, pugi::xml_node parent) {
  for (const NumericAttribute& expected : kNumericAttributes) {
    const pugi::xml_node element = parent.child(expected.element);
    const pugi::xml_attribute attribute = element.attribute(expected.name);
    if (!attribute) continue;
    const std::vector<double> numbers = numbers_of(attribute.value(), expected.num_values);
    const std::string subject = fmt::format("{} of <{}> in {} '{}'", expected.name, expected.element,
                                            owner.name(), owner.attribute("name").value());
    if (numbers.empty()) {
      const char* const form = expected.num_values == 1 ? "a finite number" : "three finite numbers";
      return Error{document.where(element),
                   fmt::format("{} is not {}: '{}'", subject, form, attribute.value()),
                   "write decimal numbers with a point, separated by blanks"};
    }
    if (overflows(expected, numbers)) {
      return Error{document.where(element), fmt::format("{} overflows: '{}'", subject, attribute.value()),
                   "use SI units: metres, kilograms, radians"};
    }
  }
  return Done{};
}

}  // namespace

Result<Done> check_urdf_numbers(const UrdfDocument& document) {
  for (pugi::xml_node link : document.robot().children("link")) {
    HEFT_CHECK(check_numbers_in(document, link, link.child("inertial")));
  }
  for (pugi::xml_node joint : document.robot().children("joint")) {
    HEFT_CHECK(check_numbers_in(document, joint, joint));
  }
  return Done{};
}

}  // namespace heft
