#include "sotto/protocol/mesh/driver/session.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <latch>
#include <set>

#include "tests/net/mesh/driver/powers.h"

namespace sotto::net::testing {
namespace {

class SessionOf : public ::testing::TestWithParam<std::tuple<std::size_t, bool>> {
 protected:
  const Topology topology_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

TEST_P(SessionOf, RolesThatPollAtOnceGoOn) {
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    for (unsigned k = 0; k < 3; ++k) {
      std::optional<std::chrono::microseconds> spin;
      if (k == 1) spin = std::chrono::microseconds(200);
      const auto run = session.run(
          entry_of(k), [&](Party& party) { return power_of(party, k + 2, 2); }, spin);
      if (topology_.is_party(role)) {
        EXPECT_EQ(run.result.result, (k + 2) * (k + 2));
      }
    }
    session.finish();
  };
  parts.dealer = [&](DealerSession& session) {
    for (unsigned k = 0; k < 3; ++k) (void)session.deal([&](Party& party) { return power_of(party, k + 2, 2); });
    session.finish();
  };
  DriverOptions options;
  options.spin = std::chrono::microseconds(0);
  (void)play(topology_, parts, options);
}

TEST_P(SessionOf, ManyProgramsGiveTheirResultsAtTheirPlannedCost) {
  Kept<std::uint64_t> dealt;
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    std::uint64_t sent = 0;
    std::uint64_t planned_dealt = 0;
    std::uint64_t rounds = 0;
    for (unsigned k = 0; k < 20; ++k) {
      const unsigned power = 1 + k % 4;
      const auto run = session.run(entry_of(k), [&](Party& party) { return power_of(party, k + 2, power); });
      std::uint64_t expected = 1;
      for (unsigned i = 0; i < power; ++i) expected *= k + 2;
      if (topology_.is_party(role)) {
        EXPECT_EQ(run.result.result, expected);
      }
      EXPECT_EQ(run.ledger.total().rounds, rounds_of(power));
      sent += run.ledger.total().sent[role];
      planned_dealt += run.ledger.total().dealt;
      rounds += rounds_of(power);
    }
    EXPECT_EQ(session.programs(), 20u);
    session.finish();
    EXPECT_EQ(session.statistics().rounds, rounds);
    EXPECT_EQ(session.statistics().total_bytes_sent(), sent);
    if (role == topology_.last_party()) {
      EXPECT_EQ(session.statistics().dealt_bytes, planned_dealt);
      dealt.add(planned_dealt);
    }
  };
  parts.dealer = [&](DealerSession& session) {
    for (unsigned k = 0; k < 20; ++k) (void)session.deal([&](Party& party) { return power_of(party, 0, 1 + k % 4); });
    dealt.add(session.statistics().dealt_bytes);
    session.finish();
  };
  expect_all(play(topology_, parts), 0);
  ASSERT_EQ(dealt.values().size(), 2u);
  EXPECT_EQ(dealt.values()[0], dealt.values()[1]);
}

TEST_P(SessionOf, SkippedProgramsTakeTheirRandomnessWithThem) {
  Kept<std::uint64_t> masked;
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    for (unsigned k = 0; k < 6; ++k) {
      if (k % 3 == 1) {
        session.skip(rounds_of(3));
        continue;
      }
      const auto run = session.run(entry_of(1), [&](Party& party) { return power_of(party, 5, 3); });
      if (topology_.is_party(role)) {
        EXPECT_EQ(run.result.result, 125u);
      }
      if (role == 0) masked.add(run.result.masked);
    }
    session.finish();
  };
  parts.dealer = [&](DealerSession& session) {
    for (unsigned k = 0; k < 6; ++k) (void)session.deal([&](Party& party) { return power_of(party, 0, 3); });
    session.finish();
  };
  expect_all(play(topology_, parts), 0);
  EXPECT_EQ(std::set(masked.values().begin(), masked.values().end()).size(), 4u);
}
// A node reads nothing behind a frame until a program has used the frame. However long the frame waits, the node must
// not report the peer as silent.
TEST(SessionThatIdles, DoesNotBlameWhoseFrameLiesThere) {
  DriverOptions options;
  options.round_deadline = std::chrono::seconds(1);
  Parts parts;
  parts.node = [](NodeSession& session, NodeId role) {
    // The actor receives nothing in the program, so the actor may have finished before a party checks its links.
    const SessionEvent event = session.wait(-1, Clock::now() + std::chrono::milliseconds(2500));
    EXPECT_THAT(event.kind, ::testing::AnyOf(SessionEvent::Kind::late, SessionEvent::Kind::finished));
    const auto run = session.run(entry_of(1), [](Party& party) { return power_of(party, 3, 2); });
    if (role < 2) {
      EXPECT_EQ(run.result.result, 9u);
    }
    session.finish();
  };
  parts.dealer = [](DealerSession& session) {
    (void)session.deal([](Party& party) { return power_of(party, 0, 2); });
    EXPECT_EQ(session.wait(-1, never).kind, SessionEvent::Kind::finished);
    session.finish();
  };
  expect_all(play(Topology(2), parts, options), 0);
}

