#include "bench/lab/o3m_audit/audit.h"

#include "apps/kit/files/json.h"
#include "apps/kit/learn/seeded.h"
#include "apps/o3m/leakage.h"
#include "tests/apps/o3m/test_site.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
namespace {

GeneratedUsers users_of(std::size_t users, std::size_t dimension, std::size_t own, std::size_t participants,
                        std::uint64_t seed = 1) {
  return {users, dimension, own, participants, seed};
}

const AuditResult& known_problem() {
  static const AuditResult result = run_audit(generate_users(GeneratedUsers{}), AuditOptions{});
  return result;
}

AuditData data_of(std::vector<std::size_t> columns, std::vector<double> values) {
  AuditData data{.columns = std::move(columns), .values = std::move(values), .source = {}};
  data.rows = data.values.size() / data.dimension();
  data.source = "test";
  return data;
}

std::vector<double> gaussian(std::size_t count, std::uint64_t seed) {
  SeededDraws draws(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    value = std::sqrt(-2 * std::log(1 - draws.unit())) * std::cos(2 * std::acos(-1.0) * draws.unit());
  }
  return values;
}

TEST(Audit, TwelveKnownContextsGiveAllElevenAllButASignEightAPart) {
  const auto& recovery = known_problem().recovery;
  EXPECT_EQ(recovery.at(0).known, 12u);
  EXPECT_LT(recovery.at(0).largest_error, 1e-13);
  EXPECT_FALSE(recovery.at(0).rms_with_other_sign);
  EXPECT_EQ(recovery.at(1).known, 11u);
  EXPECT_LT(recovery.at(1).largest_error, 1e-13);
  EXPECT_GT(recovery.at(1).rms_with_other_sign.value(), 0.1);
  EXPECT_EQ(recovery.at(2).known, 8u);
  EXPECT_NEAR(recovery.at(2).rms_error, 0.18, 0.01);
  // The root mean square of the features themselves is 1 / sqrt(3).
  EXPECT_NEAR(recovery.at(2).relative_error, recovery.at(2).rms_error * std::sqrt(3.0), 0.01);
}

TEST(Audit, FewerKnownContextsNeverTellMore) {
  const auto& curve = known_problem().recovery_curve;
  ASSERT_EQ(curve.size(), 13u);
  EXPECT_NEAR(curve[0].relative_error, 1, 1e-12);
  for (std::size_t i = 1; i < 11; ++i) EXPECT_LE(curve[i].rms_error, curve[i - 1].rms_error) << i;
}

TEST(Audit, TheBlockOfAnotherMaskRecoversNothing) {
  EXPECT_EQ(known_problem().wrong_block.known, 12u);
  EXPECT_GT(known_problem().wrong_block.rms_error, 0.25);
}

TEST(Audit, AGuessOfTheMeanIsTheFeaturesSpread) {
  // Features that are uniform on [0, 1] have a standard deviation of 1 / sqrt(12). The mean of twelve values adds its
  // own error.
  const RecoveryReading& guess = known_problem().mean_guess;
  EXPECT_NEAR(guess.rms_error, std::sqrt((1 + 1.0 / 12) / 12), 0.02);
  const std::vector<double> rows{1, 0, 3, 2, 8, 4};
  const std::vector<std::size_t> known{0, 1};
  EXPECT_DOUBLE_EQ(guess_mean(rows, 3, known).largest_error, 6);
}

TEST(Audit, GeometryIsReadExactly) {
  const auto& readings = known_problem().geometry;
  ASSERT_EQ(readings.size(), 4u);
  for (const GeometryReading& one : readings) {
    EXPECT_LT(one.norm_error, 1e-13) << one.whose;
    EXPECT_LT(one.inner_product_error, 1e-13) << one.whose;
    EXPECT_LT(one.distance_error, 1e-13) << one.whose;
    EXPECT_TRUE(one.same_duplicates) << one.whose;
  }
  EXPECT_EQ(readings[0].duplicates, 0u);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(readings[i].duplicates, 30u);
    EXPECT_EQ(readings[i].duplicates_found, 30u);
  }
}

