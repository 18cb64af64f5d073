#include <algorithm>
#include <latch>
#include <set>

#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/mesh/driver/session.h"
#include "tests/net/mesh/driver/powers.h"

namespace sotto::net::testing {
namespace {

constexpr std::size_t longest_frame = 64;
constexpr unsigned long_power = 12;

std::uint64_t power(std::uint64_t x, unsigned exponent) {
  std::uint64_t result = 1;
  for (unsigned i = 0; i < exponent; ++i) result *= x;
  return result;
}

class ConcurrentOf : public ::testing::TestWithParam<std::tuple<std::size_t, bool>> {
 protected:
  const Topology topology_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

TEST_P(ConcurrentOf, OthersTheProgramsGiveTheSameAtTheSameCost) {
  Kept<std::uint64_t> dealt;
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    std::uint64_t sent = 0, planned_dealt = 0, rounds = 0;
    const auto count = [&](const Ledger& ledger) {
      sent += ledger.total().sent[role];
      planned_dealt += ledger.total().dealt;
      rounds += ledger.total().rounds;
    };
    const Ledger beside_ledger = plan_of_power(topology_, long_power);
    for (unsigned k = 0; k < 4; ++k) {
      std::optional<Seen> concurrent;
      session.begin(
          entry_of(90 + k), ConcurrentSize{rounds_of(long_power), longest_frame},
          [&](Party& party) { return power_of(party, k + 3, long_power); }, [&](Seen seen) { concurrent = seen; });
      count(beside_ledger);
      for (unsigned i = 0; i < 5; ++i) {
        if (i == 2) {
          session.skip(rounds_of(3));
          if (role == topology_.last_party()) planned_dealt += plan_of_power(topology_, 3).total().dealt;
          continue;
        }
        const auto run = session.run(entry_of(i), [&](Party& party) { return power_of(party, i + 2, 3); });
        if (topology_.is_party(role)) {
          EXPECT_EQ(run.result.result, power(i + 2, 3));
        }
        count(run.ledger);
      }
      EXPECT_FALSE(concurrent) << "it is given within wait()";
      EXPECT_EQ(session.wait(-1, never).kind, SessionEvent::Kind::ended);
      ASSERT_TRUE(concurrent);
      if (topology_.is_party(role)) {
        EXPECT_EQ(concurrent->result, power(k + 3, long_power));
      }
    }
    session.finish();
    EXPECT_EQ(session.statistics().rounds, rounds);
    EXPECT_EQ(session.statistics().total_bytes_sent(), sent);
    if (role != topology_.last_party()) return;
    EXPECT_EQ(session.statistics().dealt_bytes, planned_dealt);
  };
  parts.dealer = [&](DealerSession& session) {
    for (unsigned k = 0; k < 4; ++k) {
      (void)session.deal([&](Party& party) { return power_of(party, 0, long_power); });
      for (unsigned i = 0; i < 5; ++i) (void)session.deal([&](Party& party) { return power_of(party, 0, 3); });
    }
    session.finish();
  };
  expect_all(play(topology_, parts), 0);
}

// In one program the other roles are ahead of the late role, and in the other program they wait for the late role.
TEST_P(ConcurrentOf, RolesThatAreAheadDoNotWaitForEachOther) {
  Parts parts;
  std::vector<std::unique_ptr<std::latch>> begun;
  for (int i = 0; i < 6; ++i) begun.push_back(std::make_unique<std::latch>(1));
  parts.node = [&](NodeSession& session, NodeId role) {
    std::optional<Seen> concurrent;
    const auto begin = [&] {
      session.begin(
          entry_of(9), ConcurrentSize{rounds_of(long_power), longest_frame},
          [&](Party& party) { return power_of(party, 3, long_power); }, [&](Seen seen) { concurrent = seen; });
    };
    for (unsigned k = 0; k < 6; ++k) {
      const bool late = k % topology_.nodes() == role;
      if (late) begun[k]->wait();
      if (k == 0) begin();
      if (k % topology_.nodes() == 0 ? role == 1 : role == 0) begun[k]->count_down();
      const auto run = session.run(entry_of(k), [&](Party& party) { return power_of(party, k + 2, 2); });
      if (topology_.is_party(role)) {
        EXPECT_EQ(run.result.result, power(k + 2, 2));
      }
    }
    while (!concurrent) EXPECT_EQ(session.wait(-1, never).kind, SessionEvent::Kind::ended);
    if (topology_.is_party(role)) {
      EXPECT_EQ(concurrent->result, power(3, long_power));
    }
    session.finish();
  };
  parts.dealer = [&](DealerSession& session) {
    (void)session.deal([](Party& party) { return power_of(party, 0, long_power); });
    for (unsigned k = 0; k < 6; ++k) (void)session.deal([](Party& party) { return power_of(party, 0, 2); });
    session.finish();
  };
  expect_all(play(topology_, parts), 0);
}

TEST_P(ConcurrentOf, AWaitTakesMessagesMeanwhile) {
  const NodeId actor = topology_.outside_node();
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    std::optional<Seen> concurrent;
    session.begin(
        entry_of(1), ConcurrentSize{rounds_of(long_power), longest_frame},
        [&](Party& party) { return power_of(party, 2, long_power); }, [&](Seen seen) { concurrent = seen; });
    unsigned received = 0;
    const unsigned to_hear = role == actor              ? static_cast<unsigned>(topology_.parties())
                             : topology_.is_party(role) ? 1
                                                        : 0;
    if (role == actor) {
      for (NodeId party = 0; party < topology_.parties(); ++party) session.send(party, bytes_of("how far?"));
    }
    while (received < to_hear || !concurrent) {
      const SessionEvent event = session.wait(-1, never);
      if (event.kind != SessionEvent::Kind::message) continue;
      ++received;
      if (role != actor) session.send(actor, bytes_of("here"));
    }
    session.finish();
  };
  parts.dealer = [&](DealerSession& session) {
    (void)session.deal([](Party& party) { return power_of(party, 0, long_power); });
    session.finish();
  };
  expect_all(play(topology_, parts), 0);
}

INSTANTIATE_TEST_SUITE_P(Parties, ConcurrentOf,
                         ::testing::Combine(::testing::Values(2u, 3u, 5u), ::testing::Values(false, true)));

void deal_two(DealerSession& session) {
  (void)session.deal([](Party& party) { return power_of(party, 0, long_power); });
  (void)session.deal([](Party& party) { return power_of(party, 0, 2); });
  (void)session.wait(-1, never);
}

std::map<NodeId, Outcome> played(const std::function<void(NodeSession&, NodeId)>& begin) {
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    begin(session, role);
    (void)session.run(entry_of(0), [](Party& party) { return power_of(party, 3, 2); });
    (void)session.wait(-1, never);
    (void)session.wait(-1, never);
  };
  parts.dealer = deal_two;
  return play(Topology(3), parts);
}

