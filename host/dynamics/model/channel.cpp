#include "heft/model/robot.hpp"

#include <algorithm>
#include <iterator>

namespace heft {

std::vector<Channel> default_channels(const Robot& robot) {
  std::vector<Channel> channels;
  if (robot.floating_base) {
    const char* names[6] = {"base_fx", "base_fy", "base_fz", "base_nx", "base_ny", "base_nz"};
    for (int i = 0; i < 6; ++i) {
      Channel channel{.name = names[i], .unit = i < 3 ? "N" : "N m", .body = 0};
      (i < 3 ? channel.linear : channel.angular)[i % 3] = 1;
      channels.push_back(channel);
    }
  }
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    const Coordinate& coordinate = robot.coordinates[k];
    channels.push_back(
        {.name = coordinate.name, .unit = coordinate.is_angle ? "N m" : "N", .coordinate = k});
  }
  return channels;
}

std::vector<Channel> sensors_among(const std::vector<Channel>& channels) {
  std::vector<Channel> sensors;
  std::copy_if(channels.begin(), channels.end(), std::back_inserter(sensors),
               [](const Channel& channel) { return channel.is_sensor; });
  return sensors;
}

}  // namespace heft
