// The training logs, divided twice: into many short parts and into half as many long ones. Short
// parts are like the rows beside them, long parts like another log.
#pragma once

#include <vector>

#include "identify/cross_validation.hpp"
#include "training/folds.hpp"

namespace heft::select {

/// Folds of all divisions, one division after the other.
struct Divisions {
  std::vector<Fold> folds;
  double gap_s = 0;          ///< the longest of all divisions
  bool gap_is_full = false;  ///< of all divisions
};

/// Returns the numbers of folds: `num_folds`, and half of them where that leaves at least two.
std::vector<int> division_sizes(int num_folds);

/// Returns how many folds of four time constants of the filter the data has. Over a shorter fold
/// filtered noise is correlated: what fits the rows beside it fits it.
int most_folds(const TrainingData& data);

/// Divides the data once per size. Errors: those of blocked_folds.
Result<Divisions> divide(const TrainingData& data, const std::vector<int>& sizes, int num_threads);

/// A gain over all folds, and the smallest of one division.
struct StableGain : Gain {
  double least_share = 0;
};

/// Computes the gain: its share from all folds together, its standard errors as the mean of the
/// divisions.
StableGain stable_gain(const FoldErrors& before, const FoldErrors& after,
                       const std::vector<int>& sizes);

}  // namespace heft::select
