// The one description of every option: name, value, unit, help and what is allowed. A visitor is
// called as
//   visit(name, value, unit, help)            for plain values
//   visit(name, value, unit, help, check)     check(value) returns what is wrong, or an empty
//                                             string
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
  visit("floating_base", o.floating_base, "", "the root link moves freely and is identified too");
  visit("gravity", o.gravity, "m/s^2", "acceleration of free fall in the axes of the base link",
        [](const Eigen::Vector3d& g) {
          return g.norm() <= 1000 ? "" : std::string("must be at most 1000 long");
        });
  visit("rotors", o.rotors_path, "", "YAML file with motor rotors as bodies; empty for none");
}

template <class Visitor>
void describe(LogFormat& o, Visitor&& visit) {
  visit("delimiter", o.delimiter, "", "auto, or the character between fields");
  visit(
      "header", o.header, "",
      "the first line of a text table names the columns; else log.columns does, or they are named by their "
      "number: 1, 2, ..");
  TimeColumns time{o.time, o.time_nanoseconds};
  visit("time", time, "", "name of the time column; of two, [seconds, nanoseconds]");
  visit(
      "time_unit", o.time_unit, "",
      "s, ms, us or ns; iso: texts as 2026-03-01T08:15:00.25Z; sec_nsec: two columns; auto: what is "
      "certain of "
      "these (texts, stamps since 1970, two columns), else time_scale decides",
      [](const std::string& unit) {
        for (const char* known : {"s", "ms", "us", "ns", "iso", "sec_nsec", "auto"})
          if (unit == known) return std::string();
        return std::string("must be s, ms, us, ns, iso, sec_nsec or auto");
      });
  visit(
      "topics", o.topics, "",
      "fields of a recording (MCAP, bag): {position: \"/joint_states.position\", velocity: .., "
      "torque: ..}, "
      "each an array of joints or a list with one number per joint; {}: the only topic of joint states");
  visit(
      "stamp", o.stamp, "",
      "clock of a recording (MCAP, bag): header, publish (sent), log (received); auto: header if all used "
      "topics have stamps, else log",
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
      "patterns of the position columns; {joint} is the joint's name, {i} its index from 1, {i+7} seven "
      "more, {i-1} one less; "
      "or the columns themselves, one a joint");
  visit("velocity", o.velocity, "", "patterns of the velocity columns");
  visit("acceleration", o.acceleration, "", "patterns of the acceleration columns");
  visit("torque", o.torque, "", "patterns of the torque columns");
  visit(
      "angle_unit", o.angle_unit, "",
      "rad, deg, or auto: radians, but a log whose positions are evidently in degrees is refused; one for "
      "all, "
      "one a joint, or joint: unit",
      by_joint([](const std::string& unit) {
        return option_bounds::is_angle_unit(unit) ? ""
                                                  : "must be rad, deg or auto ('" + unit + "')";
      }));
  visit(
      "unwrap", o.unwrap, "",
      "positions jump by a whole turn where they leave it, so turns are counted: true, or a list of joints");
  visit("time_scale", o.time_scale, "s", "seconds per unit of the time column", positive(1e9));
  visit(
      "rate_hz", o.rate_hz, "Hz",
      "rows per second of a uniform clock that replaces the stamps (pauses stay); 0: use the stamps",
      [](double rate) {
        return option_bounds::is_rate(rate) ? "" : "must be 0, or between 0.01 and 1e6 Hz";
      });
  visit("torque_scale", o.torque_scale, "N m",
        "newton meters per unit of the torque columns; a number, one a joint, or joint: number",
        scale());
  visit("torque_offset", o.torque_offset, "N m",
        "by which scaled torques are too large; a number, one a joint, or joint: number",
        joints_within(option_bounds::kTorqueOffset));
  visit("position_scale", o.position_scale, "rad",
        "radians (or m) per unit of the position columns; a number, one a joint, or joint: number",
        scale());
  visit("position_offset", o.position_offset, "rad",
        "by which scaled positions are too large; a number, one a joint, or joint: number",
        joints_within(option_bounds::kPositionOffset));
  visit(
      "bridge_spikes", o.bridge_spikes, "",
      "single samples far from their neighbors, or without a number, are replaced by the line between these");
  visit(
      "drop_damaged", o.drop_damaged, "",
      "drop rows of another publisher (the same numbers in every column but the time, between rows of a "
      "robot that moves) and lines of a text table that cannot be read");
  visit(
      "retime", o.retime, "",
      "auto: rows that were sampled off the times of their stamps, by what the positions of all joints "
      "have in common, are brought to even times");
}

/// What `log:` holds beside the format.
struct LogSection {
  LogFormat& format;
  std::vector<std::string>& excluded_stretches;
  std::string& device;
  std::string& torque_is;
};