TEST(Concurrent, NodesThatAreNotAboutTheSameThingNotice) {
  expect_all(played([](NodeSession& session, NodeId role) {
               session.begin(
                   entry_of(role == 1 ? 7 : 8), ConcurrentSize{rounds_of(long_power), longest_frame},
                   [](Party& party) { return power_of(party, 3, long_power); }, [](Seen) {});
             }),
             4);
}

TEST(Concurrent, FramesThatAreLongerThanWasSaidAreRefused) {
  std::latch sent(1);
  const auto outcomes = played([&](NodeSession& session, NodeId role) {
    // Party 1 begins after party 0 has sent its first frame, so party 1 must store that frame until its own program
    // begins.
    if (role == 1) sent.wait();
    session.begin(
        entry_of(8), ConcurrentSize{rounds_of(long_power), role == 1 ? 0 : longest_frame},
        [](Party& party) { return power_of(party, 3, long_power); }, [](Seen) {});
    if (role == 0) sent.count_down();
  });
  expect_all(outcomes, 4, "and no frame of this program has more than 0");
}

TEST(Concurrent, WhatItThrowsEndsItAtAll) {
  expect_all(played([](NodeSession& session, NodeId role) {
               session.begin(
                   entry_of(8), ConcurrentSize{rounds_of(long_power), longest_frame},
                   [role](Party& party) -> Task<Seen> {
                     if (role == 1) throw InputError("no data");
                     return power_of(party, 3, long_power);
                   },
                   [](Seen) {});
             }),
             2, "no data");
}

