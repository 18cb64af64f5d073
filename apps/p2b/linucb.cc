#include "apps/p2b/linucb.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "apps/kit/learn/ridge.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

double ucb_score(const double* w, const double* theta, std::span<const double> x, double alpha) {
  const double width = squared_width(w, x.data(), x.size());
  return inner_product(theta, x.data(), x.size()) + alpha * std::sqrt(std::max(0.0, width));
}

LinUcb::LinUcb(std::size_t dimension, std::size_t arms, double alpha)
    : dimension_(dimension), arms_(arms), alpha_(alpha) {
  require_argument(dimension > 0 && arms > 0, "LinUcb: a dimension and arms are needed");
  clear();
}

void LinUcb::clear() {
  const std::size_t square = dimension_ * dimension_;
  a_.assign(arms_ * square, 0);
  for (std::size_t arm = 0; arm < arms_; ++arm) {
    for (std::size_t i = 0; i < dimension_; ++i) a_[arm * square + i * (dimension_ + 1)] = 1;
  }
  w_ = a_;
  b_.assign(arms_ * dimension_, 0);
  theta_ = b_;
  unsolved_.clear();
}

void LinUcb::learn(std::size_t arm, std::span<const double> x, double weight, double reward_sum) {
  require_argument(arm < arms_ && x.size() == dimension_, "LinUcb::learn: no such arm, or another dimension");
  double* a = a_.data() + arm * dimension_ * dimension_;
  double* b = b_.data() + arm * dimension_;
  for (std::size_t i = 0; i < dimension_; ++i) {
    const double factor = weight * x[i];
    for (std::size_t j = 0; j < dimension_; ++j) a[i * dimension_ + j] += factor * x[j];
    b[i] += reward_sum * x[i];
  }
  if (std::find(unsolved_.begin(), unsolved_.end(), arm) == unsolved_.end()) {
    unsolved_.push_back(arm);
  }
}

void LinUcb::solve() {
  for (const std::size_t arm : unsolved_) solve_arm(arm);
  unsolved_.clear();
}

void LinUcb::solve_arm(std::size_t arm) {
  const auto d = static_cast<Eigen::Index>(dimension_);
  const std::size_t square = dimension_ * dimension_;
  const Eigen::Map<const Matrix> a(a_.data() + arm * square, d, d);
  const Eigen::LLT<Matrix> factor(a);
  Eigen::Map<Matrix> w(w_.data() + arm * square, d, d);
  w = factor.solve(Matrix::Identity(d, d));
  // This loop makes W symmetric to the last bit.
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) w(i, j) = w(j, i);
  }
  multiply_symmetric(w.data(), b_.data() + arm * dimension_, dimension_, theta_.data() + arm * dimension_);
}

const double* LinUcb::theta(std::size_t arm) const { return theta_.data() + arm * dimension_; }

const double* LinUcb::inverse(std::size_t arm) const { return w_.data() + arm * dimension_ * dimension_; }

void LinUcb::scores(std::span<const double> x, std::span<double> out) const {
  require_argument(x.size() == dimension_ && out.size() == arms_, "LinUcb::scores: another dimension");
  require_argument(solved(), "LinUcb::scores: solve() first");
  for (std::size_t arm = 0; arm < arms_; ++arm) {
    out[arm] = ucb_score(inverse(arm), theta(arm), x, alpha_);
  }
}

OwnArms::OwnArms(std::size_t dimension, std::size_t arms)
    : dimension_(dimension), block_size_(dimension * dimension + dimension), place_(arms, -1), gain_(dimension) {}

void OwnArms::clear() {
  for (const std::size_t arm : touched_) place_[arm] = -1;
  touched_.clear();
}

void OwnArms::update(const LinUcb& shared, std::size_t arm, std::span<const double> x, double reward) {
  require_argument(arm < place_.size() && x.size() == dimension_, "OwnArms::update: no such arm, or another dimension");
  const std::size_t d = dimension_;
  if (place_[arm] < 0) {
    const std::size_t at = touched_.size() * block_size_;
    if (blocks_.size() < at + block_size_) blocks_.resize(at + block_size_);
    double* fresh = std::copy_n(shared.inverse(arm), d * d, blocks_.data() + at);
    std::copy_n(shared.theta(arm), d, fresh);
    place_[arm] = static_cast<std::int32_t>(touched_.size());
    touched_.push_back(arm);
  }
  double* w = blocks_.data() + static_cast<std::size_t>(place_[arm]) * block_size_;
  double* theta = w + d * d;
  multiply_symmetric(w, x.data(), d, gain_.data());
  const double width = inner_product(gain_.data(), x.data(), d);
  const double error = reward - inner_product(theta, x.data(), d);
  const double surprise = learn_sample(w, gain_.data(), width, d) * error;
  for (std::size_t i = 0; i < d; ++i) theta[i] += surprise * gain_[i];
}

OwnLinUcb::OwnLinUcb(const LinUcb& shared)
    : shared_(&shared), own_(shared.dimension(), shared.arms()), scores_(shared.arms()) {
  require_argument(shared.solved(), "OwnLinUcb: the shared model must be solved");
}

void OwnLinUcb::score(std::span<const double> x) {
  require_argument(x.size() == shared_->dimension(), "OwnLinUcb: another dimension");
  for (std::size_t arm = 0; arm < scores_.size(); ++arm) {
    const double* w = own_.inverse(arm);
    const double* theta = own_.theta(arm);
    if (w == nullptr) {
      w = shared_->inverse(arm);
      theta = shared_->theta(arm);
    }
    scores_[arm] = ucb_score(w, theta, x, shared_->alpha());
  }
}

}  // namespace sotto::apps::p2b
