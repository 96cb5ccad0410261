// Collects evidence against an answer during the comparison of torques: statistics of the stream,
// then tests on an excerpt.
#pragma once

#include <future>
#include <vector>

#include "evidence/contact.hpp"
#include "evidence/excerpt.hpp"
#include "evidence/long_delay.hpp"
#include "evidence/quiet_torque.hpp"
#include "evidence/residual_recorder.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

class EvidenceRecorder {
 public:
  /// Uses `num_threads` threads for every block.
  EvidenceRecorder(const RegressorPlan& plan, int num_threads);

  void push(bool held_out, int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// Call once all samples were processed and `result` has its fits. Returns residuals per log,
  /// quiet torques, findings of the rules about the logs (including signs and order of columns if
  /// the fit is poor), the noise floor and, except for least squares, hypotheses; these are tested
  /// on rows of torque for any kind of sums. `findings` are those of the logs for a good fit, which
  /// do not depend on the result. Errors: those of question_log and of the backend; stopped().
  Result<Evidence> evidence(const IdentifyRequest& request, const Identification& result,
                            std::future<Result<std::vector<LogFindings>>>& findings,
                            Executor& executor) const;

 private:
  int num_threads_;
  ExcerptRecorder training_, held_out_;
  LongExcerptRecorder long_training_, long_held_out_;
  ResidualRecorder training_residuals_, held_out_residuals_;
  QuietTorque training_quiet_, held_out_quiet_;
  ContactRecorder training_contacts_, held_out_contacts_;
};

}  // namespace heft
