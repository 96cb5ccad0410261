// What is wrong with the logs by rules, and by what their torques say where the rules leave it
// open.
#pragma once

#include "asked_excerpt.hpp"

namespace heft {

/// Its torques, or those of one channel, are explained so badly that signs and order of columns are
/// asked about.
bool fits_poorly(const TorqueErrors& errors);

/// What the rules say of every log, training logs first; signs and order of columns are asked about
/// where the answer `fits_poorly`. Errors: those of question_log; stopped().
Result<std::vector<LogFindings>> findings_of_logs(const IdentifyRequest& request, bool fits_poorly,
                                                  int num_threads);

/// Error where positions of a log are evidently of another unit (limits or whole numbers say so,
/// and the torques agree), with the option that reads them. None if format.angle_unit is "rad":
/// then they are doubted.
Result<Done> refuse_misread_positions(const std::vector<LogFindings>& logs,
                                      const LogFormat& format);

/// `error` of a log that cannot be used, or the one about its positions, if these are the cause.
/// May be stopped().
Error with_misread_positions(const IdentifyRequest& request, const Error& error, int num_threads);

/// A unit is that of a log: where one joint alone seems to be in degrees, its motor may count them
/// instead. Error: stopped().
Result<Done> tell_motors_from_degrees(const AskedExcerpt& asked, std::vector<LogFindings>& logs,
                                      int num_threads);

/// Retracts torques of another unit that the answer does not confirm: the bodies of the robot's
/// file say little of joints that friction and rotors rule. Those that it confirms get its factor.
/// Where most joints are of another unit, heavier bodies explain them, and all stay. Error:
/// stopped().
Result<Done> confirm_torque_units(const AskedExcerpt& asked, std::vector<LogFindings>& logs,
                                  int num_threads);

/// Torques from which a model was subtracted, gravity or all of it, where the constrained problem
/// confirms it. Error: stopped().
Result<Done> add_missing_model(const AskedExcerpt& asked, std::vector<LogFindings>& logs,
                               int num_threads);

/// Signs and order of joints that fit poorly though no rule says why, where one of them explains
/// the logs. Errors: those of possible_mistakes; stopped().
Result<Done> add_mistaken_columns(const AskedExcerpt& asked, std::vector<LogFindings>& logs,
                                  int num_threads);

/// Like groups of joints, legs or arms, whose columns stand in another order, where the logs are
/// explained much better by it. Errors: those of permuted_joints; stopped().
Result<Done> add_permuted_joints(const AskedExcerpt& asked, std::vector<LogFindings>& logs,
                                 int num_threads);

/// Takes out what only the robot file says and the fit does not confirm: those of `fixable` that
/// are not among the hypotheses.
void retract_unconfirmed(const std::vector<Finding>& fixable,
                         const std::vector<Hypothesis>& confirmed, std::vector<LogFindings>& logs);

/// Errors that an option fixes: those that all training logs have, for an option is of all logs.
std::vector<Finding> fixable(const std::vector<LogFindings>& logs);

}  // namespace heft
