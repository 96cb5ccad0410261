// The sequence of convex problems of `auto`, for any solver: first metric about the shape with
// kFirstWeight, then about the shape moved to the first result, with a weight from the confidence
// in the shape and from the data. FORMULAS 8.
#pragma once

#include <functional>
#include <optional>

#include "methods.hpp"

namespace heft::payload {

/// Information from the data before the shape is used.
struct DataForPrior {
  WeightedSums sums;
  double mass = 0;  ///< [kg], of the first reference
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  double least_autocorrelation = 1;  ///< minimum number of rows of `sums` that are worth one
  double thinning = 1;               ///< factor by which rows were thinned before they were summed
};

struct PriorFit {
  ConvexAnswer answer;
  double weight = 0;  ///< weight of the prior in the last fit
};

class ShapeFit {
 public:
  /// The shape must stay at its address. Errors: limits that contradict each other or the shape.
  static Result<ShapeFit> make(const DataForPrior& data, const PayloadOptions& options,
                               const PayloadShape& shape);

  /// The current problem, for solve_convex(sums(), reference(), problem()).
  const WeightedSums& sums() const { return data_.sums; }
  const BodyParameters& reference() const { return reference_; }
  const ConvexOptions& problem() const { return problem_; }

  /// Takes its answer. `autocorrelation` returns how many rows are worth one; called only if the
  /// shape seems to raise the cost considerably.
  void take(ConvexAnswer answer, const std::function<double()>& autocorrelation);

  bool is_done() const { return is_done_; }
  /// Returns the last answer once the sequence is done.
  const PriorFit& found() const { return found_; }

 private:
  ShapeFit(const DataForPrior& data, const PayloadOptions& options, const PayloadShape& shape);
  const PayloadShape& shape() const { return matched_ ? *matched_ : *given_; }
  bool is_by_chance(double autocorrelation) const;

  DataForPrior data_;
  const PayloadShape* given_;
  std::optional<PayloadShape> matched_;  ///< with part densities from the log
  std::optional<double> weight_;         ///< as given in the options
  BodyParameters reference_;
  ConvexOptions problem_;
  PriorFit found_;
  double loose_cost_ = 0;
  std::optional<double> autocorrelation_;
  bool is_carried_ = false, is_done_ = false;
};

}  // namespace heft::payload
