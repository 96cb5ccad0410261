// Input of the fault tests: an excerpt of the logs, and the channel weights of the answer.
#pragma once

#include "evidence/hypotheses.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

class FaultTestInput {
 public:
  /// Keeps references to request and result.
  FaultTestInput(const IdentifyRequest& request, const Identification& result, Excerpt training,
                 Excerpt held_out);

  const IdentifyRequest& request() const { return request_; }
  const Identification& result() const { return result_; }
  /// Returns the logs for validation: held-out logs if there are any.
  const Excerpt& judged() const { return result_.answer().validation ? held_out_ : training_; }

  /// The result holds references to this object.
  HypothesisInput input(bool leaves_more_than_noise = true,
                        std::vector<Finding> findings = {}) const;

 private:
  const IdentifyRequest& request_;
  const Identification& result_;
  Setup setup_;              ///< with a prior weak enough for faults to show
  Eigen::VectorXd weights_;  ///< 1 / s_c^2 of the answer's errors on the training logs
  Excerpt training_, held_out_;
};

}  // namespace heft
