/* Names get dense ids in order of first appearance, keep their texts, and are found again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names.h"

static uint32_t id_of(struct names *names, enum name_class class, const char *text)
{
    return names_id(names, class, text, strlen(text));
}

static void assert_name(struct name name, const char *text)
{
    assert_int_equal(name.length, strlen(text));
    assert_memory_equal(name.text, text, name.length);
}

static void ids_follow_first_appearance(void **state)
{
    (void)state;
    struct names names;
    names_init(&names);
    assert_int_equal(id_of(&names, NAME_VARIABLE, "x"), 0);
    assert_int_equal(id_of(&names, NAME_VARIABLE, "y"), 1);
    assert_int_equal(id_of(&names, NAME_VARIABLE, "x"), 0);
    assert_int_equal(id_of(&names, NAME_LOCK, "y"), 0); /* a numbering per class */
    assert_int_equal(id_of(&names, NAME_VARIABLE, ""), 2);
    assert_int_equal(id_of(&names, NAME_VARIABLE, ""), 2);
    assert_name(names_get(&names, NAME_VARIABLE, 1), "y");
    assert_name(names_get(&names, NAME_VARIABLE, 2), "");
    names_free(&names);
    assert_int_equal(names.mem.bytes, 0);
}

/* Texts of every length around the border between those that a bucket holds and longer ones, differing in a
 * single byte at every position, NUL bytes included. */
static void close_texts_differ(void **state)
{
    (void)state;
    enum { LONGEST = 40 };
    struct names names;
    names_init(&names);
    char text[LONGEST];
    uint32_t next = 0;
    for (int round = 0; round < 2; round++) {
        uint32_t expected = 0;
        for (size_t length = 0; length <= LONGEST; length++) {
            memset(text, 0, sizeof text);
            assert_int_equal(names_id(&names, NAME_LOCK, text, length), expected++);
            for (size_t i = 0; i < length; i++) {
                memset(text, 0, sizeof text);
                text[i] = 1;
                assert_int_equal(names_id(&names, NAME_LOCK, text, length), expected++);
                text[i] = (char)0x80;
                assert_int_equal(names_id(&names, NAME_LOCK, text, length), expected++);
            }
        }
        assert_true(round == 0 || next == expected);
        next = expected;
    }
    assert_int_equal(names.of[NAME_LOCK].count, next);
    names_free(&names);
}

static void numbered(char text[64], uint32_t i)
{
    /* Every third name is longer than a bucket holds. */
    snprintf(text, 64, i % 3 == 0 ? "a_rather_long_variable_name[%u]" : "V%u", i);
}

static void many_names(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    struct names names;
    names_init(&names);
    char text[64];
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < COUNT; i++) {
            numbered(text, i);
            assert_int_equal(id_of(&names, NAME_VARIABLE, text), i);
        }
    struct name early = names_get(&names, NAME_VARIABLE, 0);
    assert_name(early, "a_rather_long_variable_name[0]");
    size_t bytes = names.mem.bytes;
    for (uint32_t i = 0; i < COUNT; i++) {
        numbered(text, i);
        id_of(&names, NAME_VARIABLE, text);
        assert_name(names_get(&names, NAME_VARIABLE, i), text);
    }
    assert_int_equal(names.mem.bytes, bytes); /* a known name costs nothing */
    assert_ptr_equal(names_get(&names, NAME_VARIABLE, 0).text, early.text);
    names_free(&names);
    assert_int_equal(names.mem.bytes, 0);
}

static void texts_longer_than_a_chunk(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 20 };
    struct names names;
    names_init(&names);
    char *text = malloc(LENGTH);
    memset(text, 'x', LENGTH);
    assert_int_equal(names_id(&names, NAME_NOTE, text, LENGTH), 0);
    assert_int_equal(names_id(&names, NAME_NOTE, text, LENGTH - 1), 1);
    text[LENGTH - 1] = 'y';
    assert_int_equal(names_id(&names, NAME_NOTE, text, LENGTH), 2);
    text[LENGTH - 1] = 'x';
    assert_int_equal(names_id(&names, NAME_NOTE, text, LENGTH), 0);
    assert_int_equal(names_get(&names, NAME_NOTE, 0).length, LENGTH);
    assert_memory_equal(names_get(&names, NAME_NOTE, 0).text, text, LENGTH);
    free(text);
    names_free(&names);
}

static void appended_names_are_found(void **state)
{
    (void)state;
    struct names names;
    names_init(&names);
    assert_int_equal(names_append(&names, NAME_THREAD, "main", 4), 0);
    assert_int_equal(names_append(&names, NAME_THREAD, "worker", 6), 1);
    assert_int_equal(names_append(&names, NAME_THREAD, "main", 4), 2); /* a format may list a name twice */
    assert_int_equal(id_of(&names, NAME_THREAD, "worker"), 1);
    assert_int_equal(id_of(&names, NAME_THREAD, "main"), 0);
    assert_int_equal(id_of(&names, NAME_THREAD, "new"), 3);
    names_free(&names);
}

/* Text and code of a location; a number stands for itself. */
static void assert_location(struct names *names, const char *text, uint32_t location)
{
    char number[16];
    assert_int_equal(names_location_id(names, text, strlen(text)), location);
    assert_name(names_location(names, location, number), text);
}

static void locations(void **state)
{
    (void)state;
    struct names names;
    char number[16];
    names_init(&names);
    assert_location(&names, "0", 0);
    assert_location(&names, "7", 7);
    assert_location(&names, "345", 345);
    assert_location(&names, "99999999", 99999999);
    assert_location(&names, "2147483647", 2147483647);
    assert_location(&names, "2147483648", LOCATION_NAMED | 0);
    assert_location(&names, "4294967295", LOCATION_NAMED | 1);
    assert_location(&names, "9999999999", LOCATION_NAMED | 2);
    assert_location(&names, "99999999999999999999", LOCATION_NAMED | 3);
    assert_location(&names, "007", LOCATION_NAMED | 4); /* is not 7 */
    assert_location(&names, "00", LOCATION_NAMED | 5);
    assert_location(&names, "bank.c:40", LOCATION_NAMED | 6);
    assert_location(&names, "-5", LOCATION_NAMED | 7);
    assert_location(&names, "12a", LOCATION_NAMED | 8);
    assert_location(&names, "007", LOCATION_NAMED | 4);
    assert_location(&names, "", LOCATION_NAMED | 9);
    assert_int_equal(names_location(&names, NO_LOCATION, number).length, 0);
    names_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_follow_first_appearance),
        cmocka_unit_test(close_texts_differ),
        cmocka_unit_test(many_names),
        cmocka_unit_test(texts_longer_than_a_chunk),
        cmocka_unit_test(appended_names_are_found),
        cmocka_unit_test(locations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
