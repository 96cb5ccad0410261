// Reads numbers, vectors and poses from the attributes of a URDF.
#pragma once

#include <Eigen/Geometry>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace heft {

/// Parses a decimal number without surrounding spaces; empty if it is invalid, infinite, or exceeds
/// the range of double.
std::optional<double> finite_number(std::string_view word);

/// Parses numbers separated by spaces; empty unless the text contains exactly `num_values` finite
/// numbers.
std::vector<double> finite_numbers(std::string_view text, std::size_t num_values);

/// Returns the attribute as one number; `fallback` if it is missing or invalid.
double number_of(pugi::xml_attribute attribute, double fallback);
/// Returns the attribute as three numbers; `fallback` if it is missing or invalid.
Eigen::Vector3d vector_of(pugi::xml_attribute attribute, const Eigen::Vector3d& fallback);

/// Returns the <origin xyz rpy> of an element, R = Rz(y) Ry(p) Rx(r); missing values are zero.
Eigen::Isometry3d origin_of(pugi::xml_node element);

/// Writes an attribute, which is appended if the element does not have it.
void set_attribute(pugi::xml_node element, const char* name, const std::string& value);

}  // namespace heft
