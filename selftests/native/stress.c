// SPDX-License-Identifier: GPL-2.0
/*
 * The ring as the compiler made it, on real CPUs: a thread writes, signals
 * interrupt it wherever they like and write too, and another thread reads.
 *
 * usage: stress [PASSES [EVENTS]]
 *
 * A pass is each size of ring in each mode, in which a thread wants to write EVENTS
 * events, and its interrupts at most as many again, each. Every other pass starts
 * just before the laps in the slot words wrap, and each that does crosses it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "oracle.h"

/**
 * struct geometry - the size of a ring
 * @nr_slots:	slots
 * @shift:	log2 of the sub-buffers' size
 */
struct geometry {
	u32		nr_slots;
	unsigned int	shift;
};

static const struct geometry geometries[] = {
	{ 2, 12 }, { 2, 16 }, { 3, 8 }, { 3, 14 }, { 8, 9 }, { 8, 13 },
	{ 64, 12 }, { 64, 16 }, { 256, 8 }, { 256, 15 }, { 1024, 12 }, { 1024, 16 },
};

/* what oracle_check_losses() may write behind that: two sub-buffers of the smallest */
#define FOR_LOSSES	(2 * 65536 / 16)

static struct oracle oracle;
static u32 most = 200000;	/* events a context may write */
static u32 length;		/* of their payload, at most, but for a few */
static bool ended;
static u64 progress;	/* of the thread itself, its interrupts not counted */
static __thread unsigned int depth;
static __thread u64 random_state = 1;
static pthread_t writer;

void shim_step(void)
{
}

static u32 below(u32 limit)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return ((random_state * 0x2545f4914f6cdd1dULL) >> 32) % limit;
}

static u64 clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void write_one(void)
{
	u32 limit = below(256) ? length : ring_subbuf_size(&oracle.ring);

	oracle_write(&oracle, depth, 4 + below(limit), !below(16));
}

/* One signal for each kind of interrupt; while one is served a higher one may come. */
static void interrupt(int sig)
{
	unsigned int before = depth;
	int i;

	depth = sig - SIGRTMIN + 1;
	for (i = below(below(64) ? 4 : 400); i >= 0; i--)
		write_one();
	depth = before;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = interrupt };
	unsigned int context, lower;

	for (context = 1; context < ORACLE_CONTEXTS; context++) {
		sigemptyset(&action.sa_mask);
		for (lower = 1; lower <= context; lower++)
			sigaddset(&action.sa_mask, SIGRTMIN + lower - 1);
		sigaction(SIGRTMIN + context - 1, &action, NULL);
	}
}

static void *write_all(void *arg)
{
	while (oracle.sources[0].count < most) {
		write_one();
		__atomic_fetch_add(&progress, 1, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&ended, true, __ATOMIC_RELEASE);
	return arg;
}

static bool has_ended(void)
{
	return __atomic_load_n(&ended, __ATOMIC_ACQUIRE);
}

/* On a slow machine interrupts could keep the thread from ever going on. */
static void let_it_write(void)
{
	u64 before = __atomic_load_n(&progress, __ATOMIC_RELAXED);

	while (__atomic_load_n(&progress, __ATOMIC_RELAXED) == before && !has_ended())
		usleep(10);
}

static void *interrupt_all(void *arg)
{
	unsigned int sent;

	random_state = 99;
	for (sent = 1; !has_ended(); sent++) {
		pthread_kill(writer, SIGRTMIN + below(ORACLE_CONTEXTS - 1));
		usleep(below(50));
		if (sent % 8 == 0)
			let_it_write();
	}
	return arg;
}

static void read_all(void)
{
	while (!has_ended()) {
		if (!oracle_read(&oracle))
			sched_yield();
		if (!below(1000))
			usleep(below(2000));
	}
}

/* so long that the events of the thread alone go round the ring about twice */
static u32 fitting_length(const struct geometry *geometry)
{
	u32 size = geometry->nr_slots << geometry->shift;

	return min(max(60, 4 * (size / most)), (1U << geometry->shift) / 2);
}

static void wind_forward(void)
{
	/* nearer than the slots that are there even if nobody reads */
	oracle_wind_forward(&oracle.ring, 1 + below(2));
}

static u64 run_round(const struct geometry *geometry, bool overwrite, bool wraps)
{
	pthread_t interrupter;
	u64 written;

	ended = false;
	length = fitting_length(geometry);
	oracle_init(&oracle, geometry->shift, geometry->nr_slots, overwrite, clock_now,
		    most + FOR_LOSSES);
	if (wraps)
		wind_forward();
	pthread_create(&writer, NULL, write_all, NULL);
	pthread_create(&interrupter, NULL, interrupt_all, NULL);
	read_all();
	pthread_join(interrupter, NULL);
	pthread_join(writer, NULL);
	oracle_check_losses(&oracle);
	if (wraps && !oracle_has_wrapped(&oracle.ring))
		oracle_fail("the laps did not wrap");
	written = oracle_written(&oracle);
	oracle_destroy(&oracle);
	return written;
}

int main(int argc, char **argv)
{
	u32 passes = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	u64 total = 0;
	u32 pass, i;

	if (argc > 2)
		most = strtoul(argv[2], NULL, 0);
	oracle_how_to_repeat = "stress, and luck";
	catch_signals();
	for (pass = 0; pass < passes; pass++) {
		for (i = 0; i < 2 * ARRAY_SIZE(geometries); i++)
			total += run_round(&geometries[i / 2], i % 2, pass % 2 == 0);
	}
	printf("# %u passes, %llu events written\n", passes, (unsigned long long)total);
	return 0;
}
