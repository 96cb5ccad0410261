// Information that rows contain about parameters if contacts have unknown wrenches.
#pragma once

#include <vector>

#include "rows/projected_rows.hpp"

namespace heft {

/// Returns the wrenches without those of one contact; -1: all.
UnknownWrenches without_contact(const UnknownWrenches& all, int contact);

/// Sum over samples of rows' rows, weighted by 1/s_c^2 and projected.
class ProjectedInformation {
 public:
  ProjectedInformation(const RegressorPlan& plan, UnknownWrenches wrenches)
      : plan_(plan),
        wrenches_(std::move(wrenches)),
        G_(Eigen::MatrixXd::Zero(plan.num_structural_columns(), plan.num_structural_columns())) {}

  /// `rows` are those of `samples`, of every channel.
  void add(const Samples& samples, const std::vector<RowArray>& rows,
           const std::vector<bool>& used);

  /// Returns the sum, in structural columns.
  Eigen::MatrixXd matrix() const { return G_.selfadjointView<Eigen::Lower>(); }

 private:
  const RegressorPlan& plan_;
  UnknownWrenches wrenches_;
  Eigen::MatrixXd G_;
};

/// Returns the mean, over the directions that `more` determines, of the share of information that
/// `less` lacks: 1 - trace(more^+ less) / rank(more). It does not depend on the parametrization.
double share_lost(const Eigen::MatrixXd& more, const Eigen::MatrixXd& less);

}  // namespace heft
