// The parts of the one list: each looks at one kind of evidence.
#pragma once

#include <string>
#include <vector>

#include "heft/report/report.hpp"

namespace heft::doubts {

/// Times the upper end of the noise floor: an error up to it is hardly more than noise.
inline constexpr double kAsGoodAsNoise = 1.02;

using List = std::vector<Doubt>;

inline constexpr bool kSerious = true, kMinor = false;

// about_data.cpp: logs given twice, joints without torque, rows dropped, moments of other options
void about_data(const Identification& identification, List& list);
// about_logs.cpp: what the rules of heft check found, and torques that stand still
void about_logs(const Identification& identification, List& list);
// about_fit.cpp: how large errors are, and beside what
void about_fit(const Identification& identification, List& list);
// about_fit.cpp: an error far above the noise beside which no serious doubt stands
void about_unexplained(const Identification& identification, List& list);
// about_residuals.cpp: errors that gather in time or in several joints
void about_residuals(const Identification& identification, List& list);
// about_hypotheses.cpp: single faults that explain the logs better
void about_hypotheses(const Identification& identification, List& list);
// about_physics.cpp: certificate, price of being physical, masses beside those of the robot's file
void about_physics(const Identification& identification, List& list);
// about_parameters.cpp: what the data do not decide
void about_parameters(const Identification& identification, List& list);

/// "1 row", "3 rows".
std::string plural(std::size_t count, const std::string& noun, const std::string& nouns);
/// With a capital letter and a full stop.
std::string sentence(std::string words);

}  // namespace heft::doubts
