/* What the functions of these tests call and use. */
#pragma once

#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

/* The optimizer leaves these accesses as they are written here. */
typedef volatile int cell;

extern pthread_mutex_t mutex;
extern pthread_cond_t condition;
extern atomic_int released;
extern int table[16];
extern jmp_buf place_to_return;

void unknown(void);
#pragma clang diagnostic ignored "-Wincompatible-library-redeclaration"
void log(const char *);
_Noreturn void ends(void);

NOINLINE int quiet_callee(int a);
NOINLINE int loud_callee(int a);
