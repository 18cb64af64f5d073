#include "sotto/apps/kit/deploy/peer_checks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace sotto::apps {
namespace {

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
  PeerSeen peer;
  peer.name = "party 1";
  peer.id = 1;
  peer.address = "b.example:7101";
  peer.state = State::answered;
  peer.fingerprint = "sha256:bb";
  peer.answer = mine();
  peer.answer.sender = 1;
  peer.answer.what = net::Probe::What::role;
  peer.uncertainty = milliseconds(10);
  return peer;
}

Findings judged(const PeerSeen& peer) { return judge(peer, mine(), Topology(2)); }

// The finding of that subject; a failure where there is none.
Finding of(const Findings& findings, const std::string& subject) {
  for (const Finding& finding : findings) {
    if (finding.subject == subject) return finding;
  }
  ADD_FAILURE() << "nothing was found out about " << subject;
  return {};
}

TEST(PeerChecks, AHealthyPeerIsWellInEveryWay) {
  const Findings findings = judged(healthy());
  EXPECT_EQ(findings.size(), 5u);
  for (const Finding& finding : findings) EXPECT_EQ(finding.verdict, Verdict::good) << finding.text;
  EXPECT_NE(of(findings, "party 1").text.find("b.example:7101"), std::string::npos);
  EXPECT_NE(of(findings, "party 1 certificate").text.find("sha256:bb"), std::string::npos);
  PeerSeen in_plain_text = healthy();
  in_plain_text.fingerprint.clear();
  EXPECT_EQ(judged(in_plain_text).size(), 4u);  // nothing was proved
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
  EXPECT_NE(behind.text.find("60 s behind this machine's"), std::string::npos) << behind.text;
  EXPECT_NE(clock(seconds(7), {}).text.find("7 s ahead of"), std::string::npos);
  EXPECT_NE(behind.advice.find("time server"), std::string::npos);
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
    EXPECT_NE(findings[0].advice.find(c.advice), std::string::npos) << findings[0].advice;
  }
}

}  // namespace
}  // namespace sotto::apps