template <class Visitor>
void describe(LogSection& o, Visitor&& visit) {
  describe(o.format, visit);
  visit(
      "device", o.device, "",
      "device or driver that wrote the log: sets names, units, signs and zero of its columns; options that "
      "are given win; heft info --devices lists them; empty: none",
      device_fault);
  visit(
      "torque_is", o.torque_is, "",
      "what the torque columns hold: link_side, motor_side, current, pwm, percent, gravity_compensated, "
      "external or command; empty: as the device says, else torques",
      torque_meaning_fault);
  visit(
      "exclude", o.excluded_stretches, "",
      "stretches that are not learned from, in s by the log's stamps: ['12 to 14.5 of train.csv']; without "
      "a name of all logs",
      [](const std::vector<std::string>& stretches) {
        for (const std::string& words : stretches)
          if (const auto read = read_excluded_stretch(words); !read) return read.error().what;
        return std::string();
      });
}

/// joints: {exclude: [..], locked: {..}}
struct JointsSection {
  ConditioningOptions& conditioning;
  RobotOptions& robot;
};

template <class Visitor>
void describe(JointsSection& o, Visitor&& visit) {
  visit(
      "exclude", o.conditioning.excluded_joints, "",
      "joints whose torque is not used, and need not be in the log; their bodies stay; of two: a,b or '[a, "
      "b]'");
  visit(
      "locked", o.robot.locked_joints, "rad",
      "joints that stand still (rad, or m), with what mimics them: joint: position, or a list of joints at "
      "0; "
      "columns that a log has for them are not read");
}

template <class Visitor>
void describe(ConditioningOptions& o, Visitor&& visit) {
  visit("resample_hz", o.resample_hz, "Hz", "rate of the uniform grid; 0 keeps the log's own",
        not_negative());
  visit("filter", o.filter, "", "low-pass, forward and backward");
  NumberBesideAuto lowpass{o.lowpass_hz, o.chooses_lowpass};
  visit(
      "lowpass_hz", lowpass, "Hz",
      "cutoff on position and logged velocity; auto: chosen on the training logs by cross-validation",
      [](const NumberBesideAuto& cutoff) {
        return cutoff.automatic ? std::string() : positive()(cutoff.value);
      });
  visit("torque_lowpass_hz", o.torque_lowpass_hz, "Hz", "cut-off on torque; 0: as lowpass_hz",
        not_negative());
  visit("butterworth_order", o.butterworth_order, "",
        "order of the Butterworth filter, per direction", positive());
  visit("filter_rows", o.filter_rows, "",
        "the regressor's rows go through the torque's filter, too; lowpass_hz may then be higher");
  static const std::string kRowsHelp = "which equations are summed: " + row_kind_names();
  visit("rows", o.rows, "", kRowsHelp.c_str(), [](const std::string& rows) {
    return find_row_kind(rows) ? "" : "must be one of " + row_kind_names();
  });
  visit("savgol_window", o.savgol_window, "samples", "window of the Savitzky-Golay filter, odd",
        positive());
  visit("savgol_order", o.savgol_order, "", "polynomial order of the Savitzky-Golay filter",
        positive());
  visit("velocity", o.velocity, "", "where velocity comes from");
  visit(
      "torque_delay_s", o.torque_delay_s, "s",
      "the torque is logged this much later than the motion that it belongs to; a number, one a joint, or "
      "joint: number",
      joints_within(option_bounds::kTorqueDelay));
  visit(
      "trim", o.trim, "samples",
      "dropped at both ends of every segment, after filtering; auto: two periods of the cut-off on torque",
      [](const std::optional<int>& trim) {
        return !trim || option_bounds::is_trim(*trim) ? std::string()
                                                      : std::string("must not be negative");
      });
  visit("keep_every", o.keep_every, "", "keep every k-th sample after trimming", positive());
  visit("dead_band", o.dead_band, "rad/s",
        "a joint slower than this loses its row; one value a joint, or one for all",
        each(not_negative(1e6)));
  visit("dead_band_lowpass_hz", o.dead_band_lowpass_hz, "Hz",
        "cut-off on the velocity that the dead band looks at; 0: as lowpass_hz", not_negative());
  visit("torque_limit", o.torque_limit, "N m",
        "torque at or above this is clipped, its row dropped; one value a joint, or one for all",
        each(not_negative(1e9)));
  visit("max_gap_s", o.max_gap_s, "s", "a longer pause starts a new segment; 0: ten median periods",
        not_negative());
}

template <class Visitor>
void describe(SelectionOptions& o, Visitor&& visit) {
  visit(
      "columns", o.columns, "",
      "given: the columns as configured; auto: these, and what cross-validation on the training logs adds");
  visit("min_gain", o.min_gain, "",
        "share of the cross-validated error that an addition must take away", [](double gain) {
          return gain >= 0 && gain < 1 ? "" : std::string("must lie between 0 and 1");
        });
  visit("folds", o.folds, "", "parts of the training logs that are held out in turn",
        within(2, 1000));
  visit("max_steps", o.max_steps, "", "additions at most", positive(1000));
  visit("menu", o.menu, "",
        "built_in: what docs/columns.md lists; none: only the configured candidates");
}

