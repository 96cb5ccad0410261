// What two results have to do with each other, in words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/report/report.hpp"

namespace heft {

/// Whether two results are of one robot: the same joints and the same links that move; rotors are a
/// matter of the model.
bool is_same_robot(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

/// Sentences: whether A and B are of one robot; if so, which of them predicts the held-out logs
/// better and whether by more than noise, or why that cannot be said. Throws
/// nlohmann::json::exception if one has not the form of a result.
std::vector<std::string> comparison_words(const nlohmann::ordered_json& a,
                                          const nlohmann::ordered_json& b,
                                          const std::vector<CommonRows>& common = {});

/// Whether both were judged on the same held-out logs, but on different rows or torques of them.
/// Throws as comparison_words().
bool has_different_rows(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

}  // namespace heft
