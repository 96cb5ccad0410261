// Unknowns beyond the bodies: friction, offsets, reflected inertia, springs, couplings. A column is
// data, not code: a table of terms, each of which adds one feature of the motion to the row of one
// channel. Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <string>
#include <vector>

#include "heft/core/features.hpp"
#include "heft/model/column_kinds.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct ColumnTerm {
  int channel = 0;                             ///< row that the term enters
  core::Feature feature = core::Feature::one;  ///< what it is made of
  int source = 0;                              ///< coordinate, or column of Samples::signal
  double width = 1;                            ///< tanh(velocity / width), [rad/s] or [m/s]
};

struct Column {
  std::string name;                 ///< e.g. "viscous joint_2"; unique
  std::string kind;                 ///< e.g. "viscous"
  std::string unit;                 ///< of the unknown, e.g. "N m s/rad"
  std::vector<std::string> joints;  ///< the joints it touches, for people and for result.json
  std::string definition;  ///< the expressions behind its sample signals: they tell columns apart
  std::vector<double> constants;  ///< numbers behind them, too: the reference robot of a load, or
                                  ///< none
  std::vector<ColumnTerm> terms;  ///< at most one per channel
  bool nonnegative = false;       ///< physics demands a sign: friction and reflected inertia
  /// What the unknown stands for; make_parameter_layout fills in that of a built-in kind.
  ColumnEffect effect = ColumnEffect::other;
};

}  // namespace heft
#pragma GCC visibility pop