template <class Visitor>
void describe(LoadSection& o, Visitor&& visit) {
  visit(
      "inertia", o.inertia, "",
      "m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz of every body of the robot whose torques are the loads "
      "in expressions; empty: as in the URDF");
}

template <class Visitor>
void describe(EstimationSection& o, Visitor&& visit) {
  visit(
      "solver", o.solver, "",
      "which answer the result holds; auto is the constrained one; chart:.. the same, compared with what a "
      "chart finds");
  visit("prior", o.prior, "", "how the distance from the URDF's inertia is measured");
  visit(
      "prior_weight", o.prior_weight, "",
      "w: what it costs a body to differ from the URDF's inertia; auto: chosen by cross-validation",
      [](const NumberOrAuto& w) { return w.automatic ? std::string() : positive()(w.value); });
  visit("consistency", o.consistency, "",
        "what makes a body possible: J >= 0, spatial inertia >= 0, nothing");
  visit("column_ridge", o.column_ridge, "", "pull of the extra columns towards zero",
        not_negative());
  visit("margin", o.margin, "", "J >= margin * J0 keeps every body strictly possible",
        not_negative());
  visit("bounding_ellipsoids", o.bounding_ellipsoids, "",
        "all mass of a body lies in the least ellipsoid around its shapes in the URDF");
  visit("bounding_margin", o.bounding_margin, "",
        "share by which these ellipsoids are longer in every direction", not_negative());
  visit("package_folders", o.package_folders, "",
        "where meshes of package://.. may be, besides near the URDF and in ROS_PACKAGE_PATH");
  visit("total_mass", o.total_mass, "kg",
        "of all moving bodies together, from a scale: the answer holds it; 0: not known",
        not_negative(1e6));
  visit(
      "torque_scale_sd", o.torque_scale_sd, "",
      "relative standard deviation of the torque scale (torque constant) of each joint, for the intervals "
      "of heft payload --model; auto: estimated from the residuals, else 0.05",
      [](const NumberOrAuto& sd) { return sd.automatic ? std::string() : within(0, 1)(sd.value); });
  visit("gap_tolerance", o.gap_tolerance, "",
        "certified duality gap, relative to the residual cost", positive());
  visit("max_iterations", o.max_iterations, "",
        "of the solver; 0: 4000 for ADMM, 100 for the interior point method", not_negative(1e7));
  visit("weighting_passes", o.weighting_passes, "", "passes of weighted least squares",
        not_negative(1000));
  visit("loss", o.loss, "", "what a residual costs; huber: outliers only their size");
  visit("channel_covariance", o.channel_covariance, "",
        "noise of the channels: variances alone, or what they have in common, too");
  visit(
      "reweighting_rounds", o.reweighting_rounds, "",
      "of huber and full covariance, by the residuals of the answer before; two passes over the samples each",
      positive(1000));
  visit("rank_cut", o.rank_cut, "",
        "singular values below this fraction of the largest count as zero", positive());
  visit("confidence", o.confidence, "", "of the intervals",
        [](double p) { return p > 0 && p < 1 ? "" : std::string("must lie between 0 and 1"); });
  visit("bootstrap", o.bootstrap, "",
        "resamples behind the intervals of physical parameters; 0: none", not_negative(100000));
  visit(
      "seek_faults", o.seek_faults, "",
      "test the residuals for log and model faults; false skips the test, and the result records that");
  visit(
      "keep_dynamics", o.keep_dynamics, "",
      "identified.urdf keeps the <dynamics> of the robot file instead of the identified friction");
  visit("training_samples", o.training_samples, "samples",
        "learn from the first so many conditioned samples only; 0: from all", not_negative());
}

template <class Visitor>
void describe(FleetSection& o, Visitor&& visit) {
  visit(
      "prior", o.prior, "",
      "of heft fleet: none, or population, a prior from the logs of all robots of one model; a new log of "
      "one "
      "then changes the answers of all");
}

template <class Visitor>
void describe(BackendOptions& o, Visitor&& visit) {
  visit("backend", o.kind, "", "where the regressor is evaluated; cuda never falls back");
  visit("threads", o.threads, "", "threads of the CPU backend; 0: all", [](int threads) {
    return threads >= 0 && threads <= 1024 ? "" : std::string("must lie between 0 and 1024");
  });
}

/// Calls section(name, options) for every group of options, in the order of the YAML file.
template <class Section>
void for_each_section(Configuration& configuration, Section&& section) {
  section("robot", configuration.robot);
  LogSection log{configuration.log, configuration.excluded_stretches, configuration.device,
                 configuration.torque_is};
  section("log", log);
  section("conditioning", configuration.conditioning);
  JointsSection joints{configuration.conditioning, configuration.robot};
  section("joints", joints);
  section("load", configuration.load);
  section("estimation", configuration.estimation);
  section("selection", configuration.selection);
  section("fleet", configuration.fleet);
  section("backend", configuration.backend);
}

}  // namespace heft::config
