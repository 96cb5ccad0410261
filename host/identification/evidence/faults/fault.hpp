// One thing that may be wrong with a log or a robot's file, of one number, and what undoing it by
// so much makes of a log: the way from a doubt to an estimate. A fault is a file beside this one
// and a line in fault_list.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evidence/hypotheses.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

namespace heft {

/// Sizes that are looked for; 0 is no fault.
struct SizeRange {
  double step = 0;  ///< at which the objective is still close to its parabola
  double lowest = 0, highest = 0;

  double clamped(double size) const {
    return size < lowest ? lowest : size > highest ? highest : size;
  }
};

/// The torque of one channel taken as `factor` times smaller.
struct DividedTorque {
  int channel;
  double factor;
};

class Fault {
 public:
  virtual ~Fault() = default;

  virtual std::string id() const = 0;       ///< of the doubt
  virtual std::string joint() const = 0;    ///< empty: of all, or of none
  virtual std::string subject() const = 0;  ///< what is wrong, before "is", "are": "the torque of
                                            ///< joint_3"
  virtual std::string unit() const = 0;     ///< of value()
  virtual SizeRange range() const = 0;

  /// The samples as they would be without a fault of this size, of stretches that keep their rows
  /// or lose the same ones at every size. Where a torque is taken as smaller, its row counts as
  /// much more: errors stay those of the measured torque.
  virtual Samples undone(const Samples& stretch, double /*size*/) const { return stretch; }
  /// The robot without it.
  virtual Result<PlanPtr> plan(const PlanPtr& as_told, double /*size*/) const { return as_told; }
  /// The robot of plan() is another; false: only how its columns see the motion.
  virtual bool changes_robot() const { return true; }
  /// Time constant of a first-order low-pass that the torque of a channel went through [s]; 0:
  /// none.
  virtual double lowpass_time_constant_s(int /*channel*/, double /*size*/) const { return 0; }

  /// All that undone() does, if it is no more than that: sums of samples follow it without a look
  /// at the samples.
  virtual std::optional<DividedTorque> divided_torque(double /*size*/) const { return {}; }
  /// undone() changes torques and weights alone, and reads nothing else but the time: what is
  /// predicted stays.
  virtual bool changes_torque_alone() const { return false; }
  /// The channel whose torque alone it changes; -1: none, or all.
  virtual int channel() const { return -1; }
  /// undone() takes rows out.
  virtual bool loses_rows() const { return false; }

  /// A size that smooths the noise of the torque as much as `size` does but corrects nothing: both
  /// gain by smoother noise, and only the difference of their gains speaks for the fault.
  virtual std::optional<double> control_size(double /*size*/) const { return {}; }

  /// Of a size that is a fault by itself, however little it shows in the torques of these logs.
  virtual bool is_large(double /*size*/) const { return false; }

  /// The number that corrects it, or that says what is wrong.
  virtual double value(double size) const { return size; }
  /// The option that corrects it, in YAML: whole, with what is in force already; empty: none does.
  virtual std::string yaml(double /*size*/, const HypothesisInput& /*input*/) const { return {}; }
};

using Faults = std::vector<std::unique_ptr<Fault>>;

/// What faults there may be is told from the robot and the length of the stretches.
using FaultMaker = void (*)(const HypothesisInput& input, Faults& faults);

void torque_scales(const HypothesisInput& input, Faults& faults);
/// Of up to half a second, where stretches are long enough for that: of all joints first.
void long_torque_delays(const HypothesisInput& input, Faults& faults);
void torque_delays(const HypothesisInput& input, Faults& faults);
void torque_lowpasses(const HypothesisInput& input, Faults& faults);
void clock_drifts(const HypothesisInput& input, Faults& faults);
void joint_zeros(const HypothesisInput& input, Faults& faults);
void clock_ratios(const HypothesisInput& input, Faults& faults);
void gravity_directions(const HypothesisInput& input, Faults& faults);
void other_kinematics(const HypothesisInput& input, Faults& faults);
void coupled_joints(const HypothesisInput& input, Faults& faults);

/// Of a coordinate whose logged positions are taken times `taken`; its value is the factor that
/// they should be taken by.
std::unique_ptr<Fault> position_scale(int coordinate, std::string joint, double taken);

/// All that are looked for without a word from elsewhere.
Faults faults_of(const HypothesisInput& input);

/// Of a channel that is a joint's torque; otherwise empty.
std::string joint_of_channel(const RegressorPlan& plan, int channel);

}  // namespace heft
