// Records why a piece is missing; a record is deleted once the piece exists.
#pragma once

#include <optional>
#include <string>

#include "store.hpp"

namespace heft {

/// Returns the text of a record about the piece `key`.
std::string failure_text(const Error& error, const std::string& key);

/// Returns the failure recorded under `name` if it is about `key`.
std::optional<Error> failure_of(const FleetStore& store, const std::string& name,
                                const std::string& key);

}  // namespace heft
