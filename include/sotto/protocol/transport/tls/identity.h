// Who a role is on its links: an Ed25519 key, and a certificate of its own making.
//
// The certificate is self-signed X.509 (RFC 8410): no authority stands behind it. Peers trust it because its
// fingerprint is in their config. One PEM file holds both, readable by its owner only.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sotto/protocol/transport/tls/certificate.h"

struct evp_pkey_st;

namespace sotto::net {

class Identity {
 public:
  // Both ends of validity are of whole seconds.
  struct Validity {
    WallTime from;
    WallTime until;
  };
  // From a day ago, as the clocks of peers differ, for so many days.
  [[nodiscard]] static Validity valid_for_days(unsigned days);
  static constexpr unsigned default_days = 730;

  // A fresh key of the operating system's generator. `name` is 1 to 64 printable ASCII characters, for people to read
  // (InputError). Throws ResourceError where OpenSSL has no Ed25519.
  [[nodiscard]] static Identity create(const std::string& name, Validity validity = valid_for_days(default_days));
  // Throws InputError that names the file and says what to do: it is missing, others can read it, it holds no Ed25519
  // key and its certificate, or the key has a passphrase.
  [[nodiscard]] static Identity read(const std::filesystem::path& path);

  Identity(Identity&&) noexcept;
  Identity& operator=(Identity&&) noexcept;
  ~Identity();  // wipes the key

  // Key and certificate, a new file with permissions 0600. Throws InputError if the file exists, ResourceError if it
  // cannot be written.
  void write(const std::filesystem::path& path) const;
  // The certificate alone, to hand out; a new file.
  void write_certificate(const std::filesystem::path& path) const;

  [[nodiscard]] const Certificate& certificate() const noexcept;
  [[nodiscard]] const std::string& fingerprint() const noexcept { return certificate().fingerprint; }

  // Secret bytes for one purpose: HKDF with SHA-256 of the private key under `label` (at most 1024 bytes; another
  // label, other bytes), the same whenever the same key is read. 1 to 8160 bytes. The caller wipes them. Throws
  // std::invalid_argument outside these ranges.
  void derive(std::string_view label, std::span<std::byte> into) const;

  // For net/transport/tls/context.cc; they stay this object's.
  [[nodiscard]] evp_pkey_st* openssl_key() const noexcept;
  [[nodiscard]] x509_st* openssl_certificate() const noexcept;

 private:
  struct Parts;
  explicit Identity(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto::net
