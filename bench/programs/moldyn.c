/* Molecular dynamics: argon atoms in a box that repeats itself, with forces by Lennard-Jones between all
 * pairs nearer than a cutoff. Each thread adds up the forces of its pairs in an array of its own; the arrays
 * are then summed, each thread for its part of the atoms, which it also moves. Java Grande's program of that
 * name. SIZE is the number of atoms (the next higher 4 n^3, for they start on a face-centred cubic lattice).
 */
#include <math.h>

#include "program.h"

/* Until SETTLED, velocities are scaled to the wanted temperature after every SCALE_EACH steps. */
enum { STEPS = 50, SETTLED = 20, SCALE_EACH = 10, SAMPLE = 29 };

static const double DENSITY = 0.83134, TEMPERATURE = 0.722, TIME_STEP = 0.004, LONGEST_CUTOFF = 2.5;

struct vector {
    double x, y, z;
};

struct atom {
    struct vector position, velocity, force;
};

struct energy {
    double kinetic, potential;
};

static struct atom *atom;
static size_t atoms;
static double side, cutoff;
static struct vector **partial; /* [thread][atom]; all 0 except between computing and summing forces */
static struct energy *energy;   /* [thread] */
static double settled_energy, last_energy;
static pthread_barrier_t barrier;

static double wrap(double distance)
{
    if (distance > side / 2)
        return distance - side;
    if (distance < -side / 2)
        return distance + side;
    return distance;
}

static double into_box(double x)
{
    return x < 0 ? x + side : x >= side ? x - side : x;
}

/* The force between two atoms over their distance, and their potential (not yet less that at the cutoff). */
static double attract(double square, double *potential)
{
    double inverse = 1 / square, sixth = inverse * inverse * inverse;
    *potential = 4 * sixth * (sixth - 1);
    return 48 * inverse * sixth * (sixth - 0.5);
}

static void move(size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        struct atom *a = &atom[i];
        a->velocity.x += a->force.x * TIME_STEP / 2;
        a->velocity.y += a->force.y * TIME_STEP / 2;
        a->velocity.z += a->force.z * TIME_STEP / 2;
        a->position.x = into_box(a->position.x + a->velocity.x * TIME_STEP);
        a->position.y = into_box(a->position.y + a->velocity.y * TIME_STEP);
        a->position.z = into_box(a->position.z + a->velocity.z * TIME_STEP);
    }
}

/* All pairs of atom i with a later one. Returns their potential. */
static double add_forces(struct vector *force, size_t i)
{
    struct vector at = atom[i].position, sum = {0, 0, 0};
    double potential = 0, at_cutoff;
    attract(cutoff * cutoff, &at_cutoff);
    for (size_t j = i + 1; j < atoms; j++) {
        double x = wrap(at.x - atom[j].position.x);
        double y = wrap(at.y - atom[j].position.y);
        double z = wrap(at.z - atom[j].position.z);
        double square = x * x + y * y + z * z;
        if (square > cutoff * cutoff)
            continue;
        double of_pair, strength = attract(square, &of_pair);
        potential += of_pair - at_cutoff;
        sum.x += strength * x;
        sum.y += strength * y;
        sum.z += strength * z;
        force[j].x -= strength * x;
        force[j].y -= strength * y;
        force[j].z -= strength * z;
    }
    force[i].x += sum.x;
    force[i].y += sum.y;
    force[i].z += sum.z;
    return potential;
}

static void sum_forces(size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        atom[i].force = (struct vector){0, 0, 0};
    for (unsigned thread = 0; thread < threads; thread++) {
        struct vector *force = partial[thread];
        for (size_t i = first; i < end; i++) {
            atom[i].force.x += force[i].x;
            atom[i].force.y += force[i].y;
            atom[i].force.z += force[i].z;
            force[i] = (struct vector){0, 0, 0};
        }
    }
}

/* The second half of a step. Returns the kinetic energy. */
static double accelerate(size_t first, size_t end)
{
    double kinetic = 0;
    for (size_t i = first; i < end; i++) {
        struct vector *v = &atom[i].velocity;
        v->x += atom[i].force.x * TIME_STEP / 2;
        v->y += atom[i].force.y * TIME_STEP / 2;
        v->z += atom[i].force.z * TIME_STEP / 2;
        kinetic += (v->x * v->x + v->y * v->y + v->z * v->z) / 2;
    }
    return kinetic;
}

static void scale_velocities(size_t first, size_t end, double kinetic)
{
    double factor = sqrt(1.5 * (double)atoms * TEMPERATURE / kinetic);
    for (size_t i = first; i < end; i++) {
        atom[i].velocity.x *= factor;
        atom[i].velocity.y *= factor;
        atom[i].velocity.z *= factor;
    }
}

