// The stock of a role: randomness on its own disk, which the role has made ahead of a run together with the other
// roles. The randomness is divided into stretches.
//
//     stock.db           the purpose of the stock, its content, and whether a run has begun with it
//     stretch_0, ...     one stretch each
//
// Everything is sealed under a key that follows from the role's private key. The seal of a stretch includes the number
// of the stretch and the history of its stock. So no other stretch can replace it, not even a stretch of an earlier
// stock.
//
// A stock is for one run, from the first step of that run on, with the run's parameters and the parties' announcements.
// A run with a dealer has no stock. A stock is used only once. Before the role sends a frame, begin() records on the
// disk that a run has begun with the stock. take() removes a stretch from the disk before returning the stretch. After
// begin() the stock is only for that run, whatever happens. The stretches that remain after a crash are never used.
//
// The roles compare the states of their stocks (stock_state.h), so the other roles notice if one role uses an old copy.
// A role itself refuses a copy in another file, because the stock has the inode and the time of birth of its own file.
// If images of whole machines are restored at all roles at once, nobody notices: keep stocks out of such images. A
// second use of a stock would show differences between the data of the two runs. So a stock is only for the rows that
// the role had when the stock was made. The stock contains a keyed digest of these rows.
//
// In addition to the errors of Database (ResourceError if the disk is full; stretches that were put before are kept), a
// stock throws:
//   InputError  the stock is of another role, key or run; it is a copy, or damaged
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "apps/bandit/run/settings/settings.h"
#include "apps/bandit/run/stock/stock_state.h"
#include "apps/kit/store/database.h"
#include "apps/kit/store/seal.h"
#include "protocols/preprocessing/recorded/material.h"
#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::bandit::run {

// The owner and the purpose of a stock.
struct StockOwner {
  std::string role;
  std::string parameters;  // parameters of the run, one per line
  net::Digest data{};      // keyed digest of the rows that the role brings
};

// The number of steps for which the stretches are enough, and the name that follows from these stretches.
struct StockMark {
  net::Digest name{};
  std::uint64_t steps = 0;
};

class Stock final : public protocols::MaterialStock {
 public:
  // Makes the folder if it does not exist.
  Stock(const std::filesystem::path& folder, const StockOwner& owner, SealingKey key);

  [[nodiscard]] StockState standing() const;

  // Opens the stock for a run. `announced` has the facts on which the parties agreed by their announcements, one per
  // line. The stock then contains only the stretches that all roles have. A stock that is being filled takes its name
  // from the current session.
  void open(const StockPoint& point, const std::string& announced, const net::SessionId& session);
  // Records that a run begins with the stock. The record is on the disk when begin() returns.
  void begin();
  // Sets the number of steps for which the stretches will be enough after the next put().
  void will_cover(std::uint64_t steps) { next_steps_ = steps; }

  [[nodiscard]] std::uint64_t steps() const { return state_.last.steps; }
  [[nodiscard]] std::uint64_t bytes() const { return state_.bytes; }  // total size of all stretches that were put

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

// The stock of the role with the config `role`, under the key of that role, for rows with the digest `data`.
// open_stock() also throws if the config names no key.
[[nodiscard]] std::unique_ptr<Stock> open_stock(const RoleSettings& role, const std::filesystem::path& folder,
                                                const net::Digest& data);

}  // namespace sotto::apps::bandit::run
