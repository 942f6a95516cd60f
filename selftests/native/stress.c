// SPDX-License-Identifier: GPL-2.0
/*
 * The ring as the compiler made it, on real CPUs: a thread writes, signals
 * interrupt it wherever they like and write too, and another thread reads.
 *
 * usage: stress [SECONDS]
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "oracle.h"

#define MOST	400000

static struct oracle oracle;
static bool ended;
static u64 written;	/* by the thread itself, its interrupts not counted */
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
	oracle_write(&oracle, depth, 4 + below(60), !below(16));
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
	while (oracle.sources[0].count < MOST / 2) {
		write_one();
		__atomic_fetch_add(&written, 1, __ATOMIC_RELAXED);
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
	u64 before = __atomic_load_n(&written, __ATOMIC_RELAXED);

	while (__atomic_load_n(&written, __ATOMIC_RELAXED) == before && !has_ended())
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

static u64 run_round(u32 nr_slots, unsigned int shift, bool overwrite)
{
	pthread_t interrupter;
	u64 events = 0;
	unsigned int context;

	ended = false;
	oracle_init(&oracle, shift, nr_slots, overwrite, clock_now, MOST);
	pthread_create(&writer, NULL, write_all, NULL);
	pthread_create(&interrupter, NULL, interrupt_all, NULL);
	read_all();
	pthread_join(interrupter, NULL);
	pthread_join(writer, NULL);
	oracle_check_losses(&oracle);
	for (context = 0; context < ORACLE_CONTEXTS; context++)
		events += oracle.sources[context].count;
	oracle_destroy(&oracle);
	return events;
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 5);
	unsigned int round = 0;
	u64 events = 0;

	oracle_how_to_repeat = "stress, and luck";
	catch_signals();
	do {
		static const u32 slots[] = { 2, 3, 8, 64 };

		events += run_round(slots[round / 2 % ARRAY_SIZE(slots)],
				    8 + round / 8 % 5, round % 2);
		round++;
	} while (time(NULL) < end);
	printf("# %u rounds, %llu events\n", round, (unsigned long long)events);
	return 0;
}
