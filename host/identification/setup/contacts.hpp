// Contacts whose wrenches are unknown: their places on the robot, the signals that hold the
// directions of their wrenches, and the samples at which they act.
#pragma once

#include <vector>

#include "rows/unknown_wrenches.hpp"
#include "wrenches.hpp"

namespace heft {

/// A contact, its place, and its signals.
struct PlacedContact {
  ContactSpec spec;
  PlacedWrench wrench;          ///< all six components
  std::vector<int> components;  ///< those in which the surroundings can push
  int level_signal = -1;        ///< what tells the state; after set_states 1 in contact, 0 not
  int first_signal = -1;        ///< component k in channel c: first_signal + k channels + c

  int num_channels() const { return static_cast<int>(wrench.channels.size()); }
  int num_signals() const { return 1 + static_cast<int>(components.size()) * num_channels(); }
  /// Component k as an effect on channels.
  UnknownDirection direction(int k) const {
    return {first_signal + k * num_channels(), wrench.channels};
  }
};

/// Finds the frames of projected contacts. Errors name the contact: a frame that does not exist, or
/// is given twice; an invalid threshold, radius or widening; a radius without a pose of the base.
Result<std::vector<PlacedContact>> place_contacts(const Robot& robot,
                                                  const std::vector<Channel>& channels,
                                                  const ModelOptions& options);

/// Appends the signals of a contact, which no column refers to.
void add_signals(PlacedContact& contact, DerivedSignals& derived);

/// Returns where the samples hold a contact, the `index`-th.
FootSignals signals_of(const PlacedContact& contact, int index);

/// Adds the functions that set the signals, and the unknown wrenches, to a model. Errors: those of
/// make_load; channel_noise of a wrong size or sign.
Result<Done> project_contacts(const std::vector<PlacedContact>& contacts,
                              const ModelOptions& options, Model& model);

}  // namespace heft