TEST(Audit, GeometryOfOtherDataIsNotTheTruth) {
  const std::vector<double> truth = gaussian(40, 1);
  const GeometryReading reading = read_geometry("other", gaussian(60, 2), truth, 10);
  EXPECT_GT(reading.norm_error, 0.1);
  EXPECT_GT(reading.inner_product_error, 0.1);
  EXPECT_GT(reading.distance_error, 0.1);
}

TEST(Audit, DuplicatesAreCountedOnceARow) {
  const std::vector<double> rows{1, 2, 3, 4, 1, 2, 1, 2, 2, 1, 0, 0};
  const GeometryReading reading = read_geometry("rows", rows, rows, 6);
  EXPECT_EQ(reading.duplicates, 2u);
  EXPECT_TRUE(reading.same_duplicates);
}

TEST(Audit, IndependentComponentsAreTheFeatures) {
  const MatchReading& unmixing = known_problem().unmixing;
  EXPECT_EQ(unmixing.matched, 12u);
  EXPECT_TRUE(known_problem().unmixed.converged);
  EXPECT_NEAR(unmixing.mean_correlation, 0.998, 0.0015);
  EXPECT_GT(unmixing.least_correlation, 0.996);
  EXPECT_LT(unmixing.rms_error, 0.06);
}

TEST(Audit, GaussianFeaturesAreNotFound) {
  const AuditResult result = run_audit(data_of({2, 4, 4}, gaussian(2000 * 10, 5)), AuditOptions{});
  EXPECT_LT(result.unmixing.mean_correlation, 0.9);
  EXPECT_LT(result.recovery.at(0).largest_error, 1e-11);
}

TEST(Audit, UnmixesTwoSourcesThatWereTurned) {
  SeededDraws draws(9);
  std::vector<double> truth, turned;
  const double c = std::cos(0.7), s = std::sin(0.7);
  for (int row = 0; row < 5000; ++row) {
    const double a = draws.unit();
    const double b = draws.below(2) == 0 ? -3.0 : 1.0;
    truth.insert(truth.end(), {a, b});
    turned.insert(turned.end(), {c * a - s * b, s * a + c * b});
  }
  const Unmixed unmixed = fast_ica(turned, 5000, 3);
  const MatchReading reading = match(unmixed, truth, 5000);
  EXPECT_TRUE(unmixed.converged);
  EXPECT_GT(reading.least_correlation, 0.999);
  EXPECT_LT(reading.rms_error, 0.05);
}

TEST(Audit, UnmixingLeavesOutWhatDoesNotVary) {
  AuditData data = generate_users(users_of(1000, 6, 1, 2));
  for (std::size_t row = 0; row < data.rows; ++row) data.values[row * 6 + 3] = 2;
  const AuditResult result = run_audit(std::move(data), AuditOptions{});
  EXPECT_EQ(result.unmixed.components, 4u);
  EXPECT_EQ(result.unmixing.matched, 4u);
}

TEST(Audit, MaskGeneratorAndActiveParticipantReadEverything) { EXPECT_LT(known_problem().generator_error, 1e-13); }

TEST(Audit, SecureSummationHidesEachOfTwoPassiveParticipants) {
  ASSERT_EQ(known_problem().sums.size(), 2u);
  for (const SumReading& one : known_problem().sums) {
    EXPECT_LT(one.block_norm_error, 1e-13);
    EXPECT_GT(one.block_correlation, 1 - 1e-12);
    // The correlation of 3000 independent pairs has a standard deviation of 0.018.
    EXPECT_LT(std::abs(one.sum_correlation), 0.1);
  }
}

TEST(Audit, WithTwoParticipantsItHidesNothing) {
  const AuditResult result = run_audit(generate_users(users_of(500, 16, 4, 2)), AuditOptions{});
  ASSERT_EQ(result.sums.size(), 1u);
  EXPECT_GT(result.sums[0].sum_correlation, 1 - 1e-9);
  EXPECT_LT(result.geometry.at(1).norm_error, 1e-12);
  EXPECT_THAT(to_text(result), HasSubstr("secure summation hides nothing"));
}

