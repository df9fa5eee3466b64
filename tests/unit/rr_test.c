/* RoadRunner's text: events among other output, and what is refused. */
#include "reads.h"

static void rr_reads_as(const char *text, const char *expected)
{
    reads_as(&trace_rr, text, expected);
}

static void every_event(void **state)
{
    (void)state;
    rr_reads_as("@ Start(0,1)\n"
                "@   Acquire(1,@03)\n"
                "@    ARd(2,null.test/Deadlock.value_I)  Final  Deadlock.java:50:7\n"
                "@\tAWr(2,@05[3])  [W=2@1]  Deadlock.java:51:7\n"
                "@ Rd(1,@05.x_I)  0  A.java:1:2\n"
                "@ Wr(1,@05.x_I)  0  A.java:2:2\n"
                "@ VRd(1,@05.v_I)  0\n"
                "@ VWr(1,@05.v_I)  0\n"
                "@ Release(1,@03)\n"
                "@  Enter(1,test/Deadlock.run()V) from test/Deadlock.main([Ljava/lang/String;)V\n"
                "@  Exit(1,test/Deadlock.doSomething(I,J)V)\n"
                "@ Dummy(1,d)\n"
                "@ Join(0,1)\n",
                "1 0 fork 1 -\n"
                "2 1 acq @03 -\n"
                "3 2 r null.test/Deadlock.value_I Deadlock.java:50:7\n"
                "4 2 w @05[3] Deadlock.java:51:7\n"
                "5 1 r @05.x_I A.java:1:2\n"
                "6 1 w @05.x_I A.java:2:2\n"
                "7 1 vr @05.v_I -\n"
                "8 1 vw @05.v_I -\n"
                "9 1 rel @03 -\n"
                "10 1 begin test/Deadlock.run()V test/Deadlock.main([Ljava/lang/String;)V\n"
                "11 1 end test/Deadlock.doSomething(I,J)V -\n"
                "12 1 dummy d -\n"
                "13 0 join 1 -\n");
}

/* RAPID drops an access that has no location, and a race with it. */
static void accesses_without_a_location(void **state)
{
    (void)state;
    rr_reads_as("@ Wr(0,x)\n@ Rd(1,x) Final\n@ Rd(1,x) Final \t\n@ Rd(1,x) [a b] A.java:3:4 \n",
                "1 0 w x -\n2 1 r x -\n3 1 r x -\n4 1 r x A.java:3:4\n");
}

static void other_output_is_skipped(void **state)
{
    (void)state;
    static const char text[] =
        "[main: ----- start -----]\r\n\r\n@ Wr(0,x)  0  7\r\nhello\0world\n  @ Wr(0,y)\n"
        "# @ Wr(0,y)\nT0|w(x)|1\n@ Rd(0,x)  0  8";
    bytes_read_as(&trace_rr, text, sizeof text - 1, "3 0 w x 7\n8 0 r x 8\n");
    rr_reads_as("", "");
}

static void refused_lines(void **state)
{
    (void)state;
    rr_reads_as("x\n@Wr(0,x)", "! 2 expected @ Op(thread,operand), not \"@Wr(0,x)\"\n");
    rr_reads_as("@", "! 1 expected @ Op(thread,operand), not \"@\"\n");
    rr_reads_as("@ ", "! 1 expected @ Op(thread,operand), not \"@ \"\n");
    rr_reads_as("@ Wr", "! 1 expected @ Op(thread,operand), not \"@ Wr\"\n");
    rr_reads_as("@ Wr (0,x)", "! 1 expected @ Op(thread,operand), not \"@ Wr (0,x)\"\n");
    rr_reads_as("@ Wr(0,x", "! 1 expected @ Op(thread,operand), not \"@ Wr(0,x\"\n");
    rr_reads_as("@ Wr(0,x)y", "! 1 expected @ Op(thread,operand), not \"@ Wr(0,x)y\"\n");
    rr_reads_as("@ Wr(0 ,x)", "! 1 expected @ Op(thread,operand), not \"@ Wr(0 ,x)\"\n");
    rr_reads_as("@ Wr(x)", "! 1 expected (thread,operand) in \"Wr(x)\"\n");
    rr_reads_as("@ Wr(,x)", "! 1 expected (thread,operand) in \"Wr(,x)\"\n");
    rr_reads_as("@ Wr(0,)", "! 1 expected (thread,operand) in \"Wr(0,)\"\n");
    rr_reads_as("@ Wait(0,@03)", "! 1 unknown RoadRunner event \"Wait\"\n");
    rr_reads_as("@ (0,x)", "! 1 unknown RoadRunner event \"\"\n");
    rr_reads_as("@ Wr(0,\x1b)", "! 1 control character 0x1b in a name\n");
    rr_reads_as("@ Wr(0,x) a \x01", "! 1 control character 0x01 in a name\n");
    static const char nul[] = "@ Wr(0,x)\n@ Wr(0,x\0y)\n";
    bytes_read_as(&trace_rr, nul, sizeof nul - 1, "1 0 w x -\n! 2 control character 0x00 in a name\n");
}

static void recognition(void **state)
{
    (void)state;
    assert_string_equal(recognised_as("@ Rd(0,x)  Final  A.java:1:1\n"), "rr");
    assert_string_equal(recognised_as("[RR: a|b, c]\n\n@   Enter(0,f()V)\n"), "rr");
    assert_string_equal(recognised_as("T0,T1\n@ VWr(0,x)"), "rr");
    assert_null(recognised_as("@ Sleep(0,x)\n"));
    assert_null(recognised_as("  @ Rd(0,x)\n"));
    assert_null(recognised_as("@\n@ \n@"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event),
        cmocka_unit_test(accesses_without_a_location),
        cmocka_unit_test(other_output_is_skipped),
        cmocka_unit_test(refused_lines),
        cmocka_unit_test(recognition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
