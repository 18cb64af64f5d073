#include "sotto/bench/lab/o3m_audit/known_contexts.h"
#include "sotto/bench/lab/o3m_audit/rows.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <cmath>

namespace sotto::apps {
namespace {

// Of a row's norm: what is left of it beside the span of earlier rows counts as nothing below this.
constexpr double independent_beyond = 1e-6;

RowMajor chosen(const RowMajor& from, std::span<const std::size_t> which) {
  RowMajor out(index(which.size()), from.cols());
  for (std::size_t i = 0; i < which.size(); ++i) out.row(index(i)) = from.row(index(which[i]));
  return out;
}

// The direction that n - 1 independent rows of length n leave.
Eigen::VectorXd left_over(const RowMajor& rows) {
  if (rows.rows() == 0) return Eigen::VectorXd::Ones(rows.cols());
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr{Eigen::MatrixXd(rows.transpose())};
  return (qr.householderQ() * Eigen::MatrixXd::Identity(rows.cols(), rows.cols())).rightCols(1);
}

// Row i of the result is the combination of rows of `known_x` that gives row i of y from `known_y`, as nearly as any
// does.
RowMajor transfer(const RowMajor& y, const RowMajor& known_y, const RowMajor& known_x) {
  if (known_y.rows() == 0) return RowMajor::Zero(y.rows(), y.cols());
  const Eigen::MatrixXd combined = Eigen::MatrixXd(known_y.transpose()).colPivHouseholderQr().solve(y.transpose());
  return combined.transpose() * known_x;
}

double rms(const RowMajor& error) {
  return error.size() == 0 ? 0 : error.norm() / std::sqrt(static_cast<double>(error.size()));
}

void measure(RecoveryReading& reading, const RowMajor& error, const RowMajor& truth) {
  reading.largest_error = error.size() == 0 ? 0 : error.cwiseAbs().maxCoeff();
  reading.rms_error = rms(error);
  reading.relative_error = truth.norm() > 0 ? error.norm() / truth.norm() : 0;
}

}  // namespace

std::vector<std::size_t> independent_rows(std::span<const double> others, std::size_t rows, std::size_t most) {
  const ConstRows x = as_rows(others, rows);
  Eigen::MatrixXd basis(x.cols(), std::min(x.cols(), index(most)));
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < rows && index(found.size()) < basis.cols(); ++i) {
    Eigen::VectorXd rest = x.row(index(i)).transpose();
    const double norm = rest.norm();
    const auto span = basis.leftCols(index(found.size()));
    for (int pass = 0; pass < 2; ++pass) rest -= span * (span.transpose() * rest);
    if (!(rest.norm() > independent_beyond * norm)) continue;
    basis.col(index(found.size())) = rest.normalized();
    found.push_back(i);
  }
  return found;
}

RecoveryReading recover_from_known(const ActiveView& view, std::span<const double> others,
                                   std::span<const std::size_t> known) {
  const std::vector<double> rotated = others_rotated(view);
  const RowMajor y = as_rows(rotated, view.rows);
  const ConstRows truth = as_rows(others, view.rows);
  const RowMajor known_x = chosen(truth, known);
  const RowMajor known_y = chosen(y, known);
  const RowMajor in_span = transfer(y, known_y, known_x);
  RecoveryReading reading;
  reading.known = known.size();
  RowMajor error = in_span - truth;
  if (known.size() + 1 == view.others()) {
    const RowMajor reflected = (y * left_over(known_y)) * left_over(known_x).transpose();
    const RowMajor plus = error + reflected;
    const RowMajor minus = error - reflected;
    const bool up = plus.norm() < minus.norm();
    // Where contexts span no more than the known ones, no sign is left to guess.
    if (reflected.norm() > independent_beyond * truth.norm()) {
      reading.rms_with_other_sign = rms(up ? minus : plus);
      error = up ? plus : minus;
    }
  }
  measure(reading, error, truth);
  return reading;
}

RecoveryReading guess_mean(std::span<const double> others, std::size_t rows, std::span<const std::size_t> known) {
  const ConstRows truth = as_rows(others, rows);
  RecoveryReading reading;
  reading.known = known.size();
  RowMajor error = -truth;
  if (!known.empty()) error.rowwise() += chosen(truth, known).colwise().mean();
  measure(reading, error, truth);
  return reading;
}

double error_with_mask(const ActiveView& view, std::span<const double> mask, std::span<const double> contexts) {
  const ConstRows z = as_rows(view.masked, view.rows);
  const ConstRows q(mask.data(), index(view.dimension()), index(view.dimension()));
  // Q' (Q x) = x, for all rows at once.
  const RowMajor error = z * q - as_rows(contexts, view.rows);
  return error.size() == 0 ? 0 : error.cwiseAbs().maxCoeff();
}

}  // namespace sotto::apps
