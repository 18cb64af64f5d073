#include "sotto/apps/kit/report/markup.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sotto::apps {
namespace {

TEST(EscapeHtml, ReplacesWhatHasAMeaning) {
  EXPECT_EQ(escape_html("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(escape_html("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x99\x82\t\n"),
            "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x99\x82\t\n");
  EXPECT_EQ(escape_html(""), "");
}

TEST(EscapeHtml, ReplacesWhatIsNoText) {
  const std::string sign = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_html(std::string("\0", 1)), sign);
  EXPECT_EQ(escape_html("\x1b[31m"), sign + "[31m");
  EXPECT_EQ(escape_html("\x7f"), sign);
  EXPECT_EQ(escape_html("\xff<"), sign + "&lt;");
  EXPECT_EQ(escape_html("\xC3"), sign);                        // cut off
  EXPECT_EQ(escape_html("\xC3<"), sign + "&lt;");              // a tag must not hide in a sequence
  EXPECT_EQ(escape_html("\xC0\xBC"), sign + sign);             // overlong <
  EXPECT_EQ(escape_html("\xED\xA0\x80"), sign + sign + sign);  // surrogate
  EXPECT_EQ(escape_html("\xF4\x90\x80\x80"), sign + sign + sign + sign);
}

RC_GTEST_PROP(EscapeHtml, NeverLetsMarkupThrough, (const std::string& text)) {
  const std::string escaped = escape_html(text);
  RC_ASSERT(escaped.find_first_of("<>\"'") == std::string::npos);
  RC_ASSERT(escape_html(std::string("<") + text).starts_with("&lt;"));
}

TEST(ScientificHtml, WritesPowersOfTen) {
  EXPECT_EQ(scientific_html(1e-6), "10<sup>&minus;6</sup>");
  EXPECT_EQ(scientific_html(2.5e-7), "2.5 &middot; 10<sup>&minus;7</sup>");
  EXPECT_EQ(scientific_html(.01), "0.01");
  EXPECT_EQ(scientific_html(0), "0");
}

}  // namespace
}  // namespace sotto::apps
