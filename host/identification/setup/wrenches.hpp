// Known wrenches on links: their places on the robot, the unknowns of their biases, and their
// effect on the known torque of a block.
#pragma once

#include <vector>

#include "heft/setup/setup.hpp"
#include "model/wrench_row.hpp"
#include "robot/link_place.hpp"

namespace heft {

/// A wrench, its place, and the channels that it acts on.
struct PlacedWrench {
  WrenchSpec spec;
  LinkPlace place;
  std::vector<int> channels;  ///< those between the base and the frame
  /// Signals of the biases: component k of the wrench in channels[c] is signal
  /// first_signal + k channels.size() + c. -1: no biases.
  int first_signal = -1;
  /// Signals of the components themselves, acting on the robot, in the axes of the frame.
  int value_signal = -1;

  int num_components() const { return static_cast<int>(spec.columns.size()); }
};

/// Finds the frames. Errors name the wrench: a frame that does not exist, a wrong number of columns
/// or sign, a name that is missing or given twice, axes of the world without a pose of the base.
Result<std::vector<PlacedWrench>> place_wrenches(const Robot& robot,
                                                 const std::vector<Channel>& channels,
                                                 const ModelOptions& options);

/// J' of the components of wrenches, sample after sample in the same memory.
class ComponentRows {
 public:
  /// Returns J' of a wrench's components at one sample, num_channels x 6, in the axes of its
  /// columns. `orientation` as in BlockInputs. The next call changes it.
  const Eigen::MatrixXd& at(const RegressorPlan& plan, const PlacedWrench& wrench,
                            const Samples& block, const Eigen::ArrayXXd& orientation,
                            Eigen::Index row);

 private:
  Eigen::VectorXd position_;
  FrameRows frame_;
};

/// Returns the channels between the base and a body.
std::vector<int> felt_by(const Robot& robot, const std::vector<Channel>& channels, int body);

/// Returns the columns of a wrench's biases, one per component, and appends their signals.
std::vector<Column> bias_columns(PlacedWrench& wrench, const std::vector<Channel>& channels,
                                 DerivedSignals& derived);

/// Appends signals for the components, which no column refers to.
void add_value_signals(PlacedWrench& wrench, DerivedSignals& derived);

/// Returns where the samples hold a wrench.
FootSignals signals_of(const PlacedWrench& wrench);

/// Returns the function that adds -J'w to the known torque and sets the signals of the biases.
BlockFunction wrench_function(const PlanPtr& plan, const PlacedWrench& wrench);

}  // namespace heft
