// Writes the files of a result whose document already exists.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heft/page/page.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Does the same as write_result() without the page, which is most of the data; removes the page of
/// an earlier result. `document` is result_document() of the same identification.
Result<WrittenFiles> write_document(const Identification& identification,
                                    const nlohmann::ordered_json& document,
                                    const std::string& directory);

}  // namespace heft
#pragma GCC visibility pop
