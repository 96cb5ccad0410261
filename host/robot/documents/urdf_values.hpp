// Numbers, vectors and poses in the attributes of a URDF.
#pragma once

#include <Eigen/Geometry>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace heft {

/// A decimal number without blanks around it; none if it is anything else, infinite, or beyond
/// double.
std::optional<double> finite_number(std::string_view word);

/// The numbers of a text, separated by blanks; none unless it holds exactly so many finite ones.
std::vector<double> finite_numbers(std::string_view text, std::size_t num_values);

/// The attribute as one number or three; `fallback` if it is missing or anything else.
double number_of(pugi::xml_attribute attribute, double fallback);
Eigen::Vector3d vector_of(pugi::xml_attribute attribute, const Eigen::Vector3d& fallback);

/// The <origin xyz rpy> of an element, R = Rz(y) Ry(p) Rx(r); what is missing is zero.
Eigen::Isometry3d origin_of(pugi::xml_node element);

/// Writes an attribute, which is appended if the element does not have it.
void set_attribute(pugi::xml_node element, const char* name, const std::string& value);

}  // namespace heft
