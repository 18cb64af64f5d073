#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>

#include "sotto/protocol/transport/tcp/listener.h"
#include "tests/net/star/rooms.h"

namespace sotto::net::testing {
namespace {

using std::chrono::milliseconds;

ServiceConfig secret_service(std::set<std::string> trusted, bool anyone = false) {
  ServiceConfig config = plain_service();
  config.trust = ServiceTrust{false, shared_identity(0), std::move(trusted), anyone};
  return config;
}

ClientConfig secret_client(const Address& address, std::size_t own, std::size_t expects = 0) {
  ClientConfig config = plain_client(address);
  config.trust = ServiceTrust{false, shared_identity(own), {identity_of(expects).fingerprint()}, false};
  return config;
}

std::string print_of(std::size_t number) { return identity_of(number).fingerprint(); }

TEST(TrustedService, LetsInWhomItTrusts) {
  OpenRoom<Echo> room(secret_service({print_of(1), print_of(2)}));
  ServiceClient one(secret_client(room.service.address(), 1));
  ServiceClient two(secret_client(room.service.address(), 2));
  const Message large{say_again, Octets(1 << 20, std::byte{9})};
  EXPECT_EQ(one.ask(large, soon()), large);
  EXPECT_EQ(two.ask(large, soon()), large);
  EXPECT_TRUE(one.finish(soon()));
  room.stop_by(two);
  EXPECT_EQ(room.handler.departures.front(), print_of(1));
}

TEST(TrustedService, RefusesTheOthersBeforeTheySayAnything) {
  OpenRoom<Echo> room(secret_service({print_of(1)}));
  ServiceClient stranger(secret_client(room.service.address(), 2));
  const std::string text = error_of<TrustError>([&] {
    stranger.send(Message{stop, {}});
    static_cast<void>(stranger.receive(soon()));
  });
  expect_in(text, print_of(2));
  expect_in(text, "--trust");
  ServiceClient good(secret_client(room.service.address(), 1));
  EXPECT_EQ(good.ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  room.close();
  EXPECT_EQ(room.handler.arrivals.size(), 1U);
  EXPECT_EQ(room.handler.messages, 1U);
  ASSERT_EQ(room.handler.refusals.size(), 1U);
  expect_in(room.handler.refusals.front(), print_of(2));
}

TEST(TrustedService, MayLetInAnyone) {
  OpenRoom<Echo> room(secret_service({}, true));
  ServiceClient known(secret_client(room.service.address(), 5));
  EXPECT_EQ(known.ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  ClientConfig config = secret_client(room.service.address(), 5);
  config.trust.identity = nullptr;
  ServiceClient unknown(std::move(config));
  EXPECT_EQ(unknown.ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  EXPECT_TRUE(known.finish(soon()));
  EXPECT_TRUE(unknown.finish(soon()));
  ServiceClient last(secret_client(room.service.address(), 3));
  room.stop_by(last);
  ASSERT_GE(room.handler.departures.size(), 2U);
  EXPECT_EQ(room.handler.departures[0], print_of(5));
  EXPECT_TRUE(is_fingerprint(room.handler.departures[1]));
  EXPECT_NE(room.handler.departures[1], print_of(5));
}

// A client also checks the pinned certificate of a service that accepts anyone: another program may hold the service's
// port.
TEST(TrustedService, ClientGoesOnWithNoOther) {
  OpenRoom<Echo> room(secret_service({}, true));
  const std::string text =
      error_of<TrustError>([&] { ServiceClient(secret_client(room.service.address(), 1, 4)).connect(); });
  expect_in(text, print_of(0));
  expect_in(text, print_of(4));
  room.close();
  EXPECT_TRUE(room.handler.arrivals.empty());
  ASSERT_EQ(room.handler.refusals.size(), 1U);
  expect_in(room.handler.refusals.front(), "does not trust this role's certificate");
}

TEST(TrustedService, PlaintextAndTlsDoNotMeet) {
  OpenRoom<Echo> secret(secret_service({}, true));
  ClientConfig plain = plain_client(secret.service.address());
  plain.retry_for = milliseconds(30);
  EXPECT_THROW(ServiceClient(std::move(plain)).connect(), Error);
  OpenRoom<Echo> open;
  ClientConfig encrypted = secret_client(open.service.address(), 1);
  encrypted.retry_for = milliseconds(30);
  EXPECT_THROW(ServiceClient(std::move(encrypted)).connect(), Error);
  secret.close();
  open.close();
  EXPECT_TRUE(secret.handler.arrivals.empty());
  EXPECT_TRUE(open.handler.arrivals.empty());
}

TEST(TrustedService, NoiseInPlaceOfTlsIsDropped) {
  OpenRoom<Echo> room(secret_service({}, true));
  Hostile hostile(room.service.address());
  hostile.say(octets("GET / HTTP/1.1\r\n\r\n"));
  hostile.hear_out();
  ServiceClient good(secret_client(room.service.address(), 1));
  room.stop_by(good);
  ASSERT_EQ(room.handler.refusals.size(), 1U);
  expect_in(room.handler.refusals.front(), "does not speak TLS");
}

TEST(TrustedService, WhoIsTrustedByNameIsNeverEvicted) {
  ServiceConfig config = secret_service({print_of(1)});
  config.most_connections = 8;
  config.idle_for = milliseconds(0);
  OpenRoom<Echo> room(std::move(config));
  ServiceClient known(secret_client(room.service.address(), 1));
  known.connect();
  std::deque<Hostile> bare;
  for (int i = 0; i < 100; ++i) bare.emplace_back(room.service.address());
  bare.front().hear_out();
  EXPECT_EQ(known.ask(Message{say_again, {}}, soon()), (Message{say_again, {}}));
  room.close();
  EXPECT_GE(room.handler.refusals.size(), 92U);
}

// The clients run in a process of their own, because the memory of this process must be only the memory of the service.
class ClientProcess {
 public:
  explicit ClientProcess(const Address& address) {
    (void)identity_of(0);
    if (::pipe(ask_) != 0 || ::pipe(answer_) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::close(ask_[1]);
    try {
      Io io;
      std::deque<ServiceClient> clients;
      for (std::uint32_t more = 0; ::read(ask_[0], &more, sizeof more) == sizeof more;) {
        for (std::uint32_t i = 0; i < more; ++i) {
          clients.emplace_back(io, secret_client(address, 1));
          static_cast<void>(clients.back().ask(Message{say_again, Octets(100'000)}, soon()));
        }
        if (::write(answer_[1], &more, sizeof more) != sizeof more) break;
      }
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  ~ClientProcess() {
    for (const int descriptor : {ask_[0], ask_[1], answer_[0], answer_[1]}) ::close(descriptor);
    ::waitpid(pid_, nullptr, 0);
  }
  ClientProcess(const ClientProcess&) = delete;
  ClientProcess& operator=(const ClientProcess&) = delete;

  bool come(std::uint32_t count) {
    ::close(std::exchange(answer_[1], -1));
    return ::write(ask_[1], &count, sizeof count) == sizeof count &&
           ::read(answer_[0], &count, sizeof count) == sizeof count;
  }

 private:
  int ask_[2];
  int answer_[2];
  pid_t pid_;
};

std::size_t resident_bytes() {
  std::size_t all = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void expect_little_memory(std::uint32_t count) {
  if (mallinfo2().uordblks == 0) GTEST_SKIP() << "a sanitizer has the heap";
  constexpr std::uint32_t first = 20;
  if (connections_within_limit(count + first) < count + first) GTEST_SKIP() << "the limit of descriptors is lower";
  ServiceConfig config = secret_service({}, true);
  config.most_connections = count + first;
  Room<Echo> room(std::move(config));
  ClientProcess clients(room.service.address());
  room.open();
  ASSERT_TRUE(clients.come(first));
  const std::size_t before = resident_bytes();
  ASSERT_TRUE(clients.come(count));
  const std::size_t each = (resident_bytes() - before) / count;
  ::testing::Test::RecordProperty("bytes", static_cast<int>(each));
  EXPECT_LE(each, 45'000U);
  room.close();
}

TEST(TrustedService, AClientThatIsIdleTakesLittleMemory) { expect_little_memory(512); }

TEST(TrustedServiceLong, AsManyIdleClientsAsItTakesTakeLittleMemory) { expect_little_memory(4096); }

TEST(ServiceTrust, SaysWhatIsMissing) {
  const auto refused = [](const ServiceTrust& trust, bool service) {
    return error_of<InputError>(
        [&] { (void)(service ? ServiceGuard::of_service(trust) : ServiceGuard::of_client(trust)); });
  };
  const auto key = shared_identity(0);
  const std::string one = print_of(1);
  expect_in(refused({false, nullptr, {one}, false}, true), "--key: a service needs the key");
  expect_in(refused({false, key, {}, false}, true), "--trust: nobody is trusted");
  expect_in(refused({false, key, {one}, true}, true), "exclude each other");
  expect_in(refused({false, key, {"sha256:12"}, false}, true), "'sha256:12' is no fingerprint");
  expect_in(refused({false, key, {"anyone"}, false}, false), "'anyone' is no fingerprint");
  expect_in(refused({false, key, {}, false}, false), "trusts exactly one service");
  expect_in(refused({false, key, {}, true}, false), "trusts exactly one service");
  expect_in(refused({false, key, {one, print_of(2)}, false}, false), "exactly one service");
  EXPECT_EQ(refused({false, key, {}, true}, true), "");
  EXPECT_EQ(refused({false, nullptr, {one}, false}, false), "");
  EXPECT_EQ(refused({true, nullptr, {}, false}, true), "");
  EXPECT_EQ(refused({true, nullptr, {}, false}, false), "");
}

}  // namespace
}  // namespace sotto::net::testing
