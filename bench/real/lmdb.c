/* lmdb_threads FILE THREADS ROUNDS: each thread moves money between accounts in transactions, of which only one writes at a
 * time, and reads: in every snapshot all accounts together have what they began with. A second table, of texts, has an
 * entry for each move. Exits with 1 where an answer is wrong. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lmdb.h"

enum { MOST_THREADS = 120, ACCOUNTS = 2000, BEGINNING = 1000, MOVES = 20, READS = 4, MAP = 1 << 26 };

static MDB_env *env;
static MDB_dbi accounts, moves;
static long rounds;

static void must(int status)
{
    if (status == MDB_SUCCESS)
        return;
    fprintf(stderr, "lmdb_threads: %s\n", mdb_strerror(status));
    exit(1);
}

static MDB_val value_of(void *data, size_t size)
{
    return (MDB_val){size, data};
}

static void set(MDB_txn *txn, unsigned account, long money)
{
    MDB_val key = value_of(&account, sizeof account), value = value_of(&money, sizeof money);
    must(mdb_put(txn, accounts, &key, &value, 0));
}

static long get(MDB_txn *txn, unsigned account)
{
    long money;
    MDB_val key = value_of(&account, sizeof account), value;
    must(mdb_get(txn, accounts, &key, &value));
    memcpy(&money, value.mv_data, sizeof money);
    return money;
}

static void fill(void)
{
    MDB_txn *txn;
    must(mdb_txn_begin(env, NULL, 0, &txn));
    must(mdb_dbi_open(txn, "accounts", MDB_CREATE | MDB_INTEGERKEY, &accounts));
    must(mdb_dbi_open(txn, "moves", MDB_CREATE, &moves));
    for (unsigned account = 0; account < ACCOUNTS; account++)
        set(txn, account, BEGINNING);
    must(mdb_txn_commit(txn));
}

static void move(unsigned thread, long round)
{
    char name[64];
    MDB_txn *txn;
    must(mdb_txn_begin(env, NULL, 0, &txn));
    for (unsigned i = 0; i < MOVES; i++) {
        unsigned from = (unsigned)(round * 131 + thread * 17 + i * 7) % ACCOUNTS;
        unsigned to = (unsigned)(round * 37 + thread * 101 + i * 211) % ACCOUNTS;
        set(txn, from, get(txn, from) - i);
        set(txn, to, get(txn, to) + i);
        snprintf(name, sizeof name, "%u moves %u to %u in round %ld of thread %u", i, from, to, round,
                 thread);
        MDB_val key = value_of(name, strlen(name)), value = value_of(name, 8);
        must(mdb_put(txn, moves, &key, &value, 0));
    }
    must(mdb_txn_commit(txn));
}

static void count(void)
{
    long money = 0, part;
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key, value;
    must(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));
    must(mdb_cursor_open(txn, accounts, &cursor));
    while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS) {
        memcpy(&part, value.mv_data, sizeof part);
        money += part;
    }
    mdb_cursor_close(cursor);
    mdb_txn_abort(txn);
    if (money != (long)ACCOUNTS * BEGINNING) {
        fprintf(stderr, "lmdb_threads: a snapshot is none\n");
        exit(1);
    }
}

static void *work(void *number)
{
    for (long round = 0; round < rounds; round++) {
        move(*(unsigned *)number, round);
        for (int i = 0; i < READS; i++)
            count();
    }
    return NULL;
}

/* What must be the same, whoever was first. */
static void print_all(void)
{
    long money = 0;
    MDB_stat stat;
    MDB_txn *txn;
    must(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));
    for (unsigned account = 0; account < ACCOUNTS; account++)
        money = (money * 31 + get(txn, account)) % 1000000007;
    must(mdb_stat(txn, moves, &stat));
    printf("%ld %zu\n", money, stat.ms_entries);
    mdb_txn_abort(txn);
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST_THREADS];
    unsigned number[MOST_THREADS], threads = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
    if (threads == 0 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: lmdb_threads FILE THREADS ROUNDS\n");
        return 2;
    }
    rounds = atol(argv[3]);
    must(mdb_env_create(&env));
    must(mdb_env_set_maxdbs(env, 2));
    must(mdb_env_set_mapsize(env, MAP));
    must(mdb_env_open(env, argv[1], MDB_NOSUBDIR | MDB_NOSYNC, 0600));
    fill();
    for (unsigned i = 0; i < threads; i++) {
        number[i] = i;
        if (pthread_create(&thread[i], NULL, work, &number[i]) != 0)
            return 1;
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    print_all();
    mdb_env_close(env);
    return 0;
}
