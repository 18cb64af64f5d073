#pragma once

#include "net/star/client.h"
#include "net/star/service.h"
#include "tests/net/hostile.h"
#include "tests/net/transport/tls/pairs.h"

namespace sotto::net::testing {

inline constexpr std::uint16_t say_again = 1;  // type of a message that is answered with the same message
inline constexpr std::uint16_t stop = 2;       // type of a message that ends the service

// Returns the reasons for departures, without the empty reasons of clients that left in the regular way.
inline std::vector<std::string> reasons(std::vector<std::string> departures) {
  std::erase(departures, "");
  return departures;
}

inline Octets bytes_of(const Message& message) {
  const MessageHead head = head_of(message);
  Octets bytes(head.size() + message.payload.size());
  std::copy(message.payload.begin(), message.payload.end(), std::copy(head.begin(), head.end(), bytes.begin()));
  return bytes;
}

inline Clock::time_point soon() { return Clock::now() + std::chrono::seconds(20); }

class Echo : public ServiceHandler {
 public:
  void arrived(PeerId peer) override { arrivals.push_back(peer); }
  void received(PeerId peer, Message&& message) override {
    ++messages;
    if (message.type == stop) {
      stopped = true;
      return;
    }
    service->send(peer, std::move(message));
  }
  void left(PeerId peer, const std::string& why) override {
    departures.emplace_back(service->fingerprint(peer) + why);
    if (on_left) on_left();
  }
  void refused(const std::string&, const std::string& why) override {
    refusals.push_back(why);
    if (on_refused) on_refused();
  }
  [[nodiscard]] bool done() const override { return stopped; }

  Service* service = nullptr;
  std::atomic<bool> stopped{false};
  std::atomic<std::size_t> messages{0};
  std::function<void()> on_left;
  std::function<void()> on_refused;
  // Tests read the lists below after the service's thread has ended.
  std::vector<PeerId> arrivals;
  std::vector<std::string> departures;
  std::vector<std::string> refusals;
};

inline ServiceConfig plain_service() {
  ServiceConfig config;
  config.listen = Address{"127.0.0.1", 0};
  config.trust.plaintext = true;
  config.name = "test service";
  config.longest_message = std::size_t{1} << 20;
  return config;
}

inline ClientConfig plain_client(const Address& address) {
  ClientConfig config;
  config.service = address;
  config.trust.plaintext = true;
  config.name = "test service";
  config.retry_for = std::chrono::seconds(20);
  return config;
}

template <class Handler>
class Room {
 public:
  explicit Room(ServiceConfig config) : service(io, std::move(config)) { handler.service = &service; }
  ~Room() { close(); }
  void open() {
    thread_ = std::thread([this] {
      try {
        service.run(handler, interrupted);
      } catch (const Error& error) {
        failure = error.what();
      }
    });
  }
  void close() {
    interrupted = true;
    wait();
  }
  void wait() {
    if (thread_.joinable()) thread_.join();
  }
  void stop_by(ServiceClient& client) {
    client.send(Message{stop, {}});
    EXPECT_TRUE(client.finish(soon()));
    wait();
    EXPECT_EQ(failure, "");
  }

  [[nodiscard]] ServiceClient client() const { return ServiceClient(plain_client(service.address())); }

  Io io;
  Service service;
  Handler handler;
  std::atomic<bool> interrupted{false};
  std::string failure;

 private:
  std::thread thread_;
};

template <class Handler>
class OpenRoom : public Room<Handler> {
 public:
  explicit OpenRoom(ServiceConfig config = plain_service()) : Room<Handler>(std::move(config)) { this->open(); }
};

inline std::shared_ptr<const Identity> shared_identity(std::size_t number) {
  return {&identity_of(number), [](const Identity*) {}};
}

}  // namespace sotto::net::testing
