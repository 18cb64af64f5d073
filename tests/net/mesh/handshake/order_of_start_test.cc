// Roles that are started one by one, one of which has another config or a key that nobody trusts: all tell the same
// cause, in whatever order they come.
#include <condition_variable>
#include <latch>

#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/mesh/wrap.h"
#include "tests/net/roles.h"
#include "tests/net/transport/tls/pairs.h"
#include "tests/process/ports.h"
#include "tests/side_by_side.h"

namespace sotto::net::testing {
namespace {

// What is wrong with the odd role: its config, where links are encrypted or not, or its key.
enum class Wrong : std::uint8_t { config, config_over_tls, key };

constexpr std::size_t untrusted_key = 7;

// A dealer, two parties and an actor, each on a thread once it is started; nothing listens for a role before.
class Roles {
 public:
  Roles(NodeId odd, Wrong wrong) : odd_(odd), wrong_(wrong) {
    std::size_t key = 0;
    for (const NodeId role : all()) {
      keys_[role] = key++;
      if (wrong != Wrong::config) certificates_[role] = identity_of(keys_[role]).fingerprint();
      if (listens(topology_, role)) {
        addresses_[role] = parse_address(sotto::testing::Ports::take(), "a port of the test");
      }
      interrupted_[role] = false;
    }
  }
  Roles(const Roles&) = delete;
  Roles& operator=(const Roles&) = delete;
  ~Roles() { threads_.clear(); }

  static std::vector<NodeId> all() { return {0, 1, 2, dealer_id}; }

  void start(NodeId role) {
    threads_[role] = std::jthread([this, role] {
      const Outcome outcome = outcome_of([&] { (void)set_up_mesh(config_of(role)); });
      const std::lock_guard lock(mutex_);
      outcomes_[role] = outcome;
      changed_.notify_all();
    });
  }
  // Or until it has ended.
  void wait_until_it_stays(NodeId role) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return said_.contains(role) || outcomes_.contains(role); });
  }
  [[nodiscard]] std::string said(NodeId role) {
    const std::lock_guard lock(mutex_);
    return said_[role];
  }
  void interrupt(NodeId role) { interrupted_.at(role) = true; }
  Outcome end_of(NodeId role) {
    threads_.at(role).join();
    const std::lock_guard lock(mutex_);  // others still put in theirs
    return outcomes_.at(role);
  }

 private:
  MeshConfig config_of(NodeId role) {
    MeshConfig config{topology_, role, session_of(1), parameters, ""};
    const bool odd = role == odd_;
    if (odd && wrong_ != Wrong::key) config.parameters = "steps = 10\nepsilon = 0.2\narms = 3\n";
    if (topology_.is_party(role)) config.announcement = "columns = 1";
    config.addresses = addresses_;
    if (addresses_.contains(role)) config.listener.emplace(addresses_.at(role));
    if (!certificates_.empty()) {
      const std::size_t key = odd && wrong_ == Wrong::key ? untrusted_key : keys_.at(role);
      config.wrap = encrypt_links(identity_of(key), certificates_);
      config.certificates = certificates_;
    }
    config.interrupted = &interrupted_.at(role);
    config.notice = [this, role](const std::string& line) {
      const std::lock_guard lock(mutex_);
      said_[role] = line;
      changed_.notify_all();
    };
    return config;
  }

  Topology topology_{2};
  NodeId odd_;
  Wrong wrong_;
  std::map<NodeId, Address> addresses_;
  std::map<NodeId, std::size_t> keys_;
  std::map<NodeId, std::string> certificates_;  // empty: links prove nothing
  std::map<NodeId, std::atomic<bool>> interrupted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<NodeId, std::string> said_;
  std::map<NodeId, Outcome> outcomes_;
  std::map<NodeId, std::jthread> threads_;
};

void expect_cause(Wrong wrong, NodeId role, const Outcome& outcome, const std::string& where) {
  const std::string cause = wrong == Wrong::key ? identity_of(untrusted_key).fingerprint() : "epsilon = ";
  EXPECT_EQ(outcome.code, wrong == Wrong::key ? 7 : 5) << where << int{role} << ": " << outcome.message;
  EXPECT_NE(outcome.message.find(cause), std::string::npos) << where << outcome.message;
}

