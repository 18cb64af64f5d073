// What a queue of reports keeps in its file, and over restarts.
#include "apps/p2b/roles/report_queue.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/apps/p2b/roles/queues.h"

namespace sotto::apps::p2b {
namespace {

using QueueFile = QueueTest;

// What the file holds, read by SQLite alone.
std::vector<std::string> rows_of(const std::filesystem::path& path, const std::string& sql) {
  std::vector<std::string> rows;
  sqlite3* db = nullptr;
  sqlite3_open(path.c_str(), &db);
  const auto add = [](void* to, int columns, char** values, char**) {
    std::string& row = static_cast<std::vector<std::string>*>(to)->emplace_back();
    for (int c = 0; c < columns; ++c) row += (c > 0 ? "," : "") + std::string(values[c] == nullptr ? "" : values[c]);
    return 0;
  };
  sqlite3_exec(db, sql.c_str(), add, &rows, nullptr);
  sqlite3_close(db);
  return rows;
}

TEST_F(QueueFile, KeepsEverythingOverARestart) {
  QueueId id{};
  std::vector<Tuple> first;
  {
    ReportQueue queue = open(small_terms());
    id = queue.id();
    for (const int batch : {0, 1}) take_and_tick(queue, reports_of(10 * batch, 10));
    first = queue.next_part().value().tuples;
    take(queue, reports_of(20, 5));
  }
  ReportQueue queue = open(small_terms());
  EXPECT_EQ(queue.id(), id);
  EXPECT_EQ(queue.counts().reports, 25U);
  EXPECT_EQ(queue.waiting(), 5U);
  EXPECT_EQ(queue.parts_to_deliver(), 2U);
  EXPECT_EQ(take(queue, reports_of(0, 25)).repeated, 25U);
  const auto part = queue.next_part();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->name.batch, batch_of_hour(1));
  EXPECT_EQ(part->tuples, first) << "in their order";
  queue.delivered(part->name);
  queue.delivered(part->name);  // an answer that came twice
  EXPECT_EQ(queue.parts_to_deliver(), 1U);
}

TEST_F(QueueFile, LosesNothingWhenItsProcessIsKilled) {
  int receipts[2];
  ASSERT_EQ(::pipe(receipts), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ReportQueue queue = open(small_terms());
    for (int u = 0;; u += 50) {
      take(queue, reports_of(u, 50));
      if (u % 1000 == 950) tick(queue);
      if (::write(receipts[1], &u, sizeof u) != sizeof u) ::_exit(1);
    }
  }
  ::close(receipts[1]);
  int acknowledged = 0;
  while (acknowledged < 3000 && ::read(receipts[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) {
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (int u = 0; ::read(receipts[0], &u, sizeof u) == sizeof u;) acknowledged = u;
  ::close(receipts[0]);

  clock_.pass(1000 * hour);  // the child's is its own
  ReportQueue queue = open(small_terms());
  const std::uint64_t kept = queue.counts().reports;
  EXPECT_GE(kept, static_cast<std::uint64_t>(acknowledged) + 50);
  EXPECT_EQ(kept % 50, 0U);
  const int all = static_cast<int>(kept) + 500;
  EXPECT_EQ(take(queue, reports_of(0, all)), (Taken{500, static_cast<std::uint32_t>(kept), 0}));
  tick(queue);
  Multiset out;
  for (const SurvivorPart& part : deliver(queue)) add_to(out, part.tuples);
  EXPECT_EQ(out, multiset_of(reports_of(0, all)));
}

TEST_F(QueueFile, KeepsNoOrderOfArrivalAndNoUserBesideATuple) {
  // The same tuples from other users in another order leave the same table.
  const auto rows_after = [&](bool reversed, int first_user) {
    std::filesystem::remove(file());
    {
      ReportQueue queue = open(small_terms());
      std::vector<Report> reports = reports_of(0, 60);
      if (reversed) std::reverse(reports.begin(), reports.end());
      int user = first_user;
      for (Report& report : reports) report.user = user_token(std::to_string(user++));
      for (std::size_t i = 0; i < reports.size(); i += 7) {
        take(queue, std::span(reports).subspan(i, std::min<std::size_t>(7, reports.size() - i)));
      }
    }
    return rows_of(file(), "SELECT * FROM waiting");
  };
  const auto once = rows_after(false, 0);
  EXPECT_GT(once.size(), 10U);
  EXPECT_EQ(once, rows_after(true, 1000));
  // Of users there are marks and nonces, 16 bytes each, and no column that says which tuple.
  EXPECT_EQ(rows_of(file(), "SELECT sum(length(marks)) FROM recent").at(0), std::to_string(60 * 16));
  EXPECT_EQ(rows_of(file(), "SELECT name FROM pragma_table_info('waiting')"),
            (std::vector<std::string>{"code", "arm", "reward", "count"}));
}

TEST_F(QueueFile, HoldsNoTokenOfAUser) {
  const Report report = report_of(1, {2, 1, 1}, 5);
  {
    ReportQueue queue = open(small_terms());
    take(queue, report);
  }
  const std::string bytes = slurp(file());
  EXPECT_GT(bytes.size(), 4096U);
  EXPECT_THAT(bytes, Not(HasSubstr(std::string(reinterpret_cast<const char*>(report.user.data()), 8))));
}

TEST_F(QueueFile, IsForItsOwnerAlone) {
  { (void)open(small_terms()); }
  EXPECT_EQ(mode_of(file()), 0600U);
  ::chmod(file().c_str(), 0644);
  EXPECT_THAT(refusal_of(small_terms()), HasSubstr("run `chmod 600` on it"));
}

TEST_F(QueueFile, RefusesOtherTermsAndOtherKeys) {
  { (void)open(small_terms()); }
  P2bTerms other = small_terms();
  other.codes = 16;
  EXPECT_THAT(refusal_of(other), HasSubstr("was made for 8 codes, here 16"));
  other = small_terms();
  other.p = 0.25;
  EXPECT_THAT(refusal_of(other), HasSubstr("p = 0.5, here 0.25"));
  EXPECT_THAT(refusal_of(small_terms(2)), HasSubstr("a threshold of 1, here 2"));
  EXPECT_THAT(refusal_of(small_terms(), 1000, 2), HasSubstr("made with another key"));
  EXPECT_EQ(refusal_of(small_terms()), "");
  EXPECT_THROW((void)open(small_terms(1), 0), std::invalid_argument);
}

TEST_F(QueueFile, RefusesAFileThatIsNone) {
  std::ofstream(file()) << "this is a text, and longer than the header of a database needs to be to be taken for one, "
                           "which is a hundred bytes";
  ::chmod(file().c_str(), 0600);
  EXPECT_THAT(refusal_of(small_terms()), HasSubstr("damaged"));
}

TEST_F(QueueFile, IsOneProcessAlone) {
  const ReportQueue queue = open(small_terms());
  EXPECT_THAT(refusal_of(small_terms()), HasSubstr("another process uses this store"));
}

TEST_F(QueueFile, MadeOnlyHalfIsMadeToTheEnd) {
  std::ofstream{file()};
  ::chmod(file().c_str(), 0600);
  ReportQueue queue = open(small_terms());
  EXPECT_EQ(take(queue, report_of(1, {0, 0, 0})).counted, 1U);
}

}  // namespace
}  // namespace sotto::apps::p2b
