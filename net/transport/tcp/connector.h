// Connects to a peer that may not be there yet. Resolves the peer's name and tries each of its addresses, IPv4 and
// IPv6, one after the other. If all addresses fail, the connector begins again after a pause that doubles from 10 ms to
// 1 s. The pause is shortened at random, so that roles that were refused together do not try again together. The
// connector has no deadline; the caller decides when to stop.
#pragma once

#include <memory>
#include <string>

#include "sotto/protocol/transport/io.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::net {

class TcpConnector {
 public:
  // Begins at once and continues while `io` runs. `io` must outlive this object.
  TcpConnector(Io& io, const Address& address);
  TcpConnector(TcpConnector&&) noexcept;
  TcpConnector& operator=(TcpConnector&&) noexcept;
  ~TcpConnector();

  [[nodiscard]] const Address& address() const noexcept;
  // Returns the stream once it is connected. Returns nothing before that, and nothing after the stream was taken.
  [[nodiscard]] std::unique_ptr<ByteStream> take();
  // Reports that the taken stream was useless: the connector tries again after a pause.
  void failed(const std::string& why);
  // Whether the last lookup found the host's name.
  [[nodiscard]] bool resolved() const noexcept;
  // The reason why the last attempts failed, such as "connection refused", or for a name "10.0.0.7: connection refused,
  // 2001:db8::7: no answer". Empty if no attempt has failed.
  [[nodiscard]] const std::string& last_failure() const noexcept;
  // True if the last attempt failed because this process had no descriptor left.
  [[nodiscard]] bool out_of_descriptors() const noexcept;

 private:
  class Attempts;
  std::shared_ptr<Attempts> attempts_;
};

}  // namespace sotto::net
