// The bits that the parties of a running service archive.
#include "apps/live/roles/archive.h"
#include "tests/apps/live/engine/visitors.h"

namespace sotto::apps::live::testing {
namespace {

LiveSettings archive_settings() {
  LiveSettings settings = engine_settings();
  settings.archive = settings.remember;
  return settings;
}

// The archived row of the event's decide at the party, and the event's place in the decide.
struct ArchivedPlace {
  ArchiveRow row;
  std::size_t place = 0;
  BatchFeatures features;
};

ArchivedPlace archived(Engines& engines, NodeId party, const Visit& visit) {
  const MemoryRows& rows = engines.rows(party);
  const OrderNumber number = visit.told->number;
  const BatchRow batch = decode_batch_row(rows.get(key_of(LiveTable::batches, number)).value()).value();
  ArchivedPlace found;
  found.row = decode_archive_row(rows.get(key_of(LiveTable::archive, number)).value()).value();
  found.features = decode_batch_features(rows.get(key_of(LiveTable::used, number)).value()).value();
  found.place =
      static_cast<std::size_t>(std::find(batch.events.begin(), batch.events.end(), visit.id) - batch.events.begin());
  return found;
}

// Each decision explores with probability 1/4 among four arms, so the played arm is the best with probability 13/16.
void expect_bits(Engines& engines, const Visitors& visitors) {
  const std::size_t parties = engines.topology().parties();
  double best = 0;
  for (const Visit& visit : visitors.visits()) {
    unsigned bit = 0;
    const ArchivedPlace first = archived(engines, 0, visit);
    for (NodeId party = 0; party < parties; ++party) {
      const ArchivedPlace at = archived(engines, party, visit);
      EXPECT_EQ(at.row.id, first.row.id);
      ASSERT_EQ(at.place, first.place);
      const auto begin = visit.features.begin() + static_cast<std::ptrdiff_t>(party * Engines::columns);
      EXPECT_EQ(at.features.at(at.place)->values, FeatureValues(begin, begin + Engines::columns));
      bit ^= at.row.best.at(at.place);
    }
    best += bit;
  }
  const double events = static_cast<double>(visitors.visits().size());
  EXPECT_NEAR(best, events * 13 / 16, 6 * std::sqrt(events * 13 / 16 * 3 / 16));
}

class Archives : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Archives, HaveABitOfEachDecision) {
  Engines engines(GetParam(), archive_settings());
  Visitors visitors(engines, 300);
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.proceed(20);
    return visitors.all_done() && nothing_pending(engines);
  }));
  engines.kill_all();
  expect_model(engines, visitors);
  expect_bits(engines, visitors);
}

INSTANTIATE_TEST_SUITE_P(Live, Archives, ::testing::Values(2, 3, 5));

class ArchivesWithoutDealer : public ::testing::TestWithParam<RandomnessBy> {};

TEST_P(ArchivesWithoutDealer, HaveABitOfEachDecision) {
  LiveSettings settings = archive_settings();
  settings.batch_sizes = {1, 8};
  Engines engines(GetParam() == RandomnessBy::replicated ? 3 : 2, settings, GetParam());
  Visitors visitors(engines, 100);
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.proceed(12);
    return visitors.all_done() && nothing_pending(engines);
  }));
  engines.kill_all();
  expect_model(engines, visitors);
  expect_bits(engines, visitors);
}

INSTANTIATE_TEST_SUITE_P(Live, ArchivesWithoutDealer,
                         ::testing::Values(RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(LiveArchives, SurviveKills) {
  Engines engines(2, archive_settings());
  Visitors visitors(engines, 600);
  ASSERT_NO_FATAL_FAILURE(play_through_kills(engines, visitors, 20, 10, 50, 3,
                                             [&] { return visitors.all_done() && nothing_pending(engines); }));
  engines.kill_all();
  expect_model(engines, visitors);
  expect_bits(engines, visitors);
}

}  // namespace
}  // namespace sotto::apps::live::testing
