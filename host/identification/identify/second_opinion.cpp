#include "second_opinion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace heft {

namespace {

constexpr double kInside = 1e-5;  ///< least eigenvalue relative to the prior
constexpr double kAgrees = 1e-8;  ///< of the objective

std::string verdict_of(const SecondOpinion& opinion, bool is_certified) {
  const std::string chart = enum_name(opinion.chart);
  if (!is_certified)
    return "the convex solution has no certificate, so the chart cannot be "
           "compared with it";
  if (!opinion.is_reachable && opinion.chart != ChartKind::manifold)
    return fmt::format(
        "the optimum lies on the boundary of the physically consistent bodies, "
        "which the chart {} cannot reach: it ended {:.2g} of the objective "
        "above the optimum",
        chart, opinion.above);
  if (std::abs(opinion.above) <= kAgrees)
    return fmt::format(
        "the chart {} found the certified optimum to within {:.1e} of the "
        "objective",
        chart, std::abs(opinion.above));
  return fmt::format(
      "the chart {} ended {:.2g} of the objective above the certified "
      "optimum, which remains the result",
      chart, opinion.above);
}

}  // namespace

Result<SecondOpinion> second_opinion(const Problem& problem, const Certificate& certificate,
                                     ChartKind chart) {
  SecondOpinion opinion{.chart = chart};
  auto solution = solve_on_chart(problem, {.chart = chart});
  if (!solution)
    return Error{"estimation.solver: " + solution.error().where, solution.error().what,
                 solution.error().remedy};
  opinion.solution = std::move(*solution);
  const double certified = certificate.primal;
  opinion.above = (opinion.solution.objective - certified) / std::max(std::abs(certified), 1e-300);
  opinion.least_margin = std::numeric_limits<double>::infinity();
  for (std::size_t body = 0; body < certificate.psd_margin.size(); ++body)
    if (!problem.prior.held[body])
      opinion.least_margin = std::min(opinion.least_margin, certificate.psd_margin[body]);
  opinion.is_reachable = opinion.least_margin > kInside;
  opinion.verdict = verdict_of(opinion, certificate.certified);
  return opinion;
}

}  // namespace heft
