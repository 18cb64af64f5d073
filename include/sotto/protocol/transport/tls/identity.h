// The identity of a role on its links: an Ed25519 key, and a certificate that the role made itself.
//
// The certificate is self-signed X.509 (RFC 8410): no authority has signed the certificate. Peers trust the certificate
// because its fingerprint is in their config. One PEM file holds both the key and the certificate; only the owner of
// the file can read it.
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

// The parts of a certificate that this role reads: the name of its holder, its validity, and its fingerprint, by which
// roles trust each other.
//
// A fingerprint is the SHA-256 of the certificate's DER bytes, written as "sha256:" and 64 lower-case hex digits. A
// fingerprint identifies the certificate and the key in the certificate. The name in a certificate is a hint for people
// and proves nothing.

using WallTime = std::chrono::system_clock::time_point;

struct Certificate {
  std::string fingerprint;
  std::string name;  // the common name, printable; may be empty
  WallTime valid_from;
  WallTime valid_until;
};

// Reads only the first certificate of a PEM file. The file may also contain a private key. Throws an InputError that
// names the file.
[[nodiscard]] Certificate read_certificate(const std::filesystem::path& path);

// Describes an OpenSSL certificate; the caller keeps its ownership. Throws InputError if the dates of the certificate
// make no sense.
[[nodiscard]] Certificate describe(const x509_st* certificate);

[[nodiscard]] bool is_fingerprint(std::string_view text) noexcept;

// "2026-03-01 12:00:00 UTC".
[[nodiscard]] std::string date_text(WallTime time);

// Why a certificate is not valid at `now`, in one phrase that names this machine's clock; nothing if the certificate is
// valid. Example: "expired on 2026-03-01 12:00:00 UTC, and the clock here says 2026-03-02 08:00:00 UTC".
[[nodiscard]] std::optional<std::string> invalid_at(const Certificate& certificate, WallTime now);

class Identity {
 public:
  // Both ends of the validity are whole seconds.
  struct Validity {
    WallTime from;
    WallTime until;
  };
  // A validity of `days` days, which begins a day ago, since the clocks of peers differ.
  [[nodiscard]] static Validity valid_for_days(unsigned days);
  static constexpr unsigned default_days = 730;

  // A fresh key from the operating system's generator. `name` is 1 to 64 printable ASCII characters, for people to read
  // (InputError). Throws ResourceError if OpenSSL has no Ed25519.
  [[nodiscard]] static Identity create(const std::string& name, Validity validity = valid_for_days(default_days));
  // Reads an identity from its PEM file. Throws an InputError, which names the file and says what to do, if the file is
  // missing or others can read it. The same error is thrown if the file lacks an Ed25519 key or its certificate, or if
  // the key has a passphrase.
  [[nodiscard]] static Identity read(const std::filesystem::path& path);

  Identity(Identity&&) noexcept;
  Identity& operator=(Identity&&) noexcept;
  ~Identity();  // wipes the key

  // Writes key and certificate to a new file with permissions 0600. Throws InputError if the file exists, and
  // ResourceError if the file cannot be written.
  void write(const std::filesystem::path& path) const;
  // Writes only the certificate to a new file, which may be given to other people.
  void write_certificate(const std::filesystem::path& path) const;

  [[nodiscard]] const Certificate& certificate() const noexcept;
  [[nodiscard]] const std::string& fingerprint() const noexcept { return certificate().fingerprint; }

  // Secret bytes for one purpose: HKDF with SHA-256 of the private key under `label`. Different labels give different
  // bytes. The same key and label always give the same bytes. `label` has at most 1024 bytes, and `into` has 1 to 8160
  // bytes (std::invalid_argument). The caller must wipe the bytes.
  void derive(std::string_view label, std::span<std::byte> into) const;

  // Used by net/transport/tls/context.cc; this object owns the results.
  [[nodiscard]] evp_pkey_st* openssl_key() const noexcept;
  [[nodiscard]] x509_st* openssl_certificate() const noexcept;

 private:
  struct Parts;
  explicit Identity(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace sotto::net
