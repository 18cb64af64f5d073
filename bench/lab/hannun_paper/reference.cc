#include "bench/lab/hannun_paper/reference.h"

namespace sotto::apps::lab {

const HannunReference& hannun_reference(bool is_mnist) {
  static const HannunReference mnist{10,
                                     {1000, 5000, 10'000, 20'000, 60'000},
                                     {{0, {.490, .700, .762, .805, .8375}, .006},
                                      {.001, {.491, .708, .772, .811, .8390}, .006},
                                      {.01, {.486, .709, .770, .806, .8327}, .003},
                                      {.03, {.473, .712, .764, .796, .8191}, .003},
                                      {.1, {.471, .680, .723, .748, .7675}, .002},
                                      {.3, {.419, .564, .590, .604, .6148}, 0},
                                      {.5, {.356, .440, .453, .461, .4650}, 0},
                                      {1, {.102, .101, .100, .101, .1005}, 0}}};
  static const HannunReference digits{40,
                                      {500, 1000, 1797},
                                      {{0, {.4413, .5730, .6995}, .0487},
                                       {.001, {.4380, .5695, .6954}, .0549},
                                       {.01, {.4393, .5708, .6928}, .0594},
                                       {.03, {.4389, .5747, .6964}, .0533},
                                       {.1, {.4467, .5751, .6799}, .0362},
                                       {.3, {.4165, .5253, .5909}, .0230},
                                       {.5, {.3272, .4048, .4491}, .0181},
                                       {1, {.1023, .1001, .1008}, .0072}}};
  return is_mnist ? mnist : digits;
}

const std::vector<HannunArmsReference>& hannun_arms_references(bool is_mnist) {
  static const std::vector<HannunArmsReference> mnist{
      {5, .247, .104, {{0, .243}, {.01, .242}, {.1, .230}, {.3, .202}, {.5, .175}}},
      {10, .326, .089, {{0, .289}, {.01, .304}, {.1, .294}, {.3, .250}, {.5, .204}}},
      {20, .394, .077, {{0, .239}, {.01, .302}, {.1, .336}, {.3, .284}, {.5, .226}}},
      {40, .460, .069, {{0, .240}, {.01, .284}, {.1, .357}, {.3, .297}, {.5, .233}}},
      {80, .518, .063, {{0, .220}, {.01, .281}, {.1, .345}, {.3, .296}, {.5, .225}}}};
  static const std::vector<HannunArmsReference> digits{
      {5, .2993, .1009, {{0, .2592}, {.01, .2568}, {.1, .2447}, {.3, .2111}, {.5, .1855}}},
      {10, .4062, .0866, {{0, .2405}, {.01, .2457}, {.1, .2639}, {.3, .2437}, {.5, .2018}}},
      {20, .4954, .0746, {{0, .2119}, {.01, .2170}, {.1, .2194}, {.3, .2291}, {.5, .1914}}}};
  return is_mnist ? mnist : digits;
}

const std::vector<HannunAttackReference>& hannun_attack_references(bool is_mnist) {
  static const std::vector<HannunAttackReference> mnist{
      {500, .021, .023}, {1000, .012, .018}, {5000, .005, .008}, {60'000, .005, .008}};
  // 40 runs each at epsilon 0, .1 and .5: the means, and two standard errors.
  static const std::vector<HannunAttackReference> digits{
      {200, .021, .045}, {500, .017, .033}, {1000, .012, .028}, {1198, .012, .028}};
  return is_mnist ? mnist : digits;
}

const std::vector<HannunPrecisionReference>& hannun_precision_references(bool is_mnist) {
  static const std::vector<HannunPrecisionReference> mnist{
      {14, .258, .269, .634, .167},  {16, .541, .523, .710, .241}, {18, .743, .742, .746, .386},
      {20, .7685, .768, .766, .556}, {22, .767, .765, .765, .677}, {24, .770, .770, .770, .753},
      {26, {}, .767, .767, .765}};  // published: .392 there, a collapse
  static const std::vector<HannunPrecisionReference> digits{{10, {}, .6322, .6669, .4314},
                                                            {12, {}, .6609, .6781, .6591},
                                                            {14, {}, .6621, .6864, .6737},
                                                            {16, {}, .6777, .6847, .6840},
                                                            {20, {}, .6776, .6845, .6848}};
  return is_mnist ? mnist : digits;
}

}  // namespace sotto::apps::lab
