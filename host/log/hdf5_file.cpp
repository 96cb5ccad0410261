#include "hdf5_file.hpp"

#include <string_view>

namespace heft::hdf5 {

namespace {

constexpr hssize_t kMaxNames = 1 << 16;
constexpr std::size_t kLongestName = 1 << 12;

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

Access::Access() : lock_(library_mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &context_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Access::~Access() {
  H5Eset_auto2(H5E_DEFAULT, print_, context_);
}

std::string last_error() {
  std::string reason;
  const auto take = [](unsigned depth, const H5E_error2_t* error, void* to) -> herr_t {
    if (depth == 0 && error->desc) *static_cast<std::string*>(to) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &reason);
  return reason.empty() ? "the library gives no reason" : reason;
}

std::vector<std::string> dataset_paths(hid_t file) {
  std::vector<std::string> paths;
  const auto take = [](hid_t, const char* path, const H5O_info_t* info, void* to) -> herr_t {
    if (info->type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(to)->push_back(path);
    return 0;
  };
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, take, &paths, H5O_INFO_BASIC);
  return paths;
}

std::vector<std::string> string_list(hid_t object, const char* attribute) {
  if (H5Aexists(object, attribute) <= 0) return {};
  const Handle handle(H5Aopen(object, attribute, H5P_DEFAULT), H5Aclose);
  const Handle type(handle.ok() ? H5Aget_type(handle) : -1, H5Tclose);
  const Handle space(handle.ok() ? H5Aget_space(handle) : -1, H5Sclose);
  if (!type.ok() || !space.ok() || H5Tget_class(type) != H5T_STRING) return {};
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count <= 0 || count > kMaxNames) return {};
  std::vector<std::string> names;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> texts(static_cast<std::size_t>(count), nullptr);
    if (H5Aread(handle, type, texts.data()) < 0) return {};
    for (const char* text : texts) names.emplace_back(text ? text : "");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data());
    return names;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > kLongestName) return {};
  std::vector<char> text(static_cast<std::size_t>(count) * size);
  if (H5Aread(handle, type, text.data()) < 0) return {};
  for (std::size_t k = 0; k < text.size(); k += size) {
    std::string_view name(text.data() + k, size);
    name = name.substr(0, name.find('\0'));
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    names.emplace_back(name);
  }
  return names;
}

}  // namespace heft::hdf5
