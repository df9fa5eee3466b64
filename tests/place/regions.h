/* The memory that a random program's threads share, and which bytes of it race.
 *
 * A byte that races is one line on standard output, once: `race REGION+OFFSET`. Written at once by a system
 * call: the program may end in any way. Nothing here is instrumented.
 */
#pragma once

#include <stdlib.h>

#include "unseen.h"

enum { MOST_REGIONS = 48, MOST_BYTES = 1 << 19 };

static struct region {
    const char *name;
    const char *first;
    unsigned long size;
    char *told; /* one for each byte */
} regions[MOST_REGIONS];
static int region_count;
static char told[MOST_BYTES];
static unsigned long told_used;
static int collecting;             /* they are told later, with say_told() */
static const char *label = "race"; /* what a line begins with */

UNSEEN void region(const char *name, const void *first, unsigned long size)
{
    if (region_count == MOST_REGIONS || told_used + size > MOST_BYTES)
        abort();
    regions[region_count++] = (struct region){name, first, size, told + told_used};
    told_used += size;
}

/* --- text, without libc --- */

static struct {
    char text[4096];
    unsigned long length;
} output;

UNSEEN void output_flush(void)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(1L /* write */), "D"(1L), "S"(output.text), "d"(output.length)
                     : "rcx", "r11", "memory");
    output.length = 0;
}

UNSEEN void output_text(const char *text)
{
    while (*text != '\0')
        output.text[output.length++] = *text++;
}

UNSEEN void output_number(unsigned long number)
{
    unsigned long power = 1;
    while (number / power >= 10)
        power *= 10;
    for (; power > 0; power /= 10)
        output.text[output.length++] = (char)('0' + number / power % 10);
}

/* --- bytes --- */

static int saying; /* several threads may find races at a time */

UNSEEN void say_byte(const char *name, unsigned long offset)
{
    while (__atomic_exchange_n(&saying, 1, __ATOMIC_ACQUIRE) != 0)
        unseen_yield();
    output_text(label);
    output_text(" ");
    output_text(name);
    output_text("+");
    output_number(offset);
    output_text("\n");
    output_flush();
    __atomic_store_n(&saying, 0, __ATOMIC_RELEASE);
}

UNSEEN void byte_races(const char *byte)
{
    for (int i = 0; i < region_count; i++) {
        unsigned long offset = (unsigned long)(byte - regions[i].first);
        if (offset >= regions[i].size)
            continue;
        if (__atomic_exchange_n(&regions[i].told[offset], 1, __ATOMIC_RELAXED) == 0 && !collecting)
            say_byte(regions[i].name, offset);
        return;
    }
    say_byte("elsewhere", 0);
}

/* The detector calls this (src/shadow/access.h), from any thread. */
void pf_on_racy_bytes(const void *first, unsigned long size);
__attribute__((no_sanitize("thread"))) void pf_on_racy_bytes(const void *first, unsigned long size)
{
    for (unsigned long i = 0; i < size; i++)
        byte_races((const char *)first + i);
}

UNSEEN void forget_told(void)
{
    for (unsigned long i = 0; i < told_used; i++)
        told[i] = 0;
}

/* What was collected, and forgets it. */
UNSEEN void say_told(char what, int step)
{
    const char letter[] = {what, '\0'};
    for (int i = 0; i < region_count; i++) {
        const struct region *r = &regions[i];
        for (unsigned long at = 0, end; at < r->size; at = end + 1) {
            for (end = at; end < r->size && r->told[end]; end++)
                ;
            if (end == at)
                continue;
            output_text(letter);
            output_number((unsigned long)step);
            output_text(" ");
            output_text(r->name);
            output_text("+");
            output_number(at);
            output_text("..");
            output_number(end);
            output_text("\n");
            if (output.length > sizeof output.text / 2)
                output_flush();
        }
    }
    output_flush();
    forget_told();
}
