// What a chart found beside the certified answer, as result.json has it.
#pragma once

#include <nlohmann/json.hpp>

#include "heft/identify/estimate.hpp"

namespace heft {

nlohmann::ordered_json second_opinion_json(const SecondOpinion& opinion);

}  // namespace heft
