// Problems that fail must end with a status and a reason, and never hang or report success.
#include <gtest/gtest.h>

#include <cmath>

#include "heft/solve/solve.hpp"
#include "linalg/factorizations.hpp"
#include "test_support.hpp"

namespace heft {
namespace {

struct TwoLinks {
  ParameterLayout layout = test::make_layout(2, 2);
  std::vector<BodyParameters> references;
  NormalEquations equations;
  test::Random random{29};

  TwoLinks() {
    Eigen::VectorXd truth(22);
    references = {random.body(), random.body()};
    truth << 1.3 * references[0], 0.8 * references[1], 2, 1;
    equations = test::random_equations(random, truth, 60, 12, 0.3);
  }

  Result<Problem> problem(const Constraints& constraints = {},
                          const PriorOptions& options = {}) const {
    const auto prior = make_prior(layout, references, options);
    if (!prior) return prior.error();
    return make_problem(layout, equations, *prior, constraints);
  }
};

const SolveMethod kMethods[] = {SolveMethod::automatic, SolveMethod::admm,
                                SolveMethod::interior_point};

Solution solved_by(SolveMethod method, const Problem& problem) {
  SolveOptions options;
  options.method = method;
  const auto solution = solve(problem, options);
  EXPECT_TRUE(solution) << enum_name(method);
  return solution ? *solution : Solution{};
}

TEST(Faults, ContradictingBoundsAreInfeasibleAndNamed) {
  TwoLinks links;
  Constraints constraints;
  constraints.linear.push_back(mass_bounds(links.layout, 0, 3, 4));
  constraints.linear.push_back(mass_bounds(links.layout, 1, 1, INFINITY));
  constraints.linear.push_back({"payload limit", {{0, 1.0}, {10, 1.0}}, -INFINITY, 3.5});
  const auto problem = links.problem(constraints);
  ASSERT_TRUE(problem) << problem.error().message();
  for (const SolveMethod method : kMethods) {
    const Solution solution = solved_by(method, *problem);
    EXPECT_EQ(solution.status, SolveStatus::infeasible) << solution.reason;
    EXPECT_EQ(solution.conflicts.size(), 3u) << solution.reason;  // not the upper bound of link 1
    EXPECT_NE(solution.reason.find("payload limit"), std::string::npos);
    EXPECT_FALSE(certify(*problem, solution).certified);
  }
}

TEST(Faults, AnEqualityAgainstPhysicsIsInfeasible) {
  TwoLinks links;
  Constraints constraints;
  constraints.linear.push_back({"mass below nothing", {{0, 1.0}}, -1, -1});
  const auto problem = links.problem(constraints);
  ASSERT_TRUE(problem) << problem.error().message();
  for (const SolveMethod method : kMethods) {
    const Solution solution = solved_by(method, *problem);
    EXPECT_EQ(solution.status, SolveStatus::infeasible) << solution.reason;
    EXPECT_NE(solution.reason.find("mass below nothing"), std::string::npos) << solution.reason;
    EXPECT_NE(solution.reason.find("physical link_1"), std::string::npos) << solution.reason;
  }
}

TEST(Faults, ABoundOnAHeldBodyThatCannotHoldIsRefused) {
  TwoLinks links;
  links.references[1].setZero();
  Constraints constraints;
  constraints.linear.push_back(mass_bounds(links.layout, 1, 1, 2));
  const auto problem = links.problem(constraints);
  ASSERT_FALSE(problem);
  EXPECT_NE(problem.error().where.find("mass of link_2"), std::string::npos);
}

TEST(Faults, NanAndIndefiniteDataAreRefused) {
  TwoLinks links;
  links.equations.b[3] = std::nan("");
  EXPECT_FALSE(links.problem());
  links = TwoLinks();
  links.equations.G(5, 5) = -links.equations.G(5, 5);
  EXPECT_FALSE(links.problem());
  links = TwoLinks();
  links.equations.tau2 = INFINITY;
  EXPECT_FALSE(links.problem());
}

TEST(Faults, NanInsideAProblemEndsAsFailed) {
  TwoLinks links;
  auto problem = links.problem();
  ASSERT_TRUE(problem);
  problem->c[4] = std::nan("");
  for (const SolveMethod method : kMethods) {
    const Solution solution = solved_by(method, *problem);
    EXPECT_EQ(solution.status, SolveStatus::failed);
    EXPECT_FALSE(solution.reason.empty());
    EXPECT_FALSE(certify(*problem, solution).certified);
  }
}

TEST(Faults, AnAnswerOfAnotherSizeOrWithoutNumbersIsNotCertified) {
  TwoLinks links;
  Constraints constraints;
  constraints.linear.push_back(fixed_mass(links.layout, 0, 2.5));
  const auto problem = links.problem(constraints);
  ASSERT_TRUE(problem) << problem.error().message();
  const Solution solution = solved_by(SolveMethod::automatic, *problem);
  ASSERT_TRUE(certify(*problem, solution).certified);
  for (Eigen::VectorXd Solution::* vector :
       {&Solution::x, &Solution::multipliers, &Solution::equality_multipliers}) {
    Solution longer = solution, shorter = solution, broken = solution;
    (longer.*vector).conservativeResize((solution.*vector).size() + 1);
    (longer.*vector).tail<1>()[0] = 0;
    (shorter.*vector).resize(0);
    (broken.*vector)[0] = std::nan("");
    for (const Solution& wrong : {longer, shorter, broken}) {
      const Certificate certificate = certify(*problem, wrong);
      EXPECT_FALSE(certificate.certified);
      EXPECT_EQ(certificate.gap, INFINITY);
      EXPECT_FALSE(certificate.verdict.empty());
    }
  }
}

// a gram next to a tonne, and friction columns 1e12 apart: scaling by the prior takes all of it out
TEST(Faults, HandlesScaleDifferencesOfTwelveDecades) {
  TwoLinks links;
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(22);
  scale.segment<10>(0).setConstant(1e-6);
  scale.segment<10>(10).setConstant(1e6);
  scale[20] = 1e-6;
  scale[21] = 1e6;
  const auto plain = links.problem();
  links.references[0] *= 1e-6;
  links.references[1] *= 1e6;
  const Eigen::VectorXd inverse = scale.cwiseInverse();
  links.equations.G = inverse.asDiagonal() * links.equations.G * inverse.asDiagonal();
  links.equations.b = inverse.asDiagonal() * links.equations.b;
  const auto scaled = links.problem();
  ASSERT_TRUE(plain);
  ASSERT_TRUE(scaled) << scaled.error().message();
  const auto a = solve(*plain), b = solve(*scaled);
  EXPECT_EQ(b->status, SolveStatus::optimal) << b->reason;
  EXPECT_NEAR(a->objective, b->objective, 1e-9 * a->objective);
  EXPECT_TRUE(certify(*scaled, *b).certified) << certify(*scaled, *b).verdict;
}

TEST(Faults, TorquesOfZeroAndDataOfNoInformationGiveThePrior) {
  TwoLinks links;
  links.equations.G.setZero();
  links.equations.b.setZero();
  links.equations.tau2 = 0;
  const auto problem = links.problem();
  ASSERT_TRUE(problem) << problem.error().message();
  for (const SolveMethod method : kMethods) {
    const Solution solution = solved_by(method, *problem);
    EXPECT_EQ(solution.status, SolveStatus::optimal) << enum_name(method) << solution.reason;
    for (int body = 0; body < 2; ++body) {
      EXPECT_LE((solution.x.segment<10>(10 * body) - links.references[body]).norm(),
                1e-3 * links.references[body].norm());
    }
  }
}

// A reference without mass cannot scale its body. Made by make_prior it is held where it is; a
// prior that somebody put together by hand, without holding the body, is refused.
TEST(Faults, APriorWithoutMassIsHeldOrRefused) {
  TwoLinks links;
  BodyParameters massless = links.references[1], spinning = BodyParameters::Zero(),
                 broken = massless;
  massless[core::kMass] = 0;
  spinning[core::kIxx] = spinning[core::kIyy] = spinning[core::kIzz] = 1;
  broken[core::kIxx] = std::nan("");

  for (const BodyParameters& reference :
       {BodyParameters(BodyParameters::Zero()), massless, spinning, broken}) {
    for (const PriorKind kind : {PriorKind::metric, PriorKind::entropic, PriorKind::diagonal,
                                 PriorKind::euclidean, PriorKind::none}) {
      PriorOptions options;
      options.kind = kind;
      auto prior = make_prior(links.layout, links.references, options);
      ASSERT_TRUE(prior);
      prior->references[1] = reference;
      const auto problem = make_problem(links.layout, links.equations, *prior);
      ASSERT_FALSE(problem) << enum_name(kind);
      EXPECT_EQ(problem.error().where, "prior of link_2");
      EXPECT_FALSE(problem.error().remedy.empty());
    }
  }

  links.references[1].setZero();
  const auto problem = links.problem();
  ASSERT_TRUE(problem) << problem.error().message();
  for (const SolveMethod method : kMethods) {
    const Solution solution = solved_by(method, *problem);
    EXPECT_EQ(solution.status, SolveStatus::optimal) << solution.reason;
    EXPECT_EQ(solution.x.segment<10>(10).norm(), 0);
    EXPECT_TRUE(certify(*problem, solution).certified) << certify(*problem, solution).verdict;
  }
  PriorOptions explicitly;
  explicitly.references["link_2"] = BodyParameters::Zero();
  EXPECT_FALSE(links.problem({}, explicitly));
}

// A held body has no prior. The proof does not lean on what the data say of it: nothing, or one
// number.
TEST(Faults, AHeldBodyIsProvenWithoutPriorAndData) {
  for (const double seen : {0.0, 1e4}) {
    TwoLinks links;
    links.references[1].setZero();
    links.equations.G.middleRows<10>(10).setZero();
    links.equations.G.middleCols<10>(10).setZero();
    links.equations.G(10 + core::kIzz, 10 + core::kIzz) = seen;
    links.equations.b.segment<10>(10).setZero();
    const auto problem = links.problem();
    ASSERT_TRUE(problem) << problem.error().message();
    for (const SolveMethod method : kMethods) {
      const Solution solution = solved_by(method, *problem);
      const Certificate certificate = certify(*problem, solution);
      EXPECT_TRUE(certificate.certified) << certificate.verdict;
      EXPECT_TRUE(certificate.rigorous) << certificate.verdict;
    }
  }
}

TEST(Faults, OptionsThatMakeNoSenseAreErrors) {
  const TwoLinks links;
  const auto problem = links.problem();
  ASSERT_TRUE(problem);
  struct Senseless {
    void (*change)(SolveOptions&);
    const char* where;
    const char* what;
  };
  for (const auto& [change, where, what] : {
           Senseless{[](SolveOptions& o) { o.gap_tolerance = 0; }, "solve options", "tolerances"},
           {[](SolveOptions& o) { o.gap_tolerance = std::nan(""); }, "solve options", "tolerances"},
           {[](SolveOptions& o) { o.violation_tolerance = -1e-9; }, "solve options", "tolerances"},
           {[](SolveOptions& o) { o.relaxation = 2; }, "solve options: relaxation",
            "between 0 and 2"},
           {[](SolveOptions& o) { o.relaxation = 0; }, "solve options: relaxation",
            "between 0 and 2"},
           {[](SolveOptions& o) { o.max_iterations = -1; }, "solve options",
            "iterations and memory"},
           {[](SolveOptions& o) { o.anderson_memory = -1; }, "solve options",
            "iterations and memory"},
           {[](SolveOptions& o) { o.penalty_over_weight = 0; }, "solve options: penalty",
            "above zero"},
           {[](SolveOptions& o) { o.penalty_over_weight = INFINITY; }, "solve options: penalty",
            "above zero"},
           {[](SolveOptions& o) { o.method = SolveMethod::semismooth_newton; },
            "solve options: method", "chosen where it applies"},
       }) {
    SolveOptions options;
    EXPECT_TRUE(solve(*problem, options));
    change(options);
    const auto refused = solve(*problem, options);
    ASSERT_FALSE(refused) << where << what;
    EXPECT_EQ(refused.error().where, where);
    EXPECT_NE(refused.error().what.find(what), std::string::npos) << refused.error().message();
    EXPECT_FALSE(refused.error().remedy.empty());
  }
}

/// Everything that a solution says, but for words.
std::vector<double> numbers_of(const Solution& s) {
  std::vector<double> numbers = {s.objective, s.gap, double(s.iterations),
                                 double(s.factorizations)};
  for (const auto* part : {&s.x, &s.multipliers, &s.equality_multipliers, &s.y, &s.lambda})
    numbers.insert(numbers.end(), part->begin(), part->end());
  for (const IterationRecord& record : s.history)
    numbers.insert(numbers.end(),
                   {double(record.iteration), record.objective, record.gap, record.violation});
  return numbers;
}

// A problem whose constraints bind, so that all of a solver is gone through, with another one
// solved between the two times and memory that is not the same.
TEST(Faults, SameProblemSameBits) {
  const TwoLinks links;
  TwoLinks others;
  others.equations.b *= -3;
  Constraints constraints;
  constraints.linear.push_back(mass_bounds(links.layout, 0, 3.5, 4));
  const auto problem = links.problem(constraints), again = links.problem(constraints),
             other = others.problem();
  ASSERT_TRUE(problem && again && other);
  for (const SolveMethod method : kMethods) {
    const Solution a = solved_by(method, *problem);
    EXPECT_EQ(a.status, SolveStatus::optimal) << a.reason;
    EXPECT_TRUE(certify(*problem, a).certified) << certify(*problem, a).verdict;
    EXPECT_NEAR(a.x[0], 3.5, 1e-5) << "the bound binds";
    EXPECT_GT(a.iterations, 1);
    EXPECT_NE(numbers_of(solved_by(method, *other)), numbers_of(a));
    const std::vector<double> in_the_way(10000, std::nan(""));
    const Solution b = solved_by(method, *again);
    EXPECT_EQ(numbers_of(b), numbers_of(a)) << enum_name(method);
    for (const double number : numbers_of(a)) EXPECT_FALSE(std::isnan(number)) << enum_name(method);
  }
}

}  // namespace
}  // namespace heft
