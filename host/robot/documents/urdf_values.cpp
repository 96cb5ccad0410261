#include "urdf_values.hpp"

#include <charconv>
#include <cmath>

#include "base/text.hpp"

namespace heft {

namespace {

// by half angles, so that angles of zero leave exact zeros
Eigen::Quaterniond from_roll_pitch_yaw(const Eigen::Vector3d& rpy) {
  Eigen::Array3d c, s;
  for (int k = 0; k < 3; ++k) {
    c[k] = std::cos(rpy[k] / 2);
    s[k] = std::sin(rpy[k] / 2);
  }
  return Eigen::Quaterniond(
             c[0] * c[1] * c[2] + s[0] * s[1] * s[2], s[0] * c[1] * c[2] - c[0] * s[1] * s[2],
             c[0] * s[1] * c[2] + s[0] * c[1] * s[2], c[0] * c[1] * s[2] - s[0] * s[1] * c[2])
      .normalized();
}

}  // namespace

std::optional<double> finite_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failure != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    return {};
  return value;
}

std::vector<double> finite_numbers(std::string_view text, std::size_t num_values) {
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

double number_of(pugi::xml_attribute attribute, double fallback) {
  const std::vector<double> numbers = finite_numbers(attribute.value(), 1);
  return numbers.empty() ? fallback : numbers[0];
}

Eigen::Vector3d vector_of(pugi::xml_attribute attribute, const Eigen::Vector3d& fallback) {
  const std::vector<double> numbers = finite_numbers(attribute.value(), 3);
  return numbers.empty() ? fallback : Eigen::Vector3d(numbers.data());
}

Eigen::Isometry3d origin_of(pugi::xml_node element) {
  const pugi::xml_node origin = element.child("origin");
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = from_roll_pitch_yaw(vector_of(origin.attribute("rpy"), Eigen::Vector3d::Zero()))
                   .toRotationMatrix();
  X.translation() = vector_of(origin.attribute("xyz"), Eigen::Vector3d::Zero());
  return X;
}

void set_attribute(pugi::xml_node node, const char* name, const std::string& value) {
  pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) attribute = node.append_attribute(name);
  attribute.set_value(value.c_str());
}

}  // namespace heft
