// Stores a robot with its measurements and unknowns as JSON, exact to the last bit: moments files
// do not depend on the readers of robot files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/geometry/bounding.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/model/robot.hpp"

namespace heft {

/// Maximum number of bodies, coordinates or channels in a file: above that of any robot, and small
/// enough for tables of their pairs.
inline constexpr std::size_t kMaxBodiesInFile = 500;

nlohmann::ordered_json robot_json(const Robot& robot);
nlohmann::ordered_json channels_json(const std::vector<Channel>& channels);
nlohmann::ordered_json columns_json(const std::vector<Column>& columns);
nlohmann::ordered_json ellipsoids_json(const BoundingEllipsoids& ellipsoids);

// Parsers for untrusted text: they throw Json::exception if the form is wrong. Errors: bodies,
// channels or columns that are invalid or too many.
Result<Robot> robot_from(const nlohmann::ordered_json& json, const std::string& path);
Result<std::vector<Channel>> channels_from(const nlohmann::ordered_json& json, const Robot& robot,
                                           const std::string& path);
Result<std::vector<Column>> columns_from(const nlohmann::ordered_json& json,
                                         const std::string& path);
Result<BoundingEllipsoids> ellipsoids_from(const nlohmann::ordered_json& json, const Robot& robot,
                                           const std::string& path);

/// Converts a vector or matrix, row by row, to an array of numbers, and back; throws if their
/// number differs.
template <class Matrix>
nlohmann::ordered_json array_json(const Matrix& matrix) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) json.push_back(matrix(i, j));
  return json;
}
template <class Matrix>
void read_array(const nlohmann::ordered_json& json, Matrix&& matrix) {
  std::size_t at = 0;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      matrix(i, j) = json.at(at++).template get<double>();
}

}  // namespace heft
