#include <fmt/format.h>

#include "apps/kit/deploy/announcement.h"
#include "apps/kit/deploy/checks.h"
#include "apps/kit/deploy/finding.h"
#include "apps/kit/files/json.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

TEST(Findings, TheFirstProblemIsWhatCounts) {
  EXPECT_EQ(exit_code({}), ExitCode::done);
  EXPECT_EQ(exit_code({good("key", "there"), warning("clock", "late", "set it"),
                       note("actor", "cannot be asked", "ask there")}),
            ExitCode::done);
  EXPECT_EQ(exit_code({good("key", "there"), problem("listen", ExitCode::local_resource, "taken"),
                       problem("party 1", ExitCode::peer_lost, "away")}),
            ExitCode::local_resource);
}

TEST(Findings, ATableHasALineEachAndAVerdict) {
  EXPECT_EQ(to_table({good("key", "there"), good("party 1 clock", "the same")}),
            "ok       key            there\n"
            "ok       party 1 clock  the same\n"
            "all is well\n");
  EXPECT_EQ(
      to_table({warning("key", "old", "make a new one"), problem("party 1", ExitCode::peer_lost, "away", "start it"),
                problem("dealer", ExitCode::peer_lost, "away", "start it")}),
      "warning  key      old: make a new one\n"
      "problem  party 1  away: start it\n"
      "problem  dealer   away: start it\n"
      "2 problems, 1 warning\n");
}

TEST(Findings, JsonSaysTheSame) {
  const auto json =
      to_json({good("key", "there"), problem("party 1", ExitCode::peer_lost, "\"away\"", "go")}, "party 0");
  EXPECT_EQ(json["role"], "party 0");
  EXPECT_EQ(json["exit_code"], 3);
  ASSERT_EQ(json["findings"].size(), 2u);
  EXPECT_EQ(json["findings"][0]["verdict"], "ok");
  EXPECT_EQ(json["findings"][1]["verdict"], "problem");
  EXPECT_EQ(json["findings"][1]["subject"], "party 1");
  EXPECT_EQ(json["findings"][1]["text"], "\"away\"");
  EXPECT_EQ(json["findings"][1]["advice"], "go");
}

