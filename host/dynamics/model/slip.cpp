#include "slip.hpp"

#include <algorithm>
#include <cmath>

namespace heft {

namespace {

/// A state driven by steps of the position; it starts unloaded.
class Slip : public ColumnMemory {
 public:
  explicit Slip(double width) : width_(width) {}
  void reset() override { z_ = 0, has_position_ = false; }
  double advance(double position, double, double, double) override {
    if (has_position_) z_ = moved(z_, position - position_);
    position_ = position, has_position_ = true;
    return z_;
  }

 protected:
  virtual double moved(double z, double step) const = 0;
  double width_;

 private:
  double z_ = 0, position_ = 0;
  bool has_position_ = false;
};

class Dahl : public Slip {
 public:
  using Slip::Slip;
  std::unique_ptr<ColumnMemory> clone() const override { return std::make_unique<Dahl>(*this); }

 protected:
  double moved(double z, double step) const override {
    const double direction = std::copysign(1.0, step);
    return direction - (direction - z) * std::exp(-std::abs(step) / width_);
  }
};

class Maxwell : public Slip {
 public:
  using Slip::Slip;
  std::unique_ptr<ColumnMemory> clone() const override { return std::make_unique<Maxwell>(*this); }

 protected:
  double moved(double z, double step) const override {
    return std::clamp(z + step, -width_, width_);
  }
};

}  // namespace

std::unique_ptr<ColumnMemory> make_dahl(double width) {
  return std::make_unique<Dahl>(width);
}

std::unique_ptr<ColumnMemory> make_maxwell(double width) {
  return std::make_unique<Maxwell>(width);
}

}  // namespace heft
