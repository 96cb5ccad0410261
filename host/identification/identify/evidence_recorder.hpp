// Collects evidence against an answer during the comparison of torques: statistics of the stream,
// then tests on an excerpt.
#pragma once

#include "evidence/contact.hpp"
#include "evidence/excerpt.hpp"
#include "evidence/long_delay.hpp"
#include "evidence/quiet_torque.hpp"
#include "evidence/residual_recorder.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

class EvidenceRecorder {
 public:
  explicit EvidenceRecorder(const RegressorPlan& plan);

  void push(bool held_out, int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// Call once all samples were processed and `result` has its fits. Returns residuals per log,
  /// quiet torques, findings of the rules about the logs (including signs and order of columns if
  /// the fit is poor), the noise floor and, except for least squares, hypotheses; these are tested
  /// on rows of torque for any kind of sums. Errors: those of question_log and of the backend;
  /// stopped().
  Result<Evidence> evidence(const IdentifyRequest& request, const Identification& result,
                            Executor& executor) const;

 private:
  ExcerptRecorder training_, held_out_;
  LongExcerptRecorder long_training_, long_held_out_;
  ResidualRecorder training_residuals_, held_out_residuals_;
  QuietTorque training_quiet_, held_out_quiet_;
  ContactRecorder training_contacts_, held_out_contacts_;
};

}  // namespace heft
