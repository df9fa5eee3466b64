/* Included before everything else: each atomic operation of the shadow and the runtime asks the test first whether another
 * thread's turn has come (shadow_switch_test.c). */
#pragma once

void atomic_point(void);

#define __atomic_load_n(p, order)        (atomic_point(), __atomic_load_n(p, order))
#define __atomic_store_n(p, v, order)    (atomic_point(), __atomic_store_n(p, v, order))
#define __atomic_fetch_add(p, v, order)  (atomic_point(), __atomic_fetch_add(p, v, order))
#define __atomic_fetch_or(p, v, order)   (atomic_point(), __atomic_fetch_or(p, v, order))
#define __atomic_exchange_n(p, v, order) (atomic_point(), __atomic_exchange_n(p, v, order))
#define __atomic_compare_exchange_n(p, expected, v, weak, success, failure)                                  \
    (atomic_point(), __atomic_compare_exchange_n(p, expected, v, weak, success, failure))
