// Opened results never cost more than the budget. The role may charge the account, notify the other role, open a
// result, take a charge back, and crash, in any order. The account and the other role's memory may be copied, restored
// and merged.
//
// The test explores every state of a model of the account and of the memory. Random walks compare the model with the
// real classes: both must refuse the same requests and spend the same amounts.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "apps/kit/account/account.h"
#include "apps/kit/account/seen_accounts.h"
#include "sotto/protocol/error/errors.h"
#include "tests/apps/support.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

constexpr int budget = 1;           // the whole budget, which is also the cost of one release
constexpr std::size_t longest = 4;  // the most entries of an explored account
constexpr int walked_budget = 3;

// Possible bugs of an implementation. The exploration must find each of these bugs.
enum class Bug : std::uint8_t {
  none,
  opens_before_charging,
  opens_before_telling,
  takes_back_what_was_opened,
  nobody_remembers,
  remembers_numbers_alone,
};

struct Entry {
  int id = 0;
  int takes_back = 0;  // id of the entry that this entry cancels; 0: this entry is a release
  std::vector<int> was_after;

  friend auto operator<=>(const Entry&, const Entry&) = default;
};
using Chain = std::vector<Entry>;

std::vector<int> ids_of(const Chain& chain, std::size_t count) {
  std::vector<int> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(chain[i].id);
  return ids;
}

int spent(const Chain& chain) {
  std::set<int> taken_back;
  for (const Entry& entry : chain) taken_back.insert(entry.takes_back);
  return static_cast<int>(std::count_if(chain.begin(), chain.end(), [&](const Entry& entry) {
    return entry.takes_back == 0 && !taken_back.contains(entry.id);
  }));
}

enum class Act : std::uint8_t {
  proceed,
  fail,
  crash,
  copy_account,
  copy_memory,
  bring_account_back,
  bring_memory_back,
  merge_copy,
};
constexpr int acts = 8;

enum class Step : std::uint8_t { idle, charged, told };

struct Situation {
  Chain account;
  Chain account_copy;
  std::vector<int> memory;  // ids of the account's entries when the other role last saw the account
  std::vector<int> memory_copy;
  Step step = Step::idle;
  int release = 0;
  int opened = 0;
  int merges = 0;
  bool account_was_back = false;
  bool memory_was_back = false;
  int last_id = 0;

  friend auto operator<=>(const Situation&, const Situation&) = default;
};

// Returns whether, in the model, the role that remembers `memory` accepts the account.
bool is_accepted(const Chain& account, const std::vector<int>& memory, Bug bug) {
  if (bug == Bug::nobody_remembers) return true;
  if (account.size() < memory.size()) return false;
  if (memory.empty() || bug == Bug::remembers_numbers_alone) return true;
  if (ids_of(account, memory.size()) == memory) return true;
  return std::any_of(account.begin(), account.end(), [&](const Entry& entry) { return entry.was_after == memory; });
}

void take_back(Situation& now) {
  now.account.push_back({++now.last_id, now.release, {}});
  now.step = Step::idle;
}

void proceed(Situation& now, Bug bug) {
  if (now.step == Step::idle) {
    now.release = ++now.last_id;
    if (bug == Bug::opens_before_charging) ++now.opened;
    now.account.push_back({now.release, 0, {}});
    now.step = Step::charged;
  } else if (now.step == Step::charged) {
    if (bug == Bug::opens_before_telling) ++now.opened;
    if (!is_accepted(now.account, now.memory, bug)) return take_back(now);
    now.memory = ids_of(now.account, now.account.size());
    now.step = Step::told;
  } else {
    if (bug != Bug::opens_before_charging && bug != Bug::opens_before_telling) ++now.opened;
    if (bug == Bug::takes_back_what_was_opened) return take_back(now);
    now.step = Step::idle;
  }
}

