#include "trie.hpp"

#include <algorithm>

#include "files/sha256.hpp"

namespace heft {

namespace {

int bit_of(const std::string& key, int bit) {
  const char digit = key[static_cast<std::size_t>(bit / 4)];
  const int value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
  return (value >> (3 - bit % 4)) & 1;
}

/// Builds the subtree over keys [begin, end) of a sorted list, which agree in all bits before
/// `bit`; returns its index.
int add_subtree(const std::vector<std::string>& keys, std::size_t begin, std::size_t end, int bit,
                std::vector<TrieNode>& nodes) {
  if (end - begin == 1) {
    nodes.push_back({keys[begin]});
    return static_cast<int>(nodes.size()) - 1;
  }
  while (bit_of(keys[begin], bit) == bit_of(keys[end - 1], bit)) ++bit;
  std::size_t middle = begin;
  while (bit_of(keys[middle], bit) == 0) ++middle;
  const int left = add_subtree(keys, begin, middle, bit + 1, nodes);
  const int right = add_subtree(keys, middle, end, bit + 1, nodes);
  const auto below = [&](int place) -> const TrieNode& {
    return nodes[static_cast<std::size_t>(place)];
  };
  nodes.push_back(
      {sha256_of("heft-fleet-node-1\n" + below(left).key + "\n" + below(right).key + "\n"), left,
       right, below(left).num_leaves + below(right).num_leaves});
  return static_cast<int>(nodes.size()) - 1;
}

}  // namespace

std::vector<TrieNode> trie_of(std::vector<std::string> keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<TrieNode> nodes;
  nodes.reserve(2 * keys.size());
  add_subtree(keys, 0, keys.size(), 0, nodes);
  return nodes;
}

}  // namespace heft
