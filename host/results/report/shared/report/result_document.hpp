// result.json as a document: reads files of all supported versions and converts them to the current
// one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Identification;

/// Name and version of the format that result_json writes.
inline constexpr const char* kResultSchema = "heft-result-2";

/// Returns the document that result_json writes, with numbers that JSON cannot represent, which
/// become null in the file.
nlohmann::ordered_json result_document(const Identification& identification);
/// Returns the text of result.json.
std::string result_text(const nlohmann::ordered_json& document);

/// Returns the path of result.json in a directory; any other path is returned unchanged.
std::string result_path_of(const std::string& given);

/// Reads the result.json that is `given` or in that directory. A file of version 1, which lists
/// fits as `per_joint`, is converted to version 2. Errors: not a result of Heft, or one of an
/// unsupported version.
Result<nlohmann::ordered_json> read_result_document(const std::string& given);

/// Returns "WORDS REMEDY" for every open serious doubt of a result; empty for results of versions
/// without doubts.
std::vector<std::string> open_doubts(const nlohmann::ordered_json& document);

}  // namespace heft
#pragma GCC visibility pop
