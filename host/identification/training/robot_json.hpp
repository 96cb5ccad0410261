// A robot and what is measured and unknown of it as JSON, to the last bit: moments files stand by
// themselves, whatever reads robot files next.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/geometry/bounding.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/model/robot.hpp"

namespace heft {

/// Bodies, coordinates or channels that a file may have: more than any robot has, and few enough to
/// make tables of their pairs for the writer.
inline constexpr std::size_t kMaxBodiesInFile = 500;

nlohmann::ordered_json robot_json(const Robot& robot);
nlohmann::ordered_json channels_json(const std::vector<Channel>& channels);
nlohmann::ordered_json columns_json(const std::vector<Column>& columns);
nlohmann::ordered_json ellipsoids_json(const BoundingEllipsoids& ellipsoids);

// Back, from a text that anybody may have written: they throw Json::exception on what does not have
// the form. Errors: bodies, channels or columns that make no sense, more of them than any robot
// has.
Result<Robot> robot_from(const nlohmann::ordered_json& json, const std::string& path);
Result<std::vector<Channel>> channels_from(const nlohmann::ordered_json& json, const Robot& robot,
                                           const std::string& path);
Result<std::vector<Column>> columns_from(const nlohmann::ordered_json& json,
                                         const std::string& path);
Result<BoundingEllipsoids> ellipsoids_from(const nlohmann::ordered_json& json, const Robot& robot,
                                           const std::string& path);

/// A vector or matrix, row after row, as an array of numbers, and back; throws if there are not as
/// many.
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
