// The stock of a role: randomness on the role's own disk, divided into stretches. The roles make the randomness
// together ahead of a run.
//
//     stock.db           the purpose of the stock, its content, and whether a run has begun with it
//     stretch_0, ...     one stretch each
//
// The role encrypts everything under a key that follows from its private key. The encryption of a stretch includes the
// number of the stretch and the history of its stock, so no other stretch can replace it.
//
// A stock is for one run, with the run's parameters and the parties' announcements, and is used only once. begin()
// records on the disk that a run has begun with the stock, before the role sends a frame. take() removes a stretch from
// the disk before it returns the stretch. No run uses the stretches that remain after a crash.
//
// A second use of a stock would reveal differences between the data of the two runs. Three checks prevent a second use:
// - The roles compare the states of their stocks (stock_state.h).
// - A stock records the inode and the time of birth of its file, so the role refuses a copy of the file.
// - A stock records a keyed digest of the role's rows, and is only for these rows.
// If images of whole machines are restored at all roles at once, no check notices. Do not put stocks into such images.
//
// A stock throws the errors of Database. It throws InputError if it is damaged or a copy, or if it belongs to another
// role, key or run.
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

struct StockOwner {
  std::string role;
  std::string parameters;  // one parameter per line
  net::Digest data{};      // keyed digest of the rows
};

struct StockMark {
  net::Digest name{};
  std::uint64_t steps = 0;
};

class Stock final : public protocols::MaterialStock {
 public:
  Stock(const std::filesystem::path& folder, const StockOwner& owner, SealingKey key);

  [[nodiscard]] StockState state() const;

  // After this call, the stock contains only the stretches that all roles have.
  void open(const StockPoint& point, const std::string& announced, const net::SessionId& session);
  // Records that a run has begun with the stock. The record is on the disk when begin() returns.
  void begin();
  // Sets the number of steps that the stretches cover after the next put().
  void will_cover(std::uint64_t steps) { next_steps_ = steps; }

  [[nodiscard]] std::uint64_t steps() const { return state_.last.steps; }
  [[nodiscard]] std::uint64_t bytes() const { return state_.bytes; }  // of all stretches ever put into the stock

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

// Throws InputError if the config names no key.
[[nodiscard]] std::unique_ptr<Stock> open_stock(const RoleSettings& role, const std::filesystem::path& folder,
                                                const net::Digest& data);

}  // namespace sotto::apps::bandit::run
