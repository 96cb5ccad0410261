// Points spread evenly within a shape, each standing for the same volume: what point-mass
// discretisation begins with.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Fills points and volumes of `shape` within a closed surface of `volume` [m^3], triangles of
/// three columns each: centers of a grid of `density` points a cm^3; 0: 0.04, but at least 100
/// points or so.
void fill_evenly(const Eigen::Matrix3Xd& corners, double volume, double density,
                 PayloadShape& shape);

/// The same of a primitive about the origin.
void fill_primitive(const PayloadPrimitive& primitive, double volume, double density,
                    PayloadShape& shape);

}  // namespace heft::payload
