#include "base_unknowns.hpp"

#include <string>

namespace heft {

namespace {

using Vector9d = Eigen::Matrix<double, 9, 1>;

/// An error of the IMU.
struct Unknown {
  enum class Kind { gyro_bias, accel_bias, rotation };
  Kind kind;
  int axis;
};

std::vector<Unknown> unknowns_of(const BaseSource& base) {
  using Kind = Unknown::Kind;
  std::vector<Unknown> unknowns;
  const auto add = [&](Kind kind) {
    for (int axis = 0; axis < 3; ++axis) unknowns.push_back({kind, axis});
  };
  if (base.bias) add(Kind::gyro_bias), add(Kind::accel_bias);
  if (base.rotation) add(Kind::rotation);
  return unknowns;
}

std::string name_of(const Unknown& unknown) {
  constexpr const char* kNames[] = {"base gyro bias ", "base accel bias ", "base rotation "};
  return kNames[static_cast<int>(unknown.kind)] + std::string(1, "xyz"[unknown.axis]);
}

const char* unit_of(const Unknown& unknown) {
  constexpr const char* kUnits[] = {"rad/s", "m/s^2", "rad"};
  return kUnits[static_cast<int>(unknown.kind)];
}

/// Returns w, wd, a - g of the root if the IMU had an error of this kind and `size`, in the axes of
/// the frame: its readings minus the bias, or rotated by the rotation.
Vector9d corrected(const Vector9d& root, const Eigen::Isometry3d& X_root_frame,
                   const Unknown& unknown, double size) {
  const Eigen::Vector3d axis = size * X_root_frame.linear().col(unknown.axis),
                        p = X_root_frame.translation();
  Eigen::Vector3d w = root.head<3>(), wd = root.segment<3>(3);
  Eigen::Vector3d u = root.tail<3>() + wd.cross(p) + w.cross(w.cross(p));  // at the frame
  if (unknown.kind == Unknown::Kind::gyro_bias) w -= axis;
  if (unknown.kind == Unknown::Kind::accel_bias) u -= axis;
  if (unknown.kind == Unknown::Kind::rotation) {
    w += axis.cross(w);
    wd += axis.cross(wd);
    u += axis.cross(u);
  }
  Vector9d motion;
  motion << w, wd, u - wd.cross(p) - w.cross(w.cross(p));
  return motion;
}

Samples corrected(const Samples& block, const Eigen::Isometry3d& X_root_frame,
                  const Unknown& unknown, double size) {
  Samples other{.time = block.time,
                .position = block.position,
                .velocity = block.velocity,
                .acceleration = block.acceleration,
                .base_motion = block.base_motion};
  for (Eigen::Index i = 0; i < block.size(); ++i)
    other.base_motion.row(i) =
        corrected(block.base_motion.row(i).transpose().matrix(), X_root_frame, unknown, size)
            .transpose()
            .array();
  return other;
}

}  // namespace

BaseUnknowns base_unknowns(const std::vector<Channel>& channels, const BaseSource& base,
                           const std::vector<double>& load_inertia, DerivedSignals& derived) {
  BaseUnknowns result{{}, static_cast<int>(derived.signals.size())};
  for (const Unknown& unknown : unknowns_of(base)) {
    Column column;
    column.name = name_of(unknown);
    column.kind = "expression";
    column.unit = unit_of(unknown);
    column.definition = column.name + " of the IMU at " + base.frame + "\n";
    column.constants = load_inertia;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      column.joints.push_back(channels[c].name);
      column.terms.push_back({static_cast<int>(c), core::Feature::signal,
                              static_cast<int>(derived.signals.size()), 1.0});
      derived.signals.emplace_back();
      derived.signal_names.push_back("base: " + column.name);
    }
    result.columns.push_back(std::move(column));
  }
  return result;
}

BlockFunction base_unknowns_function(const BaseUnknowns& unknowns, const BaseSource& base,
                                     const Eigen::Isometry3d& X_root_frame, const Load& load) {
  BlockFunction function{.where = "base", .columns = {}, .signals = {}, .apply = {}};
  for (const Column& column : unknowns.columns)
    for (const ColumnTerm& term : column.terms) function.signals.push_back(term.source);
  // the load is quadratic in each unknown, so that a central difference is its exact slope at zero
  function.apply = [list = unknowns_of(base), first = unknowns.first_signal, X_root_frame, load](
                       const BlockInputs& /*inputs*/, Samples& block) -> Result<Done> {
    constexpr double kStep = 0.1;
    Eigen::Index signal = first;
    for (const Unknown& unknown : list) {
      HEFT_TRY(above, load(corrected(block, X_root_frame, unknown, kStep)));
      HEFT_TRY(below, load(corrected(block, X_root_frame, unknown, -kStep)));
      block.signal.middleCols(signal, above.cols()) = (above - below) / (2 * kStep);
      signal += above.cols();
    }
    return Done{};
  };
  return function;
}

}  // namespace heft
