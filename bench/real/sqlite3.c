/* sqlite3_threads THREADS ROWS: each thread fills tables of a database of its own in memory, and asks it questions whose
 * answers are known. The engine's allocator, its statistics and its mutexes are shared. Exits with 1 where an answer is
 * wrong. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

enum { MOST_THREADS = 256, MULTIPLIER = 7919, MODULUS = 1000003, GROUPS = 97 };

static long rows;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "sqlite3_threads: %s\n", what);
    exit(1);
}

static void execute(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        give_up(sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        give_up(sqlite3_errmsg(db));
    return statement;
}

static long long ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = prepare(db, sql);
    if (sqlite3_step(statement) != SQLITE_ROW)
        give_up(sqlite3_errmsg(db));
    long long answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

/* Keys go through the residues in no order, each once. */
static long key_of(long row)
{
    return (long)((long long)(row + 1) * MULTIPLIER % MODULUS);
}

static long long fill(sqlite3 *db)
{
    long long sum = 0;
    sqlite3_stmt *insert = prepare(db, "insert into t values (?1, ?2, 'row ' || ?1)");
    execute(db, "begin");
    for (long row = 0; row < rows; row++) {
        sum += key_of(row);
        sqlite3_bind_int64(insert, 1, key_of(row));
        sqlite3_bind_int64(insert, 2, row % GROUPS);
        if (sqlite3_step(insert) != SQLITE_DONE || sqlite3_reset(insert) != SQLITE_OK)
            give_up(sqlite3_errmsg(db));
    }
    execute(db, "commit");
    sqlite3_finalize(insert);
    return sum;
}

static void expect(sqlite3 *db, const char *question, long long answer)
{
    if (ask(db, question) != answer)
        give_up(question);
}

static void *work(void *unused)
{
    (void)unused;
    sqlite3 *db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        give_up("cannot open a database");
    execute(db, "create table t (a integer primary key, b integer, c text); create index tb on t (b, c)");
    long long sum = fill(db);
    expect(db, "select sum(a) from t", sum);
    expect(db, "select sum(n) from (select b, sum(a) as n from t group by b)", sum);
    expect(db, "select sum(t.a) from t join t as u on u.a = cast(substr(t.c, 5) as integer)", sum);
    expect(db, "select count(*) from (select distinct c from t order by c desc)", rows);
    execute(db, "update t set b = b + 1 where a % 3 = 0; delete from t where a % 2 = 0");
    expect(db, "select count(*) from t where a % 2 = 0", 0);
    execute(db, "pragma integrity_check");
    if (sqlite3_close(db) != SQLITE_OK)
        give_up("cannot close the database");
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST_THREADS];
    unsigned threads = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
    rows = argc == 3 ? atol(argv[2]) : 0;
    if (threads == 0 || threads > MOST_THREADS || rows <= 0 || rows >= MODULUS) {
        fprintf(stderr, "usage: sqlite3_threads THREADS ROWS\n");
        return 2;
    }
    /* threads that all come first race for it (docs/real-programs.md) */
    if (sqlite3_initialize() != SQLITE_OK)
        give_up("cannot begin");
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, NULL) != 0)
            give_up("no thread");
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    puts("right");
    return 0;
}
