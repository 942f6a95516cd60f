// SPDX-License-Identifier: GPL-2.0
/*
 * How many slots a ring can have, how many it gets, and none for want of memory; and
 * states that a random walk hardly comes to: closed, and lapped up to an open event.
 *
 * usage: limits
 */
#include <stdio.h>

#include "oracle.h"
#include "ring_words.h"
#include "writer.h"

static struct oracle oracle;
static int fails_in = -1;	/* so many allocations from now one fails */

void shim_step(void)
{
}

static u64 clock_now(void)
{
	static u64 now;

	return ++now;
}

void *__real_calloc(size_t n, size_t size);

/**
 * __wrap_calloc - calloc(), which may fail here: the linker sees to it
 * @n:		of how many
 * @size:	of each
 *
 * Return: zeroed memory, or NULL.
 */
void *__wrap_calloc(size_t n, size_t size)
{
	if (!fails_in--)
		return NULL;
	return __real_calloc(n, size);
}

static void check_slots(unsigned long size, unsigned int shift)
{
	u64 capacity = (1U << shift) - SUBBUF_HEADER;
	u64 slots = ring_slots_for(size, shift);
	u64 but_one = (slots - 1) * capacity;

	if (slots < 2 || (size > but_one && size - but_one > capacity))
		oracle_fail("%llu slots of %u bytes cannot hold %lu", (unsigned long long)slots,
			    1U << shift, size);
	if (slots > 2 && size <= but_one)
		oracle_fail("%llu slots of %u bytes for %lu are too many",
			    (unsigned long long)slots, 1U << shift, size);
}

static void test_slots(void)
{
	unsigned int shift;
	unsigned long size, fits;

	for (shift = 12; shift < 20; shift++) {
		for (size = 1; size < 1000; size++)
			check_slots(size, shift);
		for (fits = 1; fits < 100; fits++) {
			size = fits * ((1U << shift) - SUBBUF_HEADER);
			check_slots(size - 1, shift);
			check_slots(size, shift);
			check_slots(size + 1, shift);
		}
		check_slots(ULONG_MAX - 1, shift);
		check_slots(ULONG_MAX, shift);
	}
}

/* The index of each sub-buffer has room in a slot's word, and their number in a u32. */
static void test_most(void)
{
	u64 most = ring_max_slots();

	if (most > SLOT_INDEX || most + 1 > U32_MAX)
		oracle_fail("%llu slots are too many", (unsigned long long)most);
}

static void write_round(u32 nr_slots)
{
	u32 i;

	for (i = 0; i < 2 * nr_slots; i++)
		oracle_write(&oracle, 0, 20, false);
}

/* With as many as there can be, or as there is memory for. */
static void test_large(bool overwrite)
{
	u32 nr_slots = min(ring_max_slots(), 70000);
	u32 i;

	oracle_init(&oracle, 6, nr_slots, overwrite, clock_now, 12 * nr_slots);
	for (i = 0; i < 3; i++) {
		write_round(nr_slots - 2);
		oracle_read(&oracle);
		write_round(nr_slots / 2);
		if (i)
			oracle_drain(&oracle);
		oracle_check_quiet(&oracle);
	}
	oracle_check_losses(&oracle);
	if (ring_ready_subbufs(&oracle.ring) || !oracle.reader.lost)
		oracle_fail("the ring was never full");
	oracle_destroy(&oracle);
}

/* Each allocation fails once; then nothing is left, and it can be tried again. */
static void test_no_memory(void)
{
	static u64 memory[3][8];
	struct subbuf_page *pages[] = { (void *)memory[0], (void *)memory[1], (void *)memory[2] };
	struct ring ring = { .clock = clock_now };
	u32 failures = 0;
	int ret;

	do {
		fails_in = failures;
		ret = ring_init(&ring, 6, 2, pages);
		if (ret && (ret != -ENOMEM || ring.slots || ring.subbufs))
			oracle_fail("ring_init() returns %d and leaves something", ret);
		failures += !!ret;
	} while (ret);
	if (failures != 2)
		oracle_fail("%u allocations failed, not 2", failures);
	fails_in = -1;
	ring_destroy(&ring);
}

static void test_closed(void)
{
	struct tracemap_handle handle;

	if (writer_reserve(&ring_closed, &handle, 8) || local_read(&ring_closed.reserved))
		oracle_fail("a closed ring takes an event, or counts one");
}

/*
 * The first event of a sub-buffer is open, and behind it an interrupt goes round to
 * the sub-buffer before: what was there is lost, what came is not published.
 */
static void test_lapped(void)
{
	struct tracemap_handle open;
	int i;

	oracle_init(&oracle, 8, 2, true, clock_now, 20);
	for (i = 0; i < 10; i++)
		oracle_write(&oracle, 0, 20, false);
	writer_reserve(&oracle.ring, &open, 20);
	for (i = 0; i < 10; i++)
		oracle_write(&oracle, 1, 20, false);
	if (pos_number(&oracle.ring, local64_read(&oracle.ring.write)) !=
	    pos_number(&oracle.ring, open.start) + 1)
		oracle_fail("the interrupt is not in the sub-buffer behind the open event");
	if (ring_has_unread(&oracle.ring) || oracle_read(&oracle))
		oracle_fail("something to read behind an open event");
	ring_discard(&open);
	if (!ring_has_unread(&oracle.ring))
		oracle_fail("nothing to read when all is published");
	oracle_drain(&oracle);
	oracle_check_quiet(&oracle);
	oracle_check_losses(&oracle);
	oracle_destroy(&oracle);
}

int main(void)
{
	oracle_how_to_repeat = "limits";
	test_slots();
	test_most();
	test_large(true);
	test_large(false);
	test_no_memory();
	test_closed();
	test_lapped();
	printf("# up to %u slots\n", ring_max_slots());
	return 0;
}
