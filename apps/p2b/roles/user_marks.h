// What the shuffler remembers of a user that has reported: a keyed hash of its token (SipHash-2-4), which nobody
// computes without the key. Two of ten million users get the same mark with a chance below three in a million; the
// second of them is then taken for the first.
#pragma once

#include <cstdint>
#include <memory>

#include "sotto/apps/p2b/roles/messages.h"
#include "sotto/core/random/seed.h"

struct evp_mac_ctx_st;

namespace sotto::apps {

class UserMarks {
 public:
  // Throws ResourceError where OpenSSL has no SipHash.
  explicit UserMarks(const Seed& key);
  ~UserMarks();
  UserMarks(const UserMarks&) = delete;
  UserMarks& operator=(const UserMarks&) = delete;

  [[nodiscard]] std::uint64_t of(const UserToken& user);

 private:
  evp_mac_ctx_st* context_ = nullptr;
};

}  // namespace sotto::apps
