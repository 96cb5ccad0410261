// What unknown contact forces cost in identifiability, before any log exists.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/setup/setup.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A contact or a base parameter, and the share of information that is lost.
struct LostInformation {
  std::string name;
  double lost = 0;  ///< 0: none; 1: all
};

/// The cost of projecting contacts out of the rows.
struct ObservableContacts {
  int num_base = 0;            ///< base parameters if all wrenches are measured
  int num_base_projected = 0;  ///< base parameters if they are unknown
  /// Per contact: mean share, over all base directions, that a sensor of its wrench would add.
  std::vector<LostInformation> contacts;
  /// Per base parameter, in the order of observe(): the part of its information, when all others
  /// are unknown, too, that is lost. Names are texts of combinations.
  std::vector<LostInformation> parameters;
};

/// Returns the cost for many random motions during which all contacts act, with equal noise of all
/// torques and the default ratio to that of forces. Errors: those of make_model and observe();
/// no contact.
Result<ObservableContacts> observe_contacts(const Robot& robot, const ModelOptions& options);

}  // namespace heft
#pragma GCC visibility pop
