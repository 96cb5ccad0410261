// Manifests according to RFC 4180 and ISO 8601, and plans from rows written for the test.
#include "fleet/manifest.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "dates.hpp"
#include "files/csv_table.hpp"
#include "fleet/plan.hpp"
#include "store.hpp"

namespace heft {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() { fs::create_directories(path_); }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_ = fs::temp_directory_path() / ("heft_fleet_test_" + std::to_string(::getpid()));
};

TEST(CsvTable, FieldsAsRfc4180HasThem) {
  CsvTable table(
      "\xEF\xBB\xBF"
      "a, b ,\"c,\"\"d\"\"\"\r\n\r\n\"two\nlines\",,x\nlast,,");
  std::vector<std::string> fields;
  ASSERT_TRUE(table.next(fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"a", "b", "c,\"d\""}));
  EXPECT_EQ(table.line(), 1);
  ASSERT_TRUE(table.next(fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"two\nlines", "", "x"}));
  EXPECT_EQ(table.line(), 3);
  ASSERT_TRUE(table.next(fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"last", "", ""}));
  EXPECT_EQ(table.line(), 5);
  EXPECT_FALSE(table.next(fields));
}

TEST(CsvTable, AQuoteThatNeverEndsIsSaid) {
  CsvTable table("a,b\n1,2\n\"3,4\n5,6\n");
  std::vector<std::string> fields;
  ASSERT_TRUE(table.next(fields) && table.next(fields));
  EXPECT_FALSE(table.is_open());
  ASSERT_TRUE(table.next(fields));
  EXPECT_TRUE(table.is_open());
  EXPECT_EQ(table.line(), 3);
}

TEST(CsvTable, FieldsComeBack) {
  for (const char* text : {"plain", "", "a,b", "say \"no\"", "two\nlines", " spaces "}) {
    const std::string row = csv_field(text) + ",x\n";
    CsvTable table(row);
    std::vector<std::string> fields;
    ASSERT_TRUE(table.next(fields));
    EXPECT_EQ(fields[0], text);
  }
}

TEST(Dates, SecondsSince1970) {
  EXPECT_EQ(date_of("1970-01-01"), 0);
  EXPECT_EQ(date_of("2001-09-09T01:46:40Z"), 1e9);  // the billionth second
  EXPECT_EQ(date_of("2001-09-09T03:46:40+02:00"), 1e9);
  EXPECT_EQ(date_of("2001-09-09 01:46:40.5"), 1e9 + 0.5);
  EXPECT_EQ(date_text(1e9), "2001-09-09T01:46:40Z");
  EXPECT_EQ(date_of("2024-02-29"), 1709164800);
  for (const char* text : {"", "2001", "2001-13-01", "2023-02-29", "2001-09-09T",
                           "2001-09-09T25:00", "2001-09-09T01:46:40+", "9/9/2001"})
    EXPECT_FALSE(date_of(text)) << text;
}

TEST(FleetManifest, ReadsBackWhatItWrites) {
  const Folder folder;
  const std::vector<FleetRow> rows = {{.robot_id = "a, \"b\"",
                                       .robot = folder / "x.urdf",
                                       .log = folder / "sub/l.csv",
                                       .format = "csv",
                                       .validates = true,
                                       .sha256 = std::string(64, 'a'),
                                       .start_s = 0.1,
                                       .end_s = 2.5,
                                       .recorded = "2026-11-22"},
                                      {.robot_id = "c",
                                       .robot = "/elsewhere/y.urdf",
                                       .log = folder / "m.npy",
                                       .config = folder / "c.yaml"}};
  for (const char* name : {"fleet.csv", "fleet.jsonl"}) {
    ASSERT_TRUE(write_manifest(rows, folder / name));
    const auto read = read_manifest(folder / name);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(read->faults.empty());
    ASSERT_EQ(read->rows.size(), rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      EXPECT_EQ(read->rows[k].robot_id, rows[k].robot_id);
      EXPECT_EQ(read->rows[k].robot, rows[k].robot);
      EXPECT_EQ(read->rows[k].log, rows[k].log);
      EXPECT_EQ(read->rows[k].config, rows[k].config);
      EXPECT_EQ(read->rows[k].validates, rows[k].validates);
      EXPECT_EQ(read->rows[k].start_s, rows[k].start_s);
      EXPECT_EQ(read->rows[k].end_s, rows[k].end_s);
      EXPECT_EQ(read->rows[k].recorded, rows[k].recorded);
    }
  }
}

TEST(FleetManifest, BadRowsAreNamedAndTheOthersStand) {
  const Folder folder;
  const std::string path = folder.write("m.csv",
                                        "robot_id,robot,log,role,sha256,start_s,end_s,recorded\n"
                                        "ok,r,l,train,,,,\n"
                                        "role,r,l,validat,,,,\n"
                                        "sum,r,l,,abc,,,\n"
                                        "time,r,l,,,x,,\n"
                                        "back,r,l,,,2,1,\n"
                                        "date,r,l,,,,,yesterday\n"
                                        ",r,l,,,,,\n"
                                        "short,r,l\n"
                                        "ok,r,l2,validate,,,,\n");
  const auto read = read_manifest(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rows.size(), 2u);
  ASSERT_EQ(read->faults.size(), 7u);
  for (std::size_t k = 0; k < 7; ++k)
    EXPECT_EQ(read->faults[k].error.where, path + ":" + std::to_string(k + 3));
  EXPECT_EQ(read->faults[0].robot_id, "role");
  EXPECT_EQ(read->faults[5].robot_id, "");
}

TEST(FleetPlan, StretchesOfOneLogMayTrainAndValidateIfTheyDoNotOverlap) {
  const Folder folder;
  folder.write("r.urdf", "x"), folder.write("l.csv", "x");
  const auto plan = [&](const std::string& rows) {
    const auto read =
        read_manifest(folder.write("m.csv", "robot_id,robot,log,role,start_s,end_s\n" + rows));
    return plan_fleet(*read);
  };
  EXPECT_TRUE(
      plan("a,r.urdf,l.csv,train,0,5\na,r.urdf,l.csv,validate,5,9\n").robots[0].errors.empty());
  const FleetPlan leak = plan("a,r.urdf,l.csv,train,0,5\na,r.urdf,l.csv,validate,4,9\n");
  ASSERT_EQ(leak.robots[0].errors.size(), 1u);
  EXPECT_FALSE(leak.robots[0].has_answer);
}

TEST(FolderNames, StayBelowTheirFolder) {
  for (const char* id :
       {"..", ".", "../x", "/etc", "a/../../b", "\xD1\x80", ".hidden", "a\\b", "C:"}) {
    const std::string name = folder_name_of(id);
    EXPECT_EQ(name.find('/'), std::string::npos) << id;
    EXPECT_NE(name, "..");
    EXPECT_NE(name.front(), '.') << id;
  }
  EXPECT_EQ(folder_name_of("arm-17_b.2"), "arm-17_b.2");
  EXPECT_LT(folder_name_of(std::string(200, '/')).size(), 200u);
  EXPECT_NE(folder_name_of(std::string(199, '/') + "a"),
            folder_name_of(std::string(199, '/') + "b"));
}

}  // namespace
}  // namespace heft
