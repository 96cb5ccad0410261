// Shared by the payload bindings: options as text, and the pose of a shape.
#pragma once

#include <string>
#include <vector>

#include "heft/payload/options.hpp"
#include "module.hpp"

namespace heft::python {

/// The text of a YAML or JSON mapping, and its name in errors.
struct ConfigText {
  std::string text, name;
};

struct ShapePlace {
  std::string mesh;          ///< a file; empty: what the options say
  std::vector<double> pose;  ///< x, y, z, roll, pitch, yaw; empty: as it is

  /// Errors: numbers that are not a pose, a pose without a shape.
  Result<Done> put_into(PayloadPriorOptions& prior) const;
};

/// Many payloads, and streams, from arrays.
void bind_payload_arrays(nb::module_& m);

}  // namespace heft::python
