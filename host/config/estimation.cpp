#include "config/estimation.hpp"

#include "heft/geometry/bounding.hpp"

namespace heft {

Result<Done> read_ellipsoids(EstimationOptions& options, const Robot& robot) {
  if (options.bounding_ellipsoids == MassBound::none || options.ellipsoids || is_least_squares(options))
    return Done{};
  if (options.consistency != Consistency::full)
    return Error{"estimation.bounding_ellipsoids", "an ellipsoid bounds the mass of a possible body only",
                 "set estimation.consistency: full"};
  BoundingOptions bounding{.inflation = 1 + options.bounding_margin,
                           .package_folders = options.package_folders};
  if (options.bounding_ellipsoids == MassBound::visual) bounding.shapes = ShapeUse::visual;
  HEFT_TRY(ellipsoids, bounding_ellipsoids(robot, bounding));
  options.ellipsoids = std::move(ellipsoids);
  return Done{};
}

Result<Constraints> constraints(const EstimationOptions& options, const ParameterLayout& layout,
                                const Prior& prior) {
  Constraints result{.consistency = options.consistency, .margin = options.margin};
  if (options.bounding_ellipsoids == MassBound::none) return result;
  if (!options.ellipsoids)
    return Error{"estimation.bounding_ellipsoids", "the ellipsoids of the robot have not been read",
                 "call estimate or identify"};
  for (int body = 0; body < layout.num_bodies(); ++body) {
    const std::optional<Ellipsoid>& ellipsoid = options.ellipsoids->bodies[layout.body_index[body]];
    if (!ellipsoid || prior.held[body]) continue;
    result.volumes.push_back(
        {body, {ellipsoid_matrix(ellipsoid->centre, ellipsoid->semi_axes, ellipsoid->R)}});
  }
  return result;
}

}  // namespace heft
