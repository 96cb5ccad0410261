// Binary trie over keys: the set of keys determines its shape, independent of their order. One more
// key among N changes about log2 N nodes.
#pragma once

#include <string>
#include <vector>

namespace heft {

struct TrieNode {
  std::string key;            ///< own key of a leaf, otherwise derived from both children
  int left = -1, right = -1;  ///< indices into the list; -1: a leaf
  int num_leaves = 1;

  bool is_leaf() const { return left < 0; }
};

/// Returns the nodes, children before parents, so the root is last. `keys`: 64 hexadecimal digits
/// each, in any order, duplicates ignored; not empty. Nodes with a single child are omitted.
std::vector<TrieNode> trie_of(std::vector<std::string> keys);

}  // namespace heft
