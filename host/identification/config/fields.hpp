// Describes every option once: name, value, unit, help and check. A visitor is called as
//   visit(name, value, unit, help)            for plain values
//   visit(name, value, unit, help, check)     check(value) returns an error, or an empty string
// Enumerations are written by their names (choice_names.hpp).
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/choice_names.hpp"
#include "config/device_options.hpp"
#include "config/excluded_stretches.hpp"
#include "config/field_rules.hpp"
#include "heft/config/configuration.hpp"
#include "rows/row_kind.hpp"

namespace heft::config {

template <class Visitor>
void describe(RobotOptions& o, Visitor&& visit) {
  visit("floating_base", o.floating_base, "", "the root link moves freely and is also identified");
  visit("gravity", o.gravity, "m/s^2", "gravitational acceleration in the axes of the base link",
        [](const Eigen::Vector3d& g) {
          return g.norm() <= 1000 ? "" : std::string("must have a norm of at most 1000");
        });
  visit("rotors", o.rotors_path, "", "YAML file with motor rotors as bodies; empty: none");
}

template <class Visitor>
void describe(LogFormat& o, Visitor&& visit) {
  visit("delimiter", o.delimiter, "", "auto, or the character between fields");
  visit("header", o.header, "",
        "the first line of a text table names the columns; if false, columns are named by "
        "log.columns, or numbered 1, 2, ..");
  TimeColumns time{o.time, o.time_nanoseconds};
  visit("time", time, "", "name of the time column, or of two columns: [seconds, nanoseconds]");
  visit(
      "time_unit", o.time_unit, "",
      "s, ms, us or ns; iso: text such as 2026-03-01T08:15:00.25Z; sec_nsec: two columns; auto: detects "
      "text, stamps since 1970 and two columns, otherwise uses time_scale",
      [](const std::string& unit) {
        for (const char* known : {"s", "ms", "us", "ns", "iso", "sec_nsec", "auto"})
          if (unit == known) return std::string();
        return std::string("must be s, ms, us, ns, iso, sec_nsec or auto");
      });
  visit(
      "topics", o.topics, "",
      "fields of a recording (MCAP, bag): {position: \"/joint_states.position\", velocity: .., torque: ..}, "
      "each an array of joints, or a list with one field per joint; {}: the only topic with joint states");
  visit(
      "stamp", o.stamp, "",
      "clock of a recording (MCAP, bag): header, publish (sent) or log (received); auto: header if all used "
      "topics have stamps, otherwise log",
      [](const std::string& stamp) {
        for (const char* known : {"auto", "header", "publish", "log"})
          if (stamp == known) return std::string();
        return std::string("must be header, publish, log or auto");
      });
  visit(
      "columns", o.columns, "",
      "names of the columns of a plain NumPy or HDF5 array, or of a table without a header, in order");
  visit(
      "position", o.position, "",
      "patterns of the position columns: {joint} is the joint's name, {i} its index from 1, {i+7} seven "
      "more, {i-1} one less; or the columns themselves, one per joint");
  visit("velocity", o.velocity, "", "patterns of the velocity columns");
  visit("acceleration", o.acceleration, "", "patterns of the acceleration columns");
  visit("torque", o.torque, "", "patterns of the torque columns");
  visit(
      "angle_unit", o.angle_unit, "",
      "rad, deg or auto (radians; refuses a log whose positions are evidently in degrees); one for all, one "
      "per joint, or joint: unit",
      by_joint([](const std::string& unit) {
        return option_bounds::is_angle_unit(unit) ? ""
                                                  : "must be rad, deg or auto ('" + unit + "')";
      }));
  visit(
      "unwrap", o.unwrap, "",
      "unwrap positions that jump by a whole turn at the end of their range: true, false or a list "
      "of joints");
  visit("time_scale", o.time_scale, "s", "seconds per unit of the time column", positive(1e9));
  visit(
      "rate_hz", o.rate_hz, "Hz",
      "rows per second of a uniform clock that replaces the stamps (pauses are kept); 0: use the stamps",
      [](double rate) {
        return option_bounds::is_rate(rate) ? "" : "must be 0, or between 0.01 and 1e6 Hz";
      });
  visit("torque_scale", o.torque_scale, "N m",
        "newton meters per unit of the torque columns; one number, one per joint, or joint: number",
        scale());
  visit("torque_offset", o.torque_offset, "N m",
        "offset to subtract from the scaled torques; one number, one per joint, or joint: number",
        joints_within(option_bounds::kTorqueOffset));
  visit(
      "position_scale", o.position_scale, "rad",
      "radians (or m) per unit of the position columns; one number, one per joint, or joint: number",
      scale());
  visit("position_offset", o.position_offset, "rad",
        "offset to subtract from the scaled positions; one number, one per joint, or joint: number",
        joints_within(option_bounds::kPositionOffset));
  visit(
      "bridge_spikes", o.bridge_spikes, "",
      "replace single samples that are missing or far from their neighbors by linear interpolation");
  visit(
      "drop_damaged", o.drop_damaged, "",
      "drop rows of a second publisher (equal in every column but time, between rows of a moving robot) and "
      "unreadable lines of a text table");
  visit("retime", o.retime, "",
        "auto: use the motion common to all joints to estimate sampling times that differ from the "
        "stamps, and interpolate the rows to even times");
}

/// Section `log`: the format and further options.
struct LogSection {
  LogFormat& format;
  std::vector<std::string>& excluded_stretches;
  std::string& device;
  std::string& torque_is;
  std::string& supply_voltage;
  double& nominal_voltage;
};

template <class Visitor>
void describe(LogSection& o, Visitor&& visit) {
  describe(o.format, visit);
  visit(
      "device", o.device, "",
      "device or driver that wrote the log: sets names, units, signs and zeros of its columns; explicit "
      "options take precedence; heft info --devices lists devices; empty: none",
      device_fault);
  visit(
      "torque_is", o.torque_is, "",
      "content of the torque columns: link_side, motor_side, current, pwm, percent, gravity_compensated, "
      "external or command; empty: that of the device, otherwise torques",
      torque_meaning_fault);
  visit(
      "supply_voltage", o.supply_voltage, "",
      "column with the supply voltage of the motors [V]: torque columns that contain duty cycles are "
      "multiplied by it and divided by nominal_voltage; empty: none");
  visit("nominal_voltage", o.nominal_voltage, "V",
        "supply voltage for which torque_scale is stated; required with supply_voltage",
        [](double volts) {
          return volts == 0 || (volts >= 1e-3 && volts <= 1e6) ? ""
                                                               : "must be between 0.001 and 1e6 V";
        });
  visit("exclude", o.excluded_stretches, "",
        "time ranges to exclude, in seconds on the log's clock: ['12 to 14.5 of train.csv']; "
        "without a name, in all logs",
        [](const std::vector<std::string>& stretches) {
          for (const std::string& words : stretches)
            if (const auto read = read_excluded_stretch(words); !read) return read.error().what;
          return std::string();
        });
}

/// joints: {exclude: [..], keep: [..], locked: {..}}
struct JointsSection {
  ConditioningOptions& conditioning;
  std::vector<std::string>& kept_joints;
  RobotOptions& robot;
};

template <class Visitor>
void describe(JointsSection& o, Visitor&& visit) {
  visit(
      "exclude", o.conditioning.excluded_joints, "",
      "joints whose torque is not used and may be missing from the log; their bodies remain in the model; "
      "two joints: a,b or '[a, b]'");
  visit("keep", o.kept_joints, "",
        "joints whose torque column is used even if heft identify finds that it is not a torque "
        "and would exclude it (doubt not-torque); two joints: a,b or '[a, b]'");
  visit(
      "locked", o.robot.locked_joints, "rad",
      "joints that stand still (rad or m), together with joints that mimic them: joint: position, or a list "
      "of joints at 0; their columns in a log are not read");
}

template <class Visitor>
void describe(BaseSource& o, Visitor&& visit) {
  visit(
      "source", o.source, "",
      "motion of a floating base from an IMU (angular velocity, specific force) or from poses in the world");
  visit("frame", o.frame, "",
        "link at which the IMU or pose is measured, fixed to the root link; empty: the root link");
  visit("gyro", o.gyro, "rad/s", "columns of the angular velocity: [x, y, z]; default base_wx ..",
        no_or(3));
  visit("accel", o.accel, "m/s^2",
        "columns of the specific force, acceleration minus gravity: [x, y, z]; default base_fx ..",
        no_or(3));
  visit(
      "pose", o.pose, "m",
      "columns of the pose in the world (z up): [x, y, z, and four of the quaternion]; with source imu, only "
      "for the axes of the world",
      no_or(7));
  visit("quaternion", o.quaternion, "",
        "order of the quaternion in pose: scalar last (xyzw) or first (wxyz); required with pose");
  visit("bias", o.bias, "", "estimate the biases of gyroscope and accelerometer");
  visit("rotation", o.rotation, "", "estimate a small rotation of the IMU relative to its frame");
}

template <class Visitor>
void describe(ConditioningOptions& o, Visitor&& visit) {
  visit("resample_hz", o.resample_hz, "Hz", "rate of the uniform grid; 0 keeps the log's own",
        not_negative());
  visit("filter", o.filter, "", "low-pass filter, applied forward and backward");
  NumberBesideAuto lowpass{o.lowpass_hz, o.chooses_lowpass};
  visit(
      "lowpass_hz", lowpass, "Hz",
      "cutoff for position and logged velocity; auto: chosen by cross-validation on the training logs",
      [](const NumberBesideAuto& cutoff) {
        return cutoff.automatic ? std::string() : positive()(cutoff.value);
      });
  visit("torque_lowpass_hz", o.torque_lowpass_hz, "Hz", "cutoff for torque; 0: lowpass_hz",
        not_negative());
  visit("butterworth_order", o.butterworth_order, "",
        "order of the Butterworth filter, per direction", positive());
  visit("filter_rows", o.filter_rows, "",
        "filter the rows of the regressor like the torque; lowpass_hz may then be higher");
  static const std::string kRowsHelp = "equations to use: " + row_kind_names();
  visit("rows", o.rows, "", kRowsHelp.c_str(), [](const std::string& rows) {
    return find_row_kind(rows) ? "" : "must be one of " + row_kind_names();
  });
  visit("savgol_window", o.savgol_window, "samples",
        "window of the Savitzky-Golay filter; an odd number", positive());
  visit("savgol_order", o.savgol_order, "", "polynomial order of the Savitzky-Golay filter",
        positive());
  visit("velocity", o.velocity, "", "source of the velocity");
  visit("torque_delay_s", o.torque_delay_s, "s",
        "delay of the logged torque behind the motion; one number, one per joint, or joint: number",
        joints_within(option_bounds::kTorqueDelay));
  visit(
      "trim", o.trim, "samples",
      "samples to drop at both ends of every segment, after filtering; auto: two periods of the torque cutoff",
      [](const std::optional<int>& trim) {
        return !trim || option_bounds::is_trim(*trim) ? std::string()
                                                      : std::string("must not be negative");
      });
  visit("keep_every", o.keep_every, "", "keep every k-th sample after trimming", positive());
  visit("dead_band", o.dead_band, "rad/s",
        "drop the rows of joints slower than this; one value per joint, or one for all",
        each(not_negative(1e6)));
  visit("dead_band_lowpass_hz", o.dead_band_lowpass_hz, "Hz",
        "cutoff for the velocity compared with the dead band; 0: lowpass_hz", not_negative());
  visit(
      "torque_limit", o.torque_limit, "N m",
      "drop rows with a torque at or above this limit, which is saturated; one value per joint, or one for all",
      each(not_negative(1e9)));
  visit("max_gap_s", o.max_gap_s, "s", "longer pauses start a new segment; 0: ten median periods",
        not_negative());
}

template <class Visitor>
void describe(SelectionOptions& o, Visitor&& visit) {
  visit(
      "columns", o.columns, "",
      "given: the configured columns; auto: also the columns that cross-validation on the training logs adds");
  visit("min_gain", o.min_gain, "",
        "share of the cross-validated error that an added column must remove", [](double gain) {
          return gain >= 0 && gain < 1 ? "" : std::string("must be between 0 and 1");
        });
  visit("folds", o.folds, "", "number of parts of the training logs, each held out in turn",
        within(2, 1000));
  visit(
      "max_steps", o.max_steps, "",
      "maximum number of additions: the prior weight, which comes first, columns, filters and weights",
      positive(1000));
  visit("menu", o.menu, "",
        "built_in: the candidates in docs/columns.md; none: only the configured candidates");
}

template <class Visitor>
void describe(LoadSection& o, Visitor&& visit) {
  visit(
      "inertia", o.inertia, "",
      "m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz of every body, for the loads in expressions; empty: as "
      "in the URDF");
  visit(
      "gain", o.gain, "",
      "initial measured torque / true torque of joints with a gain column, from which gains are estimated",
      by_joint(positive()));
  visit(
      "noise", o.noise, "",
      "standard deviation of each channel's noise (N m or N), which weights the projection of unknown contact "
      "forces; empty: heft identify estimates it",
      each(positive()));
}

template <class Visitor>
void describe(EstimationSection& o, Visitor&& visit) {
  visit(
      "solver", o.solver, "",
      "method of the result; auto: the constrained estimate; chart:..: the same, compared with the optimum "
      "found in a chart");
  visit("prior", o.prior, "", "measure of the distance from the URDF's inertia");
  visit("prior_weight", o.prior_weight, "",
        "w: weight of the distance from the URDF's inertia; auto: chosen by cross-validation",
        [](const NumberOrAuto& w) { return w.automatic ? std::string() : positive()(w.value); });
  visit("consistency", o.consistency, "",
        "physical consistency of a body: J >= 0, spatial inertia >= 0, or no constraint");
  visit("column_ridge", o.column_ridge, "", "ridge weight that pulls the extra columns toward zero",
        not_negative());
  visit("margin", o.margin, "",
        "J >= margin * J0 keeps every body strictly inside the physically consistent set",
        not_negative());
  visit("bounding_ellipsoids", o.bounding_ellipsoids, "",
        "confine the mass of each body to the smallest ellipsoid around its shapes in the URDF");
  visit("bounding_margin", o.bounding_margin, "",
        "relative enlargement of these ellipsoids in every direction", not_negative());
  visit(
      "package_folders", o.package_folders, "",
      "folders with packages of package:// meshes, besides those near the URDF and in ROS_PACKAGE_PATH");
  visit(
      "total_mass", o.total_mass, "kg",
      "total mass of all moving bodies, from a scale; the estimate satisfies it exactly; 0: unknown",
      not_negative(1e6));
  visit(
      "torque_scale_sd", o.torque_scale_sd, "",
      "relative standard deviation of the torque scale (torque constant) of each joint, for the intervals; auto: "
      "none in heft identify, in heft payload --model estimated from the residuals, otherwise 0.05",
      [](const NumberOrAuto& sd) { return sd.automatic ? std::string() : within(0, 1)(sd.value); });
  visit(
      "time_offset_sd_s", o.time_offset_sd_s, "s",
      "standard deviation of the time between the logged torques and the motion, common to all joints, for the "
      "intervals; 0: none",
      not_negative(0.1));
  visit("gap_tolerance", o.gap_tolerance, "",
        "certified duality gap, relative to the residual cost", positive());
  visit("max_iterations", o.max_iterations, "",
        "limit on solver iterations; 0: 4000 for ADMM, 100 for the interior point method",
        not_negative(1e7));
  visit("weighting_passes", o.weighting_passes, "", "number of passes of weighted least squares",
        not_negative(1000));
  visit("loss", o.loss, "", "cost of a residual; huber: linear for outliers");
  visit("channel_covariance", o.channel_covariance, "",
        "noise model of the channels: variances only, or also their correlations");
  visit(
      "reweighting_rounds", o.reweighting_rounds, "",
      "rounds of reweighting for huber and full covariance, by the residuals of the previous estimate; each "
      "takes two passes over the samples",
      positive(1000));
  visit("rank_cut", o.rank_cut, "",
        "singular values below this fraction of the largest count as zero", positive());
  visit("confidence", o.confidence, "", "confidence level of the intervals",
        [](double p) { return p > 0 && p < 1 ? "" : std::string("must be between 0 and 1"); });
  visit("bootstrap", o.bootstrap, "",
        "number of bootstrap resamples for the intervals of physical parameters; 0: none",
        not_negative(100000));
  visit(
      "seek_faults", o.seek_faults, "",
      "test the residuals for log and model faults; false skips the test and records that in the result");
  visit(
      "keep_dynamics", o.keep_dynamics, "",
      "identified.urdf keeps the <dynamics> of the robot file instead of the identified friction");
  visit(
      "contacts", o.contacts, "",
      "forces of contacts that have a measured wrench, too: measured uses the wrench, null_space ignores it; "
      "contacts without a wrench are always projected out of the rows");
  visit(
      "log_weights", o.log_weights, "",
      "weights of the training logs: residuals divides the squared errors of each log, or of each kind in log_kinds, "
      "by the variance of its residuals, channel by channel; equal: no weights by log; auto: residuals for a "
      "floating base with wrenches or contacts, otherwise equal");
  visit("training_samples", o.training_samples, "samples",
        "use only this many conditioned samples, from the first on; 0: all", not_negative());
}

template <class Visitor>
void describe(FleetSection& o, Visitor&& visit) {
  visit(
      "prior", o.prior, "",
      "prior of heft fleet: none, or population, a prior from the logs of all robots of one model; a new log "
      "of one robot then changes the results of all");
}

template <class Visitor>
void describe(BackendOptions& o, Visitor&& visit) {
  visit("backend", o.kind, "",
        "where the regressor is evaluated; auto: a device if it takes less than half of the CPU's "
        "time by estimate, and the CPU in fleets; cuda never falls back to the CPU");
  visit("threads", o.threads, "", "threads of the CPU backend; 0: all", [](int threads) {
    return threads >= 0 && threads <= 1024 ? "" : std::string("must be between 0 and 1024");
  });
}

/// Calls section(name, options) for every group of options, in the order of the YAML file.
template <class Section>
void for_each_section(Configuration& configuration, Section&& section) {
  section("robot", configuration.robot);
  LogSection log{
      configuration.log,       configuration.excluded_stretches, configuration.device,
      configuration.torque_is, configuration.supply_voltage,     configuration.nominal_voltage};
  section("log", log);
  section("conditioning", configuration.conditioning);
  JointsSection joints{configuration.conditioning, configuration.kept_joints, configuration.robot};
  section("joints", joints);
  section("base", configuration.conditioning.base);
  section("load", configuration.load);
  section("estimation", configuration.estimation);
  section("selection", configuration.selection);
  section("fleet", configuration.fleet);
  section("backend", configuration.backend);
}

}  // namespace heft::config
