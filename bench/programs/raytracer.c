/* Ray tracer: 64 spheres that reflect each other, and five lights; thread t has every line of the picture
 * whose number is t modulo the number of threads, and, as in Java Grande's program of that name, a scene of
 * its own. At the end each thread adds what it drew to a checksum, under a lock. SIZE is the side of the
 * picture. */
#include <math.h>

#include "program.h"

enum { SPHERES_IN_A_ROW = 4, LIGHTS = 5, DEEPEST = 6, SAMPLE = 17 };

static const double NEARER_IS_ITSELF = 1e-6, LEAST_WEIGHT = 0.01;

/* What the mean of all colours of all points comes to when the picture gets larger, of 255. */
static const double MEAN_COLOUR = 46.15;

struct vector {
    double x, y, z;
};

struct surface {
    struct vector colour;
    double diffuse, specular, shine;
};

struct sphere {
    struct vector centre;
    double radius;
    struct surface surface;
};

struct light {
    struct vector position;
    double brightness;
};

struct ray {
    struct vector from, direction; /* of length 1 */
};

struct scene {
    struct sphere **sphere;
    size_t spheres;
    struct light *light[LIGHTS];
    struct vector eye, ahead, right,
        up; /* right and up: to the edges of the picture, at the distance of ahead */
};

static struct scene **scenes; /* of each thread */
static uint32_t *picture;
static uint64_t checksum;
static pthread_mutex_t checksum_lock = PTHREAD_MUTEX_INITIALIZER;

static struct vector add_scaled(struct vector a, double factor, struct vector b)
{
    return (struct vector){a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z};
}

static struct vector subtract(struct vector a, struct vector b)
{
    return add_scaled(a, -1, b);
}