INSTANTIATE_TEST_SUITE_P(Parties, SessionOf,
                         ::testing::Combine(::testing::Values(2u, 3u, 5u), ::testing::Values(false, true)));

TEST(Session, MessagesComeInOrderBetweenProgramsAndDuringThem) {
  const Topology topology(2);
  const NodeId actor = topology.outside_node();
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    if (role == actor) {
      for (NodeId party = 0; party < 2; ++party) session.send(party, bytes_of("first"));
      session.send(dealer_id, bytes_of("deal"));
      for (NodeId party = 0; party < 2; ++party) session.send(party, std::vector<std::byte>(longest_message));
    } else {
      const SessionEvent first = session.wait(-1, never);
      EXPECT_EQ(first.kind, SessionEvent::Kind::message);
      EXPECT_EQ(first.from, actor);
      EXPECT_EQ(text_of(first.bytes), "first");
    }
    EXPECT_EQ(session.run(entry_of(0), [](Party& party) { return power_of(party, 3, 2); }).result.result,
              topology.is_party(role) ? 9u : 0u);
    if (role == actor) {
      for (NodeId party = 0; party < 2; ++party) {
        const SessionEvent answer = session.wait(-1, never);
        EXPECT_EQ(text_of(answer.bytes), "done");
      }
    } else {
      EXPECT_EQ(session.wait(-1, never).bytes.size(), longest_message);
      session.send(actor, bytes_of("done"));
      EXPECT_EQ(session.wait(-1, never).kind, SessionEvent::Kind::finished);
    }
    session.finish();
  };
  parts.dealer = [&](DealerSession& session) {
    EXPECT_EQ(text_of(session.wait(-1, never).bytes), "deal");
    (void)session.deal([](Party& party) { return power_of(party, 0, 2); });
    EXPECT_EQ(session.wait(-1, never).kind, SessionEvent::Kind::finished);
    session.finish();
  };
  expect_all(play(topology, parts), 0);
}

TEST(Session, TheDealerRunsAheadOfIdleNodesUntilTheirBuffersAreFull) {
  constexpr unsigned programs = 400;
  const Topology topology(2);
  std::latch dealing(1);
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    dealing.wait();
    for (unsigned k = 0; k < programs; ++k) {
      const auto run = session.run(entry_of(0), [&](Party& party) { return power_of(party, k, 2); });
      if (topology.is_party(role)) {
        EXPECT_EQ(run.result.result, std::uint64_t{k} * k);
      }
    }
    session.finish();
  };
  parts.dealer = [&](DealerSession& session) {
    for (unsigned k = 0; k < programs; ++k) {
      (void)session.deal([](Party& party) { return power_of(party, 0, 2); });
      if (k == 100) dealing.count_down();
    }
    session.finish();
  };
  expect_all(play(topology, parts), 0);
}

TEST(Session, ADescriptorAndATimeEndAWait) {
  const int wake = eventfd(0, EFD_CLOEXEC);
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    if (role == 0) {
      EXPECT_EQ(session.wait(wake, Clock::now()).kind, SessionEvent::Kind::late);
      const std::uint64_t one = 1;
      EXPECT_EQ(write(wake, &one, sizeof one), static_cast<ssize_t>(sizeof one));
      EXPECT_EQ(session.wait(wake, never).kind, SessionEvent::Kind::woken);
    } else {
      EXPECT_EQ(session.wait(-1, never).kind, SessionEvent::Kind::finished);
    }
    session.finish();
  };
  parts.dealer = [](DealerSession& session) {
    EXPECT_EQ(session.wait(-1, never).kind, SessionEvent::Kind::finished);
    session.finish();
  };
  expect_all(play(Topology(2), parts), 0);
  close(wake);
}

