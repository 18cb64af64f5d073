// Connects to a peer that may not be there yet: tries each of its addresses, again and again, with
// a pause that doubles from 10 ms to 1 s. It has no deadline of its own; the caller stops asking.
#pragma once

#include <memory>
#include <string>

#include "net/stream.h"
#include "net/tcp/address.h"

namespace sotto::net {

class TcpConnector {
 public:
  // Throws InputError if the address is not on loopback; `whose` names the peer.
  TcpConnector(const Address& address, const std::string& whose);
  TcpConnector(TcpConnector&&) noexcept;
  TcpConnector& operator=(TcpConnector&&) noexcept;
  ~TcpConnector();

  [[nodiscard]] const Address& address() const noexcept { return address_; }
  // Goes on with the attempt; a stream when it is connected, nothing while it is not.
  [[nodiscard]] std::unique_ptr<ByteStream> poll();
  [[nodiscard]] Waitable wait_for() const;
  // The stream that poll() gave was of no use: it is to be tried again, after a pause.
  void failed(const std::string& why) { attempt_failed(why); }
  // Why the last attempt failed; empty if none has.
  [[nodiscard]] const std::string& last_failure() const noexcept { return last_failure_; }

 private:
  struct Socket;
  void begin_attempt();
  void attempt_failed(const std::string& why);

  Address address_;
  std::unique_ptr<Socket> socket_;
  bool connecting_ = false;
  bool connected_ = false;
  Clock::time_point attempt_ends_{};
  Clock::time_point next_attempt_{};
  std::chrono::milliseconds pause_{10};
  std::string last_failure_;
};

}  // namespace sotto::net
