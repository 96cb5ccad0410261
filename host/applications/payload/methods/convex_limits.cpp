#include "convex_limits.hpp"

#include <algorithm>
#include <utility>

#include "base/number_text.hpp"
#include "methods.hpp"

namespace heft::payload {

namespace {

/// Bounds of the mass, from the densities and the shape's volume.
Result<Done> add_density(const PayloadLimits& limits, const PayloadShape& shape,
                         Constraints& constraints) {
  if (!(shape.volume > 0))
    return Error{
        "payload.density", "needs a shape with a volume",
        "give --shape, payload.prior.points or one of payload.prior.box, ball and cylinder"};
  const double lower = limits.least_density * shape.volume,
               upper = limits.largest_density * shape.volume;
  if (!(lower <= upper))
    return Error{"payload.density", "the minimum density is above the maximum",
                 "write [min, max] in kg/m^3"};
  if (limits.known_mass > 0 && (limits.known_mass < lower || limits.known_mass > upper))
    return Error{"payload.density",
                 "the known mass of " + number_text(limits.known_mass, 4) + " kg is " +
                     number_text(limits.known_mass / shape.volume, 4) + " kg/m^3 in the shape's " +
                     number_text(1000 * shape.volume, 4) + " liters",
                 "check the unit of the mass, and that the mesh is in meters and solid"};
  constraints.linear.push_back(mass_bounds(payload_layout(), 0, lower, upper));
  return Done{};
}

bool keeps_to_limits(PayloadMethod method) {
  return method == PayloadMethod::automatic || method == PayloadMethod::geo ||
         method == PayloadMethod::cone || method == PayloadMethod::metric ||
         method == PayloadMethod::pmd || method == PayloadMethod::pmd_weighted;
}

}  // namespace

Result<Done> refuse_limits(PayloadMethod method, const PayloadLimits& limits) {
  if (keeps_to_limits(method)) return Done{};
  const std::pair<bool, const char*> given[] = {{limits.known_mass > 0, "known_mass"},
                                                {limits.has_density(), "density"},
                                                {limits.com_region.has_value(), "com_region"},
                                                {limits.within_shape, "within_shape"}};
  for (const auto& [is_given, name] : given)
    if (is_given)
      return Error{std::string("--method ") + enum_name(method),
                   std::string("does not support payload.") + name,
                   std::string("use auto, geo, cone, metric or pmd, or remove payload.") + name};
  return Done{};
}

Result<Constraints> constraints_of(const PayloadOptions& options, const PayloadShape& shape) {
  const PayloadLimits& limits = options.limits;
  Constraints constraints{.margin = options.margin};
  if (limits.known_mass > 0)
    constraints.linear.push_back(fixed_mass(payload_layout(), 0, limits.known_mass));
  if (limits.has_density()) HEFT_CHECK(add_density(limits, shape, constraints));
  if (limits.com_region) {
    if (limits.com_region->isEmpty())
      return Error{"payload.com_region", "is empty: a lower bound is above its upper bound",
                   "write [x_low, x_high, y_low, y_high, z_low, z_high] in meters"};
    for (LinearConstraint& row :
         com_box(payload_layout(), 0, limits.com_region->min(), limits.com_region->max()))
      constraints.linear.push_back(std::move(row));
  }
  if (limits.within_shape) {
    if (!shape.bounds)
      return Error{
          "payload.within_shape", "needs a shape",
          "give --shape, payload.prior.points or one of payload.prior.box, ball and cylinder"};
    constraints.volumes.push_back(
        {0, {ellipsoid_matrix(shape.bounds->center, shape.bounds->semi_axes, shape.bounds->R)}});
  }
  return constraints;
}

bool keeps_to(const std::vector<LinearConstraint>& rows, const BodyParameters& x, double rounding) {
  for (const LinearConstraint& row : rows) {
    double sum = 0, size = 0;
    for (const auto& [index, coefficient] : row.terms) {
      sum += coefficient * x[index];
      size += std::abs(coefficient * x[index]);
    }
    if (sum < row.lower - rounding * size || sum > row.upper + rounding * size) return false;
  }
  return true;
}

bool keeps_to(const Constraints& constraints, const BodyParameters& x) {
  if (!keeps_to(constraints.linear, x, 1e-12)) return false;
  for (const BoundingVolume& volume : constraints.volumes)
    for (const Eigen::Matrix4d& Q : volume.ellipsoids)
      if ((pseudo_inertia(x) * Q).trace() < 0) return false;
  return true;
}

}  // namespace heft::payload
