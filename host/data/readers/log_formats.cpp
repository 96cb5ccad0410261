#include <string>

#include "readers/log_formats.hpp"

namespace heft {

const std::vector<NamedFormat>& log_formats() {
  static const std::vector<NamedFormat> kFormats = {
      {"csv", "CSV", {".csv", ".txt", ".tsv"}}, {"npy", "NPY", {".npy"}},
      {"hdf5", "HDF5", {".h5", ".hdf5"}},       {"mcap", "MCAP", {".mcap"}},
      {"bag", "ROS 2 bag", {".db3"}},
  };
  return kFormats;
}

std::string titles_of_log_formats() {
  std::string titles;
  const auto& formats = log_formats();
  for (std::size_t k = 0; k < formats.size(); ++k) {
    if (k > 0) titles += k + 1 == formats.size() ? " or " : ", ";
    titles += formats[k].title;
  }
  return titles;
}

}  // namespace heft
