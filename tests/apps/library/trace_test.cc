#include <set>

#include "tests/apps/library/support.h"

namespace sotto::testing {
namespace {

// A program of which the test changes one part at a time. All variants have the same rounds and bytes.
struct Varied {
  double bound = 8;
  double factor = 0.5;
  double constant = 0.25;
  double within = 4;
  double curve = 1;
  std::size_t owner = 0;
  bool other_operand = false;
  bool swapped = false;
  std::size_t place = 0;
  const char* name = "result";
  const char* text = "version 1";
};

Task<Matrix> varied(Session& s, Varied v, Matrix mine) {
  s.agree(v.text);
  auto [x, y] = co_await all(s.input(v.owner, {2, 1}, mine, v.bound), s.input(1 - v.owner, {2, 1}, mine, v.bound));
  const Secret shifted = (v.factor * x + v.constant).within(v.within);
  const Curve square{[v](double t) { return v.curve * t * t / 64; }, -8, 8};
  const Secret other = v.other_operand ? x : y;
  Secret first = co_await (shifted * other);
  Secret second = co_await apply(y, square);
  if (v.swapped) std::swap(first, second);
  const Secret picked = rows(first, v.place) + rows(second, 1);
  co_return co_await s.reveal(picked, v.name);
}

RunCost plan_of(const Varied& v, SessionOptions options = {}) {
  const auto program = [v](Session& s, Matrix mine) { return varied(s, v, std::move(mine)); };
  return plan(2, program, options);
}

TEST(Plans, TellProgramsApartThatCostTheSame) {
  const RunCost usual = plan_of({});
  EXPECT_EQ(plan_of({}).digest, usual.digest);
  EXPECT_EQ(usual.digest.size(), 64u);
  const std::vector<Varied> others{{.bound = 7.5},  {.factor = 0.625}, {.constant = 0.375},     {.within = 3.5},
                                   {.curve = 0.75}, {.owner = 1},      {.other_operand = true}, {.swapped = true},
                                   {.place = 1},    {.name = "other"}, {.text = "version 2"}};
  std::set<std::string> digests{usual.digest};
  for (const Varied& other : others) {
    const RunCost cost = plan_of(other);
    digests.insert(cost.digest);
    EXPECT_EQ(cost.rounds, usual.rounds);
    EXPECT_NE(cost.operations, usual.operations);
  }
  EXPECT_EQ(digests.size(), others.size() + 1);
}

TEST(Plans, TellStepsByWhatTheyAreMadeOf) {
  const RunCost cost = plan_of({});
  ASSERT_EQ(cost.operations.size(), 6u);
  EXPECT_THAT(cost.operations[0], ::testing::StartsWith("version 1 ["));
  EXPECT_THAT(cost.operations[1], ::testing::StartsWith("input by party 0 up to 8 of 2x1 ["));
  EXPECT_THAT(cost.operations[3],
              ::testing::StartsWith("product of 2x1 from sum (multiple by 0.5 (#2), places (constant)), #3 ["));
  EXPECT_THAT(cost.operations[5], ::testing::StartsWith("opening of result to all of 1x1 from "));
}

RunCost plan_of_one(const OnSecret& f) {
  return plan(2, [&f](Session& s, Matrix mine) { return of_one(s, std::move(mine), {2, 2}, 1, f); });
}

// A compiler may evaluate local arithmetic in either order.
TEST(Plans, AreTheSameInAnyOrderOfLocalArithmetic) {
  const auto in_order = [](bool turned) {
    return plan_of_one([turned](const Secret& x) {
      Secret a = turned ? Secret() : transpose(x);
      const Secret b = 3 * x;
      if (turned) a = transpose(x);
      return at_once(a - b);
    });
  };
  EXPECT_EQ(in_order(false).digest, in_order(true).digest);
}

TEST(Plans, CompareNoMoreOfABoundThanItsFirstDigits) {
  EXPECT_EQ(plan_of({.bound = 7.5 * (1 + 0x1p-50)}).digest, plan_of({.bound = 7.5}).digest);
}

Task<Secret> squared(Secret x, int times) {
  for (; times > 0; --times) {
    Secret square = co_await (x * x);
    x = square.within(1);
  }
  co_return x;
}

TEST(Plans, HaveALineForEachOfTheFirstStepsOnly) {
  const auto many = [](int times) { return plan_of_one([times](Secret x) { return squared(std::move(x), times); }); };
  EXPECT_EQ(many(400).operations.size(), 256u);
  EXPECT_EQ(many(400).operations, many(401).operations);
  EXPECT_NE(many(400).digest, many(401).digest);
}

unsigned bits_left(double bound, const OnSecret& f) {
  const auto program = [&](Session& s, Matrix mine) { return of_one(s, std::move(mine), {4, 1}, bound, f); };
  const unsigned planned = plan(2, program).opened.at(0).bits;
  EXPECT_EQ(simulate({Matrix::Zero(4, 1), Matrix()}, program).opened.at(0).bits, planned);
  return planned;
}

TEST(Openings, TellTheFractionBitsThatAreLeft) {
  EXPECT_EQ(bits_left(16, at_once), 20u);
  EXPECT_EQ(bits_left(1e6, at_once), 10u);
  EXPECT_EQ(bits_left(1e12, at_once), 0u);
  EXPECT_EQ(bits_left(1e6, [](Secret x) { return at_once((x * 1e-6).within(1)); }), 10u);
  EXPECT_EQ(bits_left(1e6, [](Secret x) { return less(std::move(x), 3); }), 10u);
  EXPECT_EQ(bits_left(1e6, [](Secret x) { return sigmoid((x * 1e-6).within(1)); }), 10u);
  EXPECT_EQ(bits_left(4, [](Secret x) { return rounded(x * x); }), 20u);
  EXPECT_EQ(bits_left(1e5, [](Secret x) { return rounded(x * x); }), 6u);
}

TEST(Openings, OfWholePublicNumbersLoseNothing) {
  const auto program = [](Session& s) -> Task<Matrix> {
    Secret three = s.constant(3);
    co_return co_await s.reveal(three * 2, "six");
  };
  EXPECT_EQ(plan(2, program).opened.at(0).bits, 64u);
}

}  // namespace
}  // namespace sotto::testing
