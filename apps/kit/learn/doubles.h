// Arrays of doubles for the kernels of factor_kernels.h, initially zero and aligned to a cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "sotto/protocol/async/pool.h"

namespace sotto::apps {

class Doubles {
 public:
  explicit Doubles(std::size_t size)
      : size_(size),
        values_(
            static_cast<double*>(::operator new(std::max<std::size_t>(size, 1) * sizeof(double), alignment_of(size))),
            Free{alignment_of(size)}) {
    if (alignment_of(size) == huge) ask_for_huge_pages(values_.get(), size * sizeof(double));
    std::fill_n(values_.get(), size, 0.0);
  }

  [[nodiscard]] double* data() noexcept { return values_.get(); }
  [[nodiscard]] const double* data() const noexcept { return values_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] double& operator[](std::size_t i) noexcept { return values_.get()[i]; }
  [[nodiscard]] double operator[](std::size_t i) const noexcept { return values_.get()[i]; }

 private:
  static constexpr std::align_val_t line{64};
  static constexpr std::align_val_t huge{std::size_t{1} << 21};
  static std::align_val_t alignment_of(std::size_t size) {
    return size * sizeof(double) >= (std::size_t{1} << 21) ? huge : line;
  }
  struct Free {
    std::align_val_t alignment;
    void operator()(double* values) const noexcept { ::operator delete(values, alignment); }
  };

  std::size_t size_;
  std::unique_ptr<double[], Free> values_;
};

}  // namespace sotto::apps
