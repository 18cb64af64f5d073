#include "apps/kit/http/token.h"

#include <fmt/format.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <string>
#include <utility>

#include "apps/kit/files/private_path.h"
#include "net/transport/tls/key_file.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/sha256.h"

namespace sotto::apps {
namespace {

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~+/=").find(c) != std::string_view::npos;
}

std::array<std::byte, 32> read_token(const std::filesystem::path& file) {
  require_private(file, "run `chmod 600` on it, and make a new token if anybody may have read it");
  const net::SecretText text = net::read_small_file(file, net::Readers::anybody);
  std::string_view token(text.data(), text.size());
  if (token.ends_with('\n')) token.remove_suffix(1);
  if (token.ends_with('\r')) token.remove_suffix(1);
  if (token.size() < shortest_token || token.size() > longest_token) {
    throw InputError(file.string(), fmt::format("a token has {} to {} characters, this one has {}: `openssl rand -hex "
                                                "32` makes one",
                                                shortest_token, longest_token, token.size()));
  }
  if (!std::all_of(token.begin(), token.end(), is_token_character)) {
    throw InputError(file.string(),
                     "a token is of letters, digits and - . _ ~ + / =, on one line: `openssl rand -hex "
                     "32` makes one");
  }
  return sha256(token);
}

}  // namespace

TokenGuard::TokenGuard(std::filesystem::path file) : file_(std::move(file)), digest_(read_token(file_)) {}

void TokenGuard::read_again() { digest_ = read_token(file_); }

bool TokenGuard::admits(std::string_view authorization) const {
  constexpr std::string_view scheme = "bearer ";
  const auto same_letter = [](char given, char expected) { return (given | 0x20) == expected || given == expected; };
  if (authorization.size() < scheme.size() ||
      !std::equal(scheme.begin(), scheme.end(), authorization.begin(),
                  [&](char expected, char given) { return same_letter(given, expected); })) {
    return false;
  }
  authorization.remove_prefix(scheme.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  const std::array<std::byte, 32> given = sha256(authorization);
  return CRYPTO_memcmp(given.data(), digest_.data(), digest_.size()) == 0;
}

}  // namespace sotto::apps
