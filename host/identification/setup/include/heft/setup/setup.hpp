// All that identification is told before it sees data: what the rows are, what is believed of the
// bodies, and what every answer must obey. Made once, at the edge; everything inside takes it, or
// parts of it. Threads: any number of threads may call, each with objects of its own; what is const
// may be shared.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/progress.hpp"
#include "heft/base/result.hpp"
#include "heft/geometry/bounding.hpp"
#include "heft/setup/model.hpp"
#include "heft/solve/constraints.hpp"
#include "heft/solve/prior.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Shapes of the robot's file by which the mass of a body is bounded.
enum class MassBound { none, collision, visual };

template <>
struct EnumNames<MassBound> {
  static constexpr EnumName<MassBound> kList[] = {{MassBound::none, "none"},
                                                  {MassBound::collision, "collision"},
                                                  {MassBound::visual, "visual"}};
};

/// Constraints as they are asked for, before the shapes behind them have been read.
struct ConstraintOptions {
  Consistency consistency = Consistency::full;
  double margin = 1e-6;   ///< Constraints::margin
  double total_mass = 0;  ///< [kg] of all moving bodies together, from a scale; 0: not known
  /// All mass of a body lies in the least ellipsoid around its shapes; bodies without shapes are
  /// not bounded.
  MassBound bounding_ellipsoids = MassBound::none;
  double bounding_margin = 0;  ///< share by which the ellipsoids' semi-axes are longer than that
  std::vector<std::string> package_folders;  ///< BoundingOptions::package_folders
};

struct SetupOptions {
  ModelOptions model;
  PriorOptions prior;
  ConstraintOptions constraints;
};

struct Setup {
  Model model;
  Prior prior;              ///< of the bodies; columns have no more of it than a ridge
  Constraints constraints;  ///< with the ellipsoids of all bodies but those that the prior holds
  MassBound bounded_by = MassBound::none;
  std::optional<BoundingEllipsoids> ellipsoids;  ///< that were read; none if no mass is bounded

  const RegressorPlan& plan() const { return *model.plan; }
};

/// Errors: those of make_model and make_prior; of bounding_ellipsoids, of whose meshes the robot
/// names the files; ellipsoids without full consistency, which say nothing about where mass is.
/// `progress` hears of meshes that are read.
Result<Setup> make_setup(Robot robot, const SetupOptions& options = {},
                         const Progress& progress = {});

/// The same of a model that is there. `known`: ellipsoids that were read before, by the same
/// options. Errors as above.
Result<Setup> make_setup(Model model, const PriorOptions& prior,
                         const ConstraintOptions& constraints,
                         std::optional<BoundingEllipsoids> known = {},
                         const Progress& progress = {});

/// The setup with another model of the same robot: beliefs and constraints are of its bodies and
/// stay. Errors: those of make_model.
Result<Setup> with_model(const Setup& setup, const ModelOptions& options);

}  // namespace heft
#pragma GCC visibility pop
