// The robot that the analysis computes with: same structure, tidier numbers.
//
// Lengths are in units of the robot's own, so that one tolerance serves a watch and a crane; frames
// whose axes are almost aligned with their parent's are aligned; gravity is a unit vector or
// absent. Parameters in these units are m, h / length, I / length^2.
#pragma once

#include "heft/observe/observe.hpp"
#include "spatial.hpp"

namespace heft::identifiability {

struct NormalizedRobot {
  Robot robot;
  double length = 1;  ///< unit of length [m]: median distance of a body's frame from its parent's
};

/// Errors as observe() documents them for the robot and the options.
Result<NormalizedRobot> normalized(const Robot& robot, const ObserveOptions& options);

/// The parameters of one body as columns of its ten parameters: the ten themselves; four for a body
/// that is symmetric about its axis; none for a body without parameters. Entries without their
/// visibility.
std::vector<ObservedParameter> parameters_of(const Robot& robot, int body);

/// Whether a body has fewer than ten parameters.
bool is_restricted(const Body& body);

/// Power of the unit of length in a body's parameter: 0 for the mass, 1 for moments, 2 for the
/// tensor.
int length_power(int parameter);

}  // namespace heft::identifiability
