// The trie over keys compared with its definition: the set determines its form, and another key
// changes little of it.
#include "trie.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "files/sha256.hpp"

namespace heft {
namespace {

std::vector<std::string> some_keys(int count) {
  std::vector<std::string> keys;
  for (int k = 0; k < count; ++k) keys.push_back(sha256_of("key " + std::to_string(k)));
  return keys;
}

std::set<std::string> keys_of(const std::vector<TrieNode>& trie) {
  std::set<std::string> keys;
  for (const TrieNode& node : trie) keys.insert(node.key);
  return keys;
}

TEST(Trie, KnowsTheDigestOfNothing) {  // FIPS 180-4
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Trie, OneKeyIsItsOwnRoot) {
  const auto trie = trie_of(some_keys(1));
  ASSERT_EQ(trie.size(), 1u);
  EXPECT_EQ(trie[0].key, some_keys(1)[0]);
  EXPECT_TRUE(trie[0].is_leaf());
}

TEST(Trie, OrderAndDoublesChangeNothing) {
  std::vector<std::string> keys = some_keys(100);
  const auto trie = trie_of(keys);
  ASSERT_EQ(trie.size(), 199u);
  std::mt19937 random(3);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(keys.begin(), keys.end(), random);
    keys.push_back(keys[7]);
    const auto again = trie_of(keys);
    ASSERT_EQ(again.size(), trie.size());
    for (std::size_t k = 0; k < trie.size(); ++k) EXPECT_EQ(again[k].key, trie[k].key);
  }
}

TEST(Trie, NodesComeAfterThoseBelowAndCountLeaves) {
  const auto trie = trie_of(some_keys(37));
  EXPECT_EQ(trie.back().num_leaves, 37);
  for (std::size_t k = 0; k < trie.size(); ++k) {
    if (trie[k].is_leaf()) continue;
    ASSERT_LT(trie[k].left, static_cast<int>(k));
    ASSERT_LT(trie[k].right, static_cast<int>(k));
    EXPECT_EQ(trie[k].num_leaves, trie[static_cast<std::size_t>(trie[k].left)].num_leaves +
                                      trie[static_cast<std::size_t>(trie[k].right)].num_leaves);
  }
}

TEST(Trie, LeavesOfASubtreeShareTheirFirstBits) {
  // of a set whose keys are known bit by bit
  const std::string zeros(63, '0');
  const auto trie = trie_of({"8" + zeros, "0" + zeros, "4" + zeros, "c" + zeros, "2" + zeros});
  // ((0, 2), 4), (8, c)
  ASSERT_EQ(trie.size(), 9u);
  const auto node = [&](int place) { return trie[static_cast<std::size_t>(place)]; };
  const TrieNode left = node(trie.back().left), right = node(trie.back().right);
  EXPECT_EQ(left.num_leaves, 3);
  EXPECT_EQ(right.num_leaves, 2);
  EXPECT_EQ(node(left.right).key, "4" + zeros);
  EXPECT_EQ(node(node(left.left).left).key, "0" + zeros);
  EXPECT_EQ(node(node(left.left).right).key, "2" + zeros);
  EXPECT_EQ(node(right.left).key, "8" + zeros);
}

TEST(Trie, OneMoreKeyRewritesAboutLogNNodes) {
  for (const int count : {10, 100, 1000}) {
    const auto before = keys_of(trie_of(some_keys(count)));
    double sum = 0;
    constexpr int kTries = 20;
    for (int k = 0; k < kTries; ++k) {
      auto keys = some_keys(count);
      keys.push_back(sha256_of("new " + std::to_string(k)));
      int num_new = 0;
      for (const std::string& key : keys_of(trie_of(keys))) num_new += !before.contains(key);
      sum += num_new - 1;  // the leaf itself
    }
    EXPECT_NEAR(sum / kTries, std::log2(count), 2.5) << count;
  }
}

}  // namespace
}  // namespace heft
