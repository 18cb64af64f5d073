#include "apps/kit/files/id_form.h"

#include "sotto/protocol/error/errors.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

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
