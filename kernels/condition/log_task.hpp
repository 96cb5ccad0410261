// What a device needs to condition one segment of a log, and where it writes. Plain numbers and
// pointers into memory of the device.
#pragma once

#include <cstdint>

#include "heft/core/platform.hpp"

namespace heft::kernels {

/// A second-order section of a filter, as heft::Biquad.
struct FilterSection {
  double b0, b1, b2, a1, a2;
};

/// A low-pass: sections, or the projection of a window, or neither.
struct LowPass {
  const FilterSection* sections;
  const double* projection;  ///< window x window, in columns
  int num_sections, padding, window;
};

/// Bits of a torque: no number near it, and a value at its limit (heft::TorqueFlag).
inline constexpr std::uint32_t kFlagNotANumber = 1, kFlagClipped = 2;

/// How a column of the log becomes a value: SI units, and which rows of a torque are dropped.
struct ValueColumn {
  double scale, offset;    ///< value = scale raw - offset
  double clipped_at;       ///< of a torque; infinite: never
  long long near_missing;  ///< rows around a missing torque that the filter or a delay spoils
};

/// A channel of torque.
struct TorqueChannel {
  int value;       ///< its column; -1: not measured
  int coordinate;  ///< whose speed the dead band tests; -1: none
  double delay;    ///< rows by which it is shifted later
  double gain;     ///< its torque is divided by this
  double band;     ///< speeds below it drop the row; 0: none
};

/// One segment: rows without a pause, in order of time, of different times.
struct LogTask {
  // raw rows: a row after the other
  const double* time;    ///< [s], num_rows
  const double* values;  ///< num_rows x num_values
  long long num_rows;
  int num_values, num_motions;  ///< the first values are of motion, all others are torques
  const ValueColumn* columns;   ///< num_values

  // the uniform grid
  double period, tolerance;  ///< [s]
  int is_even;
  long long max_uniform;   ///< rows of the memory below
  long long* row_of;       ///< of each uniform row: the logged row that is not before it
  double* share;           ///< of the way from the row before; negative: the row itself
  double* uniform_time;    ///< [s]
  long long* num_uniform;  ///< rows found; may exceed max_uniform, and is then an error

  // values of uniform rows, a row after the other: as logged, filtered (with room for the padding
  // before and behind them: (max_uniform + 2 most_padding) x num_values), and motion filtered for
  // the dead band (as filtered; null: no dead band); flags of torques: max_uniform x torques, a
  // word each so that no two threads write into one
  LowPass motion, torque, dead_band;
  long long most_padding;
  double *uniform, *filtered, *slow;
  std::uint32_t* flags;
  long long guard;  ///< rows over which missing torques are bridged linearly

  // samples: the first and last `trim` rows are dropped, of others every keep_every-th is kept
  int num_coordinates, num_channels;
  int first_velocity, first_acceleration;  ///< columns; -1: differences
  double motion_delay;                     ///< rows by which motion is shifted earlier
  const TorqueChannel* channels;           ///< num_channels
  long long trim, keep_every;
  long long max_kept;                          ///< rows of the samples' memory
  double* sample_time;                         ///< max_kept
  double *position, *velocity, *acceleration;  ///< max_kept x num_coordinates, in columns
  double *torque_out, *weight;                 ///< max_kept x num_channels, in columns
  long long* num_kept;
  /// Rows without a number among the values of motion: the host conditions such logs.
  unsigned long long* num_without_motion;
  unsigned long long* num_dropped;  ///< torques by DropReason: 4 counts
};

}  // namespace heft::kernels
