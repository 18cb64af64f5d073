// The stock of a role: randomness that it has made together with the other roles ahead of a run, in stretches, on its
// disk.
//
//     stock.db           what the stock is for, what it holds and whether a run has begun with it
//     stretch_0, ...     a stretch each
//
// All is sealed under a key that follows from the role's private key, a stretch by its number and its place in the
// course of the stock: no other one, and none of an earlier stock, stands in for it.
//
// It is of one run, from its first step: the parameters, and what the parties announced. All but a dealer's run has
// none. Consumed once: begin() says on the disk that a run has begun with it, before the role sends a frame; take()
// removes a stretch before it gives it out. From then on the stock is good for that run alone, whatever happens: what a
// crash leaves of it is never used. The roles compare what they say of their stocks (standing.h), so an old copy at one
// of them is told by the others. A copy in another file is refused by its own role: the stock knows its file (inode and
// time of birth). Not told is an image of a whole machine that is brought back at all roles at once: keep stocks out of
// such images. What such a second use would show are differences of the data of both; so a stock is for the very rows
// that the role had when the stock was made, of which it keeps a keyed digest.
//
// Throws, beside what Database throws (ResourceError where the disk is full; what was put before is kept):
//   InputError  the stock is of another role, key or run; it is a copy, or damaged
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "apps/bandit/run/settings/settings.h"
#include "apps/bandit/run/stock/standing.h"
#include "apps/kit/store/database.h"
#include "apps/kit/store/seal.h"
#include "protocols/preprocessing/recorded/material.h"
#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::bandit::run {

// Whom a stock is for.
struct StockOwner {
  std::string role;
  std::string parameters;  // of the run, line by line
  net::Digest data{};      // keyed, of the rows that the role brings
};

// How many steps are behind stretches, and the name that follows from them.
struct StockMark {
  net::Digest name{};
  std::uint64_t steps = 0;
};

class Stock final : public protocols::MaterialStock {
 public:
  // Makes the folder where there is none.
  Stock(const std::filesystem::path& folder, const StockOwner& owner, SealingKey key);

  [[nodiscard]] StockStanding standing() const;

  // For the run that the parties agreed on, by what they announced, line by line; from what all roles have. A stock
  // that is filled is named after the session in which that happens.
  void open(const StockPoint& point, const std::string& announced, const net::SessionId& session);
  // A run begins with it: on the disk when this returns.
  void begin();
  // Steps behind the stretch that is put next.
  void will_cover(std::uint64_t steps) { next_steps_ = steps; }

  [[nodiscard]] std::uint64_t steps() const { return state_.last.steps; }
  [[nodiscard]] std::uint64_t bytes() const { return state_.bytes; }  // of all stretches that were put

  [[nodiscard]] std::uint64_t stretches() const override { return state_.stretches; }
  [[nodiscard]] bool is_whole() const override { return state_.whole; }
  [[nodiscard]] protocols::RecordedMaterial read(std::uint64_t number) override;
  [[nodiscard]] protocols::RecordedMaterial take(std::uint64_t number) override;
  void put(const protocols::RecordedMaterial& material, bool last) override;

 private:
  struct State {
    bool begun = false;
    bool whole = false;
    std::uint64_t stretches = 0;
    std::uint64_t bytes = 0;
    StockMark last, before;
    std::string announced;
    net::Digest data{};
  };

  [[noreturn]] void damaged() const;
  void make(const std::filesystem::path& file);
  void check_owner();
  void read_state();
  void write(const State& state);
  void remove_files_from(std::uint64_t number);
  [[nodiscard]] std::string place(std::uint64_t number, const net::Digest& name) const;
  [[nodiscard]] std::filesystem::path file_of(std::uint64_t number) const;

  std::filesystem::path folder_;
  StockOwner owner_;
  SealingKey key_;
  std::unique_ptr<Database> database_;
  State state_;
  net::SessionId session_{};
  std::uint64_t next_steps_ = 0;
};

// That of the config, under its key, for the rows of that digest. Throws as well where the config names no key.
[[nodiscard]] std::unique_ptr<Stock> open_stock(const RoleSettings& role, const std::filesystem::path& folder,
                                                const net::Digest& data);

}  // namespace sotto::apps::bandit::run
