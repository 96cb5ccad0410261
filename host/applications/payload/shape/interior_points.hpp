// Points evenly distributed within a shape, each representing the same volume, for point-mass
// discretization.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Fills points and volumes of `shape` within a closed surface of `volume` [m^3], given as
/// triangles of three columns each: centers of a grid with `density` points per cm^3; 0: 0.04, but
/// at least about 100 points.
void fill_evenly(const Eigen::Matrix3Xd& corners, double volume, double density,
                 PayloadShape& shape);

/// Does the same for a primitive about the origin.
void fill_primitive(const PayloadPrimitive& primitive, double volume, double density,
                    PayloadShape& shape);

}  // namespace heft::payload