static struct energy sum_energies(void)
{
    struct energy sum = {0, 0};
    for (unsigned thread = 0; thread < threads; thread++) {
        sum.kinetic += energy[thread].kinetic;
        sum.potential += energy[thread].potential;
    }
    return sum;
}

static void work(unsigned me)
{
    size_t first = share(atoms, me), end = share(atoms, me + 1);
    for (int step = 1; step <= STEPS; step++) {
        move(first, end);
        pthread_barrier_wait(&barrier);
        double potential = 0;
        for (size_t i = me; i < atoms; i += threads)
            potential += add_forces(partial[me], i);
        pthread_barrier_wait(&barrier);
        sum_forces(first, end);
        energy[me] = (struct energy){accelerate(first, end), potential};
        pthread_barrier_wait(&barrier);
        struct energy sum = sum_energies();
        if (step <= SETTLED && step % SCALE_EACH == 0)
            scale_velocities(first, end, sum.kinetic);
        if (me == 0 && step == SETTLED + 1)
            settled_energy = sum.kinetic + sum.potential;
        if (me == 0 && step == STEPS)
            last_energy = sum.kinetic + sum.potential;
    }
}

static void make_lattice(size_t cells)
{
    static const struct vector corner[4] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    double cell = side / (double)cells;
    struct atom *a = atom;
    for (size_t x = 0; x < cells; x++)
        for (size_t y = 0; y < cells; y++)
            for (size_t z = 0; z < cells; z++)
                for (int i = 0; i < 4; i++, a++) {
                    a->position.x = ((double)x + corner[i].x) * cell;
                    a->position.y = ((double)y + corner[i].y) * cell;
                    a->position.z = ((double)z + corner[i].z) * cell;
                }
}

static double random_component(uint32_t *seed)
{
    return (double)random_next(seed) / UINT32_MAX - 0.5;
}

static struct vector total_momentum(void)
{
    struct vector sum = {0, 0, 0};
    for (size_t i = 0; i < atoms; i++) {
        sum.x += atom[i].velocity.x;
        sum.y += atom[i].velocity.y;
        sum.z += atom[i].velocity.z;
    }
    return sum;
}

/* At random, but all together stand still. */
static void make_velocities(void)
{
    uint32_t seed = 4711;
    for (size_t i = 0; i < atoms; i++) {
        atom[i].velocity.x = random_component(&seed);
        atom[i].velocity.y = random_component(&seed);
        atom[i].velocity.z = random_component(&seed);
    }
    struct vector sum = total_momentum();
    for (size_t i = 0; i < atoms; i++) {
        atom[i].velocity.x -= sum.x / (double)atoms;
        atom[i].velocity.y -= sum.y / (double)atoms;
        atom[i].velocity.z -= sum.z / (double)atoms;
    }
    scale_velocities(0, atoms, accelerate(0, atoms));
}

/* Computes the force on one atom anew, from all others. */
static bool force_is_right(size_t i)
{
    struct vector rest = atom[i].force;
    for (size_t j = 0; j < atoms; j++) {
        double x = wrap(atom[i].position.x - atom[j].position.x);
        double y = wrap(atom[i].position.y - atom[j].position.y);
        double z = wrap(atom[i].position.z - atom[j].position.z);
        double square = x * x + y * y + z * z, potential;
        if (j == i || square > cutoff * cutoff)
            continue;
        double strength = attract(square, &potential);
        rest.x -= strength * x;
        rest.y -= strength * y;
        rest.z -= strength * z;
    }
    return fabs(rest.x) + fabs(rest.y) + fabs(rest.z) < 1e-8;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 864);
    size_t cells = 2;
    while (4 * cells * cells * cells < size)
        cells++;
    atoms = 4 * cells * cells * cells;
    side = cbrt((double)atoms / DENSITY);
    cutoff = fmin(LONGEST_CUTOFF, side / 2);
    atom = program_memory(atoms, sizeof *atom);
    energy = program_memory(threads, sizeof *energy);
    partial = program_memory(threads, sizeof *partial);
    for (unsigned i = 0; i < threads; i++)
        partial[i] = program_memory(atoms, sizeof **partial);
    make_lattice(cells);
    make_velocities();
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    struct vector momentum = total_momentum();
    uint64_t wrong = !(fabs(momentum.x) + fabs(momentum.y) + fabs(momentum.z) < 1e-9 * (double)atoms);
    wrong += !(fabs(last_energy - settled_energy) < 2e-3 * (double)atoms);
    for (size_t i = 0; i < atoms; i += SAMPLE)
        wrong += !force_is_right(i);
    return program_end("the number of things that are wrong", wrong, 0);
}
