#include "apps/kit/files/row_order.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

std::string digest_of_ids(const std::vector<std::string_view>& ids) { return order_digest(ids); }

TEST(RowOrder, IsOfTheIdsAndTheirOrder) {
  // printf '2\n1 a\n2 bc\n' | sha256sum
  EXPECT_EQ(digest_of_ids({"a", "bc"}), "f1c977fe6ec1f5e4a02da6a0e9a8bcc98dcf35b7e2eea48b77e92c31c263f6cb");
  const std::set<std::string> digests{digest_of_ids({"a", "bc"}), digest_of_ids({"bc", "a"}),
                                      digest_of_ids({"ab", "c"}), digest_of_ids({"a", "bc", ""}),
                                      digest_of_ids({"a\n2 bc"}), digest_of_ids({"a"})};
  EXPECT_EQ(digests.size(), 6U);
}

TEST(RowOrder, IsKeyedByTheSession) {
  const std::string digest = digest_of_ids({"a"});
  EXPECT_TRUE(is_order_digest(keyed_order(digest, "0123")));
  EXPECT_EQ(keyed_order(digest, "0123"), keyed_order(digest, "0123"));
  EXPECT_NE(keyed_order(digest, "0123"), keyed_order(digest, "0124"));
  EXPECT_NE(keyed_order(digest, "0123"), digest);
}

TEST(RowOrder, StandsBesideItsFile) {
  const TestFolder folder;
  const auto file = folder.put("rows.csv", "a\n1\n");
  EXPECT_EQ(read_order(file), std::nullopt);
  const std::string digest = digest_of_ids({"a"});
  const std::string text = order_text(digest, "a\n1\n");
  const auto path = folder.put("rows.csv.order", text);
  EXPECT_EQ(order_file_of(file), path);
  EXPECT_EQ(read_order(file), digest);
  // What the warning says of a copy.
  EXPECT_THAT(no_order_warning("data.csv"), HasSubstr("`cp rows.csv.order data.csv.order`"));
  const auto copy = folder.put("data.csv", "a\n1\n");
  EXPECT_EQ(read_order(copy), std::nullopt);
  std::filesystem::copy_file(path, order_file_of(copy));
  EXPECT_EQ(read_order(copy), digest);
  const auto refusal = [&](const std::string& order) {
    (void)folder.put("rows.csv.order", order);
    return message_of<InputError>(folder, [&] { (void)read_order(file); });
  };
  for (const std::string& bad : {std::string(), std::string("x"), text + "x", text.substr(0, text.size() - 1),
                                 replaced(text, "order 1", "order 2"), replaced(text, digest, std::string(64, 'G'))}) {
    EXPECT_THAT(refusal(bad), StartsWith("rows.csv.order: this is no order of rows")) << bad;
  }
  EXPECT_EQ(
      refusal(order_text(digest, "a\n2\n")),
      "rows.csv.order: this is the order of another file: rows.csv was changed since; prepare the table again, or "
      "remove this file");
}

}  // namespace
}  // namespace sotto::apps
