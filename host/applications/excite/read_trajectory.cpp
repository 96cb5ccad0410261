// Reads trajectory.json (heft-trajectory-1), the motion of a design.
#include <algorithm>
#include <cmath>

#include "design_problem.hpp"
#include "files/json_text.hpp"
#include "files/name_hint.hpp"
#include "files/whole_file.hpp"
#include "heft/excite/design.hpp"

namespace heft {

namespace {

constexpr const char* kRemedy = "give the trajectory.json of a design for this robot";
constexpr std::size_t kLargestTrajectory = std::size_t{1} << 30;

template <class Json>
std::string word_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->template get<std::string>() : "";
}

template <class Json>
Result<double> number_of(const Json& object, const char* name, const std::string& path) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number())
    return Error{path, std::string("its motion has no field '") + name + "'", kRemedy};
  return found->template get<double>();
}

}  // namespace

Result<CoefficientMotion> read_trajectory(const std::string& path, const Robot& robot) {
  HEFT_TRY(text, read_text_whole(path, kLargestTrajectory));
  const auto json = parse_json(text);
  if (!json.is_object() || word_of(json, "schema") != "heft-trajectory-1")
    return Error{path, "is not a trajectory of a design (heft-trajectory-1)", kRemedy};
  const auto joints = json.find("joints"), motion = json.find("motion");
  if (joints == json.end() || !joints->is_array() || motion == json.end() || !motion->is_object())
    return Error{path, "does not contain the coefficients of a motion", kRemedy};
  std::vector<std::string> names;
  for (const auto& joint : *joints)
    if (joint.is_string()) names.push_back(joint.template get<std::string>());
  if (static_cast<int>(names.size()) != robot.num_coordinates())
    return Error{path,
                 "belongs to another robot: it moves " + std::to_string(names.size()) +
                     " joints, not " + std::to_string(robot.num_coordinates()),
                 kRemedy};
  for (int k = 0; k < robot.num_coordinates(); ++k)
    if (names[static_cast<std::size_t>(k)] != robot.coordinates[k].name)
      return Error{path,
                   "belongs to another robot: its joint " + std::to_string(k + 1) + " is '" +
                       names[static_cast<std::size_t>(k)] + "', not '" + robot.coordinates[k].name +
                       "'",
                   kRemedy};
  CoefficientMotion result;
  const auto kind = enum_value<ExcitationMotion>(word_of(*motion, "kind"));
  if (!kind) return Error{path, "its motion is of an unknown kind", kRemedy};
  result.shape.kind = *kind;
  HEFT_TRY(duration, number_of(*motion, "duration_s", path));
  HEFT_TRY(pieces, number_of(*motion, result.shape.is_spline() ? "intervals" : "harmonics", path));
  result.shape.duration = duration;
  (result.shape.is_spline() ? result.shape.intervals : result.shape.harmonics) =
      static_cast<int>(std::clamp(pieces, 0.0, 1e6));
  if (!(duration > 0) || !std::isfinite(duration))
    return Error{path, "the duration of its motion is not positive", kRemedy};
  if (auto checked = check_shape(result.shape); !checked)
    return Error{path, "its motion is invalid: " + checked.error().what, kRemedy};
  const auto rows = motion->find("coefficients");
  const Eigen::Index K = result.shape.num_coefficients(), n = robot.num_coordinates();
  const Error wrong{path,
                    "its coefficients are not " + std::to_string(K) + " rows of " +
                        std::to_string(n) + " numbers",
                    kRemedy};
  if (rows == motion->end() || !rows->is_array() || static_cast<Eigen::Index>(rows->size()) != K)
    return wrong;
  result.coefficients.resize(K, n);
  for (Eigen::Index i = 0; i < K; ++i) {
    const auto& row = (*rows)[static_cast<std::size_t>(i)];
    if (!row.is_array() || static_cast<Eigen::Index>(row.size()) != n) return wrong;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (!row[static_cast<std::size_t>(k)].is_number()) return wrong;
      result.coefficients(i, k) = row[static_cast<std::size_t>(k)].template get<double>();
    }
  }
  if (!result.coefficients.allFinite()) return wrong;
  return result;
}

}  // namespace heft