// Who of the roles that were started can know the cause. A role of which another key is known does not learn who called
// it and was refused; all others it tells, and they tell theirs.
std::set<NodeId> knowing(const std::set<NodeId>& started, NodeId odd, Wrong wrong) {
  if (!started.contains(odd) || started.size() < 2) return {};
  if (wrong != Wrong::key) return started;
  const Topology topology(2);
  std::set<NodeId> result;
  for (const NodeId role : started) {
    if (role == odd) continue;
    if (connects_to(topology, role, odd)) result.insert(role);
    if (connects_to(topology, odd, role)) result.insert(odd);
  }
  const bool one_can_tell = std::any_of(result.begin(), result.end(), [&](NodeId role) { return role != odd; });
  if (!one_can_tell) return result;
  for (const NodeId role : started) {
    if (role != odd) result.insert(role);
  }
  return result;
}

// Each starts once all before it know that can.
void start_in_order(const std::vector<NodeId>& order, NodeId odd, Wrong wrong) {
  Roles roles(odd, wrong);
  std::set<NodeId> started;
  for (const NodeId role : order) {
    roles.start(role);
    started.insert(role);
    if (started.size() == order.size()) break;
    for (const NodeId each : knowing(started, odd, wrong)) roles.wait_until_it_stays(each);
  }
  std::string where = "odd " + std::to_string(odd) + ", order";
  for (const NodeId role : order) where += " " + std::to_string(role);
  for (const NodeId role : order) expect_cause(wrong, role, roles.end_of(role), where + ", role ");
}

// All orders of start, with each of the odd roles.
void start_in_all_orders(const std::vector<NodeId>& odd_ones, Wrong wrong) {
  std::vector<std::pair<NodeId, std::vector<NodeId>>> cases;
  for (const NodeId odd : odd_ones) {
    std::vector<NodeId> order = Roles::all();
    do {
      cases.emplace_back(odd, order);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  sotto::testing::side_by_side(6, cases, [&](const auto& each) { start_in_order(each.second, each.first, wrong); });
}

TEST(OrderOfStart, AllTellTheSameDisagreementInAnyOrder) { start_in_all_orders({1, 2, dealer_id}, Wrong::config); }

TEST(OrderOfStart, AllTellTheSameDisagreementOverTlsInAnyOrder) {
  start_in_all_orders({1, 2, dealer_id}, Wrong::config_over_tls);
}

// Not the actor's, which calls all others, nor the dealer's, which all others call: who is called and refused knows
// only that somebody called.
TEST(OrderOfStart, AllTellWhoseKeyIsNotTrustedInAnyOrder) { start_in_all_orders({0, 1}, Wrong::key); }

// The dealer is interrupted while it stays: it ends with what it knows, and party 1, who is told nothing by it any
// more, tells the rest.
TEST(OrderOfStart, WhoWasToldTellsOthers) {
  Roles roles(1, Wrong::config_over_tls);
  roles.start(dealer_id);
  roles.start(1);
  roles.wait_until_it_stays(dealer_id);
  roles.wait_until_it_stays(1);
  EXPECT_NE(roles.said(dealer_id).find("epsilon = 0.1 here, 0.2 at party 1; stays up to "), std::string::npos)
      << roles.said(dealer_id);
  EXPECT_THAT(roles.said(dealer_id), ::testing::HasSubstr(" to tell party 0, outside node, too"));
  roles.interrupt(dealer_id);
  expect_cause(Wrong::config, dealer_id, roles.end_of(dealer_id), "the dealer leaves, role ");
  for (const NodeId role : {NodeId{0}, NodeId{2}}) {
    roles.start(role);
    roles.wait_until_it_stays(role);
    EXPECT_NE(roles.said(role).find("the dealer, too"), std::string::npos) << roles.said(role);
  }
  for (const NodeId role : {NodeId{0}, NodeId{1}, NodeId{2}}) roles.interrupt(role);
  for (const NodeId role : {NodeId{0}, NodeId{1}, NodeId{2}}) {
    expect_cause(Wrong::config, role, roles.end_of(role), "the dealer has left, role ");
  }
}

}  // namespace
}  // namespace sotto::net::testing
