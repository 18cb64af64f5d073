// The one port that a role listens on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sotto/protocol/transport/io.h"

namespace sotto::net {

// Where a role listens: a host (name, IPv4 or IPv6 address) and a port.

struct Address {
  std::string host;
  std::uint16_t port = 0;

  // "127.0.0.1:4000", "[::1]:4000".
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Address&, const Address&) = default;
};

// Reads "host:port" or "[ipv6]:port". Throws an InputError that says what was expected; `where` names the flag or the
// line.
[[nodiscard]] Address parse_address(std::string_view text, const std::string& where);

// True for "localhost" and for numeric loopback addresses. Asks no resolver, so the answer is also right for any later
// connection.
[[nodiscard]] bool is_loopback_itself(std::string_view host) noexcept;

// True if every address of `host` is one of this machine's loopback addresses. Throws NetworkError if the name cannot
// be resolved. Asks the system's resolver, which may take up to ten seconds.
[[nodiscard]] bool is_loopback(const std::string& host);

class TcpListener {
 public:
  struct Accepted {
    std::unique_ptr<ByteStream> stream;
    std::string from;  // "127.0.0.1:53120"
    // "127.0.0.1"; for IPv6 the first 64 bits of the address, since one user may have all addresses with these bits.
    std::string network;
  };
  // Exactly one of the two arguments is set.
  using Take = std::function<void(std::optional<Accepted>, const std::string& failure)>;

  // Binds to the address and listens; port 0 means any free port. "0.0.0.0" listens for IPv4 on all interfaces, and
  // "::" listens for IPv6 and IPv4. For a host name, the listener uses the first address of the name that this machine
  // has. Throws ResourceError if the port is taken, and InputError if this machine does not have the address or the
  // name is unknown.
  explicit TcpListener(const Address& address);
  // Listens on a bound socket that the process inherited, and takes ownership of the socket. Throws InputError if
  // `descriptor` is not a bound socket.
  explicit TcpListener(int descriptor);
  TcpListener(TcpListener&&) noexcept;
  TcpListener& operator=(TcpListener&&) noexcept;
  ~TcpListener();

  [[nodiscard]] Address address() const;
  // From now on, `take` is called with each connection while `io` runs; an earlier `take` is not called any more. `io`
  // must outlive this object. If the system gives no descriptor for a connection, `take` is called with a failure, and
  // the listener tries again a while later.
  void accept_on(Io& io, Take take);
  // Accepts no more connections; accepted connections stay open.
  void stop() noexcept;
  // Returns the descriptor and gives up its ownership, for a child process.
  [[nodiscard]] int release();

 private:
  class Socket;
  std::shared_ptr<Socket> socket_;
};

// The index of the connection that is closed if there are more connections than allowed. The choice is random among the
// connections of the network (Accepted) that has the most connections. So a flood from one address only displaces
// connections from this address. If all connections come from one network, each new connection has the same chance to
// stay as the earlier connections. `networks` has one entry per connection, and is not empty.
[[nodiscard]] std::size_t network_to_drop(std::span<const std::string_view> networks);

// The number of connections, at most `wanted`, that this process can have. Raises the limit of descriptors as far as
// allowed, and leaves some descriptors for all other uses.
[[nodiscard]] std::size_t connections_within_limit(std::size_t wanted) noexcept;

}  // namespace sotto::net
