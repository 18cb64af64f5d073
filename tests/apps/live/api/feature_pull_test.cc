#include "apps/live/api/feature_pull.h"

#include "apps/live/api/live_http.h"
#include "tests/apps/live/api/fakes.h"
#include "tests/apps/live/api/rig.h"

namespace sotto::apps::live {

namespace {

using namespace api_test;
using namespace std::chrono_literals;

class Pull : public ::testing::Test {
 protected:
  void SetUp() override {
    start({});
    pull_by({});
  }

  void start(const std::shared_ptr<const net::Identity>& identity) {
    Router router;
    router.add(api_route("POST", "/v1/f", BodyKind::json, [this](Request&& request, const Responder& responder) {
      asked.push_back(nlohmann::json::parse(request.body));
      EXPECT_EQ(fault_of_schema("PullRequest", asked.back()), "");
      if (is_silent) {
        kept.push_back(responder);
        return;
      }
      Answer answer = Answer::text(says, json_type);
      answer.status = status;
      responder.answer(std::move(answer));
    }));
    HttpConfig config;
    config.listen = UnixPath{rig.folder.path() / "features.sock"};
    config.now = [this] { return rig.time; };
    config.tls = identity;
    service = std::make_unique<HttpServer>(rig.io, config, router);
  }

  void pull_by(const WrapStream& wrap) {
    PullConfig pulls;
    pulls.url =
        parse_http_url("http://unix:" + (rig.folder.path() / "features.sock").string() + ":/v1/f", "features.url");
    pulls.wrap = wrap;
    pulls.on_failure = [this](const std::string& line) { failures.push_back(line); };
    pull = std::make_unique<FeaturePull>(rig.io, party, rig.context, pulls, rig.metrics);
  }

  static std::string fault_of_schema(const std::string& name, const nlohmann::json& value) {
    const nlohmann::json& document = OpenApi::instance().document();
    return SchemaCheck(document).fault(document["components"]["schemas"][name], value);
  }
  void want(const std::vector<unsigned>& numbers, const std::vector<std::string>& subjects) {
    std::vector<EventId> events;
    for (const unsigned number : numbers) events.push_back(live_event(number));
    party.wanted(events, subjects, rig.context->clocks.role() + 20);
    for (int i = 0; i < 200; ++i) rig.io.poll();
  }
  double count(const std::string& outcome) {
    return rig.metrics
        .counter("sotto_pulled_features_total",
                 "Events whose features this party asked its own side for, by what came of it.", {{"outcome", outcome}})
        .value();
  }

  ApiRig rig;
  FakeParty party{rig.io};
  std::unique_ptr<HttpServer> service;
  std::unique_ptr<FeaturePull> pull;
  std::vector<nlohmann::json> asked;
  std::vector<Responder> kept;
  std::vector<std::string> failures;
  std::string says = "{}";
  unsigned status = 200;
  bool is_silent = false;
};

TEST_F(Pull, AsksForABatchAndPushesItsRows) {
  says = R"({"x":[[0.25,1],null,[1,-1.5]]})";
  EXPECT_EQ(fault_of_schema("PullAnswer", nlohmann::json::parse(says)), "");
  want({1, 2, 3}, {"p-1", "", "p-3"});
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0], (nlohmann::json{{"events", {event_name(1), event_name(2), event_name(3)}},
                                      {"subjects", {"p-1", nullptr, "p-3"}}}));
  ASSERT_EQ(party.pushed.size(), 2U);
  EXPECT_EQ(party.pushed[0].event, live_event(1));
  EXPECT_EQ(party.pushed[1].event, live_event(3));
  EXPECT_EQ(party.pushed[1].values, (FeatureValues{1, -1.5}));
  EXPECT_EQ(count("used"), 2);
  EXPECT_EQ(count("missing"), 1);
  EXPECT_EQ(party.counters().ranges, (ColumnRanges{{0.25, 1}, {-1.5, 1}}));
}

