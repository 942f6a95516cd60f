// SPDX-License-Identifier: GPL-2.0
/*
 * usage: bpf SIZE
 *
 * Gives the module a BPF program that writes a record with a time stamp and a
 * payload of SIZE bytes to a ring buffer; for 0, one that does nothing.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_SIZE	256
#define MAX_CODE	(MAX_SIZE / 8 + 20)

struct program {
	struct bpf_insn	code[MAX_CODE];
	size_t		length;
};

static void emit(struct program *program, uint8_t code, uint8_t dst, uint8_t src, int16_t off,
		 int32_t imm)
{
	program->code[program->length++] = (struct bpf_insn) {
		.code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm,
	};
}

static void set(struct program *program, uint8_t dst, int32_t imm)
{
	emit(program, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

static void copy(struct program *program, uint8_t dst, uint8_t src)
{
	emit(program, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void call(struct program *program, int32_t function)
{
	emit(program, BPF_JMP | BPF_CALL, 0, 0, 0, function);
}

static void leave(struct program *program, int32_t status)
{
	set(program, BPF_REG_0, status);
	emit(program, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void load_map(struct program *program, uint8_t dst, int fd)
{
	emit(program, BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd);
	emit(program, 0, 0, 0, 0, 0);
}

static void write_record(struct program *program, int map, int size)
{
	int offset;

	load_map(program, BPF_REG_1, map);
	set(program, BPF_REG_2, sizeof(uint64_t) + size);
	set(program, BPF_REG_3, 0);
	call(program, BPF_FUNC_ringbuf_reserve);
	/* refused: over the next two, which tell */
	emit(program, BPF_JMP | BPF_JNE | BPF_K, BPF_REG_0, 0, 2, 0);
	leave(program, 1);
	copy(program, BPF_REG_6, BPF_REG_0);
	call(program, BPF_FUNC_ktime_get_ns);
	emit(program, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_6, BPF_REG_0, 0, 0);
	for (offset = 0; offset < size; offset += sizeof(uint64_t))
		emit(program, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_6, 0,
		     sizeof(uint64_t) + offset, offset);
	copy(program, BPF_REG_1, BPF_REG_6);
	set(program, BPF_REG_2, 0);
	call(program, BPF_FUNC_ringbuf_submit);
}

static int bpf(int command, union bpf_attr *attr)
{
	int fd = syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (fd < 0)
		err(1, "command %d to BPF", command);
	return fd;
}

static int create_map(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_RINGBUF;
	attr.max_entries = 1 << 20;
	return bpf(BPF_MAP_CREATE, &attr);
}

static int load(const struct program *program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)program->code;
	attr.insn_cnt = program->length;
	attr.license = (uintptr_t)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

int main(int argc, char **argv)
{
	struct program program = { .length = 0 };
	int size = argc == 2 ? atoi(argv[1]) : -1;
	int fd;

	if (size < 0 || size > MAX_SIZE || size % 8)
		errx(2, "usage: bpf SIZE, a multiple of 8 up to %d", MAX_SIZE);
	if (size)
		write_record(&program, create_map(), size);
	leave(&program, 0);

	fd = open("/sys/kernel/debug/tracemap_bench/bpf", O_WRONLY);
	if (fd < 0)
		err(1, "the module's file");
	if (dprintf(fd, "%d", load(&program)) < 0)
		err(1, "the module refuses the program");
	return 0;
}
