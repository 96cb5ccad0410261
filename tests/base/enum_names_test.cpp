// Names of enumerations, in both directions; no list has a gap or a duplicate name.
#include "heft/base/enum_names.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "config/choice_names.hpp"
#include "heft/check/check.hpp"
#include "heft/executor/executor.hpp"
#include "heft/observe/observe.hpp"
#include "heft/solve/prior.hpp"
#include "heft/solve/solve.hpp"

namespace heft {
namespace {

enum class Color { red, green, blue };

}  // namespace

template <>
struct EnumNames<Color> {
  static constexpr EnumName<Color> kList[] = {{Color::blue, "blue"}, {Color::red, "dark red"}};
};

namespace {

enum class Nameless { one };
static_assert(NamedEnum<Color> && !NamedEnum<Nameless> && !NamedEnum<int>);
static_assert(enum_value<Color>("blue") == Color::blue);

TEST(EnumNames, BothWays) {
  EXPECT_STREQ(enum_name(Color::red), "dark red");
  EXPECT_EQ(enum_value<Color>("dark red"), Color::red);
  for (const char* text : {"red", "dark", "Blue", "blue ", ""})
    EXPECT_FALSE(enum_value<Color>(text)) << text;
  EXPECT_STREQ(enum_name(Color::green), "?");
  EXPECT_STREQ(enum_name(static_cast<Color>(7)), "?");
}

// the enumerations count from zero to `last`
template <class Enum>
void expect_whole(Enum last) {
  std::set<std::string> names;
  for (int k = 0; k <= static_cast<int>(last); ++k) {
    const std::string name = enum_name(static_cast<Enum>(k));
    EXPECT_NE(name, "?") << k;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(enum_value<Enum>(name), static_cast<Enum>(k)) << name;
  }
  EXPECT_STREQ(enum_name(static_cast<Enum>(static_cast<int>(last) + 1)), "?");
}

TEST(EnumNames, EveryValueHasOne) {
  expect_whole(Severity::error);
  expect_whole(Visibility::alone);
  expect_whole(PriorKind::entropic);
  expect_whole(SolveStatus::failed);
  expect_whole(SolveMethod::semismooth_newton);
  expect_whole(SolverChoice::manifold);
  expect_whole(FilterKind::savitzky_golay);
  expect_whole(VelocitySource::logged);
  expect_whole(BackendKind::cuda);
  expect_whole(MassBound::visual);
  expect_whole(Consistency::full);
  expect_whole(Loss::huber);
  expect_whole(ChannelCovariance::full);
  expect_whole(ColumnChoice::automatic);
  expect_whole(MenuChoice::none);
}

// words of result.json that programs read
TEST(EnumNames, WordsOfResults) {
  EXPECT_STREQ(enum_name(SolveStatus::not_converged), "not converged");
  EXPECT_STREQ(enum_name(SolveMethod::interior_point), "interior point");
  EXPECT_STREQ(enum_name(SolverChoice::interior_point), "interior_point");
  EXPECT_STREQ(enum_name(Severity::warning), "warning");
  EXPECT_STREQ(enum_name(PriorKind::metric), "metric");
}

}  // namespace
}  // namespace heft
