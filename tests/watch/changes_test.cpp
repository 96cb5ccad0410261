// What the watcher says when the planar arm changes, and that it says nothing when it does not.
#include <gtest/gtest.h>

#include <string>

#include "tests/watch/watched_arm.hpp"

namespace heft {
namespace {

constexpr int kHealthy = 15000, kChanged = 10000;  // samples

std::vector<WatchEvent> events_of(const ArmChange& change, unsigned seed,
                                  int until = kHealthy + kChanged) {
  static std::vector<Watcher> kept;  // whose names the events refer to
  kept.push_back(std::move(*Watcher::make(watched_arm_model(), watched_arm_options())));
  WatchedArm arm(seed);
  std::vector<WatchEvent> all;
  for (int i = 0; i < kHealthy + kChanged; ++i) {
    const ArmSample sample = arm.next(i < kHealthy || i >= until ? ArmChange{} : change);
    for (const WatchEvent& event : kept.back().push(sample.time, sample.q, sample.tau))
      all.push_back(event);
  }
  return all;
}

std::string told(const std::vector<WatchEvent>& events) {
  std::string text;
  for (const WatchEvent& e : events)
    text += std::string(e.what) + " size " + std::to_string(e.size) + " at " +
            std::to_string(e.time) + " since " + std::to_string(e.onset) + " logE " +
            std::to_string(e.log_evidence) + "\n";
  return text;
}

void expect_first(const ArmChange& change, const std::string& what, double size) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const auto events = events_of(change, seed);
    ASSERT_FALSE(events.empty()) << what;
    EXPECT_EQ(events.front().what, what) << told(events);
    EXPECT_NEAR(events.front().size, size, 0.3 * std::abs(size)) << told(events);
    EXPECT_LT(events.front().time - kHealthy / kRate, 10) << told(events);
    EXPECT_NEAR(events.front().onset, kHealthy / kRate, 2) << told(events);
  }
}

TEST(Changes, NothingIsSaidOfAHealthyArm) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const auto events = events_of({}, seed);
    EXPECT_TRUE(events.empty()) << told(events);
  }
}

TEST(Changes, ErrorsOfTheIdentificationAreNotSaid) {
  // friction 5 %, first moments and masses 3 % off, and motion that the start does not show
  for (unsigned seed = 1; seed <= 3; ++seed) {
    WatchModel model = watched_arm_model();
    const ParameterLayout& layout = model.model.plan->layout;
    for (int k = 0; k < layout.num_columns(); ++k) model.parameters[layout.column_index(k)] *= 1.05;
    for (int b = 0; b < layout.num_bodies(); ++b)
      for (const auto p : {core::kMass, core::kMcx})
        model.parameters[layout.index(b, p)] *= b == 0 ? 1.03 : 0.97;
    Watcher watcher = std::move(*Watcher::make(std::move(model), watched_arm_options()));
    WatchedArm arm(seed);
    std::vector<WatchEvent> all;
    for (int i = 0; i < kHealthy + kChanged; ++i) {
      arm.amplitude = i < kHealthy ? 0.3 : 1;
      const ArmSample sample = arm.next();
      for (const WatchEvent& event : watcher.push(sample.time, sample.q, sample.tau))
        all.push_back(event);
    }
    EXPECT_TRUE(all.empty()) << told(all);
  }
}

TEST(Changes, APayloadIsFound) {
  ArmChange change;
  change.payload = 0.25;
  expect_first(change, "payload lower", 0.25);
}

TEST(Changes, AGainIsFound) {
  ArmChange change;
  change.gain[0] = 0.9;
  expect_first(change, "gain shoulder", -0.1);
}

TEST(Changes, AZeroIsFound) {
  ArmChange change;
  change.zero[1] = 0.03;
  expect_first(change, "zero elbow", 0.03);
}

TEST(Changes, FrictionIsFound) {
  ArmChange change;
  change.friction[0] = 1.2;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const auto events = events_of(change, seed);
    ASSERT_FALSE(events.empty());
    const std::string what = events.front().what;
    EXPECT_TRUE(what == "coulomb shoulder" || what == "viscous shoulder") << told(events);
  }
}

void expect_name(const ArmChange& change, const std::string& what) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto events = events_of(change, seed);
    ASSERT_FALSE(events.empty()) << what << ", seed " << seed;
    EXPECT_EQ(events.front().what, what) << told(events);
  }
}

TEST(Changes, ASlipOfAZeroIsNoContact) {
  // half a degree, between two samples: the low-pass of the position must not ring
  ArmChange change;
  change.zero[0] = 0.0087;
  expect_name(change, "zero shoulder");
}

TEST(Changes, AChangeThatIsQuietForAMomentIsNoContact) {
  ArmChange change;
  change.gain[0] = 0.95;
  expect_name(change, "gain shoulder");
}

TEST(Changes, FrictionOfWhichBothPartsChangeIsCoulomb) {
  // the scatter that was learned differs between the hypotheses; the better one must still win
  ArmChange change;
  change.friction[1] = 0.8;
  expect_name(change, "coulomb elbow");
}

TEST(Changes, AShortPushIsAContact) {
  ArmChange change;
  change.external[1] = 2;
  const auto events = events_of(change, 1, kHealthy + 150);
  ASSERT_FALSE(events.empty());
  EXPECT_STREQ(events.front().what, "contact") << told(events);
  EXPECT_NEAR(events.front().onset, kHealthy / kRate, 1) << told(events);
  EXPECT_EQ(events.size(), 1u) << told(events);
}

TEST(Changes, ABumpIsAContactAtOnce) {
  ArmChange change;
  change.external[1] = 8;
  const auto events = events_of(change, 1, kHealthy + 30);
  ASSERT_EQ(events.size(), 1u) << told(events);
  EXPECT_STREQ(events.front().what, "contact") << told(events);
  EXPECT_LT(events.front().time, kHealthy / kRate + 5) << told(events);
}

TEST(Changes, SlowDriftOfFrictionIsNotSaid) {
  // 2 % in ten minutes, where 5 % a day are expected
  Watcher watcher = std::move(*Watcher::make(watched_arm_model(), watched_arm_options()));
  WatchedArm arm(7);
  std::vector<WatchEvent> all;
  constexpr int kSamples = 150000;
  for (int i = 0; i < kSamples; ++i) {
    ArmChange change;
    change.friction[0] = change.friction[1] = 1 + 0.02 * i / kSamples;
    const ArmSample sample = arm.next(change);
    for (const WatchEvent& event : watcher.push(sample.time, sample.q, sample.tau))
      all.push_back(event);
  }
  EXPECT_TRUE(all.empty()) << told(all);
}

}  // namespace
}  // namespace heft
