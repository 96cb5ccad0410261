#include "result_json_parts.hpp"

namespace heft {

nlohmann::ordered_json second_opinion_json(const SecondOpinion& opinion) {
  const ChartSolution& solution = opinion.solution;
  return {{"chart", enum_name(opinion.chart)},
          {"verdict", opinion.verdict},
          {"above", opinion.above},
          {"reachable", opinion.is_reachable},
          {"least_margin", opinion.least_margin},
          {"objective", solution.objective},
          {"converged", solution.converged},
          {"iterations", solution.iterations},
          {"evaluations", solution.evaluations},
          {"reason", solution.reason}};
}

}  // namespace heft
