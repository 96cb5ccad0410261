// The files of device_data as strings in the program (embed_devices.cmake).
#pragma once

#include <vector>

namespace heft {

struct DeviceFile {
  const char* name;
  const char* text;
};

const std::vector<DeviceFile>& device_files();

}  // namespace heft
