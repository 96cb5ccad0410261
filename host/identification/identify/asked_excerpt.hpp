// What questions are asked of: an excerpt of the logs, and how the answer weighs their channels.
#pragma once

#include "evidence/hypotheses.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

class AskedExcerpt {
 public:
  /// Keeps references to request and result.
  AskedExcerpt(const IdentifyRequest& request, const Identification& result, Excerpt training,
               Excerpt held_out);

  const IdentifyRequest& request() const { return request_; }
  const Identification& result() const { return result_; }
  /// What the answer was judged by: held-out logs where there are any.
  const Excerpt& judged() const { return result_.answer().validation ? held_out_ : training_; }

  /// Holds references to this.
  HypothesisInput input(bool leaves_more_than_noise = true,
                        std::vector<Finding> findings = {}) const;

 private:
  const IdentifyRequest& request_;
  const Identification& result_;
  Setup setup_;              ///< with a prior that is light enough for faults to show
  Eigen::VectorXd weights_;  ///< 1 / s_c^2 of the answer's errors on the training logs
  Excerpt training_, held_out_;
};

}  // namespace heft
