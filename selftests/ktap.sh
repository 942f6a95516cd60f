# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# KTAP from shell scripts: "plan COUNT", "check NAME COMMAND..." for each test, and
# "finish" at the end.

ktap_number=0
ktap_failed=0

plan()
{
	echo "TAP version 13"
	echo "1..$1"
}

# result STATUS NAME
result()
{
	ktap_number=$((ktap_number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $ktap_number $2"
	else
		echo "not ok $ktap_number $2"
		ktap_failed=1
	fi
}

# check NAME COMMAND...
check()
{
	local name=$1

	shift
	"$@"
	result $? "$name"
}

finish()
{
	exit $ktap_failed
}
