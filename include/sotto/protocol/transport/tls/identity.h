// The identity of a role: an Ed25519 key, and a self-signed X.509 certificate (RFC 8410). Peers trust the certificate
// because its fingerprint is in their config. One PEM file, which only its owner can read, has both.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct x509_st;

struct evp_pkey_st;

namespace sotto::net {

// The parts of a certificate that sotto reads. A fingerprint is "sha256:" and 64 lower-case hex digits of the SHA-256
// of the certificate's DER bytes. It identifies the certificate and its key; the name is a hint for people and proves
// nothing.

using WallTime = std::chrono::system_clock::time_point;

struct Certificate {
  std::string fingerprint;
  std::string name;  // printable, may be empty
  WallTime valid_from;
  WallTime valid_until;
};

// Reads the first certificate of a PEM file, which may also contain a private key. Throws an InputError that names the
// file.
[[nodiscard]] Certificate read_certificate(const std::filesystem::path& path);

// Reads a certificate of OpenSSL, which the caller still owns. Throws InputError if its dates make no sense.
[[nodiscard]] Certificate describe(const x509_st* certificate);

[[nodiscard]] bool is_fingerprint(std::string_view text) noexcept;

[[nodiscard]] std::string date_text(WallTime time);

// Why a certificate is not valid at `now`, in one phrase; nothing if it is valid.
[[nodiscard]] std::optional<std::string> invalid_at(const Certificate& certificate, WallTime now);

class Identity {
 public:
  // The time in which a certificate is valid, in whole seconds.
  struct Validity {
    WallTime from;
    WallTime until;
  };
  // A validity of `days` days. It begins a day before now, because the clocks of peers differ.
  [[nodiscard]] static Validity valid_for_days(unsigned days);
  static constexpr unsigned default_days = 730;

  // A fresh key from the operating system. Throws InputError unless `name` is 1 to 64 printable ASCII characters, and
  // ResourceError if OpenSSL has no Ed25519.
  [[nodiscard]] static Identity create(const std::string& name, Validity validity = valid_for_days(default_days));
  // Throws an InputError if the file is missing, if others can read it, if it lacks an Ed25519 key or its certificate,
  // or if the key has a passphrase.
  [[nodiscard]] static Identity read(const std::filesystem::path& path);

  Identity(Identity&&) noexcept;
  Identity& operator=(Identity&&) noexcept;
  ~Identity();  // wipes the key

  // Writes key and certificate to a new file with permissions 0600. Throws InputError if the file exists, and
  // ResourceError if it cannot be written.
  void write(const std::filesystem::path& path) const;
  // Writes only the certificate, which is public, to a new file.
  void write_certificate(const std::filesystem::path& path) const;

  [[nodiscard]] const Certificate& certificate() const noexcept;
  [[nodiscard]] const std::string& fingerprint() const noexcept { return certificate().fingerprint; }

  // Secret bytes for one purpose, by HKDF with SHA-256 of the private key under `label`. Throws std::invalid_argument
  // unless `label` has at most 1024 bytes, and `into` has 1 to 8160 bytes. The caller must wipe the bytes.
  void derive(std::string_view label, std::span<std::byte> into) const;

  // The objects of OpenSSL, which this identity owns.
  [[nodiscard]] evp_pkey_st* openssl_key() const noexcept;
  [[nodiscard]] x509_st* openssl_certificate() const noexcept;

 private:
  struct Parts;
  explicit Identity(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto::net
