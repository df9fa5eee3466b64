/* jansson_threads THREADS ORDERS: the main thread sends orders, as text, through a bounded queue; each thread parses what
 * it takes, looks up what was ordered in a catalogue that all share, and makes a bill, which is printed into text and
 * parsed again. Bills refer to the catalogue's objects, so that threads count references to the same ones. Prints a
 * checksum of all bills. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { MOST_THREADS = 256, ARTICLES = 500, LINES = 12, ROOM = 32 };

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    char *text[ROOM];
    unsigned first, count;
    int closed;
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static json_t *catalogue;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "jansson_threads: %s\n", what);
    exit(1);
}

static void put(char *text)
{
    pthread_mutex_lock(&queue.mutex);
    while (queue.count == ROOM)
        pthread_cond_wait(&queue.changed, &queue.mutex);
    if (text != NULL)
        queue.text[(queue.first + queue.count++) % ROOM] = text;
    else
        queue.closed = 1;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.mutex);
}

/* NULL: there are no more. */
static char *take(void)
{
    char *text = NULL;
    pthread_mutex_lock(&queue.mutex);
    while (queue.count == 0 && !queue.closed)
        pthread_cond_wait(&queue.changed, &queue.mutex);
    if (queue.count > 0) {
        text = queue.text[queue.first];
        queue.first = (queue.first + 1) % ROOM;
        queue.count--;
    }
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.mutex);
    return text;
}

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, 0, &error);
    if (value == NULL)
        give_up(error.text);
    return value;
}

static char *print(const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags);
    if (text == NULL)
        give_up("cannot print");
    return text;
}

static unsigned long long checksum(const char *text)
{
    unsigned long long sum = 14695981039346656037u;
    for (; *text != '\0'; text++)
        sum = (sum ^ (unsigned char)*text) * 1099511628211u;
    return sum;
}

static void make_catalogue(void)
{
    char name[32];
    catalogue = json_object();
    for (int i = 0; i < ARTICLES; i++) {
        snprintf(name, sizeof name, "article %d", i);
        json_object_set_new(catalogue, name,
                            json_pack("{s:s, s:f, s:[i,i,i], s:{s:b, s:s}}", "name", name, "price",
                                      i * 0.25 + 1, "stock", i, i * 2, i * 3, "more", "sold", i % 2, "unit",
                                      "St\303\274ck"));
    }
}

static char *make_order(long number)
{
    char name[32], client[48];
    json_t *lines = json_array();
    for (int i = 0; i < LINES; i++) {
        snprintf(name, sizeof name, "article %ld", (number * 31 + i * 17) % ARTICLES);
        json_array_append_new(lines, json_pack("{s:s, s:i}", "article", name, "count", i + 1));
    }
    snprintf(client, sizeof client, "client \"%ld\"\n\tof\\many", number % 97);
    json_t *order = json_pack("{s:I, s:s, s:o, s:n}", "number", (json_int_t)number, "client", client, "lines",
                              lines, "note");
    char *text = print(order, JSON_INDENT(2));
    json_decref(order);
    return text;
}

static json_t *bill_of(const json_t *order)
{
    json_t *bill = json_object(), *articles = json_array(), *line;
    double total = 0;
    size_t i;
    json_array_foreach(json_object_get(order, "lines"), i, line)
    {
        json_t *article = json_object_get(catalogue, json_string_value(json_object_get(line, "article")));
        total += json_number_value(json_object_get(article, "price")) *
                 (double)json_integer_value(json_object_get(line, "count"));
        json_array_append(articles, article);
    }
    json_object_set_new(bill, "total", json_real(total));
    json_object_set(bill, "client", json_object_get(order, "client"));
    json_object_set_new(bill, "articles", articles);
    return bill;
}

static unsigned long long work_on(const char *text)
{
    json_t *order = parse(text), *bill = bill_of(order);
    char *printed = print(bill, JSON_SORT_KEYS | JSON_COMPACT);
    json_t *again = parse(printed);
    if (!json_equal(bill, again))
        give_up("what was printed is not what was parsed");
    unsigned long long sum = checksum(printed);
    free(printed);
    json_decref(again);
    json_decref(bill);
    json_decref(order);
    return sum;
}

static void *work(void *result)
{
    unsigned long long sum = 0;
    for (char *text; (text = take()) != NULL; free(text))
        sum += work_on(text);
    *(unsigned long long *)result = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[MOST_THREADS];
    unsigned long long sum[MOST_THREADS], all = 0;
    unsigned threads = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
    if (threads == 0 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: jansson_threads THREADS ORDERS\n");
        return 2;
    }
    json_object_seed(1);
    make_catalogue();
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, work, &sum[i]) != 0)
            give_up("no thread");
    for (long number = 0; number < atol(argv[2]); number++)
        put(make_order(number));
    put(NULL);
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        all += sum[i];
    }
    printf("%llx\n", all);
    json_decref(catalogue);
    return 0;
}
