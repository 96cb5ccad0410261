// Normalized robot for the analysis: same structure, well-scaled numbers.
//
// Lengths are relative to the robot's size, so one tolerance suits a watch and a crane; frames
// almost aligned with their parent's are aligned exactly; gravity is a unit vector or absent.
// Parameters in these units are m, h / length, I / length^2.
#pragma once

#include "heft/observe/observe.hpp"
#include "spatial.hpp"

namespace heft::identifiability {

struct NormalizedRobot {
  Robot robot;
  double length = 1;  ///< unit of length [m]: median distance of a body's frame from its parent's
};

/// Errors: those of observe() about the robot and the options.
Result<NormalizedRobot> normalized(const Robot& robot, const ObserveOptions& options);

/// Returns a body's parameters as columns of its ten parameters: all ten; four for a body that is
/// symmetric about its axis; none for a body without parameters. Does not set visibility.
std::vector<ObservedParameter> parameters_of(const Robot& robot, int body);

/// Returns whether a body has fewer than ten parameters.
bool is_restricted(const Body& body);

/// Returns the power of the unit of length in a body's parameter: 0 for the mass, 1 for moments, 2
/// for the tensor.
int length_power(int parameter);

}  // namespace heft::identifiability
