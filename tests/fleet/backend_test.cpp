// The backend that computes for a fleet.
#include <gtest/gtest.h>

#include "robot_setup.hpp"

namespace heft {
namespace {

TEST(BackendOfAFleet, IsADeviceByNameAlone) {
  Configuration configuration;
  configuration.backend = {.kind = BackendKind::automatic, .threads = 7};
  EXPECT_EQ(backend_of(configuration, 3).kind, BackendKind::cpu);
  EXPECT_EQ(backend_of(configuration, 3).threads, 3);
  configuration.backend.kind = BackendKind::cuda;
  EXPECT_EQ(backend_of(configuration, 3).kind, BackendKind::cuda);
}

}  // namespace
}  // namespace heft
