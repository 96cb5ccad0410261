// The HDF5 library with C++ manners: handles that close themselves, one caller at a time, no
// messages on the terminal.
#pragma once

#define H5_USE_110_API  // the interface of 1.10, which later versions keep
#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heft::hdf5 {

/// To be held around calls: the library is built for one thread at a time, and prints what goes
/// wrong.
class Access {
 public:
  Access();
  ~Access();
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* context_ = nullptr;
};

/// What the library says of the last call that failed, the innermost reason; to be asked at once,
/// with Access held.
std::string last_error();

class Handle {
 public:
  using CloseFunction = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, CloseFunction close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ < 0) return;
    const Access access;
    close_(id_);
  }

  bool ok() const { return id_ >= 0; }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t id_ = -1;
  CloseFunction close_ = nullptr;
};

/// Paths of all data sets of a file in order of their names, then those of links to data sets; the
/// indices that PyTables puts beside its tables are left out.
std::vector<std::string> dataset_paths(hid_t file);

/// The file to which a path leads by an external link; empty if it does not.
std::string linked_file(hid_t file, const std::string& path);

/// The strings of a data set with one dimension; empty if it is not one.
std::vector<std::string> strings_of(hid_t dataset);

/// A single number at an attribute.
std::optional<double> number_at(hid_t object, const char* attribute);

/// Filters that a data set needs and this library lacks: "lzf (32000)"; empty if it has all.
std::string missing_filters(hid_t dataset);

/// A list of strings at an attribute; empty if there is none of that name, or it is no such list.
std::vector<std::string> string_list(hid_t object, const char* attribute);

}  // namespace heft::hdf5
