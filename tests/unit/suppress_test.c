/* Templates match as TSan's do; files are read line by line; a race is matched where it should be, and
 * nowhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "report/suppress.h"

static void templates(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"foo", "foo", true},
        {"foo", "a foo b", true},
        {"foo", "fo", false},
        {"^foo", "foobar", true},
        {"^foo", "a foo", false},
        {"foo$", "a foo", true},
        {"foo$", "foobar", false},
        {"^foo$", "foo", true},
        {"^foo$", "foofoo", false},
        {"foo$", "foofoo", true},
        {"f*o", "fabco", true},
        {"f*o$", "fabcox", false},
        {"^f*o$", "fabco", true},
        {"*", "x", true},
        {"*", "", false},
        {"foo*bar", "barfoo", false},
        {"foo*bar", "foo and bar", true},
        {"a*b*c$", "abcbc", true},
        {"^*foo", "a foo", true},
        {"foo**", "foo", true},
        {"$", "x", true},
        {"^", "x", true},
        {"std::*vector<", "void std::my::vector<int>()", true},
    };
    for (size_t i = 0; i < array_length(cases); i++)
        if (suppression_template_matches(cases[i].pattern, cases[i].text) != cases[i].matches)
            fail_msg("%s on %s", cases[i].pattern, cases[i].text);
    assert_false(suppression_template_matches("*", NULL));
}

static struct suppressions read_text(const char *text)
{
    struct suppressions s = {.first = NULL};
    struct problem problem;
    assert_true(suppressions_add_text(&s, text, strlen(text), &problem));
    return s;
}

static void lines(void **state)
{
    (void)state;
    struct suppressions s = read_text("# comment\n\n \trace:a b \r\n  race_top:x\ncalled_from_lib:lib:so");
    assert_string_equal(s.first->pattern, "a b");
    assert_int_equal(s.first->next->type, SUPPRESS_race_top);
    assert_string_equal(s.first->next->next->pattern, "lib:so");
    assert_null(s.first->next->next->next);
    suppressions_free(&s);
    static const char *const bad[] = {"rac:x", "race", "race:", "x\n", ":x", "race :x", "race_topp:x"};
    for (size_t i = 0; i < array_length(bad); i++) {
        struct suppressions t = {.first = NULL};
        struct problem problem = {0};
        if (suppressions_add_text(&t, bad[i], strlen(bad[i]), &problem))
            fail_msg("accepted: %s", bad[i]);
        assert_int_equal(problem.line, 1);
        suppressions_free(&t);
    }
}

static void races(void **state)
{
    (void)state;
    struct live_frame current[] = {{.function = "top", .file = "/src/a.c", .module = "/bin/prog"},
                                   {.function = "caller", .file = "/src/b.c", .module = "/bin/prog"}};
    struct live_frame earlier[] = {{.function = NULL, .module = "/lib/libx.so"}};
    struct live_frame creation[] = {{.function = "creator", .module = "/bin/prog"}};
    struct live_thread thread = {.id = 1, .stack = {creation, 1, true, false}};
    struct live_race race = {.current = {.stack = {current, 2, true, false}},
                             .earlier = {.stack = {earlier, 1, true, false}},
                             .location = {.place = LIVE_GLOBAL, .name = "variable", .module = "/bin/prog"},
                             .thread = &thread,
                             .thread_count = 1};
    static const struct {
        const char *line;
        bool matches;
    } cases[] = {
        {"race:^top$", true},
        {"race:caller", true},
        {"race:b.c", true},
        {"race:libx", true},
        {"race:creator", true},
        {"race:variable", true},
        {"race:nobody", false},
        {"race_top:^top$", true},
        {"race_top:caller", false},
        {"race_top:libx", true},
        {"race_top:creator", false},
        {"called_from_lib:libx.so$", true},
        {"called_from_lib:caller", false},
        {"thread:*", false},
        {"mutex:*", false},
        {"signal:*", false},
        {"deadlock:*", false},
    };
    for (size_t i = 0; i < array_length(cases); i++) {
        struct suppressions s = read_text(cases[i].line);
        if ((suppressions_match(&s, &race) != NULL) != cases[i].matches)
            fail_msg("%s", cases[i].line);
        assert_int_equal(s.first->hits, cases[i].matches);
        suppressions_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates),
        cmocka_unit_test(lines),
        cmocka_unit_test(races),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
