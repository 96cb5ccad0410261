// Fault: joint positions are exp(size) times the assumed ones, as for an approximate gear ratio.
#include <cmath>

#include "changed_motion.hpp"
#include "fault.hpp"
#include "readers/option_yaml.hpp"

namespace heft {

namespace {

class PositionScale : public Fault {
 public:
  PositionScale(int coordinate, std::string joint, double taken)
      : coordinate_(coordinate), joint_(std::move(joint)), taken_(taken) {}

  std::string id() const override { return "position-motor-side"; }
  std::string joint() const override { return joint_; }
  std::string subject() const override { return "the position of " + joint_; }
  std::string unit() const override { return "1"; }
  SizeRange range() const override { return {0.005, -0.3, 0.3}; }

  Samples undone(const Samples& stretch, double size) const override {
    return with_motion(stretch, [&](Samples& motion) {
      for (Eigen::ArrayXXd* array : {&motion.position, &motion.velocity, &motion.acceleration})
        array->col(coordinate_) *= std::exp(-size);
    });
  }

  double value(double size) const override { return taken_ * std::exp(-size); }

  std::string yaml(double size, const HypothesisInput& input) const override {
    return option_yaml(
        {"log", "position_scale", 1}, input.log.position_scale, input.setup.plan().robot,
        [&](int k, double old) { return k == coordinate_ ? old * value(size) : old; });
  }

 private:
  int coordinate_;
  std::string joint_;
  double taken_;
};

}  // namespace

std::unique_ptr<Fault> position_scale(int coordinate, std::string joint, double taken) {
  return std::make_unique<PositionScale>(coordinate, std::move(joint), taken);
}

}  // namespace heft
