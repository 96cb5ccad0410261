// Evidence against an answer, gathered beside the comparison of torques: what streams by, then what
// is asked of an excerpt.
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

  /// Once all samples went by and `result` has its fits: residuals by log, quiet torques, what the
  /// rules say of the logs (signs and order of columns if the fit is poor), the noise floor and,
  /// but of least squares, hypotheses, asked of rows of torque whatever kind was summed. Errors:
  /// those of question_log and of the backend; stopped().
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
