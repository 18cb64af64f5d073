#include "apps/kit/files/row_order.h"
#include "sotto/protocol/error/errors.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

std::string digest_of_ids(const std::vector<std::string_view>& ids) { return order_digest(ids); }

TEST(RowOrder, IsOfTheIdsAndTheirOrder) {
  // printf '2
  // 1 a
  // 2 bc
  // ' | sha256sum
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

constexpr IdForm plain{};
constexpr IdForm as_written{UnicodeForm::as_written, IdCase::keep, IdBlanks::ends};
constexpr IdForm compatible{UnicodeForm::nfkc, IdCase::keep, IdBlanks::ends};
constexpr IdForm folded{UnicodeForm::nfc, IdCase::fold, IdBlanks::ends};

TEST(ComparableId, HasOneFormOfAnAccent) {
  const std::string one = "Zo\u00eb";
  const std::string two = "Zoe\u0308";
  EXPECT_EQ(comparable_id(two, plain), one);
  EXPECT_EQ(comparable_id(one, plain), one);
  EXPECT_EQ(comparable_id(two, as_written), two);
  EXPECT_EQ(comparable_id("\u212b", plain), "\u00c5") << "the sign of the unit and the letter";
}

TEST(ComparableId, OfTheCompatibleFormJoinsLettersThatLookOtherwise) {
  EXPECT_EQ(comparable_id("\uff23\uff11\uff12", compatible), "C12");
  EXPECT_EQ(comparable_id("\uff23\uff11\uff12", plain), "\uff23\uff11\uff12");
  EXPECT_EQ(comparable_id("\ufb01x", compatible), "fix");
}

TEST(ComparableId, FoldsCaseAsUnicodeSays) {
  EXPECT_EQ(comparable_id("A.Mayer@Example.ORG", folded), "a.mayer@example.org");
  EXPECT_EQ(comparable_id("STRASSE", folded), comparable_id("stra\u00dfe", folded));
  EXPECT_EQ(comparable_id("\u039f\u0394\u039f\u03a3", folded), comparable_id("\u03bf\u03b4\u03bf\u03c2", folded));
  EXPECT_EQ(comparable_id("ABC", plain), "ABC");
  EXPECT_EQ(comparable_id("ABC", {UnicodeForm::as_written, IdCase::fold, IdBlanks::ends}), "abc");
}

TEST(ComparableId, HasTheBlanksThatAreAskedFor) {
  const std::string id = " \u00a0AB  12\t\u20033\u2003 ";
  const auto with = [&](IdBlanks blanks) { return comparable_id(id, {UnicodeForm::nfc, IdCase::keep, blanks}); };
  EXPECT_EQ(with(IdBlanks::ends), "AB  12\t\u20033");
  EXPECT_EQ(with(IdBlanks::one), "AB 12 3");
  EXPECT_EQ(with(IdBlanks::none), "AB123");
  EXPECT_EQ(comparable_id(" \u00a0\u2028 ", plain), "");
  EXPECT_EQ(comparable_id("", folded), "");
}

TEST(ComparableId, RefusesBytesThatAreNoText) {
  for (const IdForm& form : {plain, as_written, compatible, folded}) {
    EXPECT_THAT(error_of<InputError>([&] { return comparable_id("M\xfcller", form); }), HasSubstr("not in UTF-8"));
    EXPECT_THAT(error_of<InputError>([&] { return comparable_id("a\xe2\x82", form); }), HasSubstr("not in UTF-8"));
  }
}

TEST(ComparableId, OfPlainCharactersIsTheId) {
  std::string all;
  for (char c = '!'; c <= '~'; ++c) all += c;
  for (const IdForm& form : {plain, as_written, compatible}) EXPECT_EQ(comparable_id(all, form), all);
}

}  // namespace
}  // namespace sotto::apps
