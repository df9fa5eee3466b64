/* Monte Carlo: from the prices of a stock on past days come its drift and its volatility; with these, SIZE
 * paths of prices are drawn, each from its own seed, and their returns averaged. The paths are independent;
 * each thread has a part of them and appends what it finds to one list, under a lock. Java Grande's program
 * of that name. */
#include <math.h>

#include "program.h"

enum { DAYS = 1000, SAMPLE = 61 };

static const double DAY = 1.0 / 365;

struct rates {
    double drift, volatility; /* of the logarithm, in a year */
};

struct result {
    size_t path;
    struct rates rates;
    double price[DAYS];
};

static struct rates history;
static struct result **results;
static size_t result_count;
static pthread_mutex_t results_lock = PTHREAD_MUTEX_INITIALIZER;

static double uniform(uint32_t *seed)
{
    return ((double)random_next(seed) - 0.5) / UINT32_MAX * 2 - 1;
}

/* Marsaglia's polar method; the second number that it gives is not used. */
static double gaussian(uint32_t *seed)
{
    double u, v, square;
    do {
        u = uniform(seed);
        v = uniform(seed);
        square = u * u + v * v;
    } while (square >= 1 || square == 0);
    return u * sqrt(-2 * log(square) / square);
}

static void draw_prices(double *price, struct rates rates, uint32_t seed)
{
    double fluctuation[DAYS];
    for (int day = 0; day < DAYS; day++)
        fluctuation[day] = rates.drift * DAY + rates.volatility * sqrt(DAY) * gaussian(&seed);
    price[0] = 100;
    for (int day = 1; day < DAYS; day++)
        price[day] = price[day - 1] * exp(fluctuation[day]);
}

static struct rates estimate(const double *price)
{
    double daily[DAYS];
    double sum = 0, squares = 0;
    for (int day = 1; day < DAYS; day++)
        daily[day] = log(price[day] / price[day - 1]);
    for (int day = 1; day < DAYS; day++)
        sum += daily[day];
    double mean = sum / (DAYS - 1);
    for (int day = 1; day < DAYS; day++)
        squares += (daily[day] - mean) * (daily[day] - mean);
    return (struct rates){mean / DAY, sqrt(squares / (DAYS - 2) / DAY)};
}

static struct result *simulate(size_t path)
{
    struct result *result = program_memory(1, sizeof *result);
    result->path = path;
    draw_prices(result->price, history, (uint32_t)path * 2654435761u + 1);
    result->rates = estimate(result->price);
    return result;
}

static void work(unsigned me)
{
    for (size_t path = share(size, me); path < share(size, me + 1); path++) {
        struct result *result = simulate(path);
        pthread_mutex_lock(&results_lock);
        results[result_count++] = result;
        pthread_mutex_unlock(&results_lock);
    }
}

/* Every path was simulated once, and a sample of them is what one thread alone finds. */
static uint64_t wrong_results(void)
{
    uint64_t wrong = 0;
    bool *seen = program_memory(size, sizeof *seen);
    for (size_t i = 0; i < result_count; i++) {
        wrong += seen[results[i]->path];
        seen[results[i]->path] = true;
        if (results[i]->path % SAMPLE == 0) {
            struct result *expected = simulate(results[i]->path);
            for (int day = 0; day < DAYS; day++)
                wrong += results[i]->price[day] != expected->price[day];
            free(expected);
        }
    }
    free(seen);
    return wrong;
}

/* Whether the mean of n estimates is as near to the expected value as it is in all but one of a million
 * cases. */
static bool is_near(double mean, double expected, double deviation, size_t n)
{
    return fabs(mean - expected) < 5 * deviation / sqrt((double)n);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 1500);
    double past[DAYS];
    draw_prices(past, (struct rates){0.1, 0.3}, 1);
    history = estimate(past);
    results = program_memory(size, sizeof(struct result *));
    program_run(work);
    struct rates mean = {0, 0};
    for (size_t i = 0; i < result_count; i++) {
        mean.drift += results[i]->rates.drift / (double)size;
        mean.volatility += results[i]->rates.volatility / (double)size;
    }
    uint64_t wrong = result_count == size ? wrong_results() : 1;
    wrong += !is_near(mean.drift, history.drift, history.volatility / sqrt(DAYS * DAY), size);
    wrong += !is_near(mean.volatility, history.volatility, history.volatility / sqrt(2.0 * DAYS), size);
    return program_end("the number of things that are wrong", wrong, 0);
}
