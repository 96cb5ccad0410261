#include "readers/unpacked_log.hpp"

#include <utility>
#include <vector>

#include "readers/source_over.hpp"

namespace heft {

namespace {

struct Names {
  std::string path, name;

  std::string in(std::string text) const {
    for (std::size_t at = 0; (at = text.find(path, at)) != std::string::npos; at += name.size())
      text.replace(at, path.size(), name);
    return text;
  }
  Error in(Error error) const {
    error.where = in(std::move(error.where));
    error.what = in(std::move(error.what));
    error.remedy = in(std::move(error.remedy));
    return error;
  }
};

class UnpackedSource final : public SourceOver {
 public:
  UnpackedSource(SourcePtr source, Names names, std::string sha256)
      : SourceOver(std::move(source)), names_(std::move(names)), sha256_(std::move(sha256)) {
    name_ = names_.name;
  }

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    if (const auto done = source_->select(columns); !done) return names_.in(done.error());
    return Done{};
  }
  Result<bool> next(ColumnBlock& block) override {
    const auto found = source_->next(block);
    if (!found) return names_.in(found.error());
    return *found;
  }
  std::string where(int group, std::int64_t line) const override {
    return names_.in(source_->where(group, line));
  }
  std::string where() const override { return names_.in(source_->where()); }
  std::vector<std::string> losses() const override {
    std::vector<std::string> losses = source_->losses();
    for (std::string& loss : losses) loss = names_.in(std::move(loss));
    return losses;
  }
  Result<std::string> sha256() override { return sha256_; }

 private:
  Names names_;
  std::string sha256_;
};

}  // namespace

Log unpacked_log(const std::string& path, const std::string& name, const std::string& sha256,
                 std::shared_ptr<const void> kept) {
  const auto open = [names = Names{path, name}, sha256,
                     kept = std::move(kept)](const LogFormat& format) -> Result<SourcePtr> {
    auto source = open_file(names.path, format);
    if (!source) return names.in(source.error());
    return SourcePtr(std::make_unique<UnpackedSource>(std::move(*source), names, sha256));
  };
  return Log(name, open);
}

}  // namespace heft
