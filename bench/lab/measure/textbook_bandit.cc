#include "bench/lab/measure/textbook_bandit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include "apps/kit/learn/seeded.h"

namespace sotto::apps::lab {


class TextbookBandit::Model {
 public:
  explicit Model(const LinearBanditOptions& options)
      : options_(options),
        sums_(options.lambda * Eigen::MatrixXd::Identity(dimension(), dimension())),
        rewards_(Eigen::VectorXd::Zero(dimension())) {}

  std::size_t select(std::uint64_t step, std::span<const double> contexts) const {
    const Eigen::Map<const RowMajor> x(contexts.data(), static_cast<Eigen::Index>(options_.arms), dimension());
    const Eigen::VectorXd scores = options_.algorithm == LinearAlgorithm::ucb ? upper_bounds(x) : sampled(x, step);
    Eigen::Index best = 0;
    scores.maxCoeff(&best);
    return static_cast<std::size_t>(best);
  }

  void update(std::span<const double> context, double reward) {
    const Eigen::Map<const Eigen::VectorXd> x(context.data(), dimension());
    sums_.noalias() += x * x.transpose();
    rewards_ += reward * x;
  }

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::Index dimension() const { return static_cast<Eigen::Index>(options_.dimension); }

  Eigen::VectorXd upper_bounds(const Eigen::Map<const RowMajor>& x) const {
    const Eigen::MatrixXd inverse = sums_.inverse();
    const RowMajor product = x * inverse;
    const Eigen::VectorXd squares = product.cwiseProduct(x).rowwise().sum();
    return x * (inverse * rewards_) + options_.beta * squares.cwiseSqrt();
  }

  Eigen::VectorXd sampled(const Eigen::Map<const RowMajor>& x, std::uint64_t step) const {
    const Eigen::LLT<Eigen::MatrixXd> llt(sums_);
    StepStream stream(options_.stream_seed, step);
    Eigen::VectorXd noise(dimension());
    for (double& value : noise) value = normal_pair(stream).first;
    return x * (llt.solve(rewards_) + options_.v * llt.matrixU().solve(noise));
  }

  LinearBanditOptions options_;
  Eigen::MatrixXd sums_;
  Eigen::VectorXd rewards_;
};

TextbookBandit::TextbookBandit(const LinearBanditOptions& options) : model_(std::make_unique<Model>(options)) {}
TextbookBandit::~TextbookBandit() = default;

std::size_t TextbookBandit::select(std::uint64_t step, std::span<const double> contexts) {
  return model_->select(step, contexts);
}
void TextbookBandit::update(std::span<const double> context, double reward) { model_->update(context, reward); }

}  // namespace sotto::apps::lab
