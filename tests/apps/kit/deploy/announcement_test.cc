#include "sotto/apps/kit/deploy/announcement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

RC_GTEST_PROP(AnnouncementProperties, SurvivesTheWire, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(1, 1'000'000);
  const auto columns = *rc::gen::inRange<std::size_t>(1, 10'000);
  const double max_norm = *rc::gen::inRange(1, 8'001) / 1e3;
  const double bound = max_norm / std::sqrt(*rc::gen::inRange(1, 9));
  const Announcement sent{rows, columns, bound};
  const Announcement heard = parse_announcement(to_text(sent), "party 1");
  RC_ASSERT(heard.rows == rows);
  RC_ASSERT(heard.columns == columns);
  RC_ASSERT(heard.bound == bound);
}

TEST(Announcement, AnythingElseIsRefused) {
  for (const char* text :
       {"", "rows = 1\n", "rows = 1\ncolumns = 2\nbound = 1", "rows = 0\ncolumns = 2\nbound = 1\n",
        "rows = 1\ncolumns = 0\nbound = 1\n", "rows = -1\ncolumns = 2\nbound = 1\n",
        "rows = 1\ncolumns = 2\nbound = nan\n", "rows = 1\ncolumns = 2\nbound = inf\n",
        "rows = 1\ncolumns = 2\nbound = -1\n", "rows = 1\ncolumns = 2\nbound = 1e7\n",
        "rows = 1\ncolumns = 99999999999\nbound = 1\n", "rows = 99999999999999999999999\ncolumns = 1\nbound = 1\n",
        "rows = 1\ncolumns = 2\nbound = 1\nmore = 1\n", "columns = 2\nrows = 1\nbound = 1\n"}) {
    EXPECT_THROW((void)parse_announcement(text, "party 1"), ProtocolError) << text;
  }
}

TEST(Announcement, StepsMustBeCountedAlike) {
  for (const std::uint64_t step : {0u, 1u}) {
    const Announcement heard = parse_announcement(to_text({5, 2, 1, step}), "party 1");
    EXPECT_EQ(heard.first_step, step);
  }
  EXPECT_FALSE(parse_announcement(to_text({5, 2, 1}), "party 1").first_step);
  EXPECT_THROW((void)parse_announcement("rows = 1\ncolumns = 2\nbound = 1\nfirst_step = 2\n", "x"), ProtocolError);
  static constexpr NodeNames names{"first clinic", "clinic", "registry", "clinics"};
  const Topology three = Topology::without_dealer(3, true, names);
  EXPECT_NO_THROW(check_rows({{5, 1, 1}, {5, 2, 1, 1}, {5, 2, 1, 1}}, three));
  try {
    check_rows({{5, 1, 1}, {5, 2, 1, 1}, {5, 2, 1, 0}}, three);
    FAIL();
  } catch (const DisagreementError& error) {
    EXPECT_NE(std::string(error.what()).find("clinic 1 counts its steps from 1, clinic 2 from 0"), std::string::npos)
        << error.what();
  }
}

TEST(Announcement, RowsMustBeAligned) {
  EXPECT_NO_THROW(check_rows({{5, 1, 1}, {5, 2, 1}}, Topology(2)));
  EXPECT_THROW(check_rows({{5, 1, 1}, {5, 2, 1}, {6, 2, 1}}, Topology(3)), DisagreementError);
}

}  // namespace
}  // namespace sotto::apps
