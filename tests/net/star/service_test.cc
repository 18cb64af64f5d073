#include "net/star/service.h"

#include <deque>

#include "sotto/protocol/transport/tcp/listener.h"
#include "tests/net/star/rooms.h"

namespace sotto::net::testing {
namespace {

using std::chrono::milliseconds;

Message said(const std::string& text, std::uint16_t type = say_again) { return Message{type, octets(text)}; }

TEST(Service, AnswersItsClients) {
  OpenRoom<Echo> room;
  ServiceClient client = room.client();
  for (int i = 0; i < 100; ++i) {
    const Message word = said("word " + std::to_string(i));
    EXPECT_EQ(client.ask(word, soon()), word);
  }
  room.stop_by(client);
  EXPECT_EQ(room.handler.arrivals.size(), 1U);
  EXPECT_EQ(room.handler.messages, 101U);
}

TEST(Service, TakesManyAtOnce) {
  OpenRoom<Echo> room;
  std::deque<ServiceClient> clients;
  for (int i = 0; i < 300; ++i) clients.emplace_back(plain_client(room.service.address()));
  for (bool all = false; !all;) {
    all = true;
    for (ServiceClient& client : clients) {
      client.make_progress();
      all = all && client.connected();
    }
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      clients[i].send(said(std::to_string(i) + " " + std::to_string(round)));
    }
    for (std::size_t i = 0; i < clients.size(); ++i) {
      EXPECT_EQ(clients[i].receive(soon()), said(std::to_string(i) + " " + std::to_string(round)));
    }
  }
  clients.front().send(Message{stop, {}});
  room.wait();
  EXPECT_EQ(room.handler.arrivals.size(), 300U);
  EXPECT_EQ(room.handler.departures.size(), 0U);
}

TEST(Service, LongestMessageGoesThroughAndNoLongerOne) {
  OpenRoom<Echo> room;
  ServiceClient client = room.client();
  Message longest{say_again, Octets(std::size_t{1} << 20, std::byte{7})};
  EXPECT_EQ(client.ask(longest, soon()), longest);
  EXPECT_EQ(client.ask(said(""), soon()), said(""));
  longest.payload.push_back(std::byte{7});
  expect_in(error_of([&] {
              client.send(longest);
              static_cast<void>(client.receive(soon()));
            }),
            "it sent a message of 1048577 bytes, where 1048576 are the most");
  room.close();
  ASSERT_EQ(room.handler.departures.size(), 1U);
  expect_in(room.handler.departures.front(), "it sent a message of 1048577 bytes");
  EXPECT_THROW(room.service.send(1, longest), std::invalid_argument);
  EXPECT_THROW(room.service.send(1, Message{first_own_type, {}}), std::invalid_argument);
}

// A service that queues messages and is then done. The queued messages reach every client, however slowly the client
// reads.
class Parting : public Echo {
 public:
  void received(PeerId peer, Message&&) override {
    for (int i = 0; i < 20; ++i) service->send(peer, Message{say_again, Octets(1 << 20)});
    stopped = true;
  }
};

TEST(Service, DrainsBeforeItCloses) {
  OpenRoom<Parting> room;
  ServiceClient client = room.client();
  client.send(said("give me all"));
  for (int i = 0; i < 20; ++i) {
    const auto message = client.receive(soon());
    ASSERT_TRUE(message);
    EXPECT_EQ(message->payload.size(), std::size_t{1} << 20);
  }
  expect_in(error_of([&] { static_cast<void>(client.receive(soon())); }), "it closed the connection");
  room.wait();
  EXPECT_EQ(room.failure, "");
}

TEST(Service, FinishHandsOverAllThatWasSaid) {
  OpenRoom<Echo> room;
  {
    ServiceClient client = room.client();
    for (int i = 0; i < 1000; ++i) client.send(said(std::string(5000, 'x')));
    EXPECT_TRUE(client.finish(soon()));
  }
  EXPECT_EQ(room.handler.messages, 1000U);
  room.client().connect();
  room.close();
  EXPECT_EQ(room.handler.departures.front(), "");
}

TEST(Service, InterruptionIsTold) {
  OpenRoom<Echo> room;
  ServiceClient client = room.client();
  client.connect();
  EXPECT_FALSE(client.receive(Clock::now()));
  room.interrupted = true;
  expect_in(error_of([&] { static_cast<void>(client.receive(soon())); }), "the test service was interrupted");
  room.wait();
  EXPECT_EQ(room.failure, "interrupted");
}

TEST(ServiceClient, InterruptionEndsEveryWait) {
  const std::atomic<bool> interrupted{true};
  TcpListener silent(Address{"127.0.0.1", 0});
  ServiceClient client(plain_client(silent.address()));
  EXPECT_THROW(client.connect(interrupted), Interrupted);
  EXPECT_THROW(static_cast<void>(client.receive(soon(), interrupted)), Interrupted);
  EXPECT_THROW(client.flush(soon(), interrupted), Interrupted);
  EXPECT_THROW(client.send(Message{1, Octets(5 << 20)}, interrupted), Interrupted);
}

class Failing : public Echo {
 public:
  void received(PeerId peer, Message&& message) override {
    if (message.type == 5) throw ResourceError("the disk is full");
    if (message.type == 6) throw ProtocolError(ProtocolError::Kind::malformed, "client", 0, "half a report");
    if (message.type == 7) return service->drop(peer, "one report a user");
    if (message.type == 8) throw TrustError("client", "not of the known ones");
    Echo::received(peer, std::move(message));
  }
};

TEST(Service, HandlersErrorEndsItAndIsTold) {
  OpenRoom<Failing> room;
  ServiceClient client = room.client();
  client.send(said("", 5));
  expect_in(error_of([&] { static_cast<void>(client.receive(soon())); }),
            "the test service has failed, its own output says why");
  room.wait();
  EXPECT_EQ(room.failure, "the disk is full");
}

TEST(Service, WhoBreaksTheProtocolLeavesAlone) {
  OpenRoom<Failing> room;
  ServiceClient good = room.client();
  ServiceClient bad = room.client();
  ServiceClient dropped = room.client();
  good.connect();
  EXPECT_THROW(static_cast<void>(bad.ask(said("", 6), soon())), ProtocolError);
  expect_in(error_of([&] { static_cast<void>(dropped.ask(said("", 7), soon())); }),
            "ended the connection: one report a user");
  ServiceClient unknown = room.client();
  EXPECT_THROW(static_cast<void>(unknown.ask(said("", 8), soon())), TrustError);
  EXPECT_EQ(good.ask(said("a"), soon()), said("a"));
  room.stop_by(good);
  EXPECT_EQ(reasons(room.handler.departures),
            (std::vector<std::string>{"half a report", "one report a user", "not of the known ones"}));
}

TEST(ServiceClient, WaitsForAServiceThatIsNotThere) {
  TcpListener listener(Address{"127.0.0.1", 0});
  const Address address = listener.address();
  const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
  { TcpListener gone = std::move(listener); }
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(address.port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  ASSERT_EQ(setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes), 0);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);

