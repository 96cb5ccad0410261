// The convex problems of `auto`, one after another, for any solver: metric about the shape with
// kFirstWeight, and about the shape carried to what that found, as firmly as it is known and the
// data allow. FORMULAS 8.
#pragma once

#include <functional>
#include <optional>

#include "methods.hpp"

namespace heft::payload {

/// What the data say before a shape is asked.
struct DataForPrior {
  WeightedSums sums;
  double mass = 0;  ///< [kg], of the first reference
  Eigen::Vector3d com = Eigen::Vector3d::Zero();
  double least_autocorrelation = 1;  ///< rows of `sums` that count as one at least
  double thinning = 1;               ///< by which the rows were thinned before they were summed
};

struct PriorFit {
  ConvexAnswer answer;
  double weight = 0;  ///< of the prior, in the last fit
};

class ShapeFit {
 public:
  /// The shape has to stay where it is. Errors: limits that contradict each other or the shape.
  static Result<ShapeFit> make(const DataForPrior& data, const PayloadOptions& options,
                               const PayloadShape& shape);

  /// The problem at hand, for solve_convex(sums(), reference(), problem()).
  const WeightedSums& sums() const { return data_.sums; }
  const BodyParameters& reference() const { return reference_; }
  const ConvexOptions& problem() const { return problem_; }

  /// Its answer. `autocorrelation` says how many rows count as one; it is asked only where a shape
  /// seems dear.
  void take(ConvexAnswer answer, const std::function<double()>& autocorrelation);

  bool is_done() const { return is_done_; }
  /// The last answer, once it is done.
  const PriorFit& found() const { return found_; }

 private:
  ShapeFit(const DataForPrior& data, const PayloadOptions& options, const PayloadShape& shape);
  const PayloadShape& shape() const { return matched_ ? *matched_ : *given_; }
  bool is_by_chance(double autocorrelation) const;

  DataForPrior data_;
  const PayloadShape* given_;
  std::optional<PayloadShape> matched_;  ///< of parts whose densities the log has
  std::optional<double> weight_;         ///< as options have it
  BodyParameters reference_;
  ConvexOptions problem_;
  PriorFit found_;
  double loose_cost_ = 0;
  std::optional<double> autocorrelation_;
  bool is_carried_ = false, is_done_ = false;
};

}  // namespace heft::payload
