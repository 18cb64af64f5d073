// Lines that a role writes to its user about what others sent: one each, as long as they are few; the rest is counted,
// so that nobody fills a disk by sending nonsense.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sotto::apps {

class SaidLines {
 public:
  static constexpr std::uint64_t most = 100;

  // `out` takes a line without its end. The default forgets them.
  explicit SaidLines(std::function<void(const std::string&)> out = {}) : out_(std::move(out)) {}

  void say(const std::string& line) {
    if (!out_ || said_ > most) return;
    out_(++said_ <= most ? line : "further lines of this kind are counted and not shown");
  }
  // One that is always written.
  void say_always(const std::string& line) const {
    if (out_) out_(line);
  }

 private:
  std::function<void(const std::string&)> out_;
  std::uint64_t said_ = 0;
};

}  // namespace sotto::apps
