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

struct Address {
  std::string host;
  std::uint16_t port = 0;

  [[nodiscard]] std::string text() const;
  friend bool operator==(const Address&, const Address&) = default;
};

// Reads "host:port" or "[ipv6]:port". Throws an InputError; `where` names the flag or the line.
[[nodiscard]] Address parse_address(std::string_view text, const std::string& where);

// True for "localhost" and for numeric loopback addresses, without a resolver.
[[nodiscard]] bool is_loopback_itself(std::string_view host) noexcept;

// True if every address of `host` is a loopback address of this machine; resolving may take ten seconds. Throws
// NetworkError if the name cannot be resolved.
[[nodiscard]] bool is_loopback(const std::string& host);

class TcpListener {
 public:
  struct Accepted {
    std::unique_ptr<ByteStream> stream;
    std::string from;
    // The peer's IP address. An IPv6 address is cut to its first 64 bits, because one user may own all addresses that
    // begin with these bits.
    std::string network;
  };
  // Exactly one of the two arguments is set.
  using Take = std::function<void(std::optional<Accepted>, const std::string& failure)>;

  // Port 0 means any free port. Host "0.0.0.0" means all IPv4 addresses, and "::" all IPv6 and IPv4 addresses. A host
  // name means its first address that this machine has. Throws ResourceError if the port is taken. Throws InputError if
  // this machine does not have the address, or if the name is unknown.
  explicit TcpListener(const Address& address);
  // Takes ownership of a bound socket that the process inherited. Throws InputError if the descriptor is not a bound
  // TCP socket.
  explicit TcpListener(int descriptor);
  TcpListener(TcpListener&&) noexcept;
  TcpListener& operator=(TcpListener&&) noexcept;
  ~TcpListener();

  [[nodiscard]] Address address() const;
  // Calls `take` with each connection while `io`, which must outlive this object, runs. If the system gives no
  // descriptor, calls `take` with a failure, and tries again later.
  void accept_on(Io& io, Take take);
  // Stops listening; accepted connections stay open.
  void stop() noexcept;
  // Returns the descriptor and its ownership, for a child process.
  [[nodiscard]] int release();

 private:
  class Socket;
  std::shared_ptr<Socket> socket_;
};

// The index of the connection to close if there are too many. `networks` is Accepted::network of each connection. The
// index is that of a random connection from the network with the most connections, so that a flood from one network
// displaces only connections from the same network.
[[nodiscard]] std::size_t network_to_drop(std::span<const std::string_view> networks);

// Raises the process's limit of descriptors. Returns how many connections the limit allows, at most `wanted`.
[[nodiscard]] std::size_t connections_within_limit(std::size_t wanted) noexcept;

}  // namespace sotto::net
