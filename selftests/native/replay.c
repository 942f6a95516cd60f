// SPDX-License-Identifier: GPL-2.0
/*
 * The sequences that fuzz has kept, once more, in a program without libFuzzer: for
 * compilers that have none, and for coverage.
 *
 * usage: replay FILE...
 */
#include <stdio.h>

#include "fuzz.h"
#include "oracle.h"

#define MOST	4096	/* bytes of a sequence */

static void replay(const char *name)
{
	FILE *file = fopen(name, "r");
	u8 bytes[MOST];
	size_t size;

	if (!file)
		oracle_fail("%s: no such file", name);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	if (!size || size == sizeof(bytes))
		oracle_fail("%s: of no size that is kept", name);
	fuzz_one(bytes, size);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		replay(argv[i]);
	printf("# %d sequences\n", argc - 1);
	return argc == 1;
}
