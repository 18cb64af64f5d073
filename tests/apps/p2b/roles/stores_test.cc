#include "apps/p2b/privacy.h"
#include "apps/p2b/roles/messages.h"
#include "apps/p2b/roles/report_queue.h"
#include "apps/p2b/roles/store_file.h"
#include "sotto/protocol/error/errors.h"
#include "tests/apps/p2b/roles/reports.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::p2b {
namespace {

Payload bytes_of(std::initializer_list<int> values) {
  Payload bytes;
  for (const int v : values) bytes.push_back(static_cast<std::byte>(v));
  return bytes;
}

TEST(P2bMessages, AreTheBytesThatThePageSays) {
  P2bTerms terms{.codes = 0x0102, .arms = 3, .p = 0.5, .threshold = 10};
  EXPECT_EQ(encode(terms), bytes_of({2, 1, 0,    0,    3,  0, 0, 0, 0, 0, 0, 0,  //
                                     0, 0, 0xe0, 0x3f, 10, 0, 0, 0, 0, 0, 0, 0}));
  Report report;
  report.user[15] = std::byte{9};
  report.nonce = 0x0807060504030201;
  report.tuple = {4, 5, 1.0};
  EXPECT_EQ(encode_reports(7, std::span(&report, 1)),
            bytes_of({7, 0, 0, 0, 0, 0, 0, 0,                             // number
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    9,  // user
                      1, 2, 3, 4, 5, 6, 7, 8,                             // nonce
                      4, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
}

TEST(P2bMessages, TokensAreHalvesOfSha256) {
  // SHA-256 of "abc", from FIPS 180-2.
  const UserToken token = user_token("abc");
  const int expected[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                          0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23};
  for (std::size_t i = 0; i < token.size(); ++i) EXPECT_EQ(std::to_integer<int>(token[i]), expected[i]);
}

template <class Decode>
void expect_exact_length(const Payload& payload, Decode decode) {
  EXPECT_TRUE(decode(payload).has_value());
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(decode(PayloadView(payload).first(size)).has_value()) << size;
  }
  Payload longer = payload;
  longer.push_back({});
  EXPECT_FALSE(decode(longer).has_value());
}

TEST(P2bMessages, HaveExactLengths) {
  expect_exact_length(encode(small_terms()), decode_p2b_terms);
  expect_exact_length(encode(Receipt{1, 2, 3, 4, 5}), decode_receipt);
  expect_exact_length(encode(PartName{{}, 1, 2}), decode_part_name);
}

TEST(P2bMessages, ReportsAreWholeOrNone) {
  const std::vector<Report> reports{report_of(1, {1, 2, 0.5}, 3), report_of(2, {7, 0, 1}, 4)};
  const Payload payload = encode_reports(5, reports);
  for (std::size_t size = 0; size <= payload.size() + 1; ++size) {
    Payload cut = payload;
    cut.resize(size);
    std::vector<Report> got;
    const auto number = decode_reports(cut, got);
    const bool whole = size >= 8 && (size - 8) % 40 == 0;
    ASSERT_EQ(number.has_value(), whole) << size;
    ASSERT_EQ(got.size(), whole ? (size - 8) / 40 : 0);
  }
  std::vector<Report> many;
  EXPECT_FALSE(decode_reports(Payload(longest_report_message + report_bytes), many));
  EXPECT_TRUE(many.empty());
}

TEST(P2bMessages, PartsMustBeOneOfTheirNumber) {
  SurvivorPart part{{{}, 3, 1}, 2, {{1, 1, 1}}};
  EXPECT_TRUE(decode_part(encode(part)));
  part.name.part = 2;
  EXPECT_FALSE(decode_part(encode(part)));
  part.name = {{}, 0, 0};
  EXPECT_FALSE(decode_part(encode(part)));
  EXPECT_FALSE(decode_part(Payload(longest_part_message + tuple_bytes)));
}

TEST(P2bMessages, TermsThatCannotBeAreNone) {
  const auto changed = [](auto change) {
    P2bTerms terms = small_terms();
    change(terms);
    return decode_p2b_terms(encode(terms)).has_value();
  };
  EXPECT_TRUE(changed([](P2bTerms&) {}));
  EXPECT_FALSE(changed([](P2bTerms& t) { t.codes = 0; }));
  EXPECT_FALSE(changed([](P2bTerms& t) { t.codes = ~0U; }));
  EXPECT_FALSE(changed([](P2bTerms& t) { t.arms = 0; }));
  EXPECT_FALSE(changed([](P2bTerms& t) { t.arms = ~0U; }));
  EXPECT_FALSE(changed([](P2bTerms& t) { t.p = 0; }));
  EXPECT_FALSE(changed([](P2bTerms& t) { t.p = 1; }));
  EXPECT_FALSE(changed([](P2bTerms& t) { t.p = std::nan(""); }));
  EXPECT_FALSE(changed([](P2bTerms& t) { t.threshold = 0; }));
  EXPECT_FALSE(changed([](P2bTerms& t) { t.threshold = ~0ULL; }));
}

TEST(P2bTerms, NameWhatIsWrongWithATuple) {
  const P2bTerms terms = small_terms();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fault_of(Tuple{7, 2, 1}, terms), TupleFault::none);
  EXPECT_EQ(fault_of(Tuple{8, 2, 1}, terms), TupleFault::code);
  EXPECT_EQ(fault_of(Tuple{7, 3, 1}, terms), TupleFault::arm);
  EXPECT_EQ(fault_of(Tuple{7, 2, 1.5}, terms), TupleFault::reward);
  EXPECT_EQ(fault_of(Tuple{7, 2, -0.1}, terms), TupleFault::reward);
  EXPECT_EQ(fault_of(Tuple{7, 2, nan}, terms), TupleFault::reward);
}

TEST(P2bTerms, HaveTheirPrivacy) {
  P2bTerms terms = small_terms(10);
  EXPECT_NEAR(epsilon_of(terms), std::log(2.0), 1e-12);
  EXPECT_EQ(delta_of(terms), report_delta(0.5, 10));
}

PROPERTY(P2bMessagesProperty, ComeBackAsTheyWere) {
  const auto tuples = draw_vector(draw_length(), draw<std::uint32_t>);
  SurvivorPart part{{{}, 1 + draw_in_range<std::uint64_t>(0, 1 << 30), 0}, 1, {}};
  for (const std::uint32_t n : tuples) part.tuples.push_back({n, n / 2, n * 0.125});
  const auto back = decode_part(encode(part));
  HOLDS(back.has_value());
  HOLDS(back->name == part.name);
  HOLDS(back->tuples == part.tuples);
  HOLDS(decode_tuples(encode_tuples(part.tuples)).value() == part.tuples);
  const Receipt receipt{draw<std::uint64_t>(), 1, 2, 3, 4};
  HOLDS(decode_receipt(encode(receipt)).value() == receipt);
}

PROPERTY(P2bMessagesProperty, AnyBytesAreTakenOrRefused) {
  const auto raw = draw<std::vector<std::uint8_t>>();
  const PayloadView bytes = std::as_bytes(std::span(raw));
  std::vector<Report> reports;
  if (decode_reports(bytes, reports)) HOLDS(8 + 40 * reports.size() == bytes.size());
  if (const auto part = decode_part(bytes)) {
    HOLDS(32 + 16 * part->tuples.size() == bytes.size());
  }
  (void)decode_p2b_terms(bytes);
  (void)decode_model(bytes);
}

using std::chrono::seconds;

TEST(BatchClock, TicksAtMultiplesOfItsPeriod) {
  const BatchClock minutes(seconds(60), ManualClock().function());
  EXPECT_EQ(minutes.tick_after(Tick(seconds(0))), Tick(seconds(60)));
  EXPECT_EQ(minutes.tick_after(Tick(seconds(59)) + std::chrono::milliseconds(999)), Tick(seconds(60)));
  EXPECT_EQ(minutes.tick_after(Tick(seconds(60))), Tick(seconds(120))) << "later, not the same";
  const BatchClock days(seconds(86'400));
  EXPECT_EQ(tick_text(days.tick_after(ManualClock::begin)), "2027-01-16T00:00:00Z");
}

TEST(BatchClock, RefusesPeriodsThatAreNone) {
  EXPECT_THROW(BatchClock(seconds(0)), std::invalid_argument);
  EXPECT_THROW(BatchClock(seconds(-5)), std::invalid_argument);
  EXPECT_THROW(BatchClock(longest_period + seconds(1)), std::invalid_argument);
}

SurvivorPart part_of(std::uint64_t batch, std::uint32_t part, std::uint32_t parts, std::uint32_t code) {
  SurvivorPart p;
  p.name.queue[0] = std::byte{7};
  p.name.batch = batch;
  p.name.part = part;
  p.parts = parts;
  p.tuples = {{code, 1, 0.5}, {code, 2, 1}};
  return p;
}

std::vector<Tuple> all(SurvivorStore& store) {
  std::vector<Tuple> tuples;
  store.replay([&](std::span<const Tuple> part) { tuples.insert(tuples.end(), part.begin(), part.end()); });
  return tuples;
}

TEST(SurvivorStore, TakesEachPartOnce) {
  const PrivateFolder folder;
  SurvivorStore store(folder.path() / "s.db", small_terms());
  EXPECT_TRUE(store.take(part_of(1, 0, 2, 3)));
  EXPECT_FALSE(store.take(part_of(1, 0, 2, 3)));
  EXPECT_EQ(store.tuples(), 2U);
  EXPECT_EQ(store.batches(), 0U);
  EXPECT_TRUE(store.take(part_of(1, 1, 2, 4)));
  EXPECT_EQ(store.batches(), 1U);
  SurvivorPart other = part_of(1, 0, 1, 5);
  other.name.queue[0] = std::byte{8};
  EXPECT_TRUE(store.take(other));
  EXPECT_EQ(store.batches(), 2U);
  EXPECT_EQ(all(store), (std::vector<Tuple>{{3, 1, 0.5}, {3, 2, 1}, {4, 1, 0.5}, {4, 2, 1}, {5, 1, 0.5}, {5, 2, 1}}));
}

TEST(SurvivorStore, KeepsAllOverARestart) {
  const PrivateFolder folder;
  const auto path = folder.path() / "s.db";
  { EXPECT_TRUE(SurvivorStore(path, small_terms()).take(part_of(1, 0, 1, 3))); }
  SurvivorStore store(path, small_terms());
  EXPECT_EQ(store.tuples(), 2U);
  EXPECT_EQ(store.batches(), 1U);
  EXPECT_FALSE(store.take(part_of(1, 0, 1, 3)));
  EXPECT_EQ(all(store), part_of(1, 0, 1, 3).tuples);
}

TEST(SurvivorStore, RefusesOtherTerms) {
  const PrivateFolder folder;
  const auto path = folder.path() / "s.db";
  { const SurvivorStore store(path, small_terms()); }
  P2bTerms other = small_terms();
  other.arms = 4;
  EXPECT_THAT(error_of<InputError>([&] { SurvivorStore(path, other); }), HasSubstr("was made for 3 arms, here 4"));
}

class Store {
 public:
  Store() {
    std::ofstream(folder_.path() / "s.db");
    reopen();
    database_->execute(KnownUsers::schema);
  }
  Database& database() { return *database_; }
  void reopen() {
    database_.reset();
    database_ = std::make_unique<Database>(folder_.path() / "s.db");
    database_->execute("PRAGMA synchronous = OFF");  // faster, and safe because tests lose no power
  }

 private:
  PrivateFolder folder_;
  std::unique_ptr<Database> database_;
};

TEST(KnownUsers, KnowsThoseOfEachTable) {
  Store store;
  KnownUsers users(store.database(), 4);
  EXPECT_FALSE(users.report_of(5));
  for (std::uint64_t mark : {5ULL, 1ULL << 63, 7ULL, 9ULL}) users.add(mark, mark + 1);
  users.write();
  EXPECT_EQ(store.database().number("SELECT count(*) FROM users"), 4);
  EXPECT_EQ(store.database().number("SELECT count(*) FROM recent"), 0);
  users.add(11, 12);
  users.write();
  EXPECT_EQ(store.database().number("SELECT count(*) FROM recent"), 1);
  EXPECT_EQ(users.report_of(5), 6U);
  EXPECT_EQ(users.report_of(1ULL << 63), (1ULL << 63) + 1);
  EXPECT_EQ(users.report_of(11), 12U);
  EXPECT_FALSE(users.report_of(12));
}

TEST(KnownUsers, TakesAMarkOfZeroForOne) {
  Store store;
  KnownUsers users(store.database(), 4);
  users.add(0, 3);
  EXPECT_EQ(users.report_of(0), 3U);
  EXPECT_EQ(users.report_of(1), 3U);
}

TEST(KnownUsers, RefusesAGroupThatIsCutOff) {
  Store store;
  store.database().execute("INSERT INTO recent VALUES (1, x'0102030405')");
  EXPECT_THROW((void)KnownUsers(store.database()), InputError);
}

PROPERTY(KnownUsersProperty, IsAMapThatOutlivesItsProcess) {
  Store store;
  const auto most = draw_in_range<std::size_t>(1, 20);
  auto users = std::make_unique<KnownUsers>(store.database(), most);
  std::map<std::uint64_t, std::uint64_t> model;
  const int steps = draw_in_range(0, 60);
  for (int i = 0; i < steps; ++i) {
    const std::uint64_t mark =
        draw<bool>() ? draw_in_range<std::uint64_t>(1, 40) : draw_in_range<std::uint64_t>(1, 9) << 60;
    const auto known = users->report_of(mark);
    HOLDS(known.has_value() == (model.count(mark) == 1));
    if (known) {
      HOLDS(*known == model[mark]);
    } else {
      model[mark] = static_cast<std::uint64_t>(i);
      users->add(mark, static_cast<std::uint64_t>(i));
    }
    if (draw_in_range(0, 3) == 0) users->write();
    if (draw_in_range(0, 8) == 0) {
      users->write();
      users.reset();
      store.reopen();
      users = std::make_unique<KnownUsers>(store.database(), draw_in_range<std::size_t>(1, 20));
    }
  }
  for (const auto& [mark, nonce] : model) HOLDS(users->report_of(mark) == nonce);
}

}  // namespace
}  // namespace sotto::apps::p2b
