// The kinds of columns, one line each: name, physical effect, feature of the motion, units, sign.
// Configuration, setup, selection, excitation, diagnostics and robot files read this table.
// Threads: constants and functions without memory: any number of threads may use them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heft/core/features.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What a column's unknown stands for. Robot files keep damping and dry friction; excitation takes
/// the unknown's prior size from it; traces show rotor inertia apart from friction.
enum class ColumnEffect { other, damping, dry_friction, offset, rotor_inertia, stiffness };

/// A feature with memory, such as a friction state. It hears every sample of a segment in order, at
/// the full rate, before samples are thinned out; training and held-out logs alike. Motions that
/// are no logs have no order of samples: excitation refuses such columns.
class ColumnMemory {
 public:
  virtual ~ColumnMemory() = default;
  /// Begins a segment.
  virtual void reset() = 0;
  /// Returns what multiplies the unknown at the next sample, `period_s` after the one before.
  virtual double advance(double position, double velocity, double acceleration,
                         double period_s) = 0;
  /// Returns a copy in the same state.
  virtual std::unique_ptr<ColumnMemory> clone() const = 0;
};

struct ColumnKind {
  std::string_view name;  ///< in YAML, JSON and messages
  ColumnEffect effect = ColumnEffect::other;
  core::Feature feature = core::Feature::one;  ///< what the unknown multiplies
  const char* angular_unit = "";               ///< of the unknown at a joint that turns
  const char* linear_unit = "";                ///< at a joint that slides
  bool is_nonnegative = false;                 ///< physics demands the sign
  /// The option tanh_width is accepted; a width above 0 makes tanh(qd / width) of the feature.
  bool has_width = false;
  double default_width = 0;  ///< [rad/s] or [m/s], where a configuration gives none
  /// Feature, unit and sign stand in the spec as expressions instead.
  bool is_expression = false;
  int place_in_menu = 0;  ///< among the kinds that `--columns auto` tries; 0: not tried
  /// Makes the state of a joint's column of such a width; null: the feature has no memory.
  std::unique_ptr<ColumnMemory> (*make_memory)(double width) = nullptr;

  /// The feature of a column of this width.
  core::Feature feature_of(double width) const {
    return has_width && width > 0 ? core::Feature::tanh_velocity : feature;
  }
};

inline constexpr double kCoulombWidth = 0.05;  ///< [rad/s] or [m/s], of tanh where none is given

/// The built-in table.
std::span<const ColumnKind> column_kinds();

/// The kind of this name, or null.
const ColumnKind* find_column_kind(std::span<const ColumnKind> kinds, std::string_view name);

/// The names, in the order of the table.
std::vector<std::string> column_kind_names(std::span<const ColumnKind> kinds);

}  // namespace heft
#pragma GCC visibility pop
