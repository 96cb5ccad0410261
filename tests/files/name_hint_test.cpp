// The name that was meant, against distances counted by hand.
#include "files/name_hint.hpp"

#include <gtest/gtest.h>

namespace heft {
namespace {

TEST(NameHint, IsTheNearest) {
  EXPECT_EQ(nearest_name("q_jont_1", {"q_joint_2", "q_joint_1", "tau_joint_1"}), "q_joint_1");
  EXPECT_EQ(nearest_name("TEMPERATURE", {"time", "temperature"}), "temperature");
  EXPECT_EQ(nearest_name("voltage", {"t", "q_joint_1"}), "");
}

TEST(NameHint, OfOneCharacterIsThatCharacter) {
  EXPECT_EQ(nearest_name("3", {"t", "q"}), "");
  EXPECT_EQ(nearest_name("T", {"q", "t"}), "t");
  EXPECT_EQ(nearest_name("", {"t"}), "");
}

}  // namespace
}  // namespace heft
