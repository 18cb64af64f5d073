// The error types of sotto, one for each kind of culprit, and the exit code of each type.
//
// A mistake of the programmer throws std::invalid_argument. No error message ever contains a secret: no share, no mask,
// no feature, no arm and no reward.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace sotto {

// The exit code of a process. docs/guides/running-roles.md lists the codes; their numbers are part of the interface.
enum class ExitCode : int {
  done = 0,
  usage = 2,               // bad arguments or bad input files
  peer_lost = 3,           // a peer cannot be reached, or was lost
  protocol_violation = 4,  // a peer sent something that the protocol does not allow
  disagreement = 5,        // the configs of the roles differ
  local_resource = 6,      // memory, disk, descriptors, ports of this machine
  not_trusted = 7,         // a peer's certificate is not the one that this role trusts
  internal = 70,
  interrupted = 130,
};

// Reports a mistake of the programmer: throws std::invalid_argument if `holds` is false.
inline void require_argument(bool holds, const char* expected) {
  if (!holds) throw std::invalid_argument(expected);
}

// The base class of all errors that a user can get. what() is one line: the fault, its place, what was expected, and
// the remedy.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode exit_code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

// An error in arguments, configs or data files. `where` names the flag, or file:line:column.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::usage, message) {}
  InputError(const std::string& where, const std::string& message) : Error(ExitCode::usage, where + ": " + message) {}
};

// The roles do not agree on the run's parameters.
class DisagreementError : public Error {
 public:
  explicit DisagreementError(const std::string& message) : Error(ExitCode::disagreement, message) {}
};

// A peer showed a certificate that this role does not trust for that peer, or refused the certificate of this role.
class TrustError : public Error {
 public:
  TrustError(std::string peer, const std::string& message)
      : Error(ExitCode::not_trusted, message), peer_(std::move(peer)) {}
  [[nodiscard]] const std::string& peer() const noexcept { return peer_; }

 private:
  std::string peer_;
};

// The machine of this role lacks something: memory, disk space, a free port.
class ResourceError : public Error {
 public:
  explicit ResourceError(const std::string& message) : Error(ExitCode::local_resource, message) {}
};

// A peer cannot be reached, closed its link, or stayed silent past the deadline.
class NetworkError : public Error {
 public:
  NetworkError(std::string peer, const std::string& message)
      : Error(ExitCode::peer_lost, message), peer_(std::move(peer)) {}
  [[nodiscard]] const std::string& peer() const noexcept { return peer_; }

 private:
  std::string peer_;
};

// A peer sent something that the protocol does not allow in this round.
class ProtocolError : public Error {
 public:
  enum class Kind : std::uint8_t {
    truncated,     // fewer bytes than the slots of the round need
    oversized,     // more bytes than the slots of the round need
    wrong_round,   // a frame of another round
    wrong_digest,  // the peer runs another program, or the bytes were damaged
    malformed,     // not a frame, not a chunk, not a handshake
    unexpected,    // a message that this role does not wait for
  };
  ProtocolError(Kind kind, std::string peer, std::uint64_t round, const std::string& message)
      : Error(ExitCode::protocol_violation, message), kind_(kind), peer_(std::move(peer)), round_(round) {}
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& peer() const noexcept { return peer_; }
  [[nodiscard]] std::uint64_t round() const noexcept { return round_; }

 private:
  Kind kind_;
  std::string peer_;
  std::uint64_t round_;
};

// A signal asked the process to stop.
class Interrupted : public Error {
 public:
  Interrupted() : Error(ExitCode::interrupted, "interrupted") {}
};

}  // namespace sotto
