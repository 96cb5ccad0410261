// Input of the benchmark: samples of an arbitrary motion, motions given by coefficients, and
// columns of friction.
#pragma once

#include <vector>

#include "heft/core/motion_view.hpp"
#include "heft/rows/backend.hpp"

namespace heft::tools {

/// `count` samples of an arbitrary motion, on which the time does not depend; they differ with the
/// seed.
Samples random_samples(const RegressorPlan& plan, std::int64_t count, std::uint64_t seed = 1);

/// Samples of each of these motions.
inline constexpr std::int64_t kMotionSamples = 1000;

/// Candidates of an excitation study, `count` samples together at least: five harmonics each, or
/// forty intervals of a spline.
std::vector<GeneratedMotion> random_motions(const RegressorPlan& plan, core::MotionKind kind,
                                            std::int64_t count);

/// Viscous friction, Coulomb friction and an offset in every joint.
std::vector<Column> friction_columns(const Robot& robot, const std::vector<Channel>& channels);

}  // namespace heft::tools
