// What the rows of an identification are: a robot, its channels, its extra columns, and torques
// that are known. Made from short descriptions, by a configuration file or by a program, before any
// data. Threads: any number of threads may call, each with objects of its own; what is const may be
// shared. A Model may be shared: its load is safe to call from several threads, one call at a time
// each.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/model/column_kinds.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/setup/sensor.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Columns to be, before they are spelled out for the robot's joints.
struct ColumnSpec {
  std::string kind;                      ///< a name in ModelOptions::kinds: viscous, coulomb, ..
  std::vector<std::string> joints = {};  ///< empty: every joint
  double tanh_width = 0;  ///< coulomb: tanh(qd / width) [rad/s] or [m/s]; 0: sign(qd)
  std::string name = {};  ///< expression: name of the unknown
  std::string unit = {};  ///< expression: its unit, at a joint that turns
  /// Expression: what multiplies the unknown of every joint, in its own q, qd, qdd and load; one
  /// unknown a joint. Then there are no rows.
  std::string each_joint = {};
  /// Expression: joint -> what multiplies the unknown in its torque.
  std::map<std::string, std::string> rows = {};
  bool nonnegative = false;  ///< expression: the unknown must not be negative
};

struct ModelOptions {
  std::vector<ColumnSpec> columns = {
      {.kind = "viscous"}, {.kind = "coulomb", .tanh_width = kCoulombWidth}, {.kind = "offset"}};
  std::vector<SensorSpec> sensors;  ///< six channels each, after the robot's own
  /// Joint -> expression to subtract from its measured torque.
  std::map<std::string, std::string> known_torque;
  /// What expressions call load is the torque that rigid bodies of these inertias need for the
  /// motion: ten numbers a body of the layout, core::Parameter; empty: those of the robot's file.
  std::vector<double> load_inertia;
  /// The kinds that columns may have; the table must outlive the calls that read the options.
  std::span<const ColumnKind> kinds = column_kinds();
};

struct Model {
  PlanPtr plan;                      ///< robot, channels and columns
  DerivedSignals derived;            ///< known torques, and the signals behind columns
  std::vector<double> load_inertia;  ///< ModelOptions::load_inertia spelled out; empty if no
                                     ///< expression holds a load
};

/// The robot's default channels, then those of the sensors. Errors: those of sensor_channels; a
/// sensor whose channel has the name of another.
Result<std::vector<Channel>> model_channels(const Robot& robot, const ModelOptions& options);

/// A robot with its default channels, those of the sensors and the columns of the options: one
/// column per joint of every kind but expressions with rows, which make one column each. Equal
/// expressions share a signal. Expressions are parsed later, by condition_log. Errors name the
/// column or known_torque: a joint that the robot does not have (with near misses), a wrench where
/// a joint is needed, the same column twice; load inertias of another number of bodies; those of
/// sensor_channels and make_regressor_plan.
Result<Model> make_model(Robot robot, const ModelOptions& options = {});

/// The columns alone, in the order in which make_model lays them out. Errors as there.
Result<std::vector<Column>> make_columns(const Robot& robot, const std::vector<Channel>& channels,
                                         const ModelOptions& options);

}  // namespace heft
#pragma GCC visibility pop
