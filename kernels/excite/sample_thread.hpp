// One sample of a motion in a thread: input and output of core/regressor.hpp and
// core/row_adjoint.hpp in columns of samples, so that the accesses of a warp are adjacent.
#pragma once

#include <cstddef>

#include "heft/core/row_adjoint.hpp"
#include "motion_tables.hpp"

namespace heft::cuda {

/// Columns of samples, at one sample.
struct SampleColumns {
  double* values;
  std::ptrdiff_t stride;
  HEFT_HD double& operator()(std::ptrdiff_t column) const { return values[column * stride]; }
};

/// Input of the rows: q, qd and qdd in columns of coordinates, one after the other.
struct SampleMotion {
  SampleColumns motion;
  const double* base;
  int num_coordinates;

  HEFT_HD double position(int k) const { return motion(k); }
  HEFT_HD double velocity(int k) const { return motion(num_coordinates + k); }
  HEFT_HD double acceleration(int k) const { return motion(2 * num_coordinates + k); }
  HEFT_HD double base_motion(int i) const { return base[i]; }
  HEFT_HD double weight(int) const { return 1; }
  HEFT_HD double torque(int) const { return 0; }
  HEFT_HD double signal(int) const { return 0; }
};

/// Sink of the rows, a column per entry.
struct SampleRows {
  SampleColumns rows;
  const int* first;

  struct Row {
    SampleColumns entries;
    HEFT_HD void put(int k, double value) const { entries(k) = value; }
  };
  HEFT_HD Row row(const core::RowEntry& entry) const {
    return {{&rows(first[entry.channel] + entry.column), rows.stride}};
  }
  HEFT_HD void put_feature(const core::FeatureEntry& entry, double value) const {
    rows(first[entry.channel] + entry.column) = value;
  }
  HEFT_HD void put_torque(int, double) const {}
};

/// Derivatives with respect to the rows.
struct SampleBars {
  SampleColumns rows, bars;
  const int* first;

  HEFT_HD double bar(const core::RowEntry& row, int k) const {
    return bars(first[row.channel] + row.column + k);
  }
  HEFT_HD double bar(const core::FeatureEntry& entry) const {
    return bars(first[entry.channel] + entry.column);
  }
  HEFT_HD double value(const core::FeatureEntry& entry) const {
    return rows(first[entry.channel] + entry.column);
  }
};

/// Adds derivatives with respect to the motion.
struct SampleGradient {
  SampleColumns by_motion;
  int num_coordinates;

  HEFT_HD void add_position(int k, double value) const { by_motion(k) += value; }
  HEFT_HD void add_velocity(int k, double value) const { by_motion(num_coordinates + k) += value; }
  HEFT_HD void add_acceleration(int k, double value) const {
    by_motion(2 * num_coordinates + k) += value;
  }
};

}  // namespace heft::cuda