void merge(Situation& now) {
  ++now.merges;
  for (std::size_t i = 0; i < now.account_copy.size(); ++i) {
    Entry entry = now.account_copy[i];
    const auto same = [&](const Entry& one) { return one.id == entry.id; };
    if (std::any_of(now.account.begin(), now.account.end(), same)) continue;
    entry.was_after = ids_of(now.account_copy, i + 1);
    now.account.push_back(entry);
  }
}

bool act(Situation& now, Act act, int budget, Bug bug = Bug::none) {
  const bool idle = now.step == Step::idle;
  switch (act) {
    case Act::proceed:
      if (idle && spent(now.account) >= budget) return false;
      proceed(now, bug);
      return true;
    case Act::fail:
      if (idle) return false;
      take_back(now);
      return true;
    case Act::crash:
      if (idle) return false;
      now.step = Step::idle;
      return true;
    case Act::copy_account:
      now.account_copy = now.account;
      return true;
    case Act::copy_memory:
      now.memory_copy = now.memory;
      return true;
    case Act::bring_account_back:
      if (!idle) return false;
      std::swap(now.account, now.account_copy);
      now.account_was_back = true;
      return true;
    case Act::bring_memory_back:
      if (!idle) return false;
      now.memory = now.memory_copy;
      now.memory_was_back = true;
      return true;
    case Act::merge_copy:
      if (!idle) return false;
      merge(now);
      return true;
  }
  return false;
}

Situation named_anew(Situation now) {
  std::map<int, int> names{{0, 0}};
  const auto rename = [&](int& id) { id = names.try_emplace(id, static_cast<int>(names.size())).first->second; };
  const auto rename_all = [&](std::vector<int>& ids) { std::for_each(ids.begin(), ids.end(), rename); };
  for (Chain* chain : {&now.account, &now.account_copy}) {
    for (Entry& entry : *chain) {
      rename(entry.id);
      rename(entry.takes_back);
      rename_all(entry.was_after);
    }
  }
  rename_all(now.memory);
  rename_all(now.memory_copy);
  rename(now.release);
  now.last_id = static_cast<int>(names.size());
  return now;
}

struct Explored {
  std::size_t situations = 0;
  bool over = false;
  bool whole_spent = false;
};

Explored explore(Bug bug) {
  Explored found;
  std::set<Situation> seen{Situation{}};
  std::deque<Situation> todo{Situation{}};
  while (!todo.empty()) {
    const Situation from = todo.front();
    todo.pop_front();
    ++found.situations;
    for (int i = 0; i < acts; ++i) {
      Situation next = from;
      if (!act(next, static_cast<Act>(i), budget, bug)) continue;
      const bool both_back = next.account_was_back && next.memory_was_back;
      found.over = found.over || (next.opened > budget && !both_back);
      if (found.over) return found;
      found.whole_spent = found.whole_spent || next.opened == budget;
      next = named_anew(std::move(next));
      if (both_back || next.opened > budget || next.account.size() > longest || next.merges > 1) continue;
      if (seen.insert(next).second) todo.push_back(next);
    }
  }
  return found;
}

TEST(AccountExploration, OpensNoMoreThanTheBudgetInAnyOrder) {
  const Explored right = explore(Bug::none);
  EXPECT_FALSE(right.over);
  EXPECT_TRUE(right.whole_spent);
  EXPECT_GT(right.situations, 1000u);
}

TEST(AccountExploration, FindsWhatCouldBeBuiltWrong) {
  for (const Bug bug : {Bug::opens_before_charging, Bug::opens_before_telling, Bug::takes_back_what_was_opened,
                        Bug::nobody_remembers, Bug::remembers_numbers_alone}) {
    EXPECT_TRUE(explore(bug).over) << static_cast<int>(bug);
  }
}

class Files {
 public:
  Files() {
    Account::begin(account());
    std::filesystem::copy_file(account(), account_copy());
  }

