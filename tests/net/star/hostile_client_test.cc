#include <poll.h>

#include <deque>

#include "net/star/message.h"
#include "net/star/message_link.h"
#include "net/transport/tcp/connector.h"
#include "tests/net/star/rooms.h"

namespace sotto::net::testing {
namespace {

using std::chrono::milliseconds;

Octets head_claiming(std::uint32_t length, std::uint16_t type) {
  Octets bytes(message_head_bytes);
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + 4, &type, sizeof type);
  return bytes;
}

Octets greeting() { return bytes_of(encode(Greeting{service_version, "test service"})); }

Octets joined(Octets a, const Octets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Hostility : public ::testing::TestWithParam<int> {
 public:
  static std::vector<std::pair<Octets, std::string>> acts() {
    Octets noise(100'000);
    std::mt19937 random(7);
    for (std::byte& b : noise) b = static_cast<std::byte>(random());
    Octets other_version = greeting();
    other_version[message_head_bytes + 8] = std::byte{99};
    return {
        {noise, "it sent"},
        {octets("GET / HTTP/1.1\r\nHost: example\r\n\r\n"), "it sent"},
        {bytes_of(Message{say_again, octets("early")}), "it sent bytes that are no greeting"},
        {head_claiming(UINT32_MAX, greeting_type), "it sent a message of 4294967295 bytes"},
        {bytes_of(Message{greeting_type, octets("sotto/hs")}), "it sent what is no greeting"},
        {bytes_of(encode(CloseReason{ExitCode::peer_lost, "no"})), "it sent what is no greeting"},
        {other_version, "version 1 of the service here, 99 at the client"},
        {joined(greeting(), greeting()), "it greeted twice"},
        {joined(greeting(), bytes_of(Message{0xff77, {}})), "it greeted twice"},
        {joined(greeting(), head_claiming(UINT32_MAX, say_again)), "it sent a message of 4294967295 bytes"},
        {joined(greeting(), joined(head_claiming(1000, say_again), Octets(999))), "in the middle of a message"},
        {joined(greeting(), bytes_of(encode(CloseReason{ExitCode::peer_lost, "\x1b[2Jbye"}))), "it says: ?[2Jbye"},
    };
  }
};

TEST_P(Hostility, EndsTheConnectionAlone) {
  const auto [bytes, expected] = acts().at(static_cast<std::size_t>(GetParam()));
  OpenRoom<Echo> room;
  ServiceClient good = room.client();
  good.connect();
  {
    Hostile hostile(room.service.address());
    hostile.say(bytes);
    hostile.end_writing();
    hostile.hear_out();
  }
  EXPECT_EQ(good.ask(Message{say_again, octets("still there")}, soon()).payload, octets("still there"));
  room.stop_by(good);
  EXPECT_EQ(room.handler.messages, 2U);
  std::vector<std::string> said = reasons(room.handler.departures);
  said.insert(said.end(), room.handler.refusals.begin(), room.handler.refusals.end());
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said.front().find(expected), std::string::npos) << said.front();
  for (const char c : said.front()) EXPECT_TRUE(c >= ' ' && c <= '~');
}

INSTANTIATE_TEST_SUITE_P(Acts, Hostility, ::testing::Range(0, static_cast<int>(Hostility::acts().size())));

TEST(HostileClient, SlowReaderWaitsAlone) {
  ServiceConfig config = plain_service();
  config.most_queued_bytes = 100'000;
  OpenRoom<Echo> room(std::move(config));
  ServiceClient good = room.client();
  Io io;
  TcpConnector connector(io, room.service.address());
  std::unique_ptr<ByteStream> stream;
  while (!(stream = connector.take())) io.run_for(milliseconds(100));
  MessageLink greedy(std::move(stream));
  greedy.allow(std::size_t{1} << 20);
  greedy.post(encode(Greeting{service_version, "test service"}));
  const auto question = std::make_shared<const Message>(Message{say_again, Octets(64 * 1024, std::byte{3})});
  std::size_t asked = 0;
  for (int stuck = 0; stuck < 50 && asked < 2000;) {
    if (greedy.queued() == 0) {
      greedy.post(question);
      ++asked;
    }
    greedy.flush();
    stuck = greedy.queued() == 0 ? 0 : stuck + 1;
    EXPECT_EQ(good.ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  }
  EXPECT_LT(asked, 1000U);  // 1000 requests are 64 MB, more than the buffers of the system hold
  std::size_t answered = 0;
  while (answered < asked) {
    greedy.flush();
    while (const auto message = greedy.next()) {
      if (message->type == say_again) {
        ++answered;
        EXPECT_EQ(*message, *question);
      }
    }
    ASSERT_FALSE(greedy.ended());
  }
  room.close();
  EXPECT_EQ(room.handler.departures.size(), 0U);
}

// A service that sends more and more to a client that neither asks nor reads anything.
class Pouring : public Echo {
 public:
  void arrived(PeerId peer) override { to = peer; }
  void left(PeerId peer, const std::string& why) override {
    Echo::left(peer, why);
    stopped = true;
  }
  Clock::time_point tick() override {
    if (to != 0) service->send(to, shared);
    most = std::max(most, service->queued(to));
    return Clock::now();
  }
  PeerId to = 0;
  std::size_t most = 0;
  std::shared_ptr<const Message> shared = std::make_shared<const Message>(Message{say_again, Octets(64 * 1024)});
};

TEST(HostileClient, QueueIsBounded) {
  ServiceConfig config = plain_service();
  config.most_queued_bytes = 100'000;
  Room<Pouring> room(std::move(config));
  Hostile silent(room.service.address());
  silent.say(greeting());
  room.open();
  room.wait();
  EXPECT_EQ(room.failure, "");
  ASSERT_EQ(room.handler.departures.size(), 1U);
  EXPECT_EQ(room.handler.departures.front(), "it does not take what is sent to it");
  EXPECT_LE(room.handler.most, 16 * 100'000U + 65 * 1024U);
}

// Returns the reason that the service records about one client. The client sends `first`, then `again` up to a thousand
// times, and reads no answer. The service stops once it has recorded that a client was refused or has left.
std::string noted_of(ServiceConfig config, const Octets& first, const Octets& again = {}) {
  Room<Echo> room(std::move(config));
  room.handler.on_left = room.handler.on_refused = [&] { room.handler.stopped = true; };
  room.open();
  Hostile silent(room.service.address());
  silent.say(first);
  for (int i = 0; i < 1000 && !again.empty(); ++i) silent.say(again);
  if (again.empty()) silent.hear_out();
  room.wait();
  EXPECT_EQ(room.failure, "");
  const auto& from = room.handler.departures.empty() ? room.handler.refusals : room.handler.departures;
  return from.empty() ? "nothing" : from.front();
}

TEST(HostileClient, SilentStrangerIsDropped) {
  ServiceConfig config = plain_service();
  config.greet_within = milliseconds(20);
  EXPECT_EQ(noted_of(std::move(config), Octets(3)), "it did not greet in time");
}

TEST(HostileClient, WhoDoesNotGoOnIsNotWaitedForForever) {
  ServiceConfig config = plain_service();
  config.longest_stall = milliseconds(20);
  EXPECT_EQ(noted_of(config, joined(greeting(), head_claiming(1000, say_again))),
            "it stopped in the middle of a message");
  EXPECT_EQ(noted_of(config, greeting(), bytes_of(Message{say_again, Octets(1 << 20)})),
            "it takes nothing of what is sent to it");
}

TEST(HostileClient, IdleClientIsNot) {
  ServiceConfig config = plain_service();
  config.longest_stall = milliseconds(1);
  OpenRoom<Echo> room(std::move(config));
  ServiceClient idle = room.client();
  idle.connect();
  EXPECT_FALSE(idle.receive(Clock::now() + milliseconds(500)));
  EXPECT_EQ(idle.ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
}

TEST(HostileClient, StrangersGiveWayToClients) {
  ServiceConfig config = plain_service();
  config.most_connections = 3;
  OpenRoom<Echo> room(std::move(config));
  Hostile first(room.service.address());
  Hostile second(room.service.address());
  Hostile third(room.service.address());
  ServiceClient a = room.client();
  ServiceClient b = room.client();
  ServiceClient c = room.client();
  for (ServiceClient* client : {&a, &b, &c}) {
    EXPECT_EQ(client->ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  }
  ClientConfig one_more = plain_client(room.service.address());
  one_more.retry_for = milliseconds(30);
  EXPECT_THROW(ServiceClient(std::move(one_more)).connect(), NetworkError);
  for (ServiceClient* client : {&a, &b, &c}) {
    EXPECT_EQ(client->ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  }
  a.send(Message{stop, {}});
  room.wait();
  ASSERT_GE(room.handler.refusals.size(), 4U);
  EXPECT_EQ(room.handler.refusals.front(), "it said nothing before too many others came");
  EXPECT_EQ(room.handler.refusals.back(), "3 others are connected, no more are taken");
}

// Each of many clients begins a message and does not complete it. The service gives all clients together a bounded
// amount of memory, and never drops a client that completes its messages.
TEST(HostileClient, AllTogetherHoldABoundedAmount) {
  ServiceConfig config = plain_service();
  config.most_held_bytes = 3'000'000;
  OpenRoom<Echo> room(std::move(config));
  ServiceClient good = room.client();
  const Message large{say_again, Octets(1 << 20, std::byte{5})};
  std::deque<Hostile> hostile;
  for (int i = 0; i < 20; ++i) {
    hostile.emplace_back(room.service.address());
    hostile.back().say(greeting());
    hostile.back().say(head_claiming(1 << 20, say_again));
    hostile.back().say(Octets((1 << 20) - 1));
    EXPECT_EQ(good.ask(large, soon()), large);
  }
  hostile.front().hear_out();
  room.stop_by(good);
  const std::vector<std::string> left = reasons(room.handler.departures);
  EXPECT_GE(left.size(), 17U);
  for (const std::string& why : left) {
    EXPECT_EQ(why, "it held on to memory for longest when there was too little for all");
  }
}

TEST(HostileClient, WhoOnlyGreetsGivesWay) {
  ServiceConfig config = plain_service();
  config.most_connections = 1;
  OpenRoom<Echo> room(std::move(config));
  ServiceClient idle = room.client();
  idle.connect();
  ServiceClient client = room.client();
  EXPECT_EQ(client.ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  EXPECT_THROW(static_cast<void>(idle.receive(soon())), NetworkError);
  room.stop_by(client);
  EXPECT_EQ(reasons(room.handler.departures), std::vector<std::string>{"it said nothing before too many others came"});
}

void take_a_place(Hostile& hostile) {
  hostile.say(greeting());
  hostile.say(bytes_of(Message{say_again, {}}));
  hostile.say(bytes_of(Message{say_again, {}}));
}

std::size_t count_of(const std::vector<std::string>& texts, const std::string& text) {
  return static_cast<std::size_t>(std::count(texts.begin(), texts.end(), text));
}

TEST(HostileClient, ThoseThatSpokeOnceAndStayGiveWay) {
  ServiceConfig config = plain_service();
  config.most_connections = 40;
  config.idle_for = milliseconds(100);
  OpenRoom<Echo> room(std::move(config));
  std::deque<Hostile> idle;
  for (int i = 0; i < 40; ++i) take_a_place(idle.emplace_back(room.service.address()));
  while (room.handler.messages < 80) std::this_thread::sleep_for(milliseconds(1));
  for (int i = 0; i < 10; ++i) {
    ServiceClient client = room.client();
    EXPECT_EQ(client.ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
    EXPECT_TRUE(client.finish(soon()));
  }
  room.close();
  EXPECT_GE(count_of(room.handler.departures, "it said nothing for long, and too many others came"), 1U);
}

// None of the clients is idle, so the service must drop clients of the network with the most clients.
TEST(HostileClient, ManyOfOneNetworkLeaveRoomForOthers) {
  ServiceConfig config = plain_service();
  config.most_connections = 40;
  config.idle_for = std::chrono::hours(1);
  OpenRoom<Echo> room(std::move(config));
  std::deque<Hostile> many;
  for (int i = 0; i < 40; ++i) take_a_place(many.emplace_back(room.service.address(), 2));
  while (room.handler.messages < 80) std::this_thread::sleep_for(milliseconds(1));
  std::deque<ServiceClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.emplace_back(plain_client(room.service.address()));
    EXPECT_EQ(clients.back().ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  }
  for (ServiceClient& client : clients) {
    EXPECT_EQ(client.ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  }
  room.close();
  EXPECT_EQ(count_of(room.handler.departures, "too many others came, and most are from its network"), 10U);
}

TEST(HostileClient, AFloodOfBareConnectionsKeepsNobodyOut) {
  ServiceConfig config = plain_service();
  config.most_connections = 100;
  OpenRoom<Echo> room(std::move(config));
  std::atomic<bool> over{false};
  std::jthread flood([&] {
    std::deque<Hostile> bare;
    while (!over) {
      bare.emplace_back(room.service.address());
      if (bare.size() > 200) bare.pop_front();
    }
  });
  for (int i = 0; i < 20; ++i) {
    for (bool served = false; !served;) {
      try {
        ServiceClient client = room.client();
        served = client.ask(Message{say_again, {}}, soon()) == Message{say_again, {}};
      } catch (const NetworkError&) {
        continue;
      }
    }
  }
  over = true;
}

}  // namespace
}  // namespace sotto::net::testing
