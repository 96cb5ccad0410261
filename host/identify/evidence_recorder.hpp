// Evidence against an answer, gathered beside the comparison of torques: what streams by, then what is asked of an excerpt.
#pragma once

#include "evidence/contact.hpp"
#include "evidence/excerpt.hpp"
#include "evidence/quiet_torque.hpp"
#include "evidence/residual_record.hpp"
#include "heft/identify/identify.hpp"

namespace heft {

class EvidenceRecorder {
 public:
  explicit EvidenceRecorder(const RegressorPlan& plan);

  void push(bool held_out, int segment, const Samples& block, const Eigen::ArrayXXd& predicted);

  /// Once all samples went by and `result` has its fits: residuals by log, quiet torques, what the rules say of the logs
  /// (signs and order of columns if the fit is poor), the noise floor and, but of least squares, hypotheses, asked of rows of
  /// torque whatever kind was summed. Errors: those of question_log and of the backend; stopped().
  Result<Evidence> evidence(const IdentifyRequest& request, const Identification& result,
                            Executor& executor) const;

 private:
  Result<std::vector<LogFindings>> findings(const IdentifyRequest& request, bool fits_poorly,
                                            int num_threads) const;
  Result<Done> tell_motors_from_degrees(const IdentifyRequest& request, const Identification& result,
                                        std::vector<LogFindings>& logs, int num_threads) const;
  Result<Done> add_mistaken_columns(const IdentifyRequest& request, const Identification& result,
                                    std::vector<LogFindings>& logs, int num_threads) const;
  Result<std::vector<Hypothesis>> hypotheses(const IdentifyRequest& request, const Identification& result,
                                             bool leaves_more_than_noise, std::vector<Finding> findings,
                                             int num_threads) const;
  Result<Reference> floor(const Identification& result, const GatherOptions& options, Backend& backend) const;

  ExcerptRecorder training_, held_out_;
  ResidualRecord training_residuals_, held_out_residuals_;
  QuietTorque training_quiet_, held_out_quiet_;
  ContactRecord training_contacts_, held_out_contacts_;
};

/// The bodies of the prior with the columns that fit the moments best: what the robot's file knows by itself.
Eigen::VectorXd prior_with_fitted_columns(const Identification& result);

}  // namespace heft
