// Secret: a matrix of real numbers that no role sees.
//
//     Secret z = 0.5 * (x + y) - mean(x);                    no message
//     Secret p = co_await sigmoid(co_await (x * w));         only an await costs rounds
//
// Operations without messages: +, - and unary -, products with public numbers and matrices, rearrangements and sums. A
// single row, column or number is repeated to fit the other operand.
//
// A secret has fraction bits and a public bound on the absolute values of its entries. The bound of x + y is the sum of
// both bounds. If a result could exceed 61 bits, a BoundError names the bound before the run begins. If an entry is
// outside its bound, results may be wrong without an error, but nothing is revealed.
//
// Public numbers are known before the run, and the same at all roles, including the dealer. An opened value cannot be
// used as a public number, because not every role knows the value. Public numbers are rounded to as many significant
// bits as fit, 12 to 22. Whole numbers and powers of two are exact.
//
// Copies of a Secret share their words, and must not outlive its Session.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "sotto/matrix.h"
#include "sotto/protocol/sharing/shape.h"

namespace sotto {

class Session;
class Product;
namespace detail {
struct SecretAccess;
struct SecretForm;
}  // namespace detail

// Public bounds do not fit the ring; the message names the bound to change.
class BoundError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class Secret {
 public:
  Secret() = default;  // belongs to no session

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t rows() const noexcept { return shape_.rows; }
  [[nodiscard]] std::size_t columns() const noexcept { return shape_.columns; }
  // The bound on the absolute values of the entries.
  [[nodiscard]] double bound() const noexcept { return bound_; }
  // The number of fraction bits: entries are multiples of 2^-bits.
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }
  // Throws std::invalid_argument if the secret belongs to no session.
  [[nodiscard]] Session& session() const;

  // The same entries with a bound that you know to hold. Throws std::invalid_argument unless the bound is finite and at
  // least 0.
  [[nodiscard]] Secret within(double bound) const;

  // Throw std::invalid_argument if shapes do not fit, and BoundError if the result does not fit the ring.
  friend Secret operator+(const Secret& x, const Secret& y);
  friend Secret operator-(const Secret& x, const Secret& y);
  friend Secret operator-(const Secret& x);
  friend Secret operator+(const Secret& x, const Matrix& y);
  friend Secret operator+(const Secret& x, double y);
  // The products of entries at the same place. Zero factors give zeros.
  friend Secret operator*(const Secret& x, const Matrix& y);
  friend Secret operator*(const Secret& x, double y);

  friend Secret operator+(const Matrix& x, const Secret& y) { return y + x; }
  friend Secret operator+(double x, const Secret& y) { return y + x; }
  friend Secret operator-(const Secret& x, const Matrix& y) { return x + Matrix(-y); }
  friend Secret operator-(const Secret& x, double y) { return x + -y; }
  friend Secret operator-(const Matrix& x, const Secret& y) { return -y + x; }
  friend Secret operator-(double x, const Secret& y) { return -y + x; }
  friend Secret operator*(const Matrix& x, const Secret& y) { return y * x; }
  friend Secret operator*(double x, const Secret& y) { return y * x; }
  friend Secret operator/(const Secret& x, double y) { return x * (1 / y); }

  // No code can look at a secret or branch on it.
  explicit operator bool() const = delete;
  explicit operator double() const = delete;
  friend bool operator==(const Secret&, const Secret&) = delete;

 private:
  friend struct detail::SecretAccess;
  Session* session_ = nullptr;
  Shape shape_{0, 0};
  unsigned bits_ = 0;
  double bound_ = 0;
  std::shared_ptr<detail::SecretForm> form_;
};

[[nodiscard]] Secret transpose(const Secret& x);
// The rows (or columns) from `first` to `first + count - 1`.
[[nodiscard]] Secret rows(const Secret& x, std::size_t first, std::size_t count = 1);
[[nodiscard]] Secret columns(const Secret& x, std::size_t first, std::size_t count = 1);
// The same entries, row by row, in another shape.
[[nodiscard]] Secret reshape(const Secret& x, Shape shape);
// Repeats the only row, column or entry of x.
[[nodiscard]] Secret broadcast(const Secret& x, Shape shape);
// The parts side by side, or one below the other.
[[nodiscard]] Secret hstack(std::span<const Secret> parts);
[[nodiscard]] Secret vstack(std::span<const Secret> parts);

// The sum and the mean of all entries, as a secret of 1 x 1. Sums are exact. A mean has a relative error of 2^-22, or
// up to 2^-12 for very many entries or a very large bound. At 20 fraction bits and a bound of 16, the relative error
// for 10^6 entries is 2^-16.
[[nodiscard]] Secret sum(const Secret& x);
[[nodiscard]] Secret mean(const Secret& x);
// The sum or mean of each row, as a column, or of each column, as a row.
[[nodiscard]] Secret row_sums(const Secret& x);
[[nodiscard]] Secret column_sums(const Secret& x);
[[nodiscard]] Secret row_means(const Secret& x);
[[nodiscard]] Secret column_means(const Secret& x);

// The product of a public matrix and a secret one.
[[nodiscard]] Secret matmul(const Matrix& x, const Secret& y);
[[nodiscard]] Secret matmul(const Secret& x, const Matrix& y);

}  // namespace sotto