PROPERTY(AnnouncementProperties, SurvivesTheWire) {
  const auto rows = draw_in_range<std::size_t>(1, 1'000'000);
  const auto columns = draw_in_range<std::size_t>(1, 10'000);
  const double max_norm = draw_in_range(1, 8'001) / 1e3;
  const double bound = max_norm / std::sqrt(draw_in_range(1, 9));
  Announcement sent{rows, columns, bound};
  if (draw<bool>()) {
    sent.counts =
        CountPrivacy{draw_in_range(1, 1'000'001) / 1e3, draw_in_range<std::uint64_t>(1, 1'000'001), draw<bool>()};
  }
  const Announcement heard = parse_announcement(to_text(sent), "party 1");
  HOLDS(heard.rows == rows);
  HOLDS(heard.columns == columns);
  HOLDS(heard.bound == bound);
  HOLDS(heard.counts == sent.counts);
}

TEST(Announcement, AnythingElseIsRefused) {
  for (const char* text : {"",
                           "rows = 1\n",
                           "rows = 1\ncolumns = 2\nbound = 1",
                           "rows = 0\ncolumns = 2\nbound = 1\n",
                           "rows = 1\ncolumns = 0\nbound = 1\n",
                           "rows = -1\ncolumns = 2\nbound = 1\n",
                           "rows = 1\ncolumns = 2\nbound = nan\n",
                           "rows = 1\ncolumns = 2\nbound = inf\n",
                           "rows = 1\ncolumns = 2\nbound = -1\n",
                           "rows = 1\ncolumns = 2\nbound = 1e7\n",
                           "rows = 1\ncolumns = 99999999999\nbound = 1\n",
                           "rows = 99999999999999999999999\ncolumns = 1\nbound = 1\n",
                           "rows = 1\ncolumns = 2\nbound = 1\nmore = 1\n",
                           "rows = 1\ncolumns = 2\nbound = 1\nepsilon = 1\n",
                           "rows = 1\ncolumns = 2\nbound = 1\nrows_per_subject = 1\n",
                           "rows = 1\ncolumns = 2\nbound = 1\nepsilon = 0\nrows_per_subject = 1\n",
                           "rows = 1\ncolumns = 2\nbound = 1\nepsilon = nan\nrows_per_subject = 1\n",
                           "rows = 1\ncolumns = 2\nbound = 1\nepsilon = 1001\nrows_per_subject = 1\n",
                           "rows = 1\ncolumns = 2\nbound = 1\nepsilon = 1\nrows_per_subject = 0\n",
                           "rows = 1\ncolumns = 2\nbound = 1\nepsilon = 1\nrows_per_subject = 1000001\n",
                           "columns = 2\nrows = 1\nbound = 1\n"}) {
    EXPECT_THROW((void)parse_announcement(text, "party 1"), ProtocolError) << text;
  }
}

TEST(Announcement, StepsMustBeCountedAlike) {
  for (const std::uint64_t step : {0u, 1u}) {
    const Announcement heard = parse_announcement(to_text({5, 2, 1, step}), "party 1");
    EXPECT_EQ(heard.first_step, step);
  }
  EXPECT_FALSE(parse_announcement(to_text({5, 2, 1}), "party 1").first_step);
  EXPECT_THROW((void)parse_announcement("rows = 1\ncolumns = 2\nbound = 1\nfirst_step = 2\n", "x"), ProtocolError);
  static constexpr NodeNames names{"first clinic", "clinic", "registry", "clinics"};
  const Topology three = Topology::without_dealer(3, true, names);
  EXPECT_NO_THROW(check_rows({{5, 1, 1}, {5, 2, 1, 1}, {5, 2, 1, 1}}, three));
  EXPECT_THAT(error_of<DisagreementError>([&] {
                check_rows({{5, 1, 1}, {5, 2, 1, 1}, {5, 2, 1, 0}}, three);
              }),
              HasSubstr("clinic 1 counts its steps from 1, clinic 2 from 0"));
}

TEST(Announcement, RowsMustBeAligned) {
  EXPECT_NO_THROW(check_rows({{5, 1, 1}, {5, 2, 1}}, Topology(2)));
  EXPECT_THROW(check_rows({{5, 1, 1}, {5, 2, 1}, {6, 2, 1}}, Topology(3)), DisagreementError);
}

TEST(Announcement, ThoseWithoutDataDoNotCount) {
  const Announcement none = parse_announcement(to_text({}), "party 1");
  EXPECT_EQ(none.rows, 0u);
  EXPECT_EQ(none.columns, 0u);
  EXPECT_EQ(none.bound, 0);
  const Topology topology = Topology(2).with_owners(2);
  EXPECT_NO_THROW(check_rows({none, none, {5, 1, 1}, {5, 2, 1}}, topology));
  EXPECT_THAT(error_of<DisagreementError>([&] {
                check_rows({none, {5, 1, 1}, {5, 2, 1}, {6, 2, 1}}, topology);
              }),
              HasSubstr("party 1 has 5 rows, owner 1 has 6"));
}

TEST(Announcement, SharesOfBestArmsMustBeOfTheSameBits) {
  const std::string id(64, 'a');
  const auto with = [](const std::optional<std::string>& best) {
    Announcement announcement{5, 2, 1};
    announcement.best = best;
    return announcement;
  };
  EXPECT_EQ(parse_announcement(to_text(with(id)), "party 1").best, id);
  EXPECT_FALSE(parse_announcement(to_text(with({})), "party 1").best);
  for (const std::string& bad : {std::string(63, 'a'), std::string(64, 'A'), std::string()}) {
    EXPECT_THROW((void)parse_announcement(to_text(with(bad)), "party 1"), ProtocolError) << bad;
  }
  const auto agreed = [&](const std::vector<std::optional<std::string>>& ids, const Topology& topology) {
    return announced_data(topology, [&](NodeId node) { return to_text(with(ids.at(node))); }).best;
  };
  const auto refusal = [&](const std::vector<std::optional<std::string>>& ids, const Topology& topology) {
    return error_of<DisagreementError>([&] { return agreed(ids, topology); });
  };
  EXPECT_EQ(agreed({id, id, id}, Topology(3)), id);
  EXPECT_EQ(agreed({{}, {}}, Topology(2)), std::nullopt);
  EXPECT_THAT(refusal({id, id, std::string(64, 'b')}, Topology(3)),
              AllOf(HasSubstr("party 0 and party 2 are of different bits"), HasSubstr("from the same export"),
                    Not(HasSubstr(id))));
  EXPECT_THAT(refusal({id, {}}, Topology(2)), HasSubstr("party 0 has shares of best arms and party 1 has none"));
  EXPECT_THAT(refusal({{}, {}, id}, Topology(3)), HasSubstr("party 2 has shares of best arms and party 0 has none"));
  EXPECT_EQ(agreed({id, id, {}}, Topology(2).with_owners(1)), id) << "owners have no shares";
  EXPECT_THAT(refusal({id, id, id}, Topology(2).with_owners(1)), HasSubstr("owner 0 has shares of best arms"));
}

TEST(Announcement, RowsMustBeAboutTheSameCases) {
  const std::string order(64, 'a');
  const auto with = [](const std::string& digest) {
    Announcement announcement{5, 2, 1};
    announcement.order = digest;
    return announcement;
  };
  EXPECT_EQ(parse_announcement(to_text(with(order)), "party 1").order, order);
  EXPECT_FALSE(parse_announcement(to_text({5, 2, 1}), "party 1").order);
  for (const std::string& bad : {std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'), std::string()}) {
    EXPECT_THROW((void)parse_announcement(to_text(with(bad)), "party 1"), ProtocolError) << bad;
  }
  const Announcement none{5, 2, 1};
  EXPECT_NO_THROW(check_orders({with(order), none, with(order)}, Topology(3)));
  EXPECT_THAT(error_of<DisagreementError>([&] {
                check_orders({none, with(order), with(std::string(64, 'b'))}, Topology(3));
              }),
              StartsWith("the rows of party 1 and of party 2 are about other cases, or in another order"));
  EXPECT_EQ(order_warning({}, Topology(3)), "");
  EXPECT_THAT(order_warning({0, 2}, Topology(3)), HasSubstr("`cp rows.csv.order data.csv.order`"));
  EXPECT_THAT(order_warning({0, 2}, Topology(3)),
              StartsWith("party 0, party 2: nothing says that row t is about the same case as row t of the others"));
}

using State = net::Inquiry::State;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

net::Probe mine() {
  net::Probe probe;
  probe.sender = 0;
  probe.software = "0.4.0";
  probe.parameters = "program = bandit 1\nsteps = 10\ntrust_actor = \"sha256:aa\"\n";
  return probe;
}

PeerSeen healthy() {
  PeerSeen peer{.name = "party 1",
                .id = 1,
                .address = "b.example:7101",
                .state = State::answered,
                .trouble = {},
                .fingerprint = "sha256:bb",
                .answer = mine()};
  peer.answer.sender = 1;
  peer.answer.what = net::Probe::What::role;
  peer.uncertainty = milliseconds(10);
  return peer;
}

Findings judged(const PeerSeen& peer) { return judge(peer, mine(), Topology(2)); }

Finding of(const Findings& findings, const std::string& subject) {
  for (const Finding& finding : findings) {
    if (finding.subject == subject) return finding;
  }
  ADD_FAILURE() << "nothing was found out about " << subject;
  return {};
}

TEST(PeerChecks, ACertificateThatEndsIsAWarning) {
  PeerSeen peer = healthy();
  const auto now = std::chrono::system_clock::now();
  peer.valid_until = now + std::chrono::hours(24 * 59);
  EXPECT_EQ(of(judged(peer), "party 1 certificate").verdict, Verdict::warning);
  EXPECT_THAT(of(judged(peer), "party 1 certificate").text, HasSubstr("the certificate of party 1 ends on "));
  peer.valid_until = now + std::chrono::hours(24 * 61);
  EXPECT_EQ(of(judged(peer), "party 1 certificate").verdict, Verdict::good);
  peer.is_next = true;
  EXPECT_THAT(of(judged(peer), "party 1 certificate").text, HasSubstr("as in [next_trust]"));
  net::Certificate own{"sha256:aa", "party_0", now, now + std::chrono::hours(24 * 59)};
  EXPECT_EQ(check_certificate(own, now).verdict, Verdict::warning);
  own.valid_until = now + std::chrono::hours(24 * 61);
  EXPECT_EQ(check_certificate(own, now).verdict, Verdict::good);
}

TEST(PeerChecks, AHealthyPeerIsWellInEveryWay) {
  const Findings findings = judged(healthy());
  EXPECT_EQ(findings.size(), 5u);
  for (const Finding& finding : findings) EXPECT_EQ(finding.verdict, Verdict::good) << finding.text;
  EXPECT_THAT(of(findings, "party 1").text, HasSubstr("b.example:7101"));
  EXPECT_THAT(of(findings, "party 1 certificate").text, HasSubstr("sha256:bb"));
  PeerSeen in_plain_text = healthy();
  in_plain_text.fingerprint.clear();
  EXPECT_EQ(judged(in_plain_text).size(), 4u);
}

TEST(PeerChecks, AClockThatIsFarOffIsWarnedAbout) {
  const auto clock = [](microseconds ahead, microseconds uncertainty) {
    PeerSeen peer = healthy();
    peer.ahead = ahead;
    peer.uncertainty = uncertainty;
    return of(judged(peer), "party 1 clock");
  };
  EXPECT_EQ(clock(milliseconds(4900), {}).verdict, Verdict::good);
  EXPECT_EQ(clock(milliseconds(-4900), {}).verdict, Verdict::good);
  EXPECT_EQ(clock(milliseconds(5100), {}).verdict, Verdict::warning);
  EXPECT_EQ(clock(milliseconds(5100), milliseconds(200)).verdict, Verdict::good);
  const Finding behind = clock(seconds(-60), milliseconds(20));
  EXPECT_EQ(behind.verdict, Verdict::warning);
  EXPECT_THAT(behind.text, HasSubstr("60 s behind this machine's"));
  EXPECT_THAT(clock(seconds(7), {}).text, HasSubstr("7 s ahead of"));
  EXPECT_THAT(behind.advice, HasSubstr("time server"));
}

TEST(PeerChecks, VersionsAreCompared) {
  PeerSeen peer = healthy();
  peer.answer.software = "0.5.0\x1b[2J";
  const Finding other = of(judged(peer), "party 1 version");
  EXPECT_EQ(other.verdict, Verdict::warning);
  EXPECT_EQ(other.text, "sotto 0.4.0 here, 0.5.0?[2J at party 1");
  peer.answer.version = 9;
  const Findings findings = judged(peer);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, ExitCode::disagreement);
  EXPECT_EQ(findings[0].text, fmt::format("wire version {} here, 9 at party 1", net::wire_version));
}

TEST(PeerChecks, TheFirstLineThatDiffersIsNamed) {
  PeerSeen peer = healthy();
  peer.answer.parameters = "program = bandit 1\nsteps = 11\n";
  const Finding differs = of(judged(peer), "party 1 config");
  EXPECT_EQ(differs.code, ExitCode::disagreement);
  EXPECT_EQ(differs.text, "steps = 10 here, 11 at party 1");
}

TEST(PeerChecks, WhatAWaitingProgramSaysOfItselfIsInNoConfig) {
  PeerSeen peer = healthy();
  peer.answer.parameters += "program bound of inputs = 16\nprogram digest = 1f2e\n";
  EXPECT_EQ(of(judged(peer), "party 1 config").verdict, Verdict::good);
}

TEST(PeerChecks, AnAddressOfAnotherRoleIsFoundOut) {
  PeerSeen peer = healthy();
  peer.answer.sender = net::dealer_id;
  const Findings findings = judged(peer);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, ExitCode::disagreement);
  EXPECT_EQ(findings[0].text, "the dealer answers at b.example:7101");
}

TEST(PeerChecks, EachWayOfNotAnsweringHasItsCodeAndItsAdvice) {
  struct Case {
    State state;
    bool resolved;
    ExitCode code;
    const char* advice;
  };
  for (const Case& c : {Case{State::unreachable, true, ExitCode::peer_lost, "start the role or `sotto doctor`"},
                        Case{State::unreachable, false, ExitCode::peer_lost, "check the spelling"},
                        Case{State::silent, true, ExitCode::peer_lost, "see the output of the role"},
                        Case{State::no_sotto, true, ExitCode::protocol_violation, "what holds that port"},
                        Case{State::not_trusted, true, ExitCode::not_trusted, ""}}) {
    PeerSeen peer = healthy();
    peer.state = c.state;
    peer.resolved = c.resolved;
    peer.trouble = "connection refused";
    const Findings findings = judged(peer);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].verdict, Verdict::problem);
    EXPECT_EQ(findings[0].code, c.code);
    EXPECT_EQ(findings[0].text, "b.example:7101: connection refused");
    EXPECT_THAT(findings[0].advice, HasSubstr(c.advice));
  }
  PeerSeen unknown = healthy();
  unknown.state = State::unreachable;
  unknown.resolved = false;
  EXPECT_EQ(judged(unknown).front().text, "b.example:7101: no answer");
}

}  // namespace
}  // namespace sotto::apps
