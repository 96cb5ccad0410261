// What a motion must not touch, and how near it came. SI units, base axes.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/robot/robot_document.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A box, a cylinder or a sphere that stands still.
struct Obstacle {
  std::string name;
  Shape shape;  ///< X_link_shape is its pose in base axes; no mesh
};

struct ClearanceOptions {
  bool ignore = false;          ///< look at nothing
  double margin = 0.01;         ///< [m] that all pairs keep
  std::optional<double> floor;  ///< z of a floor that is level in base axes [m]
  bool on_table = false;  ///< a floor as high as the lowest shape of the base, on which it stands
  std::vector<Obstacle> obstacles;
  std::string srdf_path;                     ///< pairs of links that it disables are not looked at
  std::vector<std::string> package_folders;  ///< BoundingOptions::package_folders

  /// Whether something is asked for that must not silently be left out.
  bool is_asked() const { return floor || on_table || !obstacles.empty() || !srdf_path.empty(); }
};

/// The nearest two things of a motion.
struct MinClearance {
  double value = 0;           ///< [m]; proved: no less at any time; 0: they touch
  std::string first, second;  ///< links, obstacles, or the floor
  double at_s = 0;
  bool proved = false;  ///< for all times, else at samples only
  double step_s = 0;    ///< between them, where it is not proved
  double wanted = 0;    ///< ClearanceOptions::margin
};

}  // namespace heft
#pragma GCC visibility pop