static double dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector cross(struct vector a, struct vector b)
{
    return (struct vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static struct vector unit(struct vector a)
{
    return add_scaled((struct vector){0, 0, 0}, 1 / sqrt(dot(a, a)), a);
}

/* Returns how far along the ray the sphere is, or infinity. */
static double distance_to(const struct sphere *sphere, const struct ray *ray)
{
    struct vector to_centre = subtract(sphere->centre, ray->from);
    double along = dot(to_centre, ray->direction);
    double square = along * along - dot(to_centre, to_centre) + sphere->radius * sphere->radius;
    if (square < 0)
        return INFINITY;
    double half = sqrt(square);
    double distance = along - half > NEARER_IS_ITSELF ? along - half : along + half;
    return distance > NEARER_IS_ITSELF ? distance : INFINITY;
}

static const struct sphere *nearest(const struct scene *scene, const struct ray *ray, double *distance)
{
    const struct sphere *found = NULL;
    *distance = INFINITY;
    for (size_t i = 0; i < scene->spheres; i++) {
        double here = distance_to(scene->sphere[i], ray);
        if (here < *distance) {
            *distance = here;
            found = scene->sphere[i];
        }
    }
    return found;
}

static bool in_shadow(const struct scene *scene, const struct ray *to_light, double distance)
{
    for (size_t i = 0; i < scene->spheres; i++)
        if (distance_to(scene->sphere[i], to_light) < distance)
            return true;
    return false;
}

/* What one light adds to the colour of a point. */
static struct vector lit(const struct scene *scene, const struct light *light, const struct surface *surface,
                         struct vector point, struct vector normal, struct vector reflected)
{
    struct vector to_light = subtract(light->position, point), colour = {0, 0, 0};
    struct ray ray = {point, unit(to_light)};
    double facing = dot(normal, ray.direction);
    if (facing <= 0 || in_shadow(scene, &ray, sqrt(dot(to_light, to_light))))
        return colour;
    colour = add_scaled(colour, surface->diffuse * facing * light->brightness, surface->colour);
    double highlight = dot(reflected, ray.direction);
    if (highlight > 0) {
        double white = surface->specular * pow(highlight, surface->shine) * light->brightness;
        colour = add_scaled(colour, white, (struct vector){1, 1, 1});
    }
    return colour;
}

static struct vector trace(const struct scene *scene, const struct ray *ray, double weight, int depth)
{
    double distance;
    const struct sphere *sphere = nearest(scene, ray, &distance);
    struct vector colour = {0, 0, 0};
    if (sphere == NULL)
        return colour;
    const struct surface *surface = &sphere->surface;
    struct vector point = add_scaled(ray->from, distance, ray->direction);
    struct vector normal = unit(subtract(point, sphere->centre));
    struct vector reflected = add_scaled(ray->direction, -2 * dot(ray->direction, normal), normal);
    for (int i = 0; i < LIGHTS; i++)
        colour = add_scaled(colour, 1, lit(scene, scene->light[i], surface, point, normal, reflected));
    weight *= surface->specular;
    if (depth < DEEPEST && weight > LEAST_WEIGHT) {
        struct ray next = {point, reflected};
        colour = add_scaled(colour, surface->specular, trace(scene, &next, weight, depth + 1));
    }
    return colour;
}

static uint32_t to_byte(double brightness)
{
    return brightness >= 1 ? 255 : (uint32_t)(brightness * 255);
}

static uint32_t draw_point(const struct scene *scene, size_t x, size_t y)
{
    double across = 2.0 * (double)x / (double)size - 1, down = 2.0 * (double)y / (double)size - 1;
    struct vector direction = add_scaled(add_scaled(scene->ahead, across, scene->right), -down, scene->up);
    struct ray ray = {scene->eye, unit(direction)};
    struct vector colour = trace(scene, &ray, 1, 0);
    return to_byte(colour.x) << 16 | to_byte(colour.y) << 8 | to_byte(colour.z);
}

static uint64_t sum_of_colours(uint32_t point)
{
    return (point >> 16 & 0xff) + (point >> 8 & 0xff) + (point & 0xff);
}

static void work(unsigned me)
{
    uint64_t sum = 0;
    for (size_t y = me; y < size; y += threads) {
        uint32_t *line = picture + y * size;
        for (size_t x = 0; x < size; x++) {
            line[x] = draw_point(scenes[me], x, y);
            sum += sum_of_colours(line[x]);
        }
    }
    pthread_mutex_lock(&checksum_lock);
    checksum += sum;
    pthread_mutex_unlock(&checksum_lock);
}

/* The i-th sphere of a cube of spheres around the origin. */
static struct sphere *make_sphere(unsigned i)
{
    unsigned x = i % SPHERES_IN_A_ROW, y = i / SPHERES_IN_A_ROW % SPHERES_IN_A_ROW;
    unsigned z = i / SPHERES_IN_A_ROW / SPHERES_IN_A_ROW;
    double middle = (SPHERES_IN_A_ROW - 1) / 2.0;
    struct sphere *sphere = program_memory(1, sizeof *sphere);
    sphere->centre = (struct vector){4 * (x - middle), 4 * (y - middle), 4 * (z - middle)};
    sphere->radius = 1.4;
    sphere->surface.colour = (struct vector){(x + 1) / 4.0, (y + 1) / 4.0, (z + 1) / 4.0};
    sphere->surface.diffuse = 0.8;
    sphere->surface.specular = 0.2 + 0.1 * (i % 3);
    sphere->surface.shine = 15;
    return sphere;
}

static struct scene *make_scene(void)
{
    static const struct vector position[LIGHTS] = {
        {100, 100, -50}, {-100, 100, -50}, {100, -100, -50}, {-100, -100, -50}, {200, 200, 0}};
    struct scene *scene = program_memory(1, sizeof *scene);
    scene->spheres = SPHERES_IN_A_ROW * SPHERES_IN_A_ROW * SPHERES_IN_A_ROW;
    scene->sphere = program_memory(scene->spheres, sizeof(struct sphere *));
    for (unsigned i = 0; i < scene->spheres; i++)
        scene->sphere[i] = make_sphere(i);
    for (unsigned i = 0; i < LIGHTS; i++) {
        scene->light[i] = program_memory(1, sizeof *scene->light[i]);
        *scene->light[i] = (struct light){position[i], 0.5};
    }
    scene->eye = (struct vector){10, 8, -25};
    scene->ahead = unit(subtract((struct vector){0, 0, 0}, scene->eye));
    struct vector right = unit(cross((struct vector){0, 1, 0}, scene->ahead));
    struct vector up = cross(scene->ahead, right);
    scene->right = add_scaled((struct vector){0, 0, 0}, 0.4, right);
    scene->up = add_scaled((struct vector){0, 0, 0}, 0.4, up);
    return scene;
}

/* The points of some lines that are not what one thread alone draws. */
static uint64_t wrong_points(void)
{
    uint64_t wrong = 0;
    for (size_t y = 0; y < size; y += SAMPLE)
        for (size_t x = 0; x < size; x++)
            wrong += picture[y * size + x] != draw_point(scenes[0], x, y);
    return wrong;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 256);
    picture = program_memory(size * size, sizeof *picture);
    scenes = program_memory(threads, sizeof *scenes);
    for (unsigned i = 0; i < threads; i++)
        scenes[i] = make_scene();
    program_run(work);
    uint64_t sum = 0;
    for (size_t i = 0; i < size * size; i++)
        sum += sum_of_colours(picture[i]);
    double mean = (double)sum / (double)(3 * size * size);
    if (!(fabs(mean - MEAN_COLOUR) < 200 / (double)size))
        return program_end("the mean colour", (uint64_t)mean, (uint64_t)MEAN_COLOUR);
    if (wrong_points() > 0)
        return program_end("the number of wrong points", wrong_points(), 0);
    return program_end("the checksum", checksum, sum);
}
