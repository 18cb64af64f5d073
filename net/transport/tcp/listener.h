// The one port that a role listens on.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sotto/net/transport/stream.h"
#include "sotto/net/transport/tcp/address.h"

namespace sotto::net {

class TcpListener {
 public:
  struct Accepted {
    std::unique_ptr<ByteStream> stream;
    std::string from;  // "127.0.0.1:53120"
  };

  // Binds and listens; port 0 takes any free port. "0.0.0.0" takes IPv4 on all interfaces, "::" IPv6
  // and IPv4; of a name, the first of its addresses that this machine has. Throws ResourceError if
  // the port is taken, InputError if the address is not of this machine or the name is unknown.
  explicit TcpListener(const Address& address);
  // Listens on a bound socket that the process inherited, and takes it over. Throws InputError if
  // `descriptor` is no such socket.
  explicit TcpListener(int descriptor);
  TcpListener(TcpListener&&) noexcept;
  TcpListener& operator=(TcpListener&&) noexcept;
  ~TcpListener();

  [[nodiscard]] Address address() const;
  [[nodiscard]] Waitable wait_for() const;
  // The next connection, or nothing. Throws ResourceError if this process has no descriptors left.
  [[nodiscard]] std::optional<Accepted> accept();
  // Gives the descriptor away, for a child process.
  [[nodiscard]] int release();

 private:
  struct Socket;
  std::unique_ptr<Socket> socket_;
};

}  // namespace sotto::net
