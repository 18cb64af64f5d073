// Example 4: logistic regression of two companies, in one process or over the network.
//
// Without arguments this process plays all roles. With `--config config.toml` the process is one role of a run over
// TLS:
//
//     sotto init --protocol program --parties 2 --out run        configs for two parties and the dealer
//     sotto keys new, sotto keys trust, sotto doctor             as run/<role>/README.txt says
//     example_4_logistic_regression --config config.toml         at each role, in its folder
#include "apps/examples/example.h"

using namespace sotto;

constexpr std::size_t people = 200;

static Task<Matrix> fit(Session& s, Matrix mine) {
  auto [x, y] = co_await all(s.input(0, {people, 4}, mine, 4), s.input(1, {people, 1}, mine, 1));
  Secret w = s.zeros({4, 1});
  for (int epoch = 0; epoch < 20; ++epoch) {
    Secret p = co_await sigmoid(co_await matmul(x, w));
    w = w - (co_await matmul(transpose(x), p - y)) * (2.0 / people);
    w = w.within(8);
  }
  co_return co_await s.reveal(w, "weights");
}

static Matrix plain_fit(const Matrix& x, const Matrix& y) {
  Matrix w = Matrix::Zero(4, 1);
  for (int epoch = 0; epoch < 20; ++epoch) {
    const Matrix p = (1 / (1 + (-(x * w).array()).exp())).matrix();
    w -= 2.0 / people * (x.transpose() * (p - y));
  }
  return w;
}

int main(int argc, char** argv) {
  const Matrix x = Matrix::Random(people, 4);  // a real party passes the rows of its own file, config.data()
  const Matrix y = ((x.rowwise().sum().array()) > 0).cast<double>().matrix();
  if (argc == 1) {
    const auto simulated = simulate({x, y}, fit);
    return compared(simulated, simulated.result(), plain_fit(x, y), 1e-3);
  }
  const Config config = Config::from_arguments(argc, argv);
  const Matrix mine = config.party() == 0 ? x : config.party() == 1 ? y : Matrix();
  const auto run = sotto::run(config, fit, mine);
  return run.result ? compared(run, *run.result, plain_fit(x, y), 1e-3) : 0;
}