void deal_one(DealerSession& session) {
  (void)session.deal([](Party& party) { return power_of(party, 0, 2); });
  (void)session.wait(-1, never);
  session.finish();
}

TEST(Session, NodesThatAreNotAboutTheSameThingNotice) {
  Parts parts;
  parts.node = [](NodeSession& session, NodeId role) {
    (void)session.run(entry_of(role == 1 ? 7 : 8), [](Party& party) { return power_of(party, 3, 2); });
    session.finish();
  };
  parts.dealer = deal_one;
  expect_all(play(Topology(3), parts), 4);
}

TEST(Session, NodesThatSkipWhatOthersRunNotice) {
  Parts parts;
  parts.node = [](NodeSession& session, NodeId role) {
    if (role == 1) session.skip(rounds_of(2));
    (void)session.run(entry_of(0), [](Party& party) { return power_of(party, 3, 2); });
    session.finish();
  };
  parts.dealer = [](DealerSession& session) {
    (void)session.deal([](Party& party) { return power_of(party, 0, 2); });
    (void)session.deal([](Party& party) { return power_of(party, 0, 2); });
    session.finish();
  };
  expect_all(play(Topology(2), parts), 4);
}

TEST(Session, WhatOneRoleThrowsEndsItAtAllWhileTheyWait) {
  Parts parts;
  parts.node = [](NodeSession& session, NodeId role) {
    if (role == 1) {
      (void)session.run(entry_of(0), [](Party&) -> Task<Seen> { throw InputError("no data"); });
    }
    (void)session.wait(-1, never);
    ADD_FAILURE() << "the wait ended at role " << int{role};
  };
  parts.dealer = [](DealerSession& session) { (void)session.wait(-1, never); };
  expect_all(play(Topology(3, true), parts), 2, "no data");
}

TEST(Session, ASilentRoleIsLostWhileOthersWait) {
  DriverOptions options;
  options.round_deadline = std::chrono::milliseconds(300);
  std::latch others(3);
  Parts parts;
  parts.node = [&](NodeSession& session, NodeId role) {
    if (role == 1) {
      others.wait();
      return;
    }
    try {
      (void)session.wait(-1, never);
      ADD_FAILURE() << "the wait ended at role " << int{role};
    } catch (...) {
      others.count_down();
      throw;
    }
  };
  parts.dealer = [&](DealerSession& session) {
    try {
      (void)session.wait(-1, never);
    } catch (...) {
      others.count_down();
      throw;
    }
  };
  auto outcomes = play(Topology(2), parts, options);
  outcomes.erase(1);
  expect_all(outcomes, 3, "party 1");
}

TEST(Session, MessagesThatAreTooLongOrTooManyEndIt) {
  const auto told = [](const std::function<void(NodeSession&)>& say) {
    Parts parts;
    parts.node = [&](NodeSession& session, NodeId role) {
      if (role == 0) say(session);
      (void)session.run(entry_of(0), [](Party& party) { return power_of(party, 3, 2); });
      (void)session.wait(-1, never);
    };
    parts.dealer = deal_one;
    return play(Topology(2), parts);
  };
  expect_all(told([](NodeSession& session) { session.send(1, std::vector<std::byte>(longest_message + 1)); }), 4,
             "party 0");
  expect_all(told([](NodeSession& session) {
               for (int i = 0; i < 65; ++i) session.send(1, bytes_of("again"));
             }),
             4, "party 0");
}

TEST(Session, ALinkOfASingleRunTakesNoMessage) {
  const auto outcomes = run_roles(tcp_configs(Topology(2)), [](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    if (role == 0) mesh.link(1).post(FrameType::message, 0, bytes_of("x"));
    run_chatter(mesh, Chatter{50, 5, 40});
  });
  EXPECT_EQ(outcomes.at(1).code, 4);
  EXPECT_THAT(outcomes.at(1).message, HasSubstr("party 0"));
}

TEST(Session, RefusesToDealAhead) {
  const auto outcomes = set_up_all(tcp_configs(Topology(2)), [](NodeId role, Mesh& mesh) {
    DriverOptions options;
    options.deal_ahead = true;
    if (role != dealer_id) {
      EXPECT_THROW(NodeSession(mesh, options, 1), std::invalid_argument);
    }
  });
  expect_all(outcomes, 0);
}

}  // namespace
}  // namespace sotto::net::testing
