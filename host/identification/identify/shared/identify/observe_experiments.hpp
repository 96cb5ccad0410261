// Which quantities each experiment with a legged robot determines, before any log exists.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// An experiment and the quantities that its logs determine, whatever the noise.
struct ObservableExperiment {
  std::string experiment;                      ///< "hung", "stance" or "steps"
  std::string logged;                          ///< what its log must contain
  int num_base = 0;                            ///< base parameters of the links
  bool whole_mass = false, whole_com = false;  ///< of all links together
  bool friction = false;                       ///< of joints: they move with speed
  std::vector<std::string> links;              ///< whose mass is determined alone
};

struct ObservableExperiments {
  std::vector<ObservableExperiment> experiments;
  std::string root;                 ///< the root link
  bool is_root_determined = false;  ///< its mass alone, by any of the experiments
};

/// Returns what logs of a robot reveal that hangs or is held at its root link while its joints
/// move (torques of joints only), stands still in many postures and tilts (forces on all feet
/// known), or steps. Needs a floating base. Errors: those of observe().
Result<ObservableExperiments> observe_experiments(const Robot& robot, bool gravity = true);

}  // namespace heft
#pragma GCC visibility pop
