// Data in the script of a page.
#include <gtest/gtest.h>

#include "html/page.hpp"

namespace heft {
namespace {

TEST(FilledPage, HoldsItsDataWhereTheMarkWas) {
  EXPECT_EQ(filled_page("<script>d = {{data}};</script>", R"({"a": 1})"),
            R"(<script>d = {"a": 1};</script>)");
}

TEST(FilledPage, KeepsDataFromEndingTheScript) {
  const std::string page = filled_page("<script>{{data}}</script>", R"("</script><b>")");
  EXPECT_EQ(page.find("</script>"), page.size() - 9);
  EXPECT_NE(page.find("\\u003c/script>\\u003cb>"), std::string::npos);
}

}  // namespace
}  // namespace heft
