#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error/errors.h"
#include "net/tcp/address.h"
#include "net/tcp/connector.h"
#include "net/tcp/listener.h"

namespace sotto::net {
namespace {

std::unique_ptr<ByteStream> connect(TcpConnector& connector) {
  for (;;) {
    if (auto stream = connector.poll()) return stream;
    const Waitable waitable = connector.wait_for();
    wait_any(std::span(&waitable, 1), std::chrono::seconds(1));
  }
}

TcpListener::Accepted accept(TcpListener& listener) {
  for (;;) {
    if (auto accepted = listener.accept()) return std::move(*accepted);
    const Waitable waitable = listener.wait_for();
    wait_any(std::span(&waitable, 1), std::chrono::seconds(1));
  }
}

TEST(Address, IsReadAndShown) {
  EXPECT_EQ(parse_address("127.0.0.1:80", "x"), (Address{"127.0.0.1", 80}));
  EXPECT_EQ(parse_address("[::1]:65535", "x"), (Address{"::1", 65535}));
  EXPECT_EQ(parse_address("localhost:1", "x").text(), "localhost:1");
  EXPECT_EQ((Address{"::1", 9}).text(), "[::1]:9");
  for (const char* bad : {"", ":80", "host", "host:", "host:0", "host:65536", "host:8x", "::1:80",
                          "[::1]", "[]:8", "host:-1", "a b:1", "host: 1"}) {
    EXPECT_THROW((void)parse_address(bad, "file.toml:3:1"), InputError) << bad;
  }
}

TEST(Address, OnlyLoopbackIsAllowedInPlainText) {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"0.0.0.0", "10.0.0.1", "192.168.1.1", "8.8.8.8", "::", "fe80::1"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
    EXPECT_THROW(require_loopback({host, 4000}, "party 1"), InputError);
    EXPECT_THROW(TcpListener(Address{host, 0}), InputError);
    EXPECT_THROW(TcpConnector(Address{host, 4000}, "party 1"), InputError);
  }
}

TEST(TcpListener, APortInUseIsAResourceErrorThatNamesIt) {
  const TcpListener first(Address{"127.0.0.1", 0});
  try {
    const TcpListener second(first.address());
    FAIL() << "two listeners on one port";
  } catch (const ResourceError& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::local_resource);
    EXPECT_NE(std::string(error.what()).find(first.address().text()), std::string::npos);
  }
}

TEST(TcpListener, AnInheritedDescriptorListens) {
  TcpListener bound(Address{"127.0.0.1", 0});
  const Address address = bound.address();
  TcpListener listener(bound.release());
  EXPECT_EQ(listener.address(), address);
  TcpConnector connector(address, "party 0");
  const auto stream = connect(connector);
  EXPECT_NE(accept(listener).stream, nullptr);
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
  TcpConnector connector(address, "party 0");
  while (connector.last_failure().empty()) {
    ASSERT_EQ(connector.poll(), nullptr);
    const Waitable waitable = connector.wait_for();
    wait_any(std::span(&waitable, 1), std::chrono::milliseconds(100));
  }
  listener.emplace(address);
  const auto stream = connect(connector);
  const auto accepted = accept(*listener);
  const std::byte sent{42};
  ASSERT_EQ(stream->write_some(std::span(&sent, 1), {}).bytes, 1u);
  std::byte received{};
  const Waitable waitable = accepted.stream->wait_for(true, false);
  wait_any(std::span(&waitable, 1), std::chrono::seconds(5));
  ASSERT_EQ(accepted.stream->read_some(std::span(&received, 1)).bytes, 1u);
  EXPECT_EQ(received, sent);
}

TEST(TcpStream, SaysWhenThePeerIsGone) {
  TcpListener listener(Address{"127.0.0.1", 0});
  TcpConnector connector(listener.address(), "party 0");
  const auto stream = connect(connector);
  accept(listener).stream->close();
  std::byte byte{};
  const Waitable waitable = stream->wait_for(true, false);
  wait_any(std::span(&waitable, 1), std::chrono::seconds(5));
  EXPECT_EQ(stream->read_some(std::span(&byte, 1)).state, ByteStream::State::closed);
  // The first write is answered by a reset, the next finds it.
  ByteStream::State state = ByteStream::State::moved;
  while (state != ByteStream::State::lost) {
    state = stream->write_some(std::span(&byte, 1), {}).state;
  }
  EXPECT_FALSE(stream->failure().empty());
}

}  // namespace
}  // namespace sotto::net
