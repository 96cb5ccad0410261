// Describes the relation of two results as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heft/report/report.hpp"

namespace heft {

/// Returns whether two results are of one robot: the same joints and the same moving links; rotors
/// may differ.
bool is_same_robot(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

/// Returns sentences: whether A and B are of one robot; if so, which of them predicts the held-out
/// logs better and whether the difference exceeds the noise, or why that is unknown. Throws
/// nlohmann::json::exception if one is not a valid result.
std::vector<std::string> comparison_words(const nlohmann::ordered_json& a,
                                          const nlohmann::ordered_json& b,
                                          const std::vector<CommonRows>& common = {});

/// Returns whether both were validated on the same held-out logs, but on different rows or torques.
/// Throws like comparison_words().
bool has_different_rows(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

}  // namespace heft
