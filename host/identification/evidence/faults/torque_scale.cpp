// Fault: a wrong torque constant, gear ratio or unit: measured = exp(size) times the torque.
#include <cmath>

#include "evidence/doubt_bounds.hpp"
#include "fault.hpp"
#include "readers/option_yaml.hpp"

namespace heft {

namespace {

class TorqueScale : public Fault {
 public:
  TorqueScale(int channel, int coordinate, std::string joint)
      : channel_(channel), coordinate_(coordinate), joint_(std::move(joint)) {}

  std::string id() const override { return "torque-scale"; }
  std::string joint() const override { return joint_; }
  std::string subject() const override { return "the torque of " + joint_; }
  std::string unit() const override { return "1"; }
  SizeRange range() const override { return {0.05, -std::log(3000.0), std::log(3000.0)}; }
  bool changes_torque_alone() const override { return true; }
  int channel() const override { return channel_; }

  bool is_large(double size) const override {
    return std::abs(size) >= 0.5 * doubt_bounds::kClearScale;
  }

  Samples undone(const Samples& stretch, double size) const override {
    Samples changed = stretch;
    changed.torque.col(channel_) *= std::exp(-size);
    changed.weight.col(channel_) *= std::exp(size);
    return changed;
  }
  ChannelRows undone_rows(const Samples& stretch, int channel, double size,
                          Eigen::Index step) const override {
    const auto rows = Eigen::seq(0, stretch.size() - 1, step);
    ChannelRows changed{stretch.torque.col(channel)(rows), stretch.weight.col(channel)(rows)};
    changed.torque *= std::exp(-size);
    changed.weight *= std::exp(size);
    return changed;
  }
  std::optional<DividedTorque> divided_torque(double size) const override {
    return DividedTorque{channel_, std::exp(size)};
  }

  double value(double size) const override { return std::exp(-size); }

  std::string yaml(double size, const HypothesisInput& input) const override {
    return option_yaml(
        {"log", "torque_scale", 1}, input.log.torque_scale, input.setup.plan().robot,
        [&](int k, double old) { return k == coordinate_ ? old * value(size) : old; });
  }

 private:
  int channel_, coordinate_;
  std::string joint_;
};

}  // namespace

void torque_scales(const HypothesisInput& input, Faults& faults) {
  const RegressorPlan& plan = input.setup.plan();
  for (int c = 0; c < plan.num_channels(); ++c) {
    const int coordinate = plan.channels[static_cast<std::size_t>(c)].coordinate;
    if (coordinate >= 0)
      faults.push_back(std::make_unique<TorqueScale>(c, coordinate, joint_of_channel(plan, c)));
  }
}

}  // namespace heft
