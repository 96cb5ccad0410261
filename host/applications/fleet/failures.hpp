// Why a piece is not there: a record that goes when the piece comes.
#pragma once

#include <optional>
#include <string>

#include "store.hpp"

namespace heft {

/// A record's text; it is about the piece `key`.
std::string failure_text(const Error& error, const std::string& key);

/// The failure on record under `name`, if it is about `key`.
std::optional<Error> failure_of(const FleetStore& store, const std::string& name,
                                const std::string& key);

}  // namespace heft
