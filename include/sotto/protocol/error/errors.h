// The error types of sotto, and the exit code of each type. No error message ever contains a secret: no share, no mask,
// no feature, no arm and no reward. A mistake of the programmer throws std::invalid_argument.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace sotto {

// The exit codes of processes. The numbers are part of the public interface (docs/guides/running-roles.md).
enum class ExitCode : int {
  done = 0,
  usage = 2,               // bad arguments or bad input files
  peer_lost = 3,           // a peer cannot be reached, or was lost
  protocol_violation = 4,  // a peer sent something that the protocol does not allow
  disagreement = 5,        // the configs of the roles differ
  local_resource = 6,      // this machine lacks memory, disk space, descriptors or ports
  not_trusted = 7,         // a peer's certificate is not the one that this role trusts
  internal = 70,
  interrupted = 130,
};

inline void require_argument(bool holds, const char* expected) {
  if (!holds) throw std::invalid_argument(expected);
}

// The base class of all errors that a user can get. what() is one line: fault, place, expected input, and remedy.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode exit_code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

// An error in arguments, configs or data files; `where` names the flag, or file:line:column.
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(ExitCode::usage, message) {}
  InputError(const std::string& where, const std::string& message) : Error(ExitCode::usage, where + ": " + message) {}
};

// The roles disagree on the run's parameters.
class DisagreementError : public Error {
 public:
  explicit DisagreementError(const std::string& message) : Error(ExitCode::disagreement, message) {}
};

// A peer's certificate is not trusted by this role, or the peer refused the certificate of this role.
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
    truncated,
    oversized,
    wrong_round,
    wrong_digest,  // the peer runs another program, or the bytes were damaged
    malformed,     // the bytes are no frame, chunk or handshake
    unexpected,
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
