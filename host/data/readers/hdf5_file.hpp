// C++ wrapper of the HDF5 library: self-closing handles, one caller at a time, no terminal output.
#pragma once

#define H5_USE_110_API  // the interface of 1.10, which later versions support
#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heft::hdf5 {

/// Must be held around calls: the library is single-threaded here and otherwise prints errors.
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

/// Returns the innermost reason for the last failed call; must be called immediately, with Access
/// held.
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

/// Returns the paths of all data sets in order of their names, followed by those of links to data
/// sets; omits the indices that PyTables stores with its tables.
std::vector<std::string> dataset_paths(hid_t file);

/// Returns the file to which a path leads by an external link; empty otherwise.
std::string linked_file(hid_t file, const std::string& path);

/// Returns the strings of a one-dimensional data set; empty otherwise.
std::vector<std::string> strings_of(hid_t dataset);

/// Returns the single number in an attribute.
std::optional<double> number_at(hid_t object, const char* attribute);

/// Returns the filters that a data set needs and this library lacks: "lzf (32000)"; empty if all
/// are available.
std::string missing_filters(hid_t dataset);

/// Returns the list of strings in an attribute; empty if it does not exist or has another type.
std::vector<std::string> string_list(hid_t object, const char* attribute);

}  // namespace heft::hdf5
