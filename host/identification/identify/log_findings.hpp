// Findings about the logs, from the rules and, where these are inconclusive, from torques.
#pragma once

#include "fault_test_input.hpp"

namespace heft {

/// Whether all torques, or those of one channel, fit so poorly that signs and order of columns are
/// tested.
bool fits_poorly(const TorqueErrors& errors);

/// Returns the findings of the rules for every log, training logs first; tests signs and order of
/// columns if the answer `fits_poorly`. Errors: those of question_log; stopped().
Result<std::vector<LogFindings>> findings_of_logs(const IdentifyRequest& request, bool fits_poorly,
                                                  int num_threads);

/// Error if positions of a log clearly have another unit (indicated by limits or integers, and
/// confirmed by torques), with the option that converts them. No error if format.angle_unit is
/// "rad"; the positions then raise a doubt.
Result<Done> refuse_misread_positions(const std::vector<LogFindings>& logs,
                                      const LogFormat& format);

/// Returns the error about positions if it explains `error` of an unusable log, otherwise `error`.
/// May be stopped().
Error with_misread_positions(const IdentifyRequest& request, const Error& error, int num_threads);

/// A unit applies to a whole log: if a single joint seems to be in degrees, its motor may count
/// them instead. Error: stopped().
Result<Done> tell_motors_from_degrees(const FaultTestInput& test_input,
                                      std::vector<LogFindings>& logs, int num_threads);

/// Retracts torque units that the fit does not confirm: the bodies of the robot's file predict
/// little for joints dominated by friction and rotors. Confirmed ones get the fitted factor. If
/// most joints have another unit, heavier bodies can explain them, and all findings stay. Error:
/// stopped().
Result<Done> confirm_torque_units(const FaultTestInput& test_input, std::vector<LogFindings>& logs,
                                  int num_threads);

/// Adds torques from which a model was subtracted, gravity only or complete, if the constrained
/// problem confirms it. Error: stopped().
Result<Done> add_missing_model(const FaultTestInput& test_input, std::vector<LogFindings>& logs,
                               int num_threads);

/// Adds signs and order of joints that fit poorly without a finding, if a change explains the logs.
/// Errors: those of possible_mistakes; stopped().
Result<Done> add_mistaken_columns(const FaultTestInput& test_input, std::vector<LogFindings>& logs,
                                  int num_threads);

/// Adds permutations of similar groups of joints, such as legs or arms, if they explain the logs
/// much better. Errors: those of permuted_joints; stopped().
Result<Done> add_permuted_joints(const FaultTestInput& test_input, std::vector<LogFindings>& logs,
                                 int num_threads);

/// Removes findings that rely only on the robot file and are not confirmed by the fit: those of
/// `fixable` that are not among the hypotheses.
void retract_unconfirmed(const std::vector<Finding>& fixable,
                         const std::vector<Hypothesis>& confirmed, std::vector<LogFindings>& logs);

/// Returns errors that an option fixes and that all training logs share, because an option applies
/// to all logs.
std::vector<Finding> fixable(const std::vector<LogFindings>& logs);

}  // namespace heft
