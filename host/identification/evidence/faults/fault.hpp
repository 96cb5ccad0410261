// A possible fault of a log or a robot's file with one scalar size, and the corrected log for any
// size: from a doubt to an estimate. A new fault needs one file in this folder and one line in
// fault_list.cpp.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evidence/hypotheses.hpp"
#include "executor/torque_changes.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

namespace heft {

/// Range of the search; 0: no fault.
struct SizeRange {
  double step = 0;  ///< step for which the objective is still nearly quadratic
  double lowest = 0, highest = 0;

  double clamped(double size) const {
    return size < lowest ? lowest : size > highest ? highest : size;
  }
};

/// Torque and weight of one channel in some rows of a stretch.
struct ChannelRows {
  Eigen::ArrayXd torque, weight;
};

/// Scales the torque of one channel by 1 / `factor`.
struct DividedTorque {
  int channel;
  double factor;
};

class Fault {
 public:
  virtual ~Fault() = default;

  virtual std::string id() const = 0;       ///< of the doubt
  virtual std::string joint() const = 0;    ///< empty: all joints, or none
  virtual std::string subject() const = 0;  ///< subject of the message, before "is" or "are": "the
                                            ///< torque of joint_3"
  virtual std::string unit() const = 0;     ///< of value()
  virtual SizeRange range() const = 0;

  /// Returns the samples without a fault of this size. Stretches keep their rows, or lose the same
  /// ones at every size. If a torque is scaled down, its row gets a higher weight: errors stay in
  /// units of the measured torque.
  virtual Samples undone(const Samples& stretch, double /*size*/) const { return stretch; }
  /// Returns the robot without the fault.
  virtual Result<PlanPtr> plan(const PlanPtr& as_told, double /*size*/) const { return as_told; }
  /// Returns the full effect of undone() and plan() if it is of this simple form: torques follow
  /// without another plan.
  virtual std::optional<FrameChange> frame_change(const RegressorPlan& /*plan*/,
                                                  double /*size*/) const {
    return {};
  }
  /// Whether the robot of plan() differs; false: only its columns change.
  virtual bool changes_robot() const { return true; }
  /// Time constant of a first-order low-pass on the torque of a channel [s]; 0: none.
  virtual double lowpass_time_constant_s(int /*channel*/, double /*size*/) const { return 0; }

  /// Returns the full effect of undone() if it is of this simple form: sums then follow without
  /// processing samples.
  virtual std::optional<DividedTorque> divided_torque(double /*size*/) const { return {}; }
  /// Whether undone() changes only torques and weights and reads only the time: predictions are
  /// then unchanged.
  virtual bool changes_torque_alone() const { return false; }
  /// Returns a changed channel of undone() in every `step`-th row, without the rest of the samples.
  /// For faults that change torques alone.
  virtual ChannelRows undone_rows(const Samples& stretch, int channel, double size,
                                  Eigen::Index step) const;
  /// Channel of the only torque that changes; -1: none, or all. Other channels keep their rows.
  virtual int channel() const { return -1; }
  /// Whether undone() removes rows.
  virtual bool loses_rows() const { return false; }

  /// Returns a size that smooths the noise of the torque as much as `size` but corrects nothing:
  /// both gain from smoother noise, and only the difference is evidence for the fault.
  virtual std::optional<double> control_size(double /*size*/) const { return {}; }

  /// Whether a size is a fault in itself, even if it hardly affects the torques of these logs.
  virtual bool is_large(double /*size*/) const { return false; }

  /// Returns the number that corrects or describes the fault.
  virtual double value(double size) const { return size; }
  /// Returns the complete YAML option that corrects it, including options in force; empty: no
  /// option does.
  virtual std::string yaml(double /*size*/, const HypothesisInput& /*input*/) const { return {}; }
};

using Faults = std::vector<std::unique_ptr<Fault>>;

/// Possible faults depend on the robot and the length of the stretches.
using FaultMaker = void (*)(const HypothesisInput& input, Faults& faults);

void torque_scales(const HypothesisInput& input, Faults& faults);
/// Delays of up to half a second, if stretches are long enough; faults of all joints come first.
void long_torque_delays(const HypothesisInput& input, Faults& faults);
void torque_delays(const HypothesisInput& input, Faults& faults);
void torque_lowpasses(const HypothesisInput& input, Faults& faults);
void clock_drifts(const HypothesisInput& input, Faults& faults);
void joint_zeros(const HypothesisInput& input, Faults& faults);
void clock_ratios(const HypothesisInput& input, Faults& faults);
void gravity_directions(const HypothesisInput& input, Faults& faults);
void other_kinematics(const HypothesisInput& input, Faults& faults);
void coupled_joints(const HypothesisInput& input, Faults& faults);

/// Scale of a coordinate whose logged positions are multiplied by `taken`; its value is the correct
/// factor.
std::unique_ptr<Fault> position_scale(int coordinate, std::string joint, double taken);

/// Delays [s] that are compared. `longest`: the faults' largest, which no row may lack. Only every
/// `step`-th row counts.
struct ComparedDelays {
  const std::vector<double>& delays;
  double longest = 0;
  Eigen::Index step = 1;
};

/// Torques of one channel at several delays, in the consecutive rows from `first` on where all of
/// them are known, of every step-th row.
struct LaterTorques {
  Eigen::Index first = 0;
  Eigen::ArrayXd used;     ///< 1: the row is used; 0: it is not
  Eigen::MatrixXd torque;  ///< rows x delays; zero in unused rows
  double largest = 0;      ///< no torque exceeds it
};

/// Returns the torques that Fault::undone() of long_torque_delays() makes for each delay, without
/// copies of the samples.
LaterTorques torques_later(const Samples& stretch, int channel, const ComparedDelays& compared);

/// Returns all faults that are tested by default.
Faults faults_of(const HypothesisInput& input);

/// For a channel that is a joint's torque; otherwise empty.
std::string joint_of_channel(const RegressorPlan& plan, int channel);

}  // namespace heft
