// Everything a user can choose about one identification, with sensible defaults. One description per field
// (host/config/fields.hpp) drives the YAML reader, the command-line flags, the help, the checks and the echo
// in result.json.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/executor/executor.hpp"
#include "heft/geometry/bounding.hpp"
#include "heft/log/log.hpp"
#include "heft/model/column.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/robot/robot_document.hpp"
#include "heft/solve/constraints.hpp"
#include "heft/solve/prior.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One entry of `columns:` in the configuration, before it is spelled out for the robot's joints.
struct ColumnSpec {
  std::string kind;                 ///< viscous, coulomb, offset, reflected_inertia, spring or expression
  std::vector<std::string> joints;  ///< empty: every joint
  double tanh_width = 0;            ///< coulomb: tanh(qd / width); 0: sign(qd)
  std::string name;                 ///< expression: name of the unknown
  std::string unit;                 ///< expression: its unit, at a joint that turns
  /// Expression: what multiplies the unknown of every joint, in its own q, qd, qdd and load; one unknown a
  /// joint. Then there are no rows.
  std::string each_joint;
  /// Expression: joint -> what multiplies the unknown in its torque.
  std::map<std::string, std::string> rows;
  bool nonnegative = false;  ///< expression: the unknown must not be negative
};

/// Which answer the result holds. `automatic` is the constrained one.
enum class Estimator { automatic, ordinary_least_squares, weighted_least_squares, admm, interior_point };

/// What a residual costs: its square, or from 1.345 standard deviations of the channel on only its size [Huber 1964].
enum class Loss { squares, huber };
/// Noise of the channels: each with a variance of its own, or with the covariances between them, too.
enum class ChannelCovariance { diagonal, full };

/// Shapes of the URDF by which the mass of a body is bounded.
enum class MassBound { none, collision, visual };

/// A number, or "auto": chosen from the training data.
struct NumberOrAuto {
  double value = 0;
  bool automatic = false;
};

struct EstimationOptions {
  Estimator solver = Estimator::automatic;
  PriorKind prior = PriorKind::metric;
  NumberOrAuto prior_weight = {1e-2};  ///< w of FORMULAS 2; auto: by cross-validation
  Consistency consistency = Consistency::full;
  double column_ridge = 1e-3;  ///< weight of (r_k x_k)^2 on extra columns, FORMULAS 2
  double margin = 1e-6;        ///< J >= margin * J0: keeps every body strictly inside the cone
  /// All mass of a body lies in the least ellipsoid around its shapes; bodies without shapes are not bounded.
  MassBound bounding_ellipsoids = MassBound::none;
  double bounding_margin = 0;  ///< share by which the ellipsoids' semi-axes are longer than that
  std::vector<std::string> package_folders;  ///< BoundingOptions::package_folders
  /// The ellipsoids of the robot at hand, read when they are needed first; no option of the YAML file.
  std::optional<BoundingEllipsoids> ellipsoids;
  double gap_tolerance = 1e-8;  ///< certified, relative to the residual cost
  int max_iterations = 0;       ///< 0: 4000 for ADMM, 100 for the interior point method
  int weighting_passes = 4;     ///< of weighted least squares
  Loss loss = Loss::squares;
  ChannelCovariance channel_covariance = ChannelCovariance::diagonal;
  int reweighting_rounds = 4;  ///< by residuals, for huber and full; two passes over the samples each
  double rank_cut = 1e-7;      ///< of least squares, on singular values of column-scaled rows
  double confidence = 0.95;    ///< of the intervals, in (0, 1)
  int bootstrap = 200;         ///< resamples behind the intervals of physical parameters; 0: none
  int training_samples = 0;    ///< learn from the first so many conditioned samples; 0: from all
};

/// What expressions call load: the torque that the rigid bodies of a reference robot need for the motion.
struct LoadOptions {
  std::vector<double> inertia;  ///< ten numbers a body of the layout, core::Parameter; empty: the URDF's
};

enum class ColumnChoice { given, automatic };
enum class MenuChoice { built_in, none };

/// How select_model goes about it.
struct SelectionOptions {
  ColumnChoice columns = ColumnChoice::given;
  double min_gain = 0.01;  ///< share of the cross-validated error
  int folds = 10;
  int max_steps = 8;
  MenuChoice menu = MenuChoice::built_in;
};

struct Configuration {
  RobotOptions robot;
  /// "auto": radians, but a log whose positions are evidently in degrees is refused.
  LogFormat log = {.angle_unit = "auto"};
  ConditioningOptions conditioning;
  std::vector<ColumnSpec> columns = {
      {.kind = "viscous"}, {.kind = "coulomb", .tanh_width = 0.05}, {.kind = "offset"}};
  /// Columns that select_model may add, besides its menu; each is added to all its joints or not at all.
  std::vector<ColumnSpec> candidates;
  /// Joint -> expression to subtract from its measured torque.
  std::map<std::string, std::string> known_torque;
  LoadOptions load;
  EstimationOptions estimation;
  SelectionOptions selection;
  BackendOptions backend;
};

/// Reads a YAML file over the defaults. Errors name file, line and the nearest field that exists.
Result<Configuration> read_configuration(const std::string& path);

/// Sets one field, e.g. ("conditioning.lowpass_hz", "20"), as a line of the YAML file would. Errors as there.
Result<Done> set_field(Configuration& configuration, const std::string& path, const std::string& value);

/// The configuration as a JSON text with every field, for the echo in result.json and to run again.
std::string to_json(const Configuration& configuration);

/// What differs from the defaults as a YAML text for people; reading it gives the configuration back, to the
/// last bit.
std::string to_yaml(const Configuration& configuration);

/// An option, as the YAML file names it, in two configurations: "conditioning.lowpass_hz: 12".
struct OptionDifference {
  std::string ours, theirs;
};

/// Options by which samples and rows of two configurations differ: those of the sections robot, log and conditioning (but
/// the rotors' path), the columns and the known torques.
std::vector<OptionDifference> option_differences(const Configuration& ours, const Configuration& theirs);

/// The inverse of to_json. `where` names the text in errors.
Result<Configuration> configuration_from_json(const std::string& json, const std::string& where);

/// One option, as the YAML file names it: `section.name`.
struct FieldDescription {
  std::string section, name, unit, help, default_value;
  std::vector<std::string> choices;  ///< of an enumeration; empty for all others
};

/// Every option of every section, in the order of the sections, for flags and help; `columns`, `candidates` and
/// `known_torque`, which are lists, are not among them.
std::vector<FieldDescription> configuration_fields();

struct ModelTerms {
  std::vector<Column> columns;
  DerivedSignals derived;
};

/// The columns and derived signals of a configuration, spelled out for a robot and its channels: one column
/// per joint of every kind but expressions with rows, which make one column each. Equal expressions share a
/// signal. What loads are is left to make_model.
/// Errors name the column or known_torque: a joint that the robot does not have (with near misses), a wrench
/// where a joint is needed, the same column twice. Expressions are parsed later, by condition_log.
Result<ModelTerms> expand_model_terms(const Configuration& configuration, const Robot& robot,
                                      const std::vector<Channel>& channels);

/// A robot with default channels and the configuration's columns, ready for samples.
struct Model {
  PlanPtr plan;
  DerivedSignals derived;
};

/// Errors: those of expand_model_terms and make_regressor_plan; load.inertia of another number of bodies.
Result<Model> make_model(Robot robot, const Configuration& configuration);

}  // namespace heft
#pragma GCC visibility pop
