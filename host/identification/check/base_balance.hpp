// The six equations of a floating base, wrench by wrench.
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "log_facts.hpp"

namespace heft::check {

/// Channels of a floating base, the first of a robot.
inline constexpr int kBaseChannels = 6;

/// Axes of a logged wrench.
enum class PushedAs { given, base, world };

/// A wrench's force and torque at the origin of the root link, in its axes: rows x 6, for every
/// PushedAs; empty for the world without orientation.
struct PushedRows {
  std::string name;
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< where it acts in the first row [m]
  std::array<Eigen::MatrixXd, 3> rows;
};

/// A contact with an unknown force.
struct ContactRows {
  std::string frame;
  std::vector<double> touches;  ///< 1 in rows in contact, otherwise 0
  std::vector<double> flags;    ///< the same as logged, without widening; empty for state: auto
};

/// Conditioned rows of a log with what acts on the base.
struct BaseLog {
  PlanPtr plan;     ///< without columns
  Samples samples;  ///< torques without known ones
  std::vector<PushedRows> wrenches;
  std::vector<ContactRows> contacts;
  Eigen::Matrix3d R_root_imu = Eigen::Matrix3d::Identity();  ///< of base.frame
  bool has_imu = true;                                       ///< false: poses
  double period_s = 0;
  bool has_orientation = false;
  bool has_measured_base = false;  ///< the log has columns of the base's wrench
  Eigen::ArrayXXd torque;          ///< that the bodies of the file need, rows x channels
  Eigen::MatrixXd trunk;           ///< 6 rows x 4: base wrench per kg and kg m of the root link

  bool is_usable() const { return samples.size() > 0; }
};

/// The rows of a BaseLog.
struct BaseLogRows {
  Eigen::Index kept = 1500;       ///< about as many of the log's first rows, equally spaced
  bool filters_alike = false;     ///< torques are filtered like motion, whatever their own cutoff
  bool other_quaternion = false;  ///< reads quaternions of the base in the other order
};

/// The number of rows that a BaseLog is chosen from.
inline constexpr Eigen::Index kMostBaseRows = 20000;

/// Reads rows of a log. Errors: those of conditioning.
Result<BaseLog> read_base_log(const LogFacts& log, const Log& file, const BaseLogRows& rows = {});

/// Rotates the motion of the base, R times it.
Result<Done> rotate(const Eigen::Matrix3d& R, BaseLog& log);

/// Returns rows `later` rows before their place; the first or last one at the ends.
Eigen::MatrixXd shifted(const Eigen::MatrixXd& rows, Eigen::Index later);

/// Returns the weight's size [N] and the length [m] that make forces and torques comparable.
struct BaseScale {
  double force = 1, length = 1;
};
BaseScale scale_of(const BaseLog& log);

/// Returns B - sum of the wrenches, rows x 6.
Eigen::MatrixXd residual_of(const BaseLog& log);

/// Returns the share of the squared wrench of the base that the wrenches and a mass at the root
/// link leave. The mass has a price, so that it cannot replace the robot.
double left_of(const BaseLog& log);

}  // namespace heft::check
