// Secret: a matrix of real numbers that no role sees. Programs of the library compute with secrets.
//
//     Secret z = 0.5 * (x + y) - mean(x);                    no message
//     Secret p = co_await sigmoid(co_await (x * w));         only an await costs rounds
//
// Operations without messages: +, - and unary -, products with public numbers and matrices, rearrangements and sums. If
// an operand has a single row, this row is used for every row of the other operand. A single column is used likewise
// for every column, and a single number for every entry. The product of two secrets is a Product
// (include/sotto/product.h).
//
// A secret has its own scale (fraction bits), a public bound on the size of its entries, and a form: additive shares,
// or masked for products. The form of a secret changes automatically, at an await that needs another form. Bounds grow
// as intervals do: the bound of x + y is the sum of both bounds. If a bound allows a result of more than 61 bits, a
// BoundError names the bound, while the program is planned or when it begins. `within` narrows a bound if you know a
// smaller bound. If an entry is outside its bound, some result is wrong without notice, but nothing is revealed.
//
// Public numbers are the same at all roles, including the dealer, and are known before the run. An opened value is not
// a public number, and is refused as a public number (its entries are NaN at the dealer). A public number is rounded to
// 12 to 22 significant bits, as many as fit; whole numbers and powers of two are exact.
//
// A Secret is a handle: copies share their words. A Secret belongs to the Session that made it, and must not outlive
// this Session.
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

// The error for public bounds that do not fit the ring. The message names the bound to change.
class BoundError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class Secret {
 public:
  Secret() = default;  // belongs to no session; can only be assigned to

  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t rows() const noexcept { return shape_.rows; }
  [[nodiscard]] std::size_t columns() const noexcept { return shape_.columns; }
  // The public bound on the size of each entry.
  [[nodiscard]] double bound() const noexcept { return bound_; }
  // Fraction bits: the entries are multiples of 2^-bits.
  [[nodiscard]] unsigned bits() const noexcept { return bits_; }
  // Throws std::invalid_argument if the secret belongs to no session.
  [[nodiscard]] Session& session() const;

  // The same entries with the bound `bound`, which you know to hold: no entry is larger than `bound`. Throws
  // std::invalid_argument unless `bound` is finite and at least 0.
  [[nodiscard]] Secret within(double bound) const;

  // Throw std::invalid_argument if shapes do not fit, and BoundError if the result does not fit the ring.
  friend Secret operator+(const Secret& x, const Secret& y);
  friend Secret operator-(const Secret& x, const Secret& y);
  friend Secret operator-(const Secret& x);
  friend Secret operator+(const Secret& x, const Matrix& y);
  friend Secret operator+(const Secret& x, double y);
  // The product entry by entry. An entry is zero if its public factor is zero.
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

  // No code can look at a secret or branch on a secret. Session::reveal opens a secret.
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

// Local, without messages. -------------------------------------------------------------------------------------------

[[nodiscard]] Secret transpose(const Secret& x);
// The rows (or columns) from `first` to `first + count - 1`.
[[nodiscard]] Secret rows(const Secret& x, std::size_t first, std::size_t count = 1);
[[nodiscard]] Secret columns(const Secret& x, std::size_t first, std::size_t count = 1);
// The same entries, row by row, in another shape with as many entries.
[[nodiscard]] Secret reshape(const Secret& x, Shape shape);
// Repeats the only row, column or entry of x.
[[nodiscard]] Secret broadcast(const Secret& x, Shape shape);
// The parts side by side (hstack), or one below the other (vstack).
[[nodiscard]] Secret hstack(std::span<const Secret> parts);
[[nodiscard]] Secret vstack(std::span<const Secret> parts);

// The sum and the mean of all entries, as a secret of 1 x 1. The bound of the result assumes that all entries are as
// large as the bound of x. Sums are exact. A mean has a relative error of 2^-22. If x has very many entries, or a very
// large bound, the factor 1 / (number of entries) must be rounded to fewer bits. Then the relative error of a mean is
// up to 2^-12. At 20 fraction bits and a bound of 16, a mean of 10^6 entries has a relative error of 2^-16.
[[nodiscard]] Secret sum(const Secret& x);
[[nodiscard]] Secret mean(const Secret& x);
// The sums and means of each row, as a column, and of each column, as a row.
[[nodiscard]] Secret row_sums(const Secret& x);
[[nodiscard]] Secret column_sums(const Secret& x);
[[nodiscard]] Secret row_means(const Secret& x);
[[nodiscard]] Secret column_means(const Secret& x);

// The product of a public matrix and a secret one.
[[nodiscard]] Secret matmul(const Matrix& x, const Secret& y);
[[nodiscard]] Secret matmul(const Secret& x, const Matrix& y);

}  // namespace sotto
