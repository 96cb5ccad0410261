// Assigns roles to columns of a recording's topics.
#pragma once

#include <string>
#include <vector>

#include "bag_topics.hpp"

namespace heft {

/// Sets groups, columns, roles and the clock. Errors: those of open_bag_topics.
Result<Done> make_bag_columns(const std::string& path, const LogFormat& format, BagTopics& topics);

/// Finds the stream of "/joint_states" or "/joint_states.position", and the rest of the name; -1 if
/// there is none.
int stream_of(const BagTopics& topics, const std::string& words, std::string& rest);

/// Returns the topics of joint states, identified by their name and their positions.
std::vector<int> joint_state_streams(const BagTopics& topics);

bool has_effort(const BagStream& stream);

}  // namespace heft
