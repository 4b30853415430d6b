// Generated sequences as a check of verify.

#ifndef LOCKSTEP_PROPS_INVARIANTS_PROPERTY_CHECK_H_
#define LOCKSTEP_PROPS_INVARIANTS_PROPERTY_CHECK_H_

#include <memory>

#include "props/harness/check.h"

namespace lockstep {

// RapidCheck generates sequences, and makes a failing one smaller, until the deadline.
std::unique_ptr<Check> MakePropertyCheck();

}  // namespace lockstep

#endif  // LOCKSTEP_PROPS_INVARIANTS_PROPERTY_CHECK_H_
