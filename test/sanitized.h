/// SANITIZED: is this build one of the address or thread sanitizer?
#ifndef PX_TEST_SANITIZED_H
#define PX_TEST_SANITIZED_H

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED) && !defined(__GLIBC__)
#define SANITIZED 1 /* or another C library: its malloc() cannot be stood in for like this */
#elif !defined(SANITIZED)
#define SANITIZED 0
#endif

#endif
