#include "sotto/bench/lab/measure/primitives.h"

#include <nlohmann/json.hpp>

#include "sotto/bench/lab/measure/primitives_programs.h"
#include "sotto/bench/lab/measure/primitives_roles.h"
#include "sotto/core/wire/frame.h"
#include "sotto/protocols/simulate/simulate.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

PrimitiveFigures measured(const PrimitiveCase& what) {
  PrimitiveOptions options;
  options.repeats = 2;
  return measure_primitive(what, options);
}

// measure_primitive itself checks the results.
class EachPrimitive : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, EachPrimitive, ::testing::ValuesIn(primitive_names()),
                         [](const auto& test) { return test.param; });

TEST_P(EachPrimitive, CostsWhatWasPlannedOverTcp) {
  for (const std::size_t parties : {2u, 3u}) {
    for (const std::size_t size : {2u, 7u}) {
      const PrimitiveFigures f = measured({GetParam(), size, parties});
      EXPECT_EQ(f.measured_rounds, f.planned_rounds);
      EXPECT_EQ(f.measured_bytes, f.planned_bytes);
      EXPECT_EQ(f.measured_dealt, f.planned_dealt);
      EXPECT_EQ(f.repeats, 2u);
      EXPECT_GE(f.rounds, 1u);
      EXPECT_GE(f.bytes_sent, f.rounds * (parties - 1) * FrameHeader::size);
      EXPECT_GT(f.dealt_bytes, 0u);
      EXPECT_GT(f.online_seconds, 0.0);
      EXPECT_GT(f.dealer_seconds, 0.0);
      EXPECT_TRUE(f.skipped.empty());
    }
  }
}

TEST_P(EachPrimitive, IsRightAtTheUsualSmallestSizes) {
  const auto program = [&](Party& party) -> Task<double> {
    return [](Party& p, std::string name) -> Task<double> {
      const auto primitive = find_primitive(name)->make(usual_sizes(name).front());
      co_await primitive->prepare(p);
      primitive->arrange();
      co_await primitive->run(p);
      const double error = co_await primitive->error(p);
      co_return error - primitive->tolerance();
    }(party, GetParam());
  };
  const auto run = protocols::simulate(Topology(2), program);
  EXPECT_LE(run.nodes[0], 0.0);
  EXPECT_LE(run.nodes[1], 0.0);
}

TEST(Primitives, HaveTheRoundsThatTheirHeadersSay) {
  const std::map<std::string, std::uint64_t> rounds{{"round", 1},   {"multiply", 1}, {"mask_trunc", 1},
                                                    {"compare", 1}, {"argmax", 2},   {"exp", 8},
                                                    {"matmul", 1},  {"a2b", 7},      {"b2a", 1}};
  for (const auto& [name, expected] : rounds) {
    EXPECT_EQ(measured({name, 5, 2}).rounds, expected) << name;
  }
}

TEST(Primitives, ATournamentOfAThousandArmsTakesSevenRounds) {
  const PrimitiveFigures f = measured({"argmax", 1000, 2});
  EXPECT_EQ(f.rounds, 7u);
  EXPECT_EQ(f.measured_bytes, f.planned_bytes);
}

TEST(Primitives, ABareRoundSendsAWordALaneToEachOtherParty) {
  const PrimitiveFigures f = measured({"round", 100, 3});
  EXPECT_EQ(f.bytes_sent, 2 * (FrameHeader::size + 800));
  EXPECT_EQ(f.dealt_bytes, FrameHeader::size);
}

TEST(Primitives, RepeatLessOftenOrNotAtAllWhereTooMuchWouldBeDealt) {
  PrimitiveOptions options;
  options.repeats = 50;
  options.most_dealt_bytes = 1'000'000;
  const PrimitiveFigures fewer = measure_primitive({"compare", 1000, 2}, options);
  EXPECT_EQ(fewer.repeats, 2u);
  EXPECT_LE((fewer.repeats + 1) * fewer.dealt_bytes, options.most_dealt_bytes);
  const PrimitiveFigures none = measure_primitive({"compare", 10'000, 2}, options);
  EXPECT_EQ(none.repeats, 0u);
  EXPECT_FALSE(none.skipped.empty());
  EXPECT_EQ(none.rounds, 1u);
}

TEST(Primitives, RefuseCasesThatCannotBe) {
  EXPECT_THROW((void)measured({"sorting", 1, 2}), InputError);
  EXPECT_THROW((void)measured({"multiply", 0, 2}), InputError);
  EXPECT_THROW((void)measured({"multiply", 1, 1}), InputError);
  EXPECT_THROW((void)measured({"multiply", 1, 9}), InputError);
  EXPECT_THROW((void)measured({"argmax", 1'000'000, 2}), InputError);
  EXPECT_THROW((void)measured({"matmul", 100'000, 2}), InputError);
}

Task<Unit> failing(Party& party) {
  if (party.adds_constants()) throw InputError("party 0 had enough");
  Words word(party.holds_shares() ? 1 : 0, 0);
  const Slot slot{"never", SlotKind::open, 64, 1};
  co_await Exchange(party.rounds(), slot, word, word);
  co_return Unit{};
}

TEST(PrimitiveRoles, TellWhatTheFirstOfThemThrew) {
  const RoleProgram program = [](Party& party, std::size_t) { return failing(party); };
  EXPECT_EQ(error_of<InputError>([&] { (void)run_roles_dealt_ahead(Topology(3), program, 1000, nullptr); }),
            "party 0 had enough");
}

TEST(PrimitivesTable, SaysWhetherAimsAreMet) {
  PrimitiveFigures fast;
  fast.what = {"compare", 1'000'000, 2};
  fast.repeats = 5;
  fast.online_seconds = 0.09;
  PrimitiveFigures slow = fast;
  slow.online_seconds = 0.11;
  PrimitiveFigures without_aim = fast;
  without_aim.what.parties = 3;
  PrimitiveFigures skipped = fast;
  skipped.skipped = "6 repetitions deal 9.9 GB";
  const nlohmann::ordered_json rows = primitives_table({fast, slow, without_aim, skipped}).to_json();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["met"], true);
  EXPECT_EQ(rows[0]["aim_us"], 100'000.0);
  EXPECT_NEAR(rows[0]["online_ns_each"], 90.0, 1e-9);
  EXPECT_EQ(rows[1]["met"], false);
  EXPECT_TRUE(rows[2]["met"].is_null());
  EXPECT_TRUE(rows[3]["online_us"].is_null());
  EXPECT_EQ(rows[3]["note"], skipped.skipped);
}

}  // namespace
}  // namespace sotto::apps
