#include "leaf_tree.hpp"

#include <string>
#include <utility>

namespace heft::bags {

namespace {

constexpr std::size_t kMaxLeaves = 1 << 14;

LeafNode& child(LeafNode& node, const Step& step) {
  std::unique_ptr<LeafNode>* place = nullptr;
  if (step.kind == Step::Kind::index) {
    const std::size_t index = std::stoul(step.text);
    if (node.indices.size() <= index) node.indices.resize(index + 1);
    place = &node.indices[index];
  } else {
    place = &(step.kind == Step::Kind::field ? node.fields : node.labels)[step.text];
  }
  if (!*place) *place = std::make_unique<LeafNode>();
  return **place;
}

}  // namespace

std::unique_ptr<LeafNode> leaf_tree(const std::vector<Path>& leaves,
                                    const std::vector<int>& selected) {
  auto root = std::make_unique<LeafNode>();
  for (std::size_t slot = 0; slot < selected.size(); ++slot) {
    LeafNode* node = root.get();
    for (const Step& step : leaves[static_cast<std::size_t>(selected[slot])])
      node = &child(*node, step);
    node->slot = static_cast<int>(slot);
  }
  return root;
}

std::string path_text(const Path& path, bool in_brackets) {
  std::string text;
  for (const Step& step : path) {
    if (step.kind != Step::Kind::field && in_brackets)
      text += "[" + step.text + "]";
    else
      text += (text.empty() ? "" : ".") + step.text;
  }
  return text;
}

Decoder::Decoder() : tree_(std::make_unique<LeafNode>()) {}
Decoder::~Decoder() = default;

void Decoder::select(const std::vector<int>& leaves) {
  num_selected_ = leaves.size();
  tree_ = leaf_tree(leaves_, leaves);
}

void Decoder::keep_labels(std::vector<std::string> labels) {
  if (labels == labels_) return;
  labels_ = std::move(labels);
  ++labels_version_;
}

bool Decoder::add_leaf(const Path& path) {
  if (leaves_.size() >= kMaxLeaves) return false;
  if (known_.emplace(path_text(path, true), static_cast<int>(leaves_.size())).second)
    leaves_.push_back(path);
  return true;
}

void Decoder::find_stamp() {
  const auto find = [&](const std::string& text) {
    const auto found = known_.find(text);
    return found == known_.end() ? -1 : found->second;
  };
  for (const std::string prefix : {"header.stamp.", "stamp.", "timestamp."})
    for (const std::string seconds : {"sec", "secs", "seconds"})
      for (const std::string nanoseconds : {"nanosec", "nsec", "nsecs", "nanos"}) {
        const int sec = find(prefix + seconds), nsec = find(prefix + nanoseconds);
        if (sec < 0 || nsec < 0) continue;
        stamp_seconds_ = sec;
        stamp_nanoseconds_ = nsec;
        return;
      }
}

}  // namespace heft::bags
