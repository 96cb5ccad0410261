#include "hdf5_file.hpp"

#include <string_view>
#include <utility>

namespace heft::hdf5 {

namespace {

constexpr hssize_t kMaxNames = 1 << 16;
constexpr std::size_t kLongestName = 1 << 16;
constexpr std::size_t kMaxTextBytes = 1 << 24;

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Whether a path is inside a PyTables index (groups _i_<table>) or MATLAB's reference storage for
/// cells.
bool is_index(std::string_view path) {
  return path.starts_with("_i_") || path.find("/_i_") != std::string_view::npos ||
         path.starts_with("#refs#/") || path.starts_with("#subsystem#/");
}

/// Name of a registered filter, or its name in the file.
std::string name_of_filter(H5Z_filter_t id, const char* in_file) {
  constexpr std::pair<int, const char*> kRegistered[] = {
      {4, "szip"},       {305, "lzo"},     {307, "bzip2"},        {32000, "lzf"},
      {32001, "blosc"},  {32004, "lz4"},   {32008, "bitshuffle"}, {32013, "zfp"},
      {32015, "zstd"},   {32017, "sz"},    {32018, "fcidecomp"},  {32019, "jpeg"},
      {32026, "blosc2"}, {32028, "sperr"}, {32029, "htj2k"}};
  for (const auto& [known, name] : kRegistered)
    if (known == id) return name;
  return *in_file != '\0' ? in_file : "without a name";
}

/// One dimension of strings, or a single one; empty if it is neither, or too large for names.
/// `read` fills a buffer.
template <class Read>
std::vector<std::string> read_strings(const Handle& type, const Handle& space, const Read& read) {
  if (!type.ok() || !space.ok() || H5Tget_class(type) != H5T_STRING) return {};
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count <= 0 || count > kMaxNames) return {};
  std::vector<std::string> names;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> texts(static_cast<std::size_t>(count), nullptr);
    if (read(texts.data()) < 0) return {};
    for (const char* text : texts) names.emplace_back(text ? text : "");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts.data());
    return names;
  }
  const std::size_t size = H5Tget_size(type);
  if (size == 0 || size > kLongestName || size > kMaxTextBytes / static_cast<std::size_t>(count))
    return {};
  std::vector<char> text(static_cast<std::size_t>(count) * size);
  if (read(text.data()) < 0) return {};
  for (std::size_t k = 0; k < text.size(); k += size) {
    std::string_view name(text.data() + k, size);
    name = name.substr(0, name.find('\0'));
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    names.emplace_back(name);
  }
  return names;
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
    if (info->type == H5O_TYPE_DATASET && !is_index(path))
      static_cast<std::vector<std::string>*>(to)->push_back(path);
    return 0;
  };
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, take, &paths, H5O_INFO_BASIC);
  // a visit of objects does not follow soft and external links
  std::vector<std::string> links;
  const auto take_link = [](hid_t, const char* path, const H5L_info_t* info, void* to) -> herr_t {
    if ((info->type == H5L_TYPE_SOFT || info->type == H5L_TYPE_EXTERNAL) && !is_index(path))
      static_cast<std::vector<std::string>*>(to)->push_back(path);
    return 0;
  };
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, take_link, &links);
  for (const std::string& path : links) {
    H5O_info_t info;
    const bool is_dataset =
        !linked_file(file, path).empty() ||
        (H5Oget_info_by_name2(file, path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
         info.type == H5O_TYPE_DATASET);
    if (is_dataset) paths.push_back(path);
  }
  return paths;
}

std::string linked_file(hid_t file, const std::string& path) {
  H5L_info_t info;
  if (H5Lget_info(file, path.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_EXTERNAL ||
      info.u.val_size == 0 || info.u.val_size > kLongestName)
    return {};
  std::vector<char> value(info.u.val_size);
  const char *other = nullptr, *object = nullptr;
  unsigned flags = 0;
  if (H5Lget_val(file, path.c_str(), value.data(), value.size(), H5P_DEFAULT) < 0 ||
      H5Lunpack_elink_val(value.data(), value.size(), &flags, &other, &object) < 0)
    return {};
  return other;
}

std::vector<std::string> string_list(hid_t object, const char* attribute) {
  if (H5Aexists(object, attribute) <= 0) return {};
  const Handle handle(H5Aopen(object, attribute, H5P_DEFAULT), H5Aclose);
  const Handle type(handle.ok() ? H5Aget_type(handle) : -1, H5Tclose);
  const Handle space(handle.ok() ? H5Aget_space(handle) : -1, H5Sclose);
  return read_strings(type, space, [&](void* to) { return H5Aread(handle, type, to); });
}

std::vector<std::string> strings_of(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  return read_strings(type, space, [&](void* to) {
    return H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

std::optional<double> number_at(hid_t object, const char* attribute) {
  if (H5Aexists(object, attribute) <= 0) return {};
  const Handle handle(H5Aopen(object, attribute, H5P_DEFAULT), H5Aclose);
  const Handle type(handle.ok() ? H5Aget_type(handle) : -1, H5Tclose);
  const Handle space(handle.ok() ? H5Aget_space(handle) : -1, H5Sclose);
  if (!type.ok() || !space.ok() || H5Sget_simple_extent_npoints(space) != 1) return {};
  if (H5Tget_class(type) != H5T_FLOAT && H5Tget_class(type) != H5T_INTEGER) return {};
  double number = 0;
  if (H5Aread(handle, H5T_NATIVE_DOUBLE, &number) < 0) return {};
  return number;
}

std::string missing_filters(hid_t dataset) {
  const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
  const int count = properties.ok() ? H5Pget_nfilters(properties) : 0;
  std::string missing;
  for (int k = 0; k < count; ++k) {
    unsigned flags = 0, settings = 0;
    std::size_t num_values = 0;
    char name[64] = "";
    const H5Z_filter_t id = H5Pget_filter2(properties, static_cast<unsigned>(k), &flags,
                                           &num_values, nullptr, sizeof name, name, &settings);
    if (id < 0 || H5Zfilter_avail(id) > 0) continue;
    name[sizeof name - 1] = '\0';
    missing +=
        (missing.empty() ? "" : ", ") + name_of_filter(id, name) + " (" + std::to_string(id) + ")";
  }
  return missing;
}

}  // namespace heft::hdf5
