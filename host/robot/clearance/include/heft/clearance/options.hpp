// Obstacles that a motion must avoid, and its smallest clearance. SI units, base axes. Threads:
// plain values; concurrent reads are safe, a writer needs exclusive access.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/robot/robot_document.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A stationary box, cylinder or sphere.
struct Obstacle {
  std::string name;
  Shape shape;  ///< X_link_shape is its pose in base axes; must not be a mesh
};

/// Which pairs are checked for collisions, and the distance that they must keep.
struct ClearanceOptions {
  bool ignore = false;          ///< skips all collision checks
  double margin = 0.01;         ///< distance that all pairs must keep [m]
  std::optional<double> floor;  ///< z of a floor that is horizontal in base axes [m]
  bool on_table = false;  ///< adds a floor at the height of the lowest shape of the base, which
                          ///< stands on it
  std::vector<Obstacle> obstacles;
  std::string srdf_path;                     ///< SRDF whose disabled pairs of links are not checked
  std::vector<std::string> package_folders;  ///< BoundingOptions::package_folders

  /// Returns whether an obstacle, floor or SRDF was requested, so that collisions must be checked.
  bool is_asked() const { return floor || on_table || !obstacles.empty() || !srdf_path.empty(); }
};

/// The smallest distance during a motion, and the pair that has it.
struct MinClearance {
  double value = 0;           ///< [m]; if verified for all times, a lower bound; 0: contact
  std::string first, second;  ///< names of links, obstacles, or the floor
  double at_s = 0;
  bool proved = false;  ///< true: valid for all times; false: at samples only
  double step_s = 0;    ///< time between samples if not verified for all times
  double wanted = 0;    ///< ClearanceOptions::margin
};

}  // namespace heft
#pragma GCC visibility pop
