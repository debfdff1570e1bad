// Describes Swift's Mutex on Linux to ThreadSanitizer.
//
// The lock's fast path is compiled into the program, where ThreadSanitizer sees it. The slow path runs if two threads
// contend for the lock. It is in libswiftSynchronization.so, which is not instrumented, so its ordering is invisible
// and looks like a race. This library interposes the slow path's functions and reports each acquire and release. The
// names and the calling convention are Swift's own.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF mutex) __asm__(LOCK);
SWIFT void lock_slow(uint32_t thread, SELF mutex) {
    ((SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT _Bool try_lock_slow(SELF mutex) __asm__(TRY_LOCK);
SWIFT _Bool try_lock_slow(SELF mutex) {
    _Bool is_locked = ((SWIFT _Bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK))(mutex);
    if (is_locked) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock_slow(SELF mutex) __asm__(UNLOCK);
SWIFT void unlock_slow(SELF mutex) {
    __tsan_release(mutex);
    ((SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
