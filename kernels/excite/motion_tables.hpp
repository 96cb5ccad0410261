// What kernels need of a robot to score its candidate motions, and how they keep a motion. Plain
// numbers and pointers into memory of the device. Names and equations are those of
// host/applications/excite: rows of channels, information G in structural columns, slopes.
#pragma once

#include <cstddef>

#include "heft/core/tree.hpp"

namespace heft::cuda {

inline constexpr int kMotionOrders = 3;       ///< position, velocity, acceleration
inline constexpr int kLimitedQuantities = 5;  ///< these, jerk and torque
inline constexpr int kTileColumns = 32;       ///< columns of a tile of products

/// Values of one derivative of the basis functions: sample s uses coefficients first[s] to
/// first[s] + width - 1; coefficient i is used by samples begin[i] to end[i] - 1.
struct MotionBasis {
  const int *first, *begin, *end;
  const double* values;  ///< width per sample
  int width;
};

/// A tile of the products of a channel's columns with themselves.
struct ProductTile {
  int channel, left, right;  ///< first columns; right <= left
};

/// Constant input of all motions of a robot.
struct MotionTables {
  core::TreeView tree;
  const double* base;  ///< its motion: w, wd, a minus gravity
  int num_samples, num_coefficients, num_columns, num_tiles;
  MotionBasis basis[kMotionOrders + 1];  ///< with jerk
  const int* counts;                     ///< 1 for samples that carry information, 0 for others
  const int* first;         ///< first entry of every channel's row, and one past the last
  const int* columns;       ///< structural column of every entry
  const int* places;        ///< channels x columns: position in the channel's row, -1: not there
  const int* squares;       ///< first product of every channel: width x width each
  const double* weights;    ///< information of a channel's row per sample
  const double* reference;  ///< of every entry: torques are rows times these
  const double* variance;   ///< of the columns of every channel, as products
  const double* precision;  ///< V^-1, columns x columns
  const ProductTile* tiles;
  const double* limits;  ///< quantities x coordinates; 0: none
  const double* middle;  ///< of positions
  double deviations;     ///< standard deviations of torque to keep; 0: none are computed

  HEFT_HD int width(int channel) const { return first[channel + 1] - first[channel]; }
};

/// Where the numbers of a motion begin in its memory.
struct MotionLayout {
  std::ptrdiff_t motion;      ///< q, qd, qdd: samples x coordinates each, in columns
  std::ptrdiff_t rows, bars;  ///< samples x entries; derivatives of the value with respect to them
  std::ptrdiff_t torque, deviation;                 ///< samples x channels
  std::ptrdiff_t products;                          ///< of every channel
  std::ptrdiff_t information, factor, root, slope;  ///< columns x columns
  std::ptrdiff_t scale;      ///< of the columns, and the inverse roots of the pivots
  std::ptrdiff_t by_motion;  ///< derivatives of the value with respect to `motion`
  std::ptrdiff_t workspace;  ///< of samples, in columns
  std::ptrdiff_t size;
};

/// Where the parts of a transfer begin in the numbers of one motion; negative: not transferred.
/// Coefficients and their gradient are in columns.
struct MotionTransfer {
  std::ptrdiff_t coefficients = -1, slope = -1, by_torque = -1, by_deviation = -1, up_size = 0;
  std::ptrdiff_t value = -1, extremes = -1, information = -1, torque = -1, deviation = -1,
                 gradient = -1, down_size = 0;
};

/// Motions that a sequence of launches works on.
struct MotionPass {
  MotionTransfer transfer;
  double* memory;    ///< of all slots
  const int* slots;  ///< of every motion of the pass
  const double* up;
  double* down;
};

}  // namespace heft::cuda
