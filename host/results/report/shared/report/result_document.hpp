// result.json as a document: read whole, its form known by name and brought up to date.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Identification;

/// Name and version of the form that result_json writes.
inline constexpr const char* kResultSchema = "heft-result-2";

/// What result_json writes out, but that numbers which JSON does not know are still there: they
/// become null.
nlohmann::ordered_json result_document(const Identification& identification);
/// As result.json has it.
std::string result_text(const nlohmann::ordered_json& document);

/// The result.json in a directory; any other path is the file itself.
std::string result_path_of(const std::string& given);

/// Reads the result.json that is `given` or lies in that directory. A file of version 1, which
/// lists fits as `per_joint`, comes back in the form of version 2. Errors: not a result of Heft, or
/// one of a version that this one does not know.
Result<nlohmann::ordered_json> read_result_document(const std::string& given);

/// "WORDS REMEDY" of every serious doubt in a result that was not accepted; none of results that
/// know no doubts.
std::vector<std::string> open_doubts(const nlohmann::ordered_json& document);

}  // namespace heft
#pragma GCC visibility pop
