/* Messages of a program with bugs: cut, damaged or made up, they do no harm to the process that reads them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/desk.h"

enum { NUMBERS = 4096 };
static union {
    struct wire_header header;
    uint64_t number[NUMBERS];
} message;
static size_t used;

static void put(uint64_t number)
{
    assert_true(used < NUMBERS);
    message.number[used++] = number;
}

static void put_text(const char *text)
{
    size_t length = strlen(text), numbers = (length + 7) / 8;
    put(length);
    memset(message.number + used, 0, numbers * 8);
    memcpy(message.number + used, text, length);
    used += numbers;
}

static void put_stack(uint64_t first, uint64_t count)
{
    put(count > 0 ? WIRE_STACK_KNOWN : 0);
    put(count);
    for (uint64_t i = 0; i < count; i++)
        put(first + i);
}

static void put_access(uint64_t thread, uint64_t pc)
{
    put(WIRE_WRITE);
    put(WIRE_ACCESS_LOCKS_KNOWN);
    put(4);
    put(0x1000);
    put(thread);
    put_stack(pc, 3);
    put(1);
    put(0x2000);
    put(WIRE_LOCK_READ);
    put(0);
    put_stack(0, 0);
}

static size_t finish(enum wire_kind kind)
{
    message.header = (struct wire_header){WIRE_MAGIC, kind, (uint32_t)(used * 8), 42};
    return used * 8;
}

/* A whole report: a block, two threads, a mutex, this very program as its module. */
static size_t whole_race(void)
{
    used = sizeof(struct wire_header) / 8;
    put_access(0, (uint64_t)(uintptr_t)whole_race);
    put_access(1, 0x5000);
    put(WIRE_FREED_HEAP);
    put(0x1000);
    put(64);
    put(1);
    put_stack(0x6000, 2);
    put(0);
    put_stack(0x6000, 2);
    put(0);
    put(0);
    put_text("");
    put(0);
    put(0);
    put(2);
    for (uint64_t id = 0; id < 2; id++) {
        put(id);
        put(100 + id);
        put(WIRE_THREAD_RUNNING);
        put(id == 0 ? WIRE_NO_THREAD : 0);
        put_text("na\033me");
        put_stack(0x7000, id);
    }
    put(WIRE_KNOWN_SYNC);
    put(WIRE_MOST_SYNC);
    for (uint64_t i = 0; i < WIRE_MOST_SYNC; i++) {
        bool first = i < WIRE_MOST_SYNC / 2;
        put(first ? WIRE_SYNC_RELEASES | (i > 0 ? WIRE_SYNC_AFTER : WIRE_SYNC_REACHED)
                  : WIRE_SYNC_ACQUIRES | WIRE_SYNC_SECOND);
        put(i % (WIRE_ANNOTATED + 1));
        put(i % 2 ? 0x2000 : 0x3000);
        put_stack(0x8000, i % 3);
    }
    put(1);
    put(0x2000);
    put_stack(0x8000, 1);
    put(1);
    put(0x4000);
    put(0x9000);
    put(0x4000);
    put(0);
    put(0); /* not instrumented: the damage test goes through what names such a module */
    put_text("/proc/self/exe");
    return finish(WIRE_RACE);
}

static enum desk_result take(struct desk *desk, struct desk_client *client, size_t length,
                             struct wire_verdict *v)
{
    return desk_take(desk, client, &message, length, -1, v);
}

static void a_whole_one(void **state)
{
    (void)state;
    struct desk desk;
    struct wire_verdict v;
    desk_open(&desk);
    struct desk_client *client = desk_client_new();
    assert_int_equal(take(&desk, client, whole_race(), &v), DESK_ANSWER);
    assert_int_equal(v.counts, 1);
    assert_int_equal(v.reported, 1);
    assert_int_equal(v.exit_code, 66);
    assert_int_equal(v.header.pid, 42);
    struct problem problem;
    assert_true(suppressions_add_text(&client->suppressions, "race:*", 6, &problem));
    assert_int_equal(take(&desk, client, whole_race(), &v), DESK_ANSWER);
    assert_int_equal(v.counts, 0);
    assert_int_equal(v.reported, 1);
    assert_int_equal(desk.suppressed, 1);
    desk_client_free(client);
    desk_close(&desk);
}

static void strangers(void **state)
{
    (void)state;
    struct desk desk;
    struct wire_verdict v;
    desk_open(&desk);
    struct desk_client *client = desk_client_new();
    size_t length = whole_race();
    assert_int_equal(take(&desk, client, 0, &v), DESK_UNKNOWN);
    assert_int_equal(take(&desk, client, 8, &v), DESK_UNKNOWN);
    assert_int_equal(take(&desk, client, length - 8, &v), DESK_UNKNOWN);
    message.header.kind = 99;
    assert_int_equal(take(&desk, client, length, &v), DESK_UNKNOWN);
    message.header.magic++;
    assert_int_equal(take(&desk, client, length, &v), DESK_UNKNOWN);
    used = sizeof(struct wire_header) / 8;
    put(3); /* options of another version */
    put(0);
    assert_int_equal(take(&desk, client, finish(WIRE_SETTINGS), &v), DESK_UNKNOWN);
    desk_client_free(client);
    desk_close(&desk);
}

/* Every number of a report in turn becomes something else; every length is tried. */
static void damage(void **state)
{
    (void)state;
    static const uint64_t values[] = {0, 1, 2, 255, 257, 1 << 20, UINT32_MAX, (uint64_t)1 << 62, UINT64_MAX};
    struct desk desk;
    struct wire_verdict v;
    desk_open(&desk);
    struct desk_client *client = desk_client_new();
    size_t numbers = whole_race() / 8;
    for (size_t i = sizeof(struct wire_header) / 8; i < numbers; i++)
        for (size_t k = 0; k < array_length(values); k++) {
            size_t length = whole_race();
            message.number[i] = values[k];
            assert_int_equal(take(&desk, client, length, &v), DESK_ANSWER);
        }
    for (size_t n = sizeof(struct wire_header) / 8; n < numbers; n++) {
        whole_race();
        used = n;
        assert_int_equal(take(&desk, client, finish(WIRE_RACE), &v), DESK_ANSWER);
        assert_int_equal(v.counts, 1); /* what arrived damaged is still a race */
        used = n;
        take(&desk, client, finish(WIRE_SETTINGS), &v);
    }
    desk_client_free(client);
    desk_close(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_one),
        cmocka_unit_test(strangers),
        cmocka_unit_test(damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
