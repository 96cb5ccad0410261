// Fault: a drive that reports its torque through a low-pass: size d(measured)/dt + measured =
// torque.
#include <algorithm>

#include "fault.hpp"

namespace heft {

namespace {

constexpr double kLongestTimeConstant = 0.15;            ///< s: 1 Hz
constexpr double kForgotten = 3 * kLongestTimeConstant;  ///< s, after which the low-pass no longer
                                                         ///< knows how it began

class TorqueLowpass : public Fault {
 public:
  TorqueLowpass(int channel, std::string joint) : channel_(channel), joint_(std::move(joint)) {}

  std::string id() const override { return "torque-lowpass"; }
  std::string joint() const override { return joint_; }
  std::string subject() const override { return "the torque of " + joint_; }
  std::string unit() const override { return "s"; }
  SizeRange range() const override { return {0.004, 0, kLongestTimeConstant}; }
  bool changes_torque_alone() const override { return true; }
  int channel() const override { return channel_; }
  bool loses_rows() const override { return true; }
  Samples undone(const Samples& stretch, double /*size*/) const override {
    Samples changed = stretch;
    const Eigen::Index first = first_row(stretch);
    changed.weight.col(channel_).head(first) = 0;
    changed.torque.col(channel_).head(first) = 0;
    return changed;
  }
  ChannelRows undone_rows(const Samples& stretch, int channel, double /*size*/,
                          Eigen::Index step) const override {
    const auto rows = Eigen::seq(0, stretch.size() - 1, step);
    ChannelRows changed{stretch.torque.col(channel)(rows), stretch.weight.col(channel)(rows)};
    const Eigen::Index num_lost = (first_row(stretch) + step - 1) / step;
    changed.weight.head(num_lost) = 0;
    changed.torque.head(num_lost) = 0;
    return changed;
  }
  double lowpass_time_constant_s(int channel, double size) const override {
    return channel == channel_ ? size : 0;
  }

 private:
  /// The first row that does not depend on how the low-pass began.
  static Eigen::Index first_row(const Samples& stretch) {
    const auto& time = stretch.time;
    return std::upper_bound(time.begin(), time.end(), time[0] + kForgotten) - time.begin();
  }

  int channel_;
  std::string joint_;
};

}  // namespace

void torque_lowpasses(const HypothesisInput& input, Faults& faults) {
  const RegressorPlan& plan = input.setup.plan();
  for (int c = 0; c < plan.num_channels(); ++c)
    if (const std::string joint = joint_of_channel(plan, c); !joint.empty())
      faults.push_back(std::make_unique<TorqueLowpass>(c, joint));
}

}  // namespace heft
