#include "heft/setup/setup.hpp"

namespace heft {

namespace {

Result<BoundingEllipsoids> read_ellipsoids(const Robot& robot, const ConstraintOptions& options,
                                           const Progress& progress) {
  BoundingOptions bounding{.inflation = 1 + options.bounding_margin,
                           .package_folders = options.package_folders};
  if (options.bounding_ellipsoids == MassBound::visual) bounding.shapes = ShapeUse::visual;
  return bounding_ellipsoids(robot, bounding, progress);
}

/// Volumes of all bodies with an ellipsoid, except those held by the prior.
std::vector<BoundingVolume> volumes(const BoundingEllipsoids& ellipsoids,
                                    const ParameterLayout& layout, const Prior& prior) {
  std::vector<BoundingVolume> result;
  for (int body = 0; body < layout.num_bodies(); ++body) {
    const std::optional<Ellipsoid>& ellipsoid = ellipsoids.bodies[layout.body_index[body]];
    if (!ellipsoid || prior.held[body]) continue;
    result.push_back(
        {body, {ellipsoid_matrix(ellipsoid->center, ellipsoid->semi_axes, ellipsoid->R)}});
  }
  return result;
}

}  // namespace

Result<Setup> make_setup(Robot robot, const SetupOptions& options, const Progress& progress) {
  HEFT_TRY(model, make_model(std::move(robot), options.model));
  return make_setup(std::move(model), options.prior, options.constraints, {}, progress);
}

Result<Setup> make_setup(Model model, const PriorOptions& prior_options,
                         const ConstraintOptions& options, std::optional<BoundingEllipsoids> known,
                         const Progress& progress) {
  const RegressorPlan& plan = *model.plan;
  HEFT_TRY(prior, make_prior(plan.layout, plan.robot, prior_options));
  Setup setup{.model = std::move(model), .prior = std::move(prior)};
  setup.constraints = {.consistency = options.consistency, .margin = options.margin};
  if (options.total_mass > 0)
    setup.constraints.linear.push_back(total_mass(setup.plan().layout, options.total_mass));
  if (options.bounding_ellipsoids == MassBound::none) return setup;
  if (options.consistency != Consistency::full)
    return Error{"estimation.bounding_ellipsoids",
                 "ellipsoids can bound only physically consistent bodies",
                 "set estimation.consistency: full"};
  if (!known) {
    HEFT_TRY(read, read_ellipsoids(setup.plan().robot, options, progress));
    known = std::move(read);
  }
  setup.bounded_by = options.bounding_ellipsoids;
  setup.constraints.volumes = volumes(*known, setup.plan().layout, setup.prior);
  setup.ellipsoids = std::move(known);
  return setup;
}

Result<Setup> with_model(const Setup& setup, const ModelOptions& options) {
  HEFT_TRY(model, make_model(setup.plan().robot, options));
  Setup other = setup;
  other.model = std::move(model);
  return other;
}

}  // namespace heft