TEST_F(Pull, TakesThePartysOwnNamesOfSubjects) {
  says = R"({"x":[[0.25,1],null,[1,-1.5]],"subjects":["customer 7","customer 8","-"]})";
  EXPECT_EQ(fault_of_schema("PullAnswer", nlohmann::json::parse(says)), "");
  want({1, 2, 3}, {"p-1", "", "p-3"});
  ASSERT_EQ(party.pushed.size(), 2U);
  EXPECT_EQ(party.pushed[0].subject, "customer 7");
  EXPECT_EQ(party.pushed[1].subject, "") << "it counts for whom it was asked";
}

TEST_F(Pull, LeavesSubjectsOutWhereThereAreNone) {
  says = R"({"x":[[0,0]]})";
  want({1}, {});
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_FALSE(asked[0].contains("subjects"));
}

TEST_F(Pull, DropsRowsOutsideTheirBounds) {
  says = R"({"x":[[1.5,0],[0.5,0]]})";
  want({1, 2}, {});
  ASSERT_EQ(party.pushed.size(), 1U);
  EXPECT_EQ(party.pushed[0].event, live_event(2));
  EXPECT_EQ(count("refused"), 1);
}

TEST_F(Pull, TakesNothingOfAnAnswerThatIsNone) {
  for (const std::string bad :
       {"", "{", "{}", R"({"x":[]})", R"({"x":[[0,0],[0,0]]})", R"({"x":[[0]]})", R"({"x":[[0,"1"]]})",
        R"({"x":[[0,1e999]]})", R"({"x":[[0,0]],"y":1})", R"({"x":[[0,0]],"subjects":[]})",
        R"({"x":[[0,0]],"subjects":[""]})", R"({"x":[[0,0]],"subjects":["a\u000ab"]})"}) {
    says = bad;
    want({1}, {});
  }
  EXPECT_EQ(failures.size(), 12U);
  says = R"({"x":[[0.25,0]]})";
  status = 503;
  want({1}, {});
  ASSERT_EQ(failures.size(), 13U);
  EXPECT_EQ(failures.back(), "the feature service: status 503");
  EXPECT_TRUE(party.pushed.empty());
  EXPECT_EQ(count("failed"), 13);
  for (const std::string& line : failures) EXPECT_THAT(line, Not(HasSubstr("0.25")));
}

TEST_F(Pull, GivesUpAtTheCutOffAndGoesOn) {
  is_silent = true;
  want({1}, {});
  want({2}, {});
  EXPECT_EQ(kept.size(), 1U);
  rig.time += 20ms;
  pull->tick();
  for (int i = 0; i < 50; ++i) rig.io.poll();
  EXPECT_EQ(failures.size(), 2U);
  EXPECT_EQ(count("failed"), 2);
  is_silent = false;
  says = R"({"x":[[0.5,0]]})";
  want({3}, {});
  ASSERT_EQ(party.pushed.size(), 1U);
  EXPECT_EQ(party.pushed[0].event, live_event(3));
}

TEST_F(Pull, ServesOnWhereNobodyListens) {
  service.reset();
  want({1}, {});
  EXPECT_EQ(failures.size(), 1U);
  EXPECT_TRUE(party.pushed.empty());
}

TEST_F(Pull, GoesOverTlsToTheCertificateThatItKnows) {
  service.reset();
  const auto identity = std::make_shared<const net::Identity>(net::Identity::create("features"));
  const net::Identity self = net::Identity::create("party 0");
  start(identity);
  says = R"({"x":[[0.5,0]]})";
  pull_by(pinned_tls(self, self.fingerprint(), "fingerprint in [features]"));
  want({1}, {});
  EXPECT_TRUE(asked.empty()) << "nothing is said to a stranger";
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_THAT(failures[0], HasSubstr("set fingerprint in [features] to that one"));
  pull_by(pinned_tls(self, identity->fingerprint(), "fingerprint in [features]"));
  want({2}, {});
  EXPECT_EQ(party.pushed.size(), 1U);
}

