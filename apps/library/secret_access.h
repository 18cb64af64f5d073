// What a secret is made of, which its users do not see. For the sources of this folder.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "apps/library/origin.h"
#include "sotto/product.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/secret.h"
#include "sotto/session.h"

namespace sotto::detail {

struct SecretForm {
  std::variant<Arith, Masked> value;
  Origin origin{};
  // The same rounded to fewer fraction bits, once it was needed.
  std::optional<Masked> rounded{};
};

struct SecretAccess {
  static Secret make(Session& session, std::variant<Arith, Masked> value, double bound, const Origin& origin);
  static const Origin& origin(const Secret& x) { return x.form_->origin; }
  // Null where nobody plans.
  static Trace* trace(const Session& session) { return session.trace_; }
  static SecretForm& form(const Secret& x) { return *x.form_; }
  // Null where it is not masked.
  static const Masked* masked(const Secret& x) { return std::get_if<Masked>(&x.form_->value); }
  // The value as additive shares.
  static Arith shares(const Secret& x);
  // The same entries, the form of which is known better now.
  static Secret with_bound(Secret x, double bound);
  static std::vector<Product::Term>& terms(Product& product) { return product.terms_; }
  static std::vector<Product::Linear>& linear(Product& product) { return product.linear_; }
  using Map = Product::Map;
  using Term = Product::Term;
  using Linear = Product::Linear;
  static Product product(Map map, Secret x, Secret y, Shape shape, double bound) {
    return Product(map, std::move(x), std::move(y), shape, bound);
  }
};

}  // namespace sotto::detail
