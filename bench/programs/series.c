/* Series: the first SIZE pairs of Fourier coefficients of (x+1)^x on [0, 2], each by the trapezoidal rule.
 * Nearly all the time goes into libm. Java Grande's kernel of that name. */
#include <math.h>

#include "program.h"

enum { INTERVALS = 1000, KNOWN = 4, SAMPLE = 41 };

static const double pi = 3.14159265358979323846;

/* The first ones, of which the rule misses less than TOLERANCE. */
static const double TOLERANCE = 3e-5;
static const double known[KNOWN][2] = {
    {2.8819181375, 0},
    {1.1340355957, -1.8820902650},
    {0.3622204699, -1.1648064093},
    {0.1703170827, -0.8147093207},
};

static double *coefficient[2]; /* those of the cosines, those of the sines */

static double term(double x, double frequency, bool sine)
{
    double value = pow(x + 1, x);
    if (frequency == 0)
        return value;
    return value * (sine ? sin(frequency * x) : cos(frequency * x));
}

static double integrate(double from, double to, double frequency, bool sine)
{
    double step = (to - from) / INTERVALS;
    double sum = (term(from, frequency, sine) + term(to, frequency, sine)) / 2;
    for (int i = 1; i < INTERVALS; i++)
        sum += term(from + i * step, frequency, sine);
    return sum * step;
}

static double cosine_part(size_t i)
{
    double integral = integrate(0, 2, pi * (double)i, false);
    return i == 0 ? integral / 2 : integral;
}

static double sine_part(size_t i)
{
    return i == 0 ? 0 : integrate(0, 2, pi * (double)i, true);
}

static void work(unsigned me)
{
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        coefficient[0][i] = cosine_part(i);
        coefficient[1][i] = sine_part(i);
    }
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 2000);
    coefficient[0] = program_memory(size, sizeof(double));
    coefficient[1] = program_memory(size, sizeof(double));
    program_run(work);
    uint64_t wrong = 0;
    for (size_t i = 0; i < KNOWN && i < size; i++)
        for (int part = 0; part < 2; part++)
            wrong += !(fabs(coefficient[part][i] - known[i][part]) < TOLERANCE);
    for (size_t i = 0; i < size; i += SAMPLE)
        wrong += coefficient[0][i] != cosine_part(i) || coefficient[1][i] != sine_part(i);
    return program_end("the number of wrong coefficients", wrong, 0);
}
