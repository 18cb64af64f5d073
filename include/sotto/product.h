// Product: products of two secrets that are not rounded yet.
//
//     Secret z = co_await (x * y);                                           1 round
//     Secret r = co_await (matmul(x, w) + matmul(v, u) - y) * 0.5;           1 round for all of it
//
// Sums, differences, multiples by public numbers and sums with secrets are local. The await takes the round: it drops
// the surplus fraction bits of a product. The error of the await is below one unit of the result's last bit, and zero
// on average.
//
// If a factor is not masked, or has too many bits, it is first masked with few enough bits, in one more round. The
// factor keeps that form for further products. A factor without fraction bits, such as the bit of a comparison, gives
// the product no surplus bits. The await then rounds nothing, and takes no round for it.
//
// Rounds, bytes   1 round, or 2. Each party sends each other party 8 bytes an entry of the result, and 8 bytes an entry
//                 of each factor that is masked. Dealt: 8 bytes an entry, and as many bits as are dropped. A factor
//                 that was rounded itself takes as many bits again for each pair of entries that the product
//                 multiplies. Where that is too much, such a factor is masked again, in one more round.
// Views           Openings are uniform (include/sotto/protocol/arithmetic/mask_trunc.h,
//                 include/sotto/protocol/io/mask.h).
// Ranges          BoundError where bounds and bits add up to more than 61.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/protocol/async/task.h"
#include "sotto/secret.h"

namespace sotto {

class Product {
 public:
  [[nodiscard]] Shape shape() const noexcept { return shape_; }
  [[nodiscard]] double bound() const noexcept { return bound_; }
  [[nodiscard]] Session& session() const;

  // Throw std::invalid_argument where shapes differ.
  Product& operator+=(const Product& other);
  Product& operator*=(double factor);
  friend Product operator+(Product x, const Product& y) { return x += y; }
  friend Product operator-(Product x, const Product& y) { return x += -y; }
  friend Product operator-(Product x) { return x *= -1; }
  friend Product operator*(Product x, double y) { return x *= y; }
  friend Product operator*(double x, Product y) { return y *= x; }
  friend Product operator/(Product x, double y) { return x *= 1 / y; }
  friend Product operator+(Product x, const Secret& y) { return x.plus(y, 1); }
  friend Product operator+(const Secret& x, Product y) { return y.plus(x, 1); }
  friend Product operator-(Product x, const Secret& y) { return x.plus(y, -1); }
  friend Product operator-(const Secret& x, Product y) { return (-y).plus(x, 1); }

  // The same product under a bound that you know to hold: no entry is larger.
  [[nodiscard]] Product within(double bound) &&;

  class Awaiter {
   public:
    explicit Awaiter(Task<Secret> task) : task_(std::move(task)), inner_(std::move(task_).operator co_await()) {}
    [[nodiscard]] bool await_ready() const noexcept { return inner_.await_ready(); }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> parent) const {
      inner_.await_suspend(parent);
    }
    [[nodiscard]] Secret await_resume() const { return inner_.await_resume(); }

   private:
    Task<Secret> task_;
    Task<Secret>::Awaiter inner_;
  };
  [[nodiscard]] Awaiter operator co_await() const;

 private:
  friend struct detail::SecretAccess;
  enum class Map : std::uint8_t { elementwise, matmul, row_dot, row_scale };
  struct Term {
    Secret x, y;
    Map map;
    double factor;
  };
  struct Linear {
    Secret x;
    double factor;
  };

  Product(Map map, Secret x, Secret y, Shape shape, double bound);
  Product& plus(const Secret& other, double factor);

  Shape shape_;
  double bound_;
  std::vector<Term> terms_;
  std::vector<Linear> linear_;
};

// Entry by entry; a single row, column or entry serves all.
[[nodiscard]] Product operator*(const Secret& x, const Secret& y);
[[nodiscard]] Product matmul(const Secret& x, const Secret& y);
// The dot product of each row of x with the same row of y, or with the only row of y: a column.
[[nodiscard]] Product row_dot(const Secret& x, const Secret& y);

// The await of a product as a task, for all().
[[nodiscard]] Task<Secret> rounded(Product product);
// The same secret with no more fraction bits than the session has. 1 round where public factors or sums gave x more
// bits, and no round otherwise.
[[nodiscard]] Task<Secret> rounded(Secret x);

}  // namespace sotto