TEST(Concurrent, WithADealerThereIsOneAtATime) {
  Parts parts;
  parts.node = [](NodeSession& session, NodeId) {
    const auto begin = [&] {
      session.begin(
          entry_of(8), ConcurrentSize{rounds_of(2), longest_frame}, [](Party& party) { return power_of(party, 3, 2); },
          [](Seen) {});
    };
    begin();
    EXPECT_THROW(begin(), std::logic_error);
    EXPECT_THROW(session.finish(), std::logic_error);
    EXPECT_EQ(session.wait(-1, never).kind, SessionEvent::Kind::ended);
    session.finish();
  };
  parts.dealer = [](DealerSession& session) {
    (void)session.deal([](Party& party) { return power_of(party, 0, 2); });
    session.finish();
  };
  expect_all(play(Topology(2), parts), 0);
}

// Party 0's word goes from party to party `times` times, and each party adds one to the word.
Task<std::uint64_t> go_round(Party& party, std::uint64_t word, std::size_t times) {
  const std::size_t parties = party.topology().parties();
  std::uint64_t mine = word;
  for (std::size_t i = 0; i < times; ++i) {
    const auto from = static_cast<NodeId>(i % parties);
    const auto to = static_cast<NodeId>((i + 1) % parties);
    Words sent(party.is(from) ? 1 : 0, mine + 1);
    const Words received = co_await protocols::deliver(party, from, to, std::move(sent), 1, "word");
    if (!received.empty()) mine = received[0];
  }
  co_return mine;
}

class SeveralBeside : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Topology topology_ = Topology::without_dealer(GetParam(), true, true);
};

TEST_P(SeveralBeside, EachGivesTheSameAsAlone) {
  constexpr std::size_t count = 12;
  const std::size_t parties = GetParam();
  const auto rounds_at = [&](std::size_t k) { return parties * (1 + (k * 5) % 7); };
  Parts parts;
  std::vector<std::unique_ptr<std::latch>> turns;
  for (std::size_t i = 0; i < count; ++i) turns.push_back(std::make_unique<std::latch>(1));
  parts.node = [&](NodeSession& session, NodeId role) {
    std::vector<std::optional<std::uint64_t>> results(count);
    std::uint64_t sent = 0, rounds = 0;
    const auto planned = [&](std::size_t times) {
      const Ledger ledger = protocols::plan(topology_, [&](Party& party) { return go_round(party, 0, times); });
      sent += ledger.total().sent[role];
      rounds += ledger.total().rounds;
    };
    for (std::size_t k = 0; k < count; ++k) {
      if (role == k % topology_.nodes()) turns[k]->wait();
      // The first three programs start now. Each later program is only registered now, and starts when program k - 3
      // has ended.
      const auto may_start = [&results, k] { return k < 3 || results[k - 3].has_value(); };
      session.begin(
          entry_of(static_cast<unsigned>(k)), ConcurrentSize{rounds_at(k), longest_frame},
          [=](Party& party) { return go_round(party, 100 * k, rounds_at(k)); },
          [&results, k](std::uint64_t result) { results[k] = result; },
          k % 3 == 2 ? std::function<bool()>(may_start) : nullptr);
      planned(rounds_at(k));
      if (role == (k + 1) % topology_.nodes()) turns[k]->count_down();
      if (k % 4 == 3) {
        session.skip(3);
        continue;
      }
      const auto run = session.run(entry_of(77), [&](Party& party) { return go_round(party, k, parties); });
      if (role == 0) {
        EXPECT_EQ(run.result, k + parties);
      }
      planned(parties);
    }
    session.wait_for_concurrent([&] { return results[count - 2].has_value(); });
    while (std::any_of(results.begin(), results.end(), [](const auto& one) { return !one; })) {
      EXPECT_EQ(session.wait(-1, never).kind, SessionEvent::Kind::ended);
    }
    for (std::size_t k = 0; k < count && role == 0; ++k) EXPECT_EQ(*results[k], 100 * k + rounds_at(k));
    session.finish();
    EXPECT_EQ(session.statistics().rounds, rounds);
    EXPECT_EQ(session.statistics().total_bytes_sent(), sent);
  };
  expect_all(play(topology_, parts), 0);
}

