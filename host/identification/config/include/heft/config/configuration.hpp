// Everything that a user can choose about one identification, with sensible defaults, section by
// section as in the YAML file. One description per field (host/identification/config/fields.hpp)
// drives the YAML reader, the command-line flags, the help, the checks and the echo in result.json.
// No module below sees all of it: module_options.hpp translates it into their options. Threads:
// any number of threads may call, each with objects of its own; what is const may be shared.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/executor/executor.hpp"
#include "heft/log/log.hpp"
#include "heft/robot/robot_document.hpp"
#include "heft/select/select_model.hpp"
#include "heft/setup/setup.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Which answer the result holds, and how it is computed.
enum class SolverChoice {
  automatic,
  ordinary_least_squares,
  weighted_least_squares,
  admm,
  interior_point,
  // the certified answer, and beside it what Levenberg and Marquardt find on a chart
  log_cholesky,
  exponential,
  exponential_at_prior,
  manifold,
};

/// A number, or "auto": chosen from the training data.
struct NumberOrAuto {
  double value = 0;
  bool automatic = false;
};

struct EstimationSection {
  SolverChoice solver = SolverChoice::automatic;
  PriorKind prior = PriorKind::metric;
  NumberOrAuto prior_weight = {1e-2};  ///< w of FORMULAS 2; auto: by cross-validation
  Consistency consistency = Consistency::full;
  double column_ridge = 1e-3;  ///< PriorOptions::ridge
  double margin = 1e-6;        ///< Constraints::margin
  double total_mass = 0;       ///< ConstraintOptions::total_mass; 0: not known
  /// Relative standard deviation of the torque scale of each joint, in payloads by joint torques;
  /// auto: from residuals.
  NumberOrAuto torque_scale_sd = {.automatic = true};
  MassBound bounding_ellipsoids = MassBound::none;
  double bounding_margin = 0;                ///< ConstraintOptions
  std::vector<std::string> package_folders;  ///< BoundingOptions
  double gap_tolerance = 1e-8;               ///< certified, relative to the residual cost
  int max_iterations = 0;    ///< 0: 4000 for ADMM, 100 for the interior point method
  int weighting_passes = 4;  ///< of weighted least squares
  Loss loss = Loss::squares;
  ChannelCovariance channel_covariance = ChannelCovariance::diagonal;
  int reweighting_rounds = 4;  ///< RowWeightingOptions::rounds
  double rank_cut = 1e-7;      ///< of least squares, on singular values of column-scaled rows
  double confidence = 0.95;    ///< of the intervals, in (0, 1)
  int bootstrap = 200;         ///< resamples behind the intervals of physical parameters; 0: none
  bool seek_faults = true;     ///< IdentifyRequest::gathers_evidence
  bool keep_dynamics = false;  ///< identified.urdf keeps the `<dynamics>` of the robot's file
  int training_samples = 0;    ///< GatherOptions::max_samples
};

struct LoadSection {
  std::vector<double> inertia;  ///< ModelOptions::load_inertia
};

/// Where a robot's prior comes from besides its file.
enum class FleetPrior {
  none,        ///< from nowhere: an answer depends on the robot's own logs alone
  population,  ///< from the logs of all robots of its model (docs/fleet.md)
};

/// Of heft fleet alone.
struct FleetSection {
  FleetPrior prior = FleetPrior::none;
};

/// What is known of one body, in place of the robot's file.
struct BodyPrior {
  bool is_unknown = false;                             ///< PriorOptions::unknown
  BodyParameters parameters = BodyParameters::Zero();  ///< else: PriorOptions::references
};

struct Configuration {
  RobotOptions robot;
  /// "auto": radians, but a log whose positions are evidently in degrees is refused.
  LogFormat log = {.angle_unit = "auto"};
  /// Of the section `log`: the device whose options stand below those that are given (heft info
  /// --devices); empty: none.
  std::string device;
  std::string torque_is;  ///< of the section `log`: what the torque columns hold; empty: as the
                          ///< device says
  /// Options that files and flags named, "log.torque_scale": a device does not change them.
  std::set<std::string> given;
  /// Of the section `log`, as `exclude`: stretches that are not learned from, "12 to 14.5 of
  /// train.csv" [s].
  std::vector<std::string> excluded_stretches;
  ConditioningOptions conditioning;  ///< its excluded_joints stand in a section of their own,
                                     ///< `joints: {exclude:
                                     ///< ..}`, beside RobotOptions::locked_joints
  std::vector<SensorSpec> sensors;   ///< in the order of their names
  std::vector<ColumnSpec> columns = ModelOptions().columns;
  /// Joint -> expression to subtract from its measured torque.
  std::map<std::string, std::string> known_torque;
  /// Body -> what is known of it.
  std::map<std::string, BodyPrior> priors;
  LoadSection load;
  EstimationSection estimation;
  SelectionOptions selection;  ///< its candidates stand in a list of their own in the file,
                               ///< `candidates:`
  FleetSection fleet;
  BackendOptions backend;
  /// Old words in the files and flags that were read, each with the new one; no option.
  std::vector<std::string> notes;
  /// Whether identify_logs() compares the cutoff with its neighbors (CutoffChoice); no option of
  /// files: heft fleet sets it to false.
  bool compares_cutoffs = true;
};

/// Reads a YAML file over `base`: what the file does not name stays. Errors name file, line and the
/// nearest field that exists; more than one document in the file.
Result<Configuration> read_configuration(const std::string& path, const Configuration& base = {});

/// The same from a text in memory, YAML or JSON, which is YAML; `where` names it in errors. File
/// names stay as they are.
Result<Configuration> configuration_from_yaml(const std::string& text, const std::string& where,
                                              const Configuration& base = {});

/// Where a configuration file sets an option, "log.torque_scale": "robot.yaml:3"; empty if it does
/// not, or cannot be read.
std::string place_of_option(const std::string& path, const std::string& option);

/// Sets one field, e.g. ("conditioning.lowpass_hz", "20"), as a line of the YAML file would. Errors
/// as there.
Result<Done> set_field(Configuration& configuration, const std::string& path,
                       const std::string& value);

/// The configuration as a JSON text with every field, for the echo in result.json and to run again.
std::string to_json(const Configuration& configuration);

/// What differs from the defaults as a YAML text for people; reading it gives the configuration
/// back, to the last bit.
std::string to_yaml(const Configuration& configuration);

/// The inverse of to_json. `where` names the text in errors.
Result<Configuration> configuration_from_json(const std::string& json, const std::string& where);

/// One option, as the YAML file names it: `section.name`.
struct FieldDescription {
  std::string section, name, unit, help, default_value;
  std::vector<std::string> choices;  ///< of an enumeration; empty for all others
};

/// Every option of every section, in the order of the sections, for flags and help; `sensors`,
/// `columns`, `candidates`, `known_torque` and `priors`, which are lists, are not among them.
std::vector<FieldDescription> configuration_fields();

}  // namespace heft
#pragma GCC visibility pop
