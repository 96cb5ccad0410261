// Golden torques of five arms with and without rotors, and a regressor of each (golden/rpna/):
// numbers of the data set's own Newton-Euler code. A rotor is on the parent link of its joint,
// turns by gear_ratio * q about its own axis and is symmetric about it.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/golden.hpp"

namespace heft::oracle {

struct RpnaSample {
  Motion motion;
  Eigen::VectorXd tau_links;               ///< of Rpna::links
  Eigen::VectorXd tau_links_and_rotors;    ///< of Rpna::links_and_rotors
  std::optional<Eigen::MatrixXd> Y_links;  ///< in Heft's parameter order, where the file has it
};

struct RpnaGolden {
  Robot links;
  Robot links_and_rotors;  ///< the rotor of a joint just before the link that the joint moves
  std::filesystem::path urdf;
  std::filesystem::path rotors;
  std::vector<RpnaSample> samples;
};

inline constexpr std::array<const char*, 5> kRpnaNames{"rpna_cheetah3_leg", "rpna_puma560",
                                                       "rpna_scara", "rpna_test2perp", "rpna_tx40"};

/// Where Heft's ten parameters stand in the file's order m, mcx, mcy, mcz, Ixx, Iyy, Izz, Iyz, Ixz,
/// Ixy.
inline constexpr std::array<int, 10> kRpnaOrder{0, 1, 2, 3, 4, 9, 5, 8, 7, 6};

/// Placement from E (rotation of coordinates, parent to child) and the child's origin p in the
/// parent.
Eigen::Isometry3d rpna_placement(const nlohmann::json& frame);

/// Ten parameters of a rotor from m, mc_axial, I_perp, I_axial about its frame's origin, on its
/// axis a: h = mc_axial a, I = I_perp (1 - a a') + I_axial a a'.
BodyParameters rpna_rotor_parameters(const Eigen::Vector4d& rotor, const Eigen::Vector3d& axis);

/// The arm of a file in golden/rpna. Its model counts links from 1, 0 is the base.
Robot rpna_robot(const nlohmann::json& file, bool with_rotors);

RpnaGolden load_golden_rpna(const std::filesystem::path& golden, const std::string& name);

}  // namespace heft::oracle
