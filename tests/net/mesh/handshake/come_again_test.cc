// A role that is killed while its peers set up their links, and started anew within an instant: its newer link takes
// the place of the old one, whichever of the two is noticed first. And what a peer tells during the set-up is told on
// once, so that it dies out among roles that begin theirs anew.
#include <thread>

#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/transport/descriptor_stream.h"
#include "tests/net/hostile.h"
#include "tests/net/transport/tls/encrypted_roles.h"

namespace sotto::net::testing {
namespace {

constexpr NodeId actor = 2;
constexpr std::chrono::milliseconds a_moment{20};

// One life of the actor, at its link with party 0.
class Life {
 public:
  // It shows the key of `shows`.
  Life(std::map<NodeId, MeshConfig>& configs, const Address& party, NodeId shows = actor)
      : link_(0, Topology(2),
              configs.at(shows).wrap(std::make_unique<DescriptorStream>(connected(party)), false, NodeId{0})) {
    const MeshConfig& config = configs.at(actor);
    Hello hello;
    hello.sender = actor;
    hello.parties = 2;
    hello.session = config.session;
    hello.nonce = fresh_nonce();
    hello.parameters = config.parameters;
    link_.post(FrameType::hello, 0, encode(hello));
  }
  // The party has its hello, or has dropped it.
  void say() {
    while (!link_.flush()) wait();
  }
  // Type of the first frame that the party says; nothing if it closes the link.
  std::optional<FrameType> hear() {
    for (;;) {
      link_.flush();
      if (const auto header = link_.next()) return header->type;
      if (link_.closed()) return std::nullopt;
      wait();
    }
  }
  void die() { link_.close(); }
  void tell(const Failure& failure) {
    link_.post(FrameType::failed, 0, encode(failure));
    say();
  }

 private:
  static int connected(const Address& address) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(address.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
      throw std::runtime_error("the test's peer cannot connect");
    }
    return socket;
  }
  void wait() {
    const Waitable wanted = link_.wait_for(true);
    wait_any(std::span(&wanted, 1), a_moment);
  }

  Link link_;
};

// Party 0 sets up its links on a thread, until it is interrupted or fails.
class ComeAgain : public ::testing::Test {
 protected:
  ComeAgain() : configs_(encrypted_configs(Topology(2))), party_(configs_.at(0).listener->address()) {
    MeshConfig& config = configs_.at(0);
    config.interrupted = &interrupted_;
    config.begins_anew = true;
    config.notice = [this](const std::string&) {
      stays_ = true;
      interrupted_ = true;
    };
    thread_ = std::jthread([this, mine = std::move(config)]() mutable {
      outcome_ = outcome_of([&] { (void)set_up_mesh(std::move(mine)); });
    });
  }
  Outcome end() {
    thread_.join();
    return outcome_;
  }
  Outcome interrupt() {
    interrupted_ = true;
    return end();
  }

  std::map<NodeId, MeshConfig> configs_;
  Address party_;
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> stays_{false};  // to tell those that have not come
  Outcome outcome_;
  std::jthread thread_;
};

TEST_F(ComeAgain, TheNewerLinkTakesThePlaceOfADeadOne) {
  Life first(configs_, party_);
  EXPECT_EQ(first.hear(), FrameType::hello);
  Life second(configs_, party_);
  second.say();
  first.die();
  EXPECT_EQ(second.hear(), FrameType::hello);
  // And once more, where the death is seen before the newer link is there.
  second.die();
  Life third(configs_, party_);
  EXPECT_EQ(third.hear(), FrameType::hello);
  EXPECT_EQ(interrupt().code, 130) << outcome_.message;
}

TEST_F(ComeAgain, TwoThatLiveAreRefused) {
  Life first(configs_, party_);
  EXPECT_EQ(first.hear(), FrameType::hello);
  Life second(configs_, party_);
  EXPECT_EQ(second.hear(), FrameType::hello) << "so that it can be told";
  const Outcome outcome = end();
  EXPECT_EQ(outcome.code, 5) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr("two roles say that they are outside node"));
}

// A stranger has no certificate of the role that it says it is.
TEST_F(ComeAgain, AStrangerTakesNobodysPlace) {
  Life first(configs_, party_);
  EXPECT_EQ(first.hear(), FrameType::hello);
  Life stranger(configs_, party_, 1);
  std::optional<FrameType> answer;
  (void)outcome_of([&] { answer = stranger.hear(); });  // that it is mixed up, if it still hears it
  EXPECT_EQ(answer, std::nullopt);
  first.die();
  Life second(configs_, party_);
  EXPECT_EQ(second.hear(), FrameType::hello);
  EXPECT_EQ(interrupt().code, 130) << outcome_.message;
}

// The actor tells that this role has found the programs to differ.
Failure found_by(NodeId reporter) { return {ExitCode::disagreement, actor, reporter, 0, "the programs differ"}; }

TEST_F(ComeAgain, AFailureAtFirstHandIsToldOn) {
  Life life(configs_, party_);
  EXPECT_EQ(life.hear(), FrameType::hello);
  life.tell(found_by(actor));
  const Outcome outcome = end();
  EXPECT_EQ(outcome.code, 5) << outcome.message;
  EXPECT_TRUE(stays_);
}

TEST_F(ComeAgain, AFailureAtSecondHandIsNot) {
  Life life(configs_, party_);
  EXPECT_EQ(life.hear(), FrameType::hello);
  life.tell(found_by(1));
  const Outcome outcome = end();
  EXPECT_EQ(outcome.code, 5) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr("party 1 reports: the programs differ"));
  EXPECT_FALSE(stays_);
}

TEST_F(ComeAgain, AnEchoOfItsOwnIsALostPeer) {
  Life life(configs_, party_);
  EXPECT_EQ(life.hear(), FrameType::hello);
  life.tell(found_by(0));
  const Outcome outcome = end();
  EXPECT_EQ(outcome.code, 3) << outcome.message;
  EXPECT_THAT(outcome.message, HasSubstr("in a set-up before"));
  EXPECT_FALSE(stays_);
}

}  // namespace
}  // namespace sotto::net::testing
