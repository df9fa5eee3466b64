/* The options' text: separators, quotes, values of every kind, and what is wrong with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "report/options.h"

static struct options o;
static struct options_problem p;

static void parse(const char *text)
{
    options_default(&o);
    memset(&p, 0, sizeof p);
    options_parse(&o, text, &p);
}

static void defaults(void **state)
{
    (void)state;
    parse("");
    assert_int_equal(o.exitcode, 66);
    assert_true(o.report_bugs);
    assert_false(o.halt_on_error);
    assert_string_equal(o.log_path, "stderr");
    assert_string_equal(p.unknown, "");
    assert_string_equal(p.bad, "");
    assert_non_null(options_help_line(0));
    assert_null(options_help_line(10000));
}

static void separators_and_quotes(void **state)
{
    (void)state;
    parse("exitcode=1:halt_on_error=1,report_bugs=0\nverbosity=3\t\r log_path=a");
    assert_int_equal(o.exitcode, 1);
    assert_true(o.halt_on_error);
    assert_false(o.report_bugs);
    assert_int_equal(o.verbosity, 3);
    assert_string_equal(o.log_path, "a");
    parse("log_path=\"a:b, c\":suppressions='x y':exitcode=2");
    assert_string_equal(o.log_path, "a:b, c");
    assert_string_equal(o.suppressions, "x y");
    assert_int_equal(o.exitcode, 2);
    parse("log_path='never closed:exitcode=2");
    assert_string_equal(o.log_path, "never closed:exitcode=2");
    parse("exitcode=1:exitcode=2::::");
    assert_int_equal(o.exitcode, 2);
    parse("halt_on_error=yes:abort_on_error=true:symbolize=no:demangle=false");
    assert_true(o.halt_on_error && o.abort_on_error && !o.symbolize && !o.demangle);
    assert_string_equal(p.bad, "");
}

static void problems(void **state)
{
    (void)state;
    parse("frobnicate=1:io_sync=0:other:exitcode=3");
    assert_string_equal(p.unknown, "frobnicate, other");
    assert_string_equal(p.bad, "");
    assert_int_equal(o.exitcode, 3);
    parse("foo=1:exit=2:histroy_size=3:supressions=x");
    assert_string_equal(p.unknown,
                        "foo, exit (did you mean exitcode?), histroy_size (did you mean history_size?), "
                        "supressions (did you mean suppressions?)");
    static const struct {
        const char *text, *said;
    } bad[] = {{"exitcode=x", "exitcode=x; it is 0 to 255"},
               {"exitcode=", "exitcode=; it is 0 to 255"},
               {"exitcode", "exitcode; it is 0 to 255"},
               {"exitcode=1x", "exitcode=1x; it is 0 to 255"},
               {"exitcode=-", "exitcode=-; it is 0 to 255"},
               {"exitcode=99999999999", "exitcode=99999999999; it is 0 to 255"},
               {"exitcode=256", "exitcode=256; it is 0 to 255"},
               {"exitcode=-1", "exitcode=-1; it is 0 to 255"},
               {"io_sync=3", "io_sync=3; it is 0 to 2"},
               {"history_size=8", "history_size=8; it is 0 to 7"},
               {"source_lines=-4", "source_lines=-4; it is 0 to 41"},
               {"dedup_token_length=-1", "dedup_token_length=-1; it is 0 to 1000"},
               {"verbosity=-1", "verbosity=-1; it is 0 to 1000"},
               {"color=sometimes", "color=sometimes; it is auto, always, never"},
               {"color=auto, ", ""},
               {"color=aut", "color=aut; it is auto, always, never"},
               {"color=autom", "color=autom; it is auto, always, never"},
               {"color=", "color=; it is auto, always, never"},
               {"color='auto, always'", "color='auto, always'; it is auto, always, never"},
               {"history=some", "history=some; it is ring, full"},
               {"halt_on_error=2", "halt_on_error=2; it is 0 or 1"},
               {"halt_on_error=", "halt_on_error=; it is 0 or 1"},
               {"demangle", "demangle; it is 0 or 1"},
               {"log_path", "log_path"}};
    for (size_t i = 0; i < array_length(bad); i++) {
        parse(bad[i].text);
        if (strcmp(p.bad, bad[i].said) != 0)
            fail_msg("%s: said '%s'", bad[i].text, p.bad);
    }
    parse("exitcode=0:io_sync=2:history_size=7:source_lines=41:color=never");
    assert_string_equal(p.bad, "");
    assert_int_equal(o.exitcode, 0);
    assert_string_equal(o.color, "never");
    parse("exitcode=255:exitcode=256:color=sometimes"); /* the first is told, and none is taken over */
    assert_string_equal(p.bad, "exitcode=256; it is 0 to 255");
    assert_int_equal(o.exitcode, 255);
    assert_string_equal(o.color, "auto");
    char longest[2 * OPTION_BYTES];
    memset(longest, 'x', sizeof longest);
    memcpy(longest, "log_path=", 9);
    longest[sizeof longest - 1] = '\0';
    parse(longest);
    assert_int_equal(strlen(p.bad), sizeof p.bad - 1);
    assert_int_equal(strlen(o.log_path), OPTION_BYTES - 1);
}

/* Any text at all: no crash (the sanitized build watches), and an end. */
static void noise(void **state)
{
    (void)state;
    static const char letters[] = "=:,'\" \n\texitcodelog_path0129-\xff";
    char text[64];
    srand(1);
    for (int round = 0; round < 20000; round++) {
        size_t length = (size_t)rand() % sizeof text;
        for (size_t i = 0; i < length; i++)
            text[i] = letters[(size_t)rand() % (sizeof letters - 1)];
        text[length < sizeof text ? length : sizeof text - 1] = '\0';
        parse(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(separators_and_quotes),
        cmocka_unit_test(problems),
        cmocka_unit_test(noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
