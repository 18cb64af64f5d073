// What this role reads off a certificate: whose it says it is, how long it is valid, and its fingerprint, by which
// roles trust each other.
//
// A fingerprint is the SHA-256 of the certificate's DER bytes, written "sha256:" and 64 lower-case hex digits. It names
// the certificate and the key in it; the name inside is a hint for people and proves nothing.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct x509_st;

namespace sotto::net {

using WallTime = std::chrono::system_clock::time_point;

struct Certificate {
  std::string fingerprint;
  std::string name;  // the common name, printable; may be empty
  WallTime valid_from;
  WallTime valid_until;
};

// Reads the first certificate of a PEM file, which may also hold a private key, and looks at nothing else in it. Throws
// InputError that names the file.
[[nodiscard]] Certificate read_certificate(const std::filesystem::path& path);

// Of an OpenSSL certificate, which stays the caller's. Throws InputError where its dates make no sense.
[[nodiscard]] Certificate describe(const x509_st* certificate);

[[nodiscard]] bool is_fingerprint(std::string_view text) noexcept;

// "2026-03-01 12:00:00 UTC".
[[nodiscard]] std::string date_text(WallTime time);

// Why a certificate is not valid at `now`, in one phrase that names this machine's clock, such as "expired on
// 2026-03-01 12:00:00 UTC, and the clock here says 2026-03-02 08:00:00 UTC"; nothing if it is valid.
[[nodiscard]] std::optional<std::string> invalid_at(const Certificate& certificate, WallTime now);

}  // namespace sotto::net