TEST_F(Pull, IsOnePlaceAlone) {
  LiveHttpConfig config;
  config.http.listen = UnixPath{rig.folder.path() / "other.sock"};
  config.features_url = parse_http_url("http://127.0.0.1:1/f", "features.url");
  config.features_table = rig.folder.path() / "rows.csv";
  EXPECT_THAT(error_of<InputError>([&] { LiveHttp(rig.io, party, config, rig.metrics); }),
              HasSubstr("url and table exclude each other"));
}

using AlignedRows = InFolder;

TEST_F(AlignedRows, AreReadByNameAndTakenBySubject) {
  ApiRig rig;
  FakeParty party(rig.io);
  const auto file = folder.put("rows.csv", "visits,subject,shoe,age\n1,p-1,9,0.25\n-1.5,p-2,9,1\n");
  const auto table = std::make_shared<const AlignedTable>(file, rig.context->features);
  EXPECT_EQ(table->size(), 2U);
  take_from_table(rig.io, party, rig.context, table, rig.metrics);
  const RowAtHand* const row = party.at_hand("p-2");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->values, (FeatureValues{1, -1.5}));
  EXPECT_EQ(row->subject, "") << "the table has no ids of the party's own beside it";
  EXPECT_EQ(party.at_hand("nobody"), nullptr);
  EXPECT_EQ(party.at_hand("-"), nullptr);
  EXPECT_FALSE(party.wanted) << "nobody is waited for";
  EXPECT_THAT(rig.metrics.text(), AllOf(HasSubstr("sotto_pulled_features_total{outcome=\"used\"} 1"),
                                        HasSubstr("sotto_pulled_features_total{outcome=\"missing\"} 2")));
}

