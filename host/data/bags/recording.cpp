#include "bags/recording.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "byte_file.hpp"
#include "unpack.hpp"

namespace heft::bags {

namespace {

/// The magic at the start of a file; empty if it is shorter.
Result<std::string> magic_of(const std::string& path) {
  HEFT_TRY(file, ByteFile::open(path));
  std::string magic(kSqliteMagic.size(), '\0');
  if (file.size() < magic.size()) return std::string();
  HEFT_CHECK(file.read(0, magic.data(), magic.size()));
  return magic;
}

Result<RecordingPtr> open_file_of(const std::string& path) {
  HEFT_TRY(magic, magic_of(path));
  if (magic.starts_with(kMcapMagic)) return open_mcap(path);
  if (magic.starts_with(kSqliteMagic)) return open_db3(path);
  return Error{path, "is neither an MCAP file nor a ROS 2 database",
               "name an MCAP file or a ROS 2 bag"};
}

/// Unpacks a recording to an unlinked temporary file, which disappears when the program ends.
/// Errors name the compressed file.
class Unpacked final : public Recording {
 public:
  Unpacked(RecordingPtr recording, std::string path) : recording_(std::move(recording)) {
    topics_ = recording_->topics();
    recording_->forget_definitions();
    losses_ = recording_->losses();
    for (Loss& loss : losses_) loss.file = path;
    files_ = {std::move(path)};
  }
  void select(std::vector<bool> wanted) override { recording_->select(std::move(wanted)); }
  Result<bool> next(Message& message) override {
    auto found = recording_->next(message);
    if (found) return found;
    Error error = found.error();
    error.where = files_.front();
    return error;
  }
  Result<Done> rewind() override { return recording_->rewind(); }
  void skip_to_end() override { recording_->skip_to_end(); }
  std::int64_t start_time() const override { return recording_->start_time(); }
  double fraction_read() const override { return recording_->fraction_read(); }
  double disk_seconds() const override { return recording_->disk_seconds(); }

 private:
  RecordingPtr recording_;
};

Result<RecordingPtr> open_compressed(const std::string& path) {
  std::error_code failure;
  const auto packed = std::filesystem::file_size(path, failure);
  if (failure) return Error{path, "cannot be read: " + failure.message(), "check the path"};
  std::string name = (std::filesystem::temp_directory_path(failure) / "heft-bag-XXXXXX").string();
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0)
    return Error{path,
                 "cannot be unpacked: no file can be created in the folder for temporary files",
                 "set TMPDIR to a writable folder, or unpack it (zstd -d)"};
  const auto unpacked = unpack_zstd_file(path, descriptor, most_unpacked(packed));
  ::close(descriptor);
  Result<RecordingPtr> opened =
      unpacked ? open_file_of(name) : Result<RecordingPtr>(unpacked.error());
  ::unlink(name.c_str());
  if (!opened) {
    Error error = opened.error();
    error.where = path;
    return error;
  }
  return RecordingPtr(std::make_unique<Unpacked>(std::move(*opened), path));
}

}  // namespace

Result<RecordingPtr> open_recording(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) return open_folder(path);
  return is_compressed_recording(path) ? open_compressed(path) : open_file_of(path);
}

}  // namespace heft::bags