  ClientConfig impatient = plain_client(address);
  impatient.retry_for = milliseconds(50);
  expect_in(error_of([&] { ServiceClient(std::move(impatient)).connect(); }),
            "the test service at 127.0.0.1:" + std::to_string(address.port) + " cannot be reached: Connection refused");

  ServiceClient client(plain_client(address));
  for (int i = 0; i < 5; ++i) client.make_progress();
  EXPECT_FALSE(client.connected());
  client.send(said("early"));
  ServiceConfig config = plain_service();
  config.descriptor = descriptor;
  OpenRoom<Echo> room(std::move(config));
  EXPECT_EQ(client.receive(soon()), said("early"));
}

TEST(Service, RefusesWhoWantsAnother) {
  OpenRoom<Echo> room;
  ClientConfig config = plain_client(room.service.address());
  config.name = "other service";
  ServiceClient client(std::move(config));
  const std::string text = error_of([&] { client.connect(); });
  expect_in(text, "the test service");
  expect_in(text, "the other service");
  room.close();
  EXPECT_TRUE(room.handler.arrivals.empty());
  ASSERT_EQ(room.handler.refusals.size(), 1U);
  expect_in(room.handler.refusals.front(), "other service");
}

TEST(Service, NameIsChecked) {
  ServiceConfig config = plain_service();
  config.name = "";
  EXPECT_THROW(Service{std::move(config)}, std::invalid_argument);
  config = plain_service();
  config.name = std::string(65, 'x');
  EXPECT_THROW(Service{std::move(config)}, std::invalid_argument);
}

class Forwarder : public Echo {
 public:
  void received(PeerId peer, Message&& message) override {
    waiting.push_back(peer);
    to->send(std::move(message));
  }
  Clock::time_point tick() override {
    while (auto answer = to->receive(Clock::now())) {
      service->send(waiting.front(), std::move(*answer));
      waiting.pop_front();
    }
    return Clock::time_point::max();
  }
  ServiceClient* to = nullptr;
  std::deque<PeerId> waiting;
};

TEST(Service, HandlerMayHoldAnotherLink) {
  OpenRoom<Echo> behind;
  Room<Forwarder> front(plain_service());
  ServiceClient link(front.io, plain_client(behind.service.address()));
  front.handler.to = &link;
  front.open();
  ServiceClient client = front.client();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(client.ask(said(std::to_string(i)), soon()), said(std::to_string(i)));
  }
  front.close();
}

}  // namespace
}  // namespace sotto::net::testing
