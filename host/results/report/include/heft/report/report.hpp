// What an identification says: result.json for machines and a summary for people.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <string>

#include "heft/identify/estimate.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The result as JSON text; the schema is tools/result.schema.json. Names come from the URDF, units
/// stand beside values.
std::string result_json(const Identification& identification);

/// A summary for the terminal: fit on held-out data, bodies against their priors, columns,
/// certificate, dropped rows.
std::string summary_text(const Identification& identification);

}  // namespace heft
#pragma GCC visibility pop