TEST(Audit, OneFeatureIsReadUpToItsSignFromNoContext) {
  const AuditResult result = run_audit(generate_users(users_of(200, 3, 2, 2)), AuditOptions{{0}, 1});
  EXPECT_EQ(result.recovery.at(0).known, 0u);
  EXPECT_LT(result.recovery.at(0).largest_error, 1e-13);
  EXPECT_TRUE(result.recovery.at(0).rms_with_other_sign);
}

TEST(Audit, ContextsThatSpanLessNeedFewerKnownOnes) {
  AuditData data = generate_users(users_of(400, 9, 2, 3));
  // The last two features of the other participants repeat two earlier features.
  for (std::size_t row = 0; row < data.rows; ++row) {
    data.values[row * 9 + 7] = data.values[row * 9 + 2];
    data.values[row * 9 + 8] = -2 * data.values[row * 9 + 3];
  }
  const AuditResult result = run_audit(std::move(data), AuditOptions{});
  EXPECT_EQ(result.independent, 5u);
  EXPECT_EQ(result.recovery.at(0).known, 5u);
  EXPECT_LT(result.recovery.at(0).largest_error, 1e-12);
  EXPECT_FALSE(result.recovery.at(0).rms_with_other_sign);
}

TEST(Audit, FindsTheFirstIndependentRows) {
  const std::vector<double> rows{0, 0, 0, 1, 2, 0, 2, 4, 0, 0, 0, 5, 1, 2, 5, 0, 1, 0};
  EXPECT_THAT(independent_rows(rows, 6, 3), ElementsAre(1, 3, 5));
  EXPECT_THAT(independent_rows(rows, 6, 2), ElementsAre(1, 3));
}

