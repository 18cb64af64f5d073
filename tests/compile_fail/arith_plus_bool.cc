// Additive and XOR shares do not mix: conversion is a protocol.
#include "sotto/core/sharing/arith.h"
#include "sotto/core/sharing/bool.h"

void sum(const sotto::Arith& x, const sotto::Bool& y);

void sum(const sotto::Arith& x, const sotto::Bool& y) {
  (void)(x + x);
  (void)(y ^ y);
#ifdef WRONG
  (void)(x + y);  // refused
#endif
}