INSTANTIATE_TEST_SUITE_P(Parties, SeveralBeside, ::testing::Values(2u, 3u, 5u));

TEST(SeveralBesideOthers, OneThatHasNotStartedKeepsNoOther) {
  Parts parts;
  parts.node = [](NodeSession& session, NodeId role) {
    bool may_start = role != 1;
    std::size_t ended = 0;
    for (unsigned k = 0; k < 2; ++k) {
      session.begin(
          entry_of(k), ConcurrentSize{4, longest_frame}, [](Party& party) { return go_round(party, 0, 4); },
          [&](std::uint64_t) { ++ended; }, k == 0 ? std::function<bool()>([&] { return may_start; }) : nullptr);
    }
    for (unsigned k = 0; k < 5; ++k) {
      (void)session.run(entry_of(k), [](Party& party) { return go_round(party, 0, 2); });
    }
    session.wait_for_concurrent([&] { return ended >= 1; });
    EXPECT_THROW(session.finish(), std::logic_error);
    may_start = true;
    session.wait_for_concurrent([&] { return ended == 2; });
    session.finish();
  };
  expect_all(play(Topology::without_dealer(2, true, true), parts), 0);
}

TEST(SeveralBesideOthers, ThereAreSoManyAndNoMore) {
  Parts parts;
  parts.node = [](NodeSession& session, NodeId) {
    std::size_t ended = 0;
    bool may_start = false;
    const auto begin = [&] {
      session.begin(
          entry_of(1), ConcurrentSize{2, longest_frame}, [](Party& party) { return go_round(party, 0, 2); },
          [&](std::uint64_t) { ++ended; }, [&] { return may_start; });
    };
    for (std::size_t i = 0; i < most_concurrent; ++i) begin();
    EXPECT_THROW(begin(), std::logic_error);
    may_start = true;
    session.wait_for_concurrent([&] { return ended == most_concurrent; });
    session.finish();
  };
  expect_all(play(Topology::without_dealer(2, true), parts), 0);
}

TEST(SeveralBesideOthers, WhatOneThrowsEndsItAtAll) {
  Parts parts;
  parts.node = [](NodeSession& session, NodeId role) {
    bool may_start = false;
    for (unsigned k = 0; k < 2; ++k) {
      session.begin(
          entry_of(k), ConcurrentSize{2, longest_frame},
          [role, k](Party& party) {
            if (role == 1 && k == 1) throw InputError("no data");
            return go_round(party, 0, 2);
          },
          [&](std::uint64_t) { may_start = true; },
          k == 1 ? std::function<bool()>([&] { return may_start; }) : nullptr);
    }
    session.wait_for_concurrent([] { return false; });
  };
  expect_all(play(Topology::without_dealer(2, true), parts), 2, "no data");
}

}  // namespace
}  // namespace sotto::net::testing
