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

// Reads "host:port" or "[ipv6]:port". Throws InputError that says what was expected; `where` names the flag or the
// line.
[[nodiscard]] Address parse_address(std::string_view text, const std::string& where);

// True of "localhost" and of numeric loopback addresses. Asks nobody, so the answer holds whenever one connects.
[[nodiscard]] bool is_loopback_itself(std::string_view host) noexcept;

// True if every address that `host` stands for is one of this machine's loopback addresses. Throws NetworkError if the
// name cannot be resolved; asks the system's resolver, and so may take up to ten seconds.
[[nodiscard]] bool is_loopback(const std::string& host);

class TcpListener {
 public:
  struct Accepted {
    std::unique_ptr<ByteStream> stream;
    std::string from;     // "127.0.0.1:53120"
    std::string network;  // "127.0.0.1"; of an IPv6 address its first 64 bits, which one user may have
  };
  // Of the two exactly one is there.
  using Take = std::function<void(std::optional<Accepted>, const std::string& failure)>;

  // Binds and listens; port 0 takes any free port. "0.0.0.0" takes IPv4 on all interfaces, "::" IPv6 and IPv4; of a
  // name, the first of its addresses that this machine has. Throws ResourceError if the port is taken, InputError if
  // the address is not of this machine or the name is unknown.
  explicit TcpListener(const Address& address);
  // Listens on a bound socket that the process inherited, and takes it over. Throws InputError if `descriptor` is no
  // such socket.
  explicit TcpListener(int descriptor);
  TcpListener(TcpListener&&) noexcept;
  TcpListener& operator=(TcpListener&&) noexcept;
  ~TcpListener();

  [[nodiscard]] Address address() const;
  // From now on calls `take`, and no other, with each connection as `io` runs, which must outlive this; with a failure
  // where the system gives no descriptor for one, and again a while later.
  void accept_on(Io& io, Take take);
  // No more; what has been accepted stays.
  void stop() noexcept;
  // Gives the descriptor away, for a child process.
  [[nodiscard]] int release();

 private:
  class Socket;
  std::shared_ptr<Socket> socket_;
};

// Who gives way where more connect than there is room for: one at random of those whose network (Accepted) has the most
// connections: a flood from one address takes the places of that address, and where all come from one, each newcomer
// has the same chance to stay as all before it. `networks` has one entry a connection, and is not empty.
[[nodiscard]] std::size_t who_gives_way(std::span<const std::string_view> networks);

// How many connections of `wanted` this process can have: raises the limit of descriptors as far as it may, and leaves
// some to everything else.
[[nodiscard]] std::size_t connections_within_limit(std::size_t wanted) noexcept;

}  // namespace sotto::net
