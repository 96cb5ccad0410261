// All options of one identification, with defaults, in the sections of the YAML file. One
// description per field (host/identification/config/fields.hpp) defines the YAML reader, the
// command-line flags, the help, the checks and the echo in result.json. Modules below do not depend
// on it: module_options.hpp translates it into their options. Threads: safe to call from several
// threads on separate objects; const objects may be shared.
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

/// The estimator of the result, and the solver that computes it.
enum class SolverChoice {
  automatic,
  ordinary_least_squares,
  weighted_least_squares,
  admm,
  interior_point,
  // the certified estimate, and in addition that of Levenberg-Marquardt on a chart
  log_cholesky,
  exponential,
  exponential_at_prior,
  manifold,
};

/// A number, or "auto": determined from the training data.
struct NumberOrAuto {
  double value = 0;
  bool automatic = false;
};

/// The section `estimation`.
struct EstimationSection {
  SolverChoice solver = SolverChoice::automatic;
  PriorKind prior = PriorKind::metric;
  NumberOrAuto prior_weight = {1e-2};  ///< w of FORMULAS 2; auto: by cross-validation
  Consistency consistency = Consistency::full;
  double column_ridge = 1e-3;  ///< PriorOptions::ridge
  double margin = 1e-6;        ///< Constraints::margin
  double total_mass = 0;       ///< ConstraintOptions::total_mass; 0: unknown
  /// Relative standard deviation of the torque scale of each joint, for intervals; auto: none, for
  /// payloads measured by joint torques from residuals.
  NumberOrAuto torque_scale_sd = {.automatic = true};
  double time_offset_sd_s = 0;  ///< of the time between torques and motion, for intervals; 0: none
  MassBound bounding_ellipsoids = MassBound::none;
  double bounding_margin = 0;                ///< ConstraintOptions
  std::vector<std::string> package_folders;  ///< BoundingOptions
  double gap_tolerance = 1e-8;               ///< for the certificate, relative to the residual cost
  int max_iterations = 0;    ///< 0: 4000 for ADMM, 100 for the interior point method
  int weighting_passes = 4;  ///< for weighted least squares
  Loss loss = Loss::squares;
  ChannelCovariance channel_covariance = ChannelCovariance::diagonal;
  int reweighting_rounds = 4;  ///< RowWeightingOptions::rounds
  double rank_cut = 1e-7;      ///< for least squares, on singular values of column-scaled rows
  double confidence = 0.95;    ///< of the intervals, in (0, 1)
  int bootstrap = 200;      ///< number of resamples for the intervals of physical parameters; 0: no
                            ///< bootstrap
  bool seek_faults = true;  ///< IdentifyRequest::gathers_evidence
  bool keep_dynamics = false;  ///< identified.urdf keeps the `<dynamics>` of the robot's file
  int training_samples = 0;    ///< GatherOptions::max_samples
  ContactForces contacts = ContactForces::measured;  ///< ModelOptions::contact_forces
  LogWeights log_weights = LogWeights::automatic;    ///< RowWeightingOptions::log_weights
};

/// The section `load`.
struct LoadSection {
  std::vector<double> inertia;  ///< ModelOptions::load_inertia
  PerJoint gain = 1;            ///< ModelOptions::torque_gain
  std::vector<double> noise;    ///< ModelOptions::channel_noise
};

/// Source of a robot's prior in addition to its file.
enum class FleetPrior {
  none,        ///< no other source: a result depends only on the robot's own logs
  population,  ///< from the logs of all robots of its model (docs/fleet.md)
};

/// The section `fleet`, used only by heft fleet.
struct FleetSection {
  FleetPrior prior = FleetPrior::none;
};

/// Prior knowledge of one body, which replaces that of the robot's file.
struct BodyPrior {
  bool is_unknown = false;                             ///< PriorOptions::unknown
  BodyParameters parameters = BodyParameters::Zero();  ///< if not unknown: PriorOptions::references
};