  bool charge() {
    open_ = std::make_unique<Account>(account());
    release_ = fresh_release_id();
    try {
      open_->charge({release_, "the actor", "a walk", 1}, std::vector{open_->key_of("a")}, walked_budget, ++time_);
      return true;
    } catch (const InputError&) {
      open_.reset();
      return false;
    }
  }
  bool tell() {
    try {
      (void)check_seen_accounts(memory(), std::vector{SeenAccount{"party 0", open_->position()}});
      return true;
    } catch (const DisagreementError&) {
      return false;
    }
  }
  void take_back() {
    open_->take_back(release_, ++time_);
    open_.reset();
  }
  void close() { open_.reset(); }
  [[nodiscard]] double spent() const {
    Account one(account());
    return one.spent(one.key_of("a"));
  }
  void copy_account() const { copy(account(), account_copy()); }
  void copy_memory() const { copy(memory(), memory_copy()); }
  void bring_memory_back() const { copy(memory_copy(), memory()); }
  void swap_accounts() const {
    std::filesystem::rename(account(), folder_.path() / "between");
    std::filesystem::rename(account_copy(), account());
    std::filesystem::rename(folder_.path() / "between", account_copy());
  }
  void merge() const {
    Account into(account());
    Account from(account_copy());
    (void)into.merge(from);
  }

 private:
  static void copy(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::filesystem::remove(to);
    if (std::filesystem::exists(from)) std::filesystem::copy_file(from, to);
  }
  [[nodiscard]] std::filesystem::path account() const { return folder_.path() / "account"; }
  [[nodiscard]] std::filesystem::path account_copy() const { return folder_.path() / "account_copy"; }
  [[nodiscard]] std::filesystem::path memory() const { return folder_.path() / "memory"; }
  [[nodiscard]] std::filesystem::path memory_copy() const { return folder_.path() / "memory_copy"; }

  TestFolder folder_;
  std::unique_ptr<Account> open_;
  std::string release_;
  std::int64_t time_ = 0;
};

void act_on(Files& files, Act act, const Situation& before, const Situation& after) {
  switch (act) {
    case Act::proceed:
      if (before.step == Step::idle) {
        EXPECT_TRUE(files.charge());
      } else if (before.step == Step::charged) {
        const bool accepted = files.tell();
        EXPECT_EQ(accepted, after.step == Step::told);
        if (!accepted) files.take_back();
      } else {
        files.close();
      }
      break;
    case Act::fail:
      files.take_back();
      break;
    case Act::crash:
      files.close();
      break;
    case Act::copy_account:
      files.copy_account();
      break;
    case Act::copy_memory:
      files.copy_memory();
      break;
    case Act::bring_account_back:
      files.swap_accounts();
      break;
    case Act::bring_memory_back:
      files.bring_memory_back();
      break;
    case Act::merge_copy:
      files.merge();
      break;
  }
}

void walk(std::uint64_t seed, int steps) {
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  Files files;
  Situation now;
  for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
    const Situation before = now;
    // Copies and merges are rarer than runs. An open account is never copied.
    const Act next = random() % 2 == 0 ? Act::proceed : static_cast<Act>(random() % acts);
    if (next == Act::copy_account && now.step != Step::idle) continue;
    if (!act(now, next, walked_budget)) {
      if (next == Act::proceed) {
        EXPECT_FALSE(files.charge()) << "the model has spent its budget";
      }
      continue;
    }
    act_on(files, next, before, now);
    if (now.step == Step::idle) {
      EXPECT_EQ(files.spent(), spent(now.account)) << step;
    }
    const bool both_back = now.account_was_back && now.memory_was_back;
    EXPECT_TRUE(both_back || now.opened <= walked_budget);
  }
}

TEST(AccountExploration, IsWhatTheFilesDo) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) walk(seed, 40);
}

TEST(AccountExplorationLong, IsWhatTheFilesDo) {
  for (std::uint64_t seed = 100; seed < 400; ++seed) walk(seed, 60);
}

}  // namespace
}  // namespace sotto::apps
