// Meaningless options of uncertainty are rejected before anything is computed.
#include "heft/uncertainty/uncertainty.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

namespace heft {
namespace {

TEST(Uncertainty, OptionsThatMeanNothingAreRefused) {
  const auto executor = make_executor();
  ASSERT_TRUE(executor.ok());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const UncertaintyOptions& options :
       {UncertaintyOptions{.confidence = 0}, UncertaintyOptions{.confidence = 1},
        UncertaintyOptions{.confidence = -3}, UncertaintyOptions{.confidence = nan},
        UncertaintyOptions{.bootstrap = -1}}) {
    const auto found =
        quantify_uncertainty(TrainingData{}, Eigen::VectorXd(), Prior{}, Constraints{},
                             {**executor, {}, {}}, 1e-6, Eigen::VectorXd(), options);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().where, options.bootstrap < 0 ? "bootstrap" : "confidence");
    EXPECT_FALSE(found.error().remedy.empty());
  }
}

}  // namespace
}  // namespace heft
