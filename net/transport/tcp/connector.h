// Connects to a peer that may not be there yet: looks its name up, tries each of its addresses, IPv4
// and IPv6, one after the other, and begins anew, with a pause that doubles from 10 ms to 1 s and is
// cut at random, so that roles that were refused together do not come back together. It has no
// deadline of its own; the caller stops asking.
#pragma once

#include <memory>
#include <string>

#include "sotto/net/transport/stream.h"
#include "sotto/net/transport/tcp/address.h"

namespace sotto::net {

class TcpConnector {
 public:
  explicit TcpConnector(const Address& address);
  TcpConnector(TcpConnector&&) noexcept;
  TcpConnector& operator=(TcpConnector&&) noexcept;
  ~TcpConnector();

  [[nodiscard]] const Address& address() const noexcept { return address_; }
  // Goes on with the attempt; a stream when it is connected, nothing while it is not. Never blocks.
  [[nodiscard]] std::unique_ptr<ByteStream> poll();
  [[nodiscard]] Waitable wait_for() const;
  // The stream that poll() gave was of no use: it is to be tried again, after a pause.
  void failed(const std::string& why);
  // Whether the host's name has been found, the last time that it was looked up.
  [[nodiscard]] bool resolved() const noexcept;
  // Why the last attempts failed: "connection refused", or of a name "10.0.0.7: connection refused,
  // 2001:db8::7: no answer"; empty if none has.
  [[nodiscard]] const std::string& last_failure() const noexcept { return last_failure_; }
  // The last attempt failed because this process has no descriptor left for it.
  [[nodiscard]] bool out_of_descriptors() const noexcept { return out_of_descriptors_; }

 private:
  enum class Stage : std::uint8_t { pausing, looking_up, connecting };
  struct Parts;
  void look_up();
  void take_hosts();
  void connect_next();
  std::unique_ptr<ByteStream> finish_connecting();
  void attempt_failed(const std::string& why);
  void note(const std::string& why);
  void pause();

  Address address_;
  std::unique_ptr<Parts> parts_;
  Stage stage_ = Stage::pausing;
  Clock::time_point attempt_ends_{};
  Clock::time_point next_attempt_{};
  std::chrono::milliseconds pause_{10};
  std::string last_failure_;
  bool out_of_descriptors_ = false;
};

}  // namespace sotto::net
