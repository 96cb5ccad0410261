// The files of a result whose document was made already.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heft/page/page.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// As write_result(), without the page, which is most of the bytes; that of an earlier answer goes.
/// `document` is result_document() of the same answer.
Result<WrittenFiles> write_document(const Identification& identification,
                                    const nlohmann::ordered_json& document,
                                    const std::string& directory);

}  // namespace heft
#pragma GCC visibility pop