TEST_F(AlignedRows, AreMadeByTheRecipe) {
  const auto maker = std::make_shared<const RowMaker>(recipe_of_ages());
  const FeatureSchema schema{3, columns_of(*maker), 1, maker};
  const AlignedTable table(folder.put("aligned.csv", "age,subject\n50,00ab\n90,00cd\n"), schema);
  EXPECT_EQ(table.size(), 2U);
  ASSERT_NE(table.find("00ab"), nullptr);
  EXPECT_EQ(table.find("00ab")->values, (FeatureValues{0.5}));
  EXPECT_EQ(table.find("00cd")->values, (FeatureValues{1})) << "shortened to the norm";
  ASSERT_NE(table.marks("00ab"), nullptr);
  EXPECT_TRUE(table.marks("00ab")->empty());
  const auto fault = [&](const std::string& text) {
    const auto file = folder.put("rows.csv", text);
    return message_of<InputError>(folder, [&] { static_cast<void>(AlignedTable(file, schema)); });
  };
  EXPECT_THAT(fault("id,age\n1,2\n"), HasSubstr("subject"));
  EXPECT_THAT(fault("subject,shoe\n1,2\n"), HasSubstr("age"));
  EXPECT_THAT(fault("subject,age\na,1\na,2\n"), HasSubstr("rows.csv:3:1: the subject comes twice"));
  const std::string text = fault("subject,age\na,secret\n");
  EXPECT_THAT(text, HasSubstr("rows.csv:2:2: column 'age': a text"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST_F(AlignedRows, HaveTheIdsThatStandBesideTheFile) {
  const auto maker = std::make_shared<const RowMaker>(recipe_of_ages());
  const auto file = folder.put("aligned.csv", "age,subject\n50,00ab\n90,00cd\n");
  (void)folder.put("aligned.csv.subjects", "customer 7\ncustomer 9\n");
  ApiRig rig;
  const auto table = std::make_shared<const AlignedTable>(file, FeatureSchema{3, columns_of(*maker), 1, maker});
  EXPECT_EQ(table->find("00cd")->subject, "customer 9");
  FakeParty party(rig.io);
  take_from_table(rig.io, party, rig.context, table, rig.metrics);
  EXPECT_EQ(*party.names("00ab"), "customer 7") << "also of rows that are pushed";
  EXPECT_EQ(party.names("00ef"), nullptr);
  const auto plain = folder.put("rows.csv", "visits,subject,shoe,age\n1,p-1,9,0.25\n");
  const auto ids = folder.put("rows.csv.subjects", "customer 7\n");
  EXPECT_EQ(AlignedTable(plain, rig.context->features).find("p-1")->subject, "customer 7");
  (void)folder.put("rows.csv.subjects", "customer 7\ncustomer 8\n");
  EXPECT_THAT(error_of<InputError>([&] { static_cast<void>(AlignedTable(plain, rig.context->features)); }),
              HasSubstr("rows.csv.subjects"));
}

TEST_F(AlignedRows, ThatDriftFromTheRecipeAreCountedWhereTheyAreUsed) {
  ApiRig rig;
  FakeParty party{rig.io};
  Recipe recipe = recipe_of_ages();
  recipe.columns[1].clip = 2;
  recipe.columns.push_back({.name = "visits", .use = ColumnUse::number});
  const auto maker = std::make_shared<const RowMaker>(recipe);
  rig.context->features = {3, columns_of(*maker), 1, maker};
  const auto table = std::make_shared<const AlignedTable>(
      folder.put("aligned.csv", "age,subject,visits\n50,00ab,1\n9000,00cd,1\nNA,00ef,1\n"), rig.context->features);
  take_from_table(rig.io, party, rig.context, table, rig.metrics);
  for (const char* const subject : {"00cd", "nobody", "00ab", "00ef"}) (void)party.at_hand(subject);
  for (int i = 0; i < 50; ++i) rig.io.poll();
  const RowNotes& notes = rig.context->drift.notes();
  EXPECT_EQ(notes.rows, 3U);
  ASSERT_EQ(notes.columns.size(), 3U);
  EXPECT_EQ(notes.columns[1].clipped, 1U);
  EXPECT_EQ(notes.columns[1].missing, 1U);
}

TEST(RowDrifts, TellTheLogNowAndThen) {
  Recipe recipe = recipe_of_ages();
  recipe.columns[1].clip = 2;
  Metrics metrics;
  RowDrift drift;
  std::vector<std::string> lines;
  drift.report_to(
      recipe, [&](const std::string& line) { lines.push_back(line); }, metrics);
  LiveTime now = 1000;
  const RowMarks clipped{{1, CellMark::clipped}};
  for (int i = 0; i < 100; ++i) drift.add(recipe, clipped, now += 10);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], StartsWith("features: column 'age': 2 of 2 values are clipped; is the column of another unit"));
  for (int i = 0; i < 10; ++i) drift.add(recipe, {}, now += RowDrift::between_lines);
  EXPECT_EQ(lines.size(), 1U) << "none that is no drift";
  drift.add(recipe, clipped, now);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[1], StartsWith("features: column 'age': 99 of 109 values are clipped"));
  EXPECT_EQ(drift.notes().rows, 111U);
}

TEST_F(AlignedRows, AreRefusedWhereTheyCannotBeUsed) {
  const ApiRig rig;
  const auto fault = [&](const std::string& text) {
    const auto file = folder.put("rows.csv", text);
    return message_of<InputError>(folder, [&] { static_cast<void>(AlignedTable(file, rig.context->features)); });
  };
  EXPECT_EQ(fault("age,visits\n0,0\n"), "rows.csv:1: there is no column 'subject'; it holds the pseudonym of a row");
  EXPECT_EQ(fault("subject,age\np-1,0\n"), "rows.csv:1: there is no column 'visits'; columns in [features] has it");
  EXPECT_THAT(fault("subject,age,visits\np-1,0,0\np-1,1,1\n"), HasSubstr("rows.csv:3:1: the subject comes twice"));
  const std::string outside = fault("subject,age,visits\np-1,0,0\np-2,1.25,1\n");
  EXPECT_THAT(outside, HasSubstr("rows.csv:3: column \"age\": expected a number from 0 to 1"));
  EXPECT_THAT(outside, Not(HasSubstr("1.25")));
}

}  // namespace
}  // namespace sotto::apps::live
