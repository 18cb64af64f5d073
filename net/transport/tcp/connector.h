// Connects to a peer that may not be there yet. The connector resolves the peer's name and tries each of its addresses.
// If all addresses fail, the connector begins again after a pause that doubles from 10 ms to 1 s. The pause is
// shortened at random, so roles that were refused together do not try again together. The connector has no deadline.
#pragma once

#include <memory>
#include <string>

#include "sotto/protocol/transport/io.h"
#include "sotto/protocol/transport/tcp/listener.h"

namespace sotto::net {

class TcpConnector {
 public:
  // `io` must outlive this object.
  TcpConnector(Io& io, const Address& address);
  TcpConnector(TcpConnector&&) noexcept;
  TcpConnector& operator=(TcpConnector&&) noexcept;
  ~TcpConnector();

  [[nodiscard]] const Address& address() const noexcept;
  // May be called only once.
  [[nodiscard]] std::unique_ptr<ByteStream> take();
  // Makes the connector try again after a pause.
  void failed(const std::string& why);
  [[nodiscard]] bool resolved() const noexcept;
  // A text, for example "connection refused". The text is empty if no attempt has failed.
  [[nodiscard]] const std::string& last_failure() const noexcept;
  [[nodiscard]] bool out_of_descriptors() const noexcept;

 private:
  class Attempts;
  std::shared_ptr<Attempts> attempts_;
};

}  // namespace sotto::net
