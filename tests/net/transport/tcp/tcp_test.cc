#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>

#include "net/transport/tcp/connector.h"
#include "net/transport/tcp/resolve.h"
#include "sotto/protocol/transport/stream.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "tests/framework.h"

namespace sotto::net {
namespace {

std::unique_ptr<ByteStream> connect(Io& io, TcpConnector& connector) {
  for (;;) {
    if (auto stream = connector.take()) return stream;
    io.run_for(std::chrono::seconds(1));
  }
}

class Door {
 public:
  explicit Door(Io& io, TcpListener of) : io_(io), listener(std::move(of)) {
    listener.accept_on(io, [this](auto accepted, const std::string& failure) {
      EXPECT_EQ(failure, "");
      accepted_.push_back(std::move(*accepted));
    });
  }
  TcpListener::Accepted accept() {
    while (accepted_.empty()) io_.run_for(std::chrono::seconds(1));
    TcpListener::Accepted first = std::move(accepted_.front());
    accepted_.pop_front();
    return first;
  }
  [[nodiscard]] Address address() const { return listener.address(); }

 private:
  Io& io_;
  std::deque<TcpListener::Accepted> accepted_;

 public:
  TcpListener listener;
};

TEST(Address, IsReadAndShown) {
  EXPECT_EQ(parse_address("127.0.0.1:80", "x"), (Address{"127.0.0.1", 80}));
  EXPECT_EQ(parse_address("[::1]:65535", "x"), (Address{"::1", 65535}));
  EXPECT_EQ(parse_address("localhost:1", "x").text(), "localhost:1");
  EXPECT_EQ((Address{"::1", 9}).text(), "[::1]:9");
  for (const char* bad : {"", ":80", "host", "host:", "host:0", "host:65536", "host:8x", "::1:80", "[::1]", "[]:8",
                          "host:-1", "a b:1", "host: 1"}) {
    EXPECT_THROW((void)parse_address(bad, "file.toml:3:1"), InputError) << bad;
  }
}

TEST(Address, LoopbackIsToldApart) {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"0.0.0.0", "10.0.0.1", "192.168.1.1", "8.8.8.8", "::", "fe80::1"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

bool has_ipv6() {
  try {
    const TcpListener listener(Address{"::1", 0});
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string heard_from(Io& io, Door& door, const std::string& host) {
  TcpConnector connector(io, Address{host, door.address().port});
  const auto stream = connect(io, connector);
  return door.accept().from;
}

TEST(TcpListener, TakesAllInterfaces) {
  Io io;
  Door four(io, TcpListener(Address{"0.0.0.0", 0}));
  EXPECT_EQ(heard_from(io, four, "127.0.0.1").rfind("127.0.0.1:", 0), 0u);
  if (!has_ipv6()) GTEST_SKIP() << "this machine has no IPv6";
  Door both(io, TcpListener(Address{"::", 0}));
  EXPECT_EQ(heard_from(io, both, "::1").rfind("[::1]:", 0), 0u);
  EXPECT_EQ(heard_from(io, both, "127.0.0.1").rfind("127.0.0.1:", 0), 0u);  // not ::ffff:127.0.0.1
  Door inherited(io, TcpListener(both.listener.release()));
  EXPECT_EQ(inherited.address().host, "::");
  EXPECT_EQ(heard_from(io, inherited, "::1").rfind("[::1]:", 0), 0u);
}

TEST(TcpListener, TakesAName) {
  Io io;
  Door listener(io, TcpListener(Address{"localhost", 0}));
  EXPECT_TRUE(is_loopback(listener.address().host)) << listener.address().text();
  EXPECT_NE(heard_from(io, listener, "localhost"), "");
}

TEST(TcpListener, AnAddressOfAnotherMachineIsAnInputError) {
  // RFC 5737 reserves this address for documentation.
  const std::string says = error_of<InputError>([] { const TcpListener listener(Address{"192.0.2.1", 4000}); });
  EXPECT_THAT(says, ::testing::HasSubstr("cannot listen on 192.0.2.1:4000"));
  EXPECT_THAT(says, ::testing::HasSubstr("0.0.0.0:4000"));
  EXPECT_THROW(TcpListener(Address{"no-such-host.invalid", 4000}), InputError);
}

TEST(TcpConnector, TriesEachAddressOfAName) {
  Io io;
  const Resolved found = resolve_now("localhost");
  ASSERT_FALSE(found.hosts.empty());
  for (const std::string& host : found.hosts) {
    Door listener(io, TcpListener(Address{host, 0}));
    EXPECT_NE(heard_from(io, listener, "localhost"), "") << host;
  }
  std::optional<TcpListener> gone(Address{"127.0.0.1", 0});
  TcpConnector connector(io, Address{"localhost", gone->address().port});
  gone.reset();
  const auto all_failed = [&] {
    for (const std::string& host : found.hosts) {
      if (connector.last_failure().find(host + ": ") == std::string::npos) return false;
    }
    return true;
  };
  while (!all_failed()) {
    EXPECT_EQ(connector.take(), nullptr);
    io.run_for(std::chrono::milliseconds(100));
  }
}

TEST(TcpConnector, SaysThatANameIsUnknown) {
  Io io;
  TcpConnector connector(io, Address{"no-such-host.invalid", 4000});
  while (connector.last_failure().empty()) {
    EXPECT_EQ(connector.take(), nullptr);
    io.run_for(std::chrono::milliseconds(100));
  }
  EXPECT_THAT(connector.last_failure(), ::testing::HasSubstr("'no-such-host.invalid' cannot be resolved: "));
}

TEST(TcpConnector, AStreamThatWasOfNoUseIsMadeAgain) {
  Io io;
  Door listener(io, TcpListener(Address{"127.0.0.1", 0}));
  TcpConnector connector(io, listener.address());
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(connect(io, connector), nullptr);
    EXPECT_NE(listener.accept().stream, nullptr);
    connector.failed("it was not to be had");
    EXPECT_EQ(connector.last_failure(), "it was not to be had");
  }
}

TEST(Resolve, NumericAddressesAreNotAskedAbout) {
  for (const char* host : {"192.0.2.7", "2001:db8::7"}) {
    EXPECT_EQ(resolve_now(host, std::chrono::milliseconds(1)).hosts, std::vector<std::string>{host});
  }
}

TEST(Resolve, MayBeLeftAlone) {
  for (int i = 0; i < 20; ++i) {
    Io io;
    const auto never = [](const Resolved&) { FAIL() << "called after its Io has gone"; };
    resolve(io, "localhost", never);
    resolve(io, "no-such-host.invalid", never);
  }
}

TEST(TcpListener, APortInUseIsAResourceErrorThatNamesIt) {
  const TcpListener first(Address{"127.0.0.1", 0});
  EXPECT_THAT(error_of<ResourceError>([&] { const TcpListener second(first.address()); }),
              ::testing::HasSubstr(first.address().text()));
}

TEST(TcpListener, AnInheritedDescriptorListens) {
  TcpListener bound(Address{"127.0.0.1", 0});
  const Address address = bound.address();
  Io io;
  Door listener(io, TcpListener(bound.release()));
  EXPECT_EQ(listener.address(), address);
  TcpConnector connector(io, address);
  const auto stream = connect(io, connector);
  EXPECT_NE(listener.accept().stream, nullptr);
}

TEST(TcpListener, ADescriptorThatIsNoBoundSocketIsRefused) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_THROW(TcpListener{ends[0]}, InputError);
  EXPECT_THROW(TcpListener{12345}, InputError);
  close(ends[1]);
}

TEST(TcpConnector, KeepsTryingUntilThePeerIsThere) {
  std::optional<TcpListener> listener(Address{"127.0.0.1", 0});
  const Address address = listener->address();
  listener.reset();
  Io io;
  TcpConnector connector(io, address);
  while (connector.last_failure().empty()) {
    ASSERT_EQ(connector.take(), nullptr);
    io.run_for(std::chrono::milliseconds(100));
  }
  Door door(io, TcpListener(address));
  const auto stream = connect(io, connector);
  const auto accepted = door.accept();
  const std::byte sent{42};
  ASSERT_EQ(stream->write_some(std::span(&sent, 1), {}).bytes, 1u);
  std::byte received{};
  wait_any(std::array{accepted.stream->wait_for(true, false)}, std::chrono::seconds(5));
  ASSERT_EQ(accepted.stream->read_some(std::span(&received, 1)).bytes, 1u);
  EXPECT_EQ(received, sent);
}

TEST(TcpStream, SaysWhenThePeerIsGone) {
  Io io;
  Door listener(io, TcpListener(Address{"127.0.0.1", 0}));
  TcpConnector connector(io, listener.address());
  const auto stream = connect(io, connector);
  listener.accept().stream->close();
  std::byte byte{};
  wait_any(std::array{stream->wait_for(true, false)}, std::chrono::seconds(5));
  EXPECT_EQ(stream->read_some(std::span(&byte, 1)).state, ByteStream::State::closed);
  ByteStream::State state = ByteStream::State::moved;
  while (state != ByteStream::State::lost) state = stream->write_some(std::span(&byte, 1), {}).state;
  EXPECT_FALSE(stream->failure().empty());
}

class FewDescriptors {
 public:
  explicit FewDescriptors(std::size_t left) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = 64;
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (int taken = 0; taken >= 0;) {
      taken = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      if (taken >= 0) taken_.push_back(taken);
    }
    for (; left > 0; --left) release();
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() {
    while (!taken_.empty()) release();
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  void release() {
    ::close(taken_.back());
    taken_.pop_back();
  }
  rlimit before_{};
  std::vector<int> taken_;
};

TEST(TcpConnector, SaysThatNoDescriptorIsLeft) {
  const TcpListener listener(Address{"127.0.0.1", 0});
  Io io;
  TcpConnector connector(io, listener.address());
  {
    const FewDescriptors none(0);
    EXPECT_THROW(TcpListener(Address{"127.0.0.1", 0}), ResourceError);
    EXPECT_THROW(Io(), ResourceError);
    while (connector.last_failure().empty()) io.run_for(std::chrono::seconds(1));
    EXPECT_TRUE(connector.out_of_descriptors());
  }
  EXPECT_NE(connect(io, connector), nullptr);
  EXPECT_FALSE(connector.out_of_descriptors());
}

TEST(Eviction, TakesOneOfTheNetworkWithTheMost) {
  const std::vector<std::string_view> networks{"a", "b", "b", "c", "b", "c"};
  std::array<int, 6> times{};
  for (int i = 0; i < 3000; ++i) ++times.at(network_to_drop(networks));
  EXPECT_EQ(times[0] + times[3] + times[5], 0);
  for (const int i : {1, 2, 4}) EXPECT_GT(times.at(static_cast<std::size_t>(i)), 800);
}

TEST(Eviction, AmongNetworksThatHaveAsManyEachConnectionIsAsLikely) {
  const std::vector<std::string_view> networks{"a", "b", "a", "b"};
  std::array<int, 4> times{};
  for (int i = 0; i < 4000; ++i) ++times.at(network_to_drop(networks));
  for (const int count : times) EXPECT_GT(count, 800);
}

TEST(Eviction, ConnectionsFollowTheLimitOfDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 100;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(connections_within_limit(10), 10U);
  EXPECT_EQ(connections_within_limit(200), std::min<std::size_t>(200, before.rlim_max - 64));
  EXPECT_EQ(connections_within_limit(SIZE_MAX / 2), before.rlim_max - 64);
  setrlimit(RLIMIT_NOFILE, &before);
}

std::string congestion_control(int descriptor) {
  char name[32] = {};
  socklen_t size = sizeof name;
  EXPECT_EQ(getsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, name, &size), 0);
  return name;
}

int no_delay(int descriptor) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
  return value;
}

int value_of(int descriptor, int level, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(getsockopt(descriptor, level, option, &value, &size), 0);
  return value;
}

TEST(Tuning, SendsAtOnceAndDoesNotPaceOnLoopback) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), size), 0);
  const int server = accept(listener, nullptr, nullptr);
  ASSERT_GE(server, 0);
  for (const int descriptor : {client, server}) {
    tune_for_frames(descriptor);
    EXPECT_EQ(no_delay(descriptor), 1);
    EXPECT_EQ(congestion_control(descriptor), "reno");
    EXPECT_EQ(value_of(descriptor, SOL_SOCKET, SO_KEEPALIVE), 1);
    const int lost_after =
        value_of(descriptor, IPPROTO_TCP, TCP_KEEPINTVL) * value_of(descriptor, IPPROTO_TCP, TCP_KEEPCNT);
    EXPECT_GE(lost_after, 600);  // long after any round deadline has passed
    close(descriptor);
  }
  close(listener);
}

TEST(Tuning, LeavesWhatIsNotConnectedAsItIs) {
  const int lonely = socket(AF_INET, SOCK_STREAM, 0);
  const std::string before = congestion_control(lonely);
  tune_for_frames(lonely);
  EXPECT_EQ(congestion_control(lonely), before);
  close(lonely);
  tune_for_frames(-1);
}

}  // namespace
}  // namespace sotto::net
