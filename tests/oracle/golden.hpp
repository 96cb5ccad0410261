// Golden dynamics: robots, states, torques and regressors computed by Pinocchio
// (golden/dynamics/README.md states the conventions). The robots are built from the numbers in the
// JSON files, not from the URDFs, so that the oracles can be tested without a URDF reader.
//
// The files are not part of the repository: golden_directory() says where they are, or that they
// are absent, and tests then skip with kNoGolden. Malformed files throw, which fails the test that
// reads them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heft/model/robot.hpp"
#include "tests/oracle/motion.hpp"

namespace heft::oracle {

inline constexpr const char* kNoGolden =
    "no golden answers: set HEFT_GOLDEN to the directory that has dynamics/ and rpna/";

/// $HEFT_GOLDEN, else the directory configured at build time; nothing if it has no answers.
std::optional<std::filesystem::path> golden_directory();

nlohmann::json read_json(const std::filesystem::path& path);

Eigen::VectorXd vector_from(const nlohmann::json& numbers);

/// A matrix from the list of its rows.
Eigen::MatrixXd matrix_from(const nlohmann::json& rows);

struct GoldenState {
  std::string kind;  ///< neutral, static, moderate, fast, turns or extreme
  Motion motion;
  Eigen::VectorXd tau;               ///< all channels in the oracles' order; no damping or friction
  std::optional<Eigen::MatrixXd> Y;  ///< the regressor, where the file has it
};

struct GoldenRobot {
  Robot robot;  ///< body names are joint names here; every body has parameters, also the massless
                ///< ones
  std::filesystem::path urdf;
  std::vector<GoldenState> states;
};

/// Names of the robots in golden/dynamics, e.g. "dyn06_serial6_arm".
std::vector<std::string> golden_dynamics_names(const std::filesystem::path& golden);

/// The robot of a file in golden/dynamics.
Robot golden_dynamics_robot(const nlohmann::json& file);

/// Pinocchio's floating base gives the velocity v, w of the root link's frame in its own axes and
/// the time derivatives of these six numbers; its origin accelerates by vd + w x v, and gravity is
/// in world axes.
Motion golden_dynamics_motion(const Robot& robot, const nlohmann::json& state);

GoldenRobot load_golden_dynamics(const std::filesystem::path& golden, const std::string& name);

}  // namespace heft::oracle