/// All options of one identification.
struct Configuration {
  RobotOptions robot;
  /// "auto": radians, but a log whose positions are clearly in degrees is rejected.
  LogFormat log = {.angle_unit = "auto"};
  /// Section `log`: the device whose options apply unless they are given explicitly (heft info
  /// --devices); empty: no device.
  std::string device;
  std::string torque_is;  ///< section `log`: the quantity in the torque columns; empty: that of the
                          ///< device
  /// Section `log`: column with the supply voltage [V] of the motors, by which torque columns that
  /// hold duty cycles are multiplied; empty: none.
  std::string supply_voltage;
  double nominal_voltage = 0;  ///< section `log`: [V], for which log.torque_scale is stated
  /// Options set by files and flags, for example "log.torque_scale"; a device does not override
  /// them.
  std::set<std::string> given;
  /// Section `log`, option `exclude`: stretches excluded from training, "12 to 14.5 of train.csv"
  /// [s].
  std::vector<std::string> excluded_stretches;
  ConditioningOptions conditioning;  ///< excluded_joints is in the section `joints: {exclude: ..}`,
                                     ///< next to RobotOptions::locked_joints
  /// Section `joints`, option `keep`: joints whose columns are used even if they do not look like
  /// torques.
  std::vector<std::string> kept_joints;
  std::vector<SensorSpec> sensors;  ///< in the order of their names
  std::vector<ColumnSpec> columns = ModelOptions().columns;
  /// Joint -> expression subtracted from its measured torque.
  std::map<std::string, std::string> known_torque;
  std::vector<KnownPayload> payloads;
  std::vector<WrenchSpec> wrenches;   ///< in the order of the file
  std::vector<ContactSpec> contacts;  ///< in the order of the file
  std::vector<LogKind> log_kinds;     ///< RowWeightingOptions::log_kinds
  /// Body -> prior knowledge of it.
  std::map<std::string, BodyPrior> priors;
  LoadSection load;
  EstimationSection estimation;
  SelectionOptions selection;  ///< its candidates are in a separate list of the file, `candidates:`
  FleetSection fleet;
  BackendOptions backend;
  /// Deprecated words in the files and flags that were read, each with its replacement; not an
  /// option.
  std::vector<std::string> notes;
  /// Whether identify_logs() compares the cutoff with its neighbors (CutoffChoice); not an option
  /// of files: heft fleet sets it to false.
  bool compares_cutoffs = true;
};

/// Reads a YAML file on top of `base`: options that are not in the file keep their values. Errors
/// name file, line and the most similar field; more than one document in the file.
Result<Configuration> read_configuration(const std::string& path, const Configuration& base = {});

/// Does the same for YAML or JSON text in memory; `where` names it in errors. File names are not
/// resolved.
Result<Configuration> configuration_from_yaml(const std::string& text, const std::string& where,
                                              const Configuration& base = {});

/// Returns where a configuration file sets an option such as "log.torque_scale": "robot.yaml:3";
/// empty if it is not set or the file cannot be read.
std::string place_of_option(const std::string& path, const std::string& option);

/// Sets one field, for example ("conditioning.lowpass_hz", "20"), like a line of the YAML file.
/// Errors: those of that line.
Result<Done> set_field(Configuration& configuration, const std::string& path,
                       const std::string& value);

/// Returns the configuration as JSON with every field, for the echo in result.json and to repeat a
/// run.
std::string to_json(const Configuration& configuration);

/// Returns the differences from the defaults as YAML for people; reading it restores the
/// configuration bit for bit.
std::string to_yaml(const Configuration& configuration);

/// Returns the configuration of a text from to_json. `where` names the text in errors.
Result<Configuration> configuration_from_json(const std::string& json, const std::string& where);

/// Description of one option, with its name in the YAML file: `section.name`.
struct FieldDescription {
  std::string section, name, unit, help, default_value;
  std::vector<std::string> choices;  ///< values of an enumeration; otherwise empty
};

/// Returns every option of the sections of heft identify and heft fleet, in the order of the
/// sections, for flags and help, except the lists `sensors`, `columns`, `candidates`,
/// `known_torque`, `wrenches`, `contacts`, `log_kinds` and `priors`. The sections `payload` and
/// `excitation` are described by payload_config and excite_config.
std::vector<FieldDescription> configuration_fields();

}  // namespace heft
#pragma GCC visibility pop
