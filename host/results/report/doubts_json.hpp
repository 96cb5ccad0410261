// What to doubt, as result.json has it.
#pragma once

#include <nlohmann/json.hpp>

#include "heft/identify/estimate.hpp"
#include "report/verdict.hpp"

namespace heft {

nlohmann::ordered_json doubts_json(const std::vector<Doubt>& doubts);
nlohmann::ordered_json hypotheses_json(const std::vector<Hypothesis>& hypotheses);
nlohmann::ordered_json reference_json(const Identification& identification);
nlohmann::ordered_json channels_json(const Identification& identification);

}  // namespace heft
