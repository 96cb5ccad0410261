// check_urdf_numbers: checks every number that Heft reads from a URDF.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "urdf_document.hpp"
#include "urdf_values.hpp"

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

bool overflows(const NumericAttribute& attribute, const std::vector<double>& numbers) {
  return attribute.element != std::string_view("limit") &&
         std::any_of(numbers.begin(), numbers.end(),
                     [](double number) { return std::abs(number) > kLargestQuantity; });
}

// a fixed joint uses its <origin> alone; only joints of one coordinate have limits, and continuous
// ones no range
bool is_used(pugi::xml_node owner, const NumericAttribute& attribute) {
  if (owner.name() != std::string_view("joint")) return true;
  const std::string_view type = owner.attribute("type").value(), element = attribute.element;
  if (element == "origin") return true;
  if (type == "fixed" || type == "floating") return false;
  const bool is_range =
      attribute.name == std::string_view("lower") || attribute.name == std::string_view("upper");
  return !(element == "limit" && (type == "planar" || (type == "continuous" && is_range)));
}

// `owner` is the link or joint to name, `parent` the element that holds the ones with numbers
Result<Done> check_numbers_in(const UrdfDocument& document, pugi::xml_node owner,
                              pugi::xml_node parent, bool used) {
  for (const NumericAttribute& expected : kNumericAttributes) {
    if (is_used(owner, expected) != used) continue;
    const pugi::xml_node element = parent.child(expected.element);
    const pugi::xml_attribute attribute = element.attribute(expected.name);
    if (!attribute) continue;
    const std::vector<double> numbers = finite_numbers(attribute.value(), expected.num_values);
    const std::string subject =
        fmt::format("{} of <{}> in {} '{}'", expected.name, expected.element, owner.name(),
                    owner.attribute("name").value());
    if (numbers.empty()) {
      const char* const form =
          expected.num_values == 1 ? "a finite number" : "three finite numbers";
      return Error{document.where(element),
                   fmt::format("{} is not {}: '{}'", subject, form, attribute.value()),
                   "write decimal numbers with a point, separated by spaces"};
    }
    if (overflows(expected, numbers)) {
      return Error{document.where(element),
                   fmt::format("{} overflows: '{}'", subject, attribute.value()),
                   "use SI units: meters, kilograms, radians"};
    }
  }
  return Done{};
}

}  // namespace

Result<Done> check_urdf_numbers(const UrdfDocument& document) {
  for (pugi::xml_node link : document.root().children("link")) {
    HEFT_CHECK(check_numbers_in(document, link, link.child("inertial"), true));
  }
  for (pugi::xml_node joint : document.root().children("joint")) {
    HEFT_CHECK(check_numbers_in(document, joint, joint, true));
  }
  return Done{};
}

Result<Done> check_unused_numbers(const UrdfDocument& document, pugi::xml_node joint) {
  return check_numbers_in(document, joint, joint, false);
}

}  // namespace heft
