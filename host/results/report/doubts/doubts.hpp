// Parts of the list of doubts, one per kind of evidence.
#pragma once

#include <string>
#include <vector>

#include "heft/report/report.hpp"

namespace heft::doubts {

/// Multiple of the upper end of the noise floor up to which an error counts as noise.
inline constexpr double kAsGoodAsNoise = 1.02;

using List = std::vector<Doubt>;

inline constexpr bool kSerious = true, kMinor = false;

// about_data.cpp: logs given twice, joints without torque, rows dropped, moments of other options
void about_data(const Identification& identification, List& list);
// about_logs.cpp: findings of the rules of heft check, and constant torques
void about_logs(const Identification& identification, List& list);
// about_fit.cpp: size of the errors, and their reference
void about_fit(const Identification& identification, List& list);
// about_fit.cpp: an error far above the noise without another serious doubt
void about_unexplained(const Identification& identification, List& list);
// about_residuals.cpp: errors concentrated in time or in several joints
void about_residuals(const Identification& identification, List& list);
// about_hypotheses.cpp: single faults that explain the logs better
void about_hypotheses(const Identification& identification, List& list);
// about_physics.cpp: certificate, price of physical consistency, masses compared with the robot's
// file
void about_physics(const Identification& identification, List& list);
// about_parameters.cpp: parameters that the data do not determine
void about_parameters(const Identification& identification, List& list);

/// "1 row", "3 rows".
std::string plural(std::size_t count, const std::string& noun, const std::string& nouns);
/// "0.26", "2.9", "290": two digits, without an exponent from 100 on.
std::string two_digits(double value);
/// Returns the text with a capital letter and a full stop.
std::string sentence(std::string words);

}  // namespace heft::doubts