TEST(Audit, LooksAtWhatARunGivesTheActiveParticipant) {
  for (const std::size_t participants : {std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
    const AuditData data = generate_users(users_of(70, 11, 3, participants, 4));
    const MaskedUsers users = mask_users(data, 8);
    const O3mPlan plan = plan_o3m(parameters_of(data));
    o3m::Contexts contexts;
    for (std::size_t i = 0; i < participants; ++i) contexts.push_back(data.block(i));
    std::vector<TestSite> sites = sites_of(plan, contexts, users.mask);
    (void)simulate_masked(plan, sites);
    EXPECT_EQ(sites[0].taken, users.view.masked) << participants;
  }
}

PROPERTY(Audit, AnyShapeLeaksItsGeometryAndIsRecovered) {
  const std::size_t participants = draw_in_range<std::size_t>(2, 6);
  const std::size_t own = draw_in_range<std::size_t>(1, 6);
  const std::size_t d = own + participants - 1 + draw_in_range<std::size_t>(0, 12);
  const std::uint64_t seed = draw_in_range<std::uint64_t>(0, 1000000);
  const AuditData data = generate_users(users_of(60, d, own, participants, seed));
  const MaskedUsers users = mask_users(data, seed);
  HOLDS(read_geometry("", users.view.masked, data.values, data.rows).distance_error < 1e-12);
  const auto known = independent_rows(data.others(), data.rows, d);
  HOLDS(known.size() == d - own);
  HOLDS(recover_from_known(users.view, data.others(), known).largest_error < 1e-7);
  HOLDS(error_with_mask(users.view, users.mask, data.values) < 1e-12);
}

struct AuditFiles : ::testing::Test {
  [[nodiscard]] static O3mFiles files_of(const std::filesystem::path& active,
                                         const std::vector<std::filesystem::path>& passive) {
    return {active, passive, {}};
  }
  TestFolder folder;
};

TEST_F(AuditFiles, PutsContextsOfAllParticipantsSideBySide) {
  const auto active = folder.put("a.csv", "t,arm,x\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n");
  const auto passive = folder.put("b.csv", "t,arm,y,z\n1,1,8,-8\n0,0,5,-5\n0,1,6,-6\n1,0,7,-7\n");
  const AuditData data = read_users(files_of(active, {passive}), {}, 3);
  EXPECT_THAT(data.columns, ElementsAre(1, 2));
  EXPECT_EQ(data.rows, 3u);
  EXPECT_THAT(data.values, ElementsAre(1, 5, -5, 2, 6, -6, 3, 7, -7));
  EXPECT_THAT(data.block(1), ElementsAre(5, -5, 6, -6, 7, -7));
  EXPECT_THAT(parameters_of(data).bounds, ElementsAre(3, 9.9375));
}

TEST_F(AuditFiles, RefusesFilesThatDoNotGoTogether) {
  const auto active = folder.put("a.csv", "t,arm,x\n0,0,1\n1,0,3\n");
  const auto passive = folder.put("b.csv", "t,arm,y\n0,0,1\n1,0,3\n2,0,4\n");
  const auto later = folder.put("c.csv", "t,arm,y\n1,0,1\n2,0,3\n");
  EXPECT_THROW((void)read_users(files_of(active, {passive}), {}, 10), InputError);
  EXPECT_THROW((void)read_users(files_of(active, {later}), {}, 10), InputError);
  EXPECT_THROW((void)read_users(files_of(active, {}), {}, 10), InputError);
  EXPECT_THROW((void)read_users(files_of(active, std::vector(8, active)), {}, 10), InputError);
  EXPECT_THROW((void)read_users(files_of(active, {active.string() + "no"}), {}, 10), InputError);
}

TEST_F(AuditFiles, TakesUserFeaturesWithANumberOfArms) {
  const auto active = folder.put("a.csv", "x\n1\n2\n");
  const AuditData data = read_users(files_of(active, {active}), 1, 10);
  EXPECT_THAT(data.values, ElementsAre(1, 1, 2, 2));
}

TEST_F(AuditFiles, CombinesUserAndArmFeatures) {
  O3mFiles files = files_of(folder.put("a.csv", "u\n10\n20\n"), {folder.put("b.csv", "v,w\n1,2\n3,4\n")});
  files.arms_file = folder.put("arms.csv", "arm,g\n0,0.5\n1,0.25\n");
  files.combine = Combine::outer_sum;
  const AuditData data = read_users(files, {}, 10);
  EXPECT_THAT(data.columns, ElementsAre(1, 2));
  EXPECT_THAT(data.values, ElementsAre(10.5, 1.5, 2.5, 10.25, 1.25, 2.25, 20.5, 3.5, 4.5, 20.25, 3.25, 4.25));
}

TEST(Audit, RefusesWhatCannotBe) {
  EXPECT_THROW((void)generate_users(users_of(10, 4, 0, 2)), InputError);
  EXPECT_THROW((void)generate_users(users_of(10, 4, 3, 3)), InputError);
  EXPECT_THROW((void)generate_users(users_of(10, 16, 4, 1)), InputError);
  EXPECT_THROW((void)generate_users(users_of(10, 16, 4, 9)), InputError);
  EXPECT_THROW((void)run_audit(generate_users(users_of(50, 8, 2, 2)), AuditOptions{{7}, 1}), InputError);
  EXPECT_THROW((void)run_audit(generate_users(users_of(8, 8, 2, 2)), AuditOptions{}), InputError);
}

TEST(Audit, TextJsonAndPageSayTheSame) {
  const AuditResult& result = known_problem();
  const nlohmann::ordered_json json = to_json(result);
  EXPECT_EQ(json["columns"], (std::vector<std::size_t>{4, 6, 6}));
  EXPECT_EQ(json["recovery"][0]["known"], 12);
  EXPECT_EQ(json["recovery"][2]["rms_error"], result.recovery[2].rms_error);
  EXPECT_EQ(json["unmixing"]["mean_correlation"], result.unmixing.mean_correlation);
  EXPECT_EQ(json["leakage"], leakage(result.parameters));
  const std::string text = to_text(result);
  EXPECT_THAT(text, AllOf(HasSubstr("12 known of 12"), HasSubstr(leakage_headline())));
  const std::string page = audit_html(result, "sotto-lab audit --out <b>");
  EXPECT_THAT(page, AllOf(HasSubstr(leakage_headline()), HasSubstr("11 known of 12, up to one sign"),
                          HasSubstr("--out &lt;b&gt;"), Not(HasSubstr("<script")), Not(HasSubstr("nan"))));
}

}  // namespace
}  // namespace sotto::apps::lab
