// Events of a store: complete lines, with any number of writers.
#include "store.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace heft {
namespace {

using Json = nlohmann::ordered_json;

/// A folder for a store, that is not there yet; gone with the test.
class FleetStoreTest : public testing::Test {
 protected:
  FleetStoreTest() : folder_(testing::TempDir() + "heft_store_" + std::to_string(::getpid())) {}
  ~FleetStoreTest() override { std::filesystem::remove_all(folder_); }

  Result<FleetStore> make() const { return FleetStore::open(folder_, StoreUse::make); }

 private:
  std::string folder_;
};

std::vector<std::string> lines_of(const FleetStore& store) {
  std::ifstream in(store.path("events.jsonl"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST_F(FleetStoreTest, NotesOfSeveralWritersAreLines) {
  const auto store = make();
  ASSERT_TRUE(store.ok()) << store.error().message();
  constexpr int kWriters = 2,
                kNotes = 10000;  // of which one in seventy was seen by halves without a lock
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer)
    writers.emplace_back([&, writer] {
      for (int k = 0; k < kNotes; ++k)
        store->note("leaf", {{"writer", writer}, {"k", k}, {"log", std::string(150, 'a')}});
    });
  for (std::thread& writer : writers) writer.join();
  const auto lines = lines_of(*store);
  EXPECT_EQ(lines.size(), std::size_t{kWriters} * kNotes);
  std::vector<int> next(kWriters, 0);
  for (const std::string& line : lines) {
    const Json note = Json::parse(line, nullptr, false);
    ASSERT_TRUE(note.is_object()) << "'" << line << "'";
    EXPECT_EQ(note["k"], next[note["writer"].get<std::size_t>()]++);
  }
}

TEST_F(FleetStoreTest, HalfALineIsEndedBeforeTheNext) {
  const auto store = make();
  ASSERT_TRUE(store.ok()) << store.error().message();
  std::ofstream(store->path("events.jsonl")) << R"({"event":"ru)";
  store->note("end", {{"done", 1}});
  const auto lines = lines_of(*store);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], R"({"event":"ru)");
  EXPECT_EQ(Json::parse(lines[1], nullptr, false)["event"], "end");
}

}  // namespace
}  // namespace heft
