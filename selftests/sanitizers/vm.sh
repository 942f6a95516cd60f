# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# How the scripts here run a VM on one of the kernels that look for bugs. They set
# "here", "top" and "tmp", this directory, that of the project, and one for a while.

# These kernels are slow, and find what they find in the first events.
export TRACEMAP_EVENTS=${TRACEMAP_EVENTS:-100000}

# How each kernel runs best: only KCSAN needs CPUs that run at once, under KASAN they
# are too slow for that.
threads()
{
	[ "$1" = kcsan ] || echo --single
}

# What ACPI does to find out about interrupts takes these half a minute for each device.
# CPUs that never come have no ring, and files all the same.
arguments="acpi=noirq possible_cpus=4"

# vm TREE KERNEL ARG...: the runner of TREE, on one of our kernels
vm()
{
	local tree=$1 kernel=$2 dir

	dir=$("$here/kernel" "$kernel") || return
	shift 2
	# shellcheck disable=SC2046 # one word or none
	"$tree/selftests/vm/run" -k "$dir" -m 2048 -a "$arguments" \
		$(threads "$kernel") "$@"
}

# fail_nth.c, into $tmp
build_fail_nth()
{
	[ ! -e "$tmp/fail_nth" ] || return 0
	${CC:-cc} -O2 -Wall -o "$tmp/fail_nth" "$here/fail_nth.c" -I"$top/selftests/modules" \
		-I"$("$top/selftests/linux-source")/tools/testing/selftests"
}
