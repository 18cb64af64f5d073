// Connects to a peer that may not be there yet: resolves its name, tries each of its addresses, IPv4 and IPv6, one
// after the other, and begins anew, with a pause that doubles from 10 ms to 1 s and is cut at random, so that roles
// that were refused together do not come back together. It has no deadline of its own; the caller stops asking.
#pragma once

#include <memory>
#include <string>

#include "sotto/protocol/transport/io.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::net {

class TcpConnector {
 public:
  // Begins, and goes on as `io` runs, which must outlive this.
  TcpConnector(Io& io, const Address& address);
  TcpConnector(TcpConnector&&) noexcept;
  TcpConnector& operator=(TcpConnector&&) noexcept;
  ~TcpConnector();

  [[nodiscard]] const Address& address() const noexcept;
  // The stream, once it is connected; nothing before and after.
  [[nodiscard]] std::unique_ptr<ByteStream> take();
  // The stream that was taken was of no use: it is to be tried again, after a pause.
  void failed(const std::string& why);
  // Whether the host's name was found, the last time that it was resolved.
  [[nodiscard]] bool resolved() const noexcept;
  // Why the last attempts failed: "connection refused", or of a name "10.0.0.7: connection refused, 2001:db8::7: no
  // answer"; empty if none has.
  [[nodiscard]] const std::string& last_failure() const noexcept;
  // The last attempt failed because this process has no descriptor left for it.
  [[nodiscard]] bool out_of_descriptors() const noexcept;

 private:
  class Attempts;
  std::shared_ptr<Attempts> attempts_;
};

}  // namespace sotto::net
