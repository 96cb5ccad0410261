// Columns of a recording's topics, named by what they are.
#pragma once

#include <string>
#include <vector>

#include "bag_topics.hpp"

namespace heft {

/// Fills in groups, columns, roles and the clock. Errors: those of open_bag_topics.
Result<Done> make_bag_columns(const std::string& path, const LogFormat& format, BagTopics& topics);

/// The stream of "/joint_states" or of "/joint_states.position", and what follows its name; -1:
/// there is none.
int stream_of(const BagTopics& topics, const std::string& words, std::string& rest);

/// Topics of joint states: those that have positions and are named as such.
std::vector<int> joint_state_streams(const BagTopics& topics);

bool has_effort(const BagStream& stream);

}  // namespace heft
