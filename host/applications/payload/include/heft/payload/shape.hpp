// What a payload is believed to look like before it is weighed: the reference of its tensor.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/geometry/bounding.hpp"
#include "heft/payload/doubt.hpp"
#include "heft/payload/options.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What the payload is believed to look like: a tensor, to which a mass is given later.
struct PayloadShape {
  /// Where the tensor comes from; it decides how firmly auto holds to it (FORMULAS 8).
  enum class Kind { nothing, primitive, parameters, points, mesh };

  Kind kind = Kind::nothing;
  BodyParameters unit = BodyParameters::Zero();  ///< of 1 kg; of nothing that of a ball without its
                                                 ///< center, which the log tells
  std::optional<Ellipsoid> bounds;               ///< least ellipsoid around mesh or primitive
  Eigen::Matrix3Xd corners;  ///< of the mesh's triangles, three columns each, in the sensor's frame
  Eigen::Matrix3Xd points;   ///< evenly within mesh or primitive, or those that were given, in the
                             ///< sensor's frame
  Eigen::VectorXd volumes;   ///< that they stand for [m^3]
  double volume = 0;         ///< [m^3]; 0: not known
  /// Of a shape of several parts whose masses the log tells; `unit` is a guess until then. Empty:
  /// there are none.
  struct Part {
    BodyParameters unit = BodyParameters::Zero();  ///< of 1 kg
    double least_mass = 0, largest_mass = std::numeric_limits<double>::infinity();
  };
  std::vector<Part> parts;
  std::vector<PayloadDoubt> doubts;  ///< about the mesh
  std::string words;                 ///< for people: "mesh drill.stl, 1.21 liters"
};

/// Reads what the options name; without any of it a ball of 10 cm. Errors: more than one named,
/// files that cannot be read, open surfaces, meshes that must be in millimeters, tensors that no
/// body has.
Result<PayloadShape> read_payload_shape(const PayloadPriorOptions& options);

}  // namespace heft
#pragma GCC visibility pop
