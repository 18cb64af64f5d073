// Roles that are started one by one with configs that differ: all tell the same cause, in whatever
// order they come.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <set>

#include "net/mesh.h"
#include "tests/net/roles.h"
#include "tests/net/tls/pairs.h"
#include "tests/process/ports.h"

namespace sotto::net {
namespace {

using testing::Outcome;
using testing::outcome_of;

// A dealer, two parties and an actor, each on a thread once it is started; nothing listens for a
// role before.
class Roles {
 public:
  Roles(NodeId odd, bool encrypted) : odd_(odd) {
    std::size_t key = 0;
    for (const NodeId role : all()) {
      keys_[role] = key++;
      if (encrypted) certificates_[role] = testing::identity_of(keys_[role]).fingerprint();
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
    MeshConfig config{topology_, role, testing::session_of(1), testing::parameters, ""};
    if (role == odd_) config.parameters = "steps = 10\nepsilon = 0.2\narms = 3\n";
    if (topology_.is_party(role)) config.announcement = "columns = 1";
    config.addresses = addresses_;
    if (addresses_.contains(role)) config.listener.emplace(addresses_.at(role));
    if (!certificates_.empty()) {
      config.wrap = encrypt_links(testing::identity_of(keys_.at(role)), certificates_);
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

void expect_cause(NodeId role, const Outcome& outcome, const std::string& where) {
  EXPECT_EQ(outcome.code, 5) << where << int{role} << ": " << outcome.message;
  EXPECT_NE(outcome.message.find("epsilon = "), std::string::npos) << where << outcome.message;
}

// Each starts once all before it know, where there is something to know.
void start_in_order(const std::vector<NodeId>& order, NodeId odd, bool encrypted) {
  Roles roles(odd, encrypted);
  std::vector<NodeId> started;
  for (const NodeId role : order) {
    roles.start(role);
    started.push_back(role);
    const bool odd_is_there = std::count(started.begin(), started.end(), odd) > 0;
    if (!odd_is_there || started.size() == 1 || started.size() == order.size()) continue;
    for (const NodeId each : started) roles.wait_until_it_stays(each);
  }
  std::string where = "odd " + std::to_string(odd) + ", order";
  for (const NodeId role : order) where += " " + std::to_string(role);
  for (const NodeId role : order) expect_cause(role, roles.end_of(role), where + ", role ");
}

TEST(OrderOfStart, AllTellTheSameCauseInAnyOrder) {
  std::counting_semaphore<> free_places(6);
  std::vector<std::jthread> threads;
  for (const NodeId odd : {NodeId{1}, NodeId{2}, dealer_id}) {
    std::vector<NodeId> order = Roles::all();
    do {
      free_places.acquire();
      threads.emplace_back([&free_places, order, odd] {
        for (const bool encrypted : {false, true}) start_in_order(order, odd, encrypted);
        free_places.release();
      });
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

// The dealer is interrupted while it stays: it ends with what it knows, and party 1, who is told
// nothing by it any more, tells the rest.
TEST(OrderOfStart, WhoWasToldTellsOthers) {
  Roles roles(1, true);
  roles.start(dealer_id);
  roles.start(1);
  roles.wait_until_it_stays(dealer_id);
  roles.wait_until_it_stays(1);
  EXPECT_NE(roles.said(dealer_id).find("epsilon = 0.1 here, 0.2 at party 1; stays up to "),
            std::string::npos)
      << roles.said(dealer_id);
  EXPECT_NE(roles.said(dealer_id).find(" to tell party 0, actor, too"), std::string::npos)
      << roles.said(dealer_id);
  roles.interrupt(dealer_id);
  expect_cause(dealer_id, roles.end_of(dealer_id), "the dealer leaves, role ");
  for (const NodeId role : {NodeId{0}, NodeId{2}}) {
    roles.start(role);
    roles.wait_until_it_stays(role);
    EXPECT_NE(roles.said(role).find("the dealer, too"), std::string::npos) << roles.said(role);
  }
  for (const NodeId role : {NodeId{0}, NodeId{1}, NodeId{2}}) roles.interrupt(role);
  for (const NodeId role : {NodeId{0}, NodeId{1}, NodeId{2}}) {
    expect_cause(role, roles.end_of(role), "the dealer has left, role ");
  }
}

}  // namespace
}  // namespace sotto::net
