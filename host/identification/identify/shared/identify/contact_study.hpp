// Contacts with unknown wrenches after a fit: the noise of the channels that separates wrenches
// from motion, and what the projection costs.
#pragma once

#include <vector>

#include "heft/identify/estimate.hpp"
#include "heft/identify/identify.hpp"
#include "heft/moments/moments.hpp"
#include "rows/unknown_wrenches.hpp"
#include "training/sample_source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns s_c of every channel for the projection of the samples of a source: the rms residual of
/// `parameters` from the sums of its projected rows, corrected for the share of noise that the
/// projection removes. Errors: those of the source; stopped().
Result<std::vector<double>> channel_noise(SampleSource& source, const UnknownWrenches& wrenches,
                                          const Moments& moments, const Eigen::VectorXd& parameters,
                                          const Progress& progress);

/// Identifies a robot with unknown contact wrenches; adds the time in contact of every contact, and
/// the information that it costs, to the choices. Errors: those of identify().
Result<Identification> identify_with_contacts(const IdentifyRequest& request);

}  // namespace heft
#pragma GCC visibility pop
