# SPDX-License-Identifier: GPL-2.0
#
# For people; what the kernel's own build reads is Kbuild. "make help" lists the
# targets. W=1, C=1, CC=, LLVM=1 and V=1 mean what they mean to the kernel's make.

KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DESTDIR ?=

# Where the module goes below /lib/modules/RELEASE.
MODULE_DIR := extra

kmake = $(MAKE) -C $(KDIR) M=$(CURDIR)

# As "uname -r" has it: what "make kernelrelease" says is another thing with some of Debian's.
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h)
depmod = depmod $(if $(DESTDIR),-b $(DESTDIR)) $(release)

# Without a key in the tree the kernel's make would complain and go on.
unsigned = $(if $(wildcard $(KDIR)/certs/signing_key.pem),,CONFIG_MODULE_SIG_ALL=)

all: tools module

headers:
	@[ -e $(KDIR)/Makefile ] || { \
		echo "no kernel headers in $(KDIR):" \
		     "apt-get install linux-headers-$$(uname -r), or say make KDIR=..." >&2; \
		exit 1; }

module: headers
	+$(kmake) modules

tools:
	$(MAKE) -C tools

install: all
	+$(kmake) INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=$(MODULE_DIR) $(unsigned) \
		modules_install
	$(depmod)
	install -D -m 755 tools/tracemap $(DESTDIR)$(PREFIX)/bin/tracemap
	$(if $(unsigned),@echo "The module is not signed: with secure boot it is loaded only after you sign it.")

uninstall: headers
	rm -f $(DESTDIR)/lib/modules/$(release)/$(MODULE_DIR)/tracemap.ko*
	$(depmod)
	rm -f $(DESTDIR)$(PREFIX)/bin/tracemap

clean: clean-module
	$(MAKE) -C tools clean

# Without headers nothing was built here.
clean-module:
	+[ ! -e $(KDIR)/Makefile ] || $(kmake) clean

# In a VM: nothing is loaded on this machine.
demo:
	selftests/demo

# On this machine, with the module loaded.
demo-host:
	selftests/demo host

check:
	selftests/check

# Not by way of "check": its last line is "N mutants caught".
check-model:
	selftests/packages
	selftests/model/check

check-%:
	selftests/check $*

# In VMs, into selftests/bench/results.json and README.md.
bench:
	selftests/bench/bench

# CASE=NAME: another of its cases, see selftests/bench/annotate
bench-annotate:
	selftests/packages
	selftests/bench/annotate $(CASE)

bench-%:
	selftests/bench/bench $*

help:
	@echo 'all          the module and the tools (default)'
	@echo 'module       tracemap.ko, for the headers in KDIR'
	@echo 'tools        tools/tracemap and the reader library'
	@echo 'install      the module to /lib/modules/RELEASE/$(MODULE_DIR), the tool to PREFIX/bin (as root)'
	@echo 'uninstall    take both away again'
	@echo 'clean        remove what was built'
	@echo 'demo         kernel events from a VM, read through the mapped buffers'
	@echo 'demo-host    the same on this machine (as root; loads the module)'
	@echo 'check        all tests, in VMs'
	@echo 'check-NAME   one of them; "selftests/check --help" lists the names'
	@echo 'bench        what an event costs, here and elsewhere: a table'
	@echo 'bench-NAME   a part of it; "selftests/bench/bench --help" lists the names'
	@echo 'bench-annotate  the instructions of an event, one by one'
	@echo
	@echo 'KDIR=$(KDIR)'
	@echo 'PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)'
	@echo 'W=1 more warnings; C=1 sparse; LLVM=1 or CC= another compiler; V=1 show commands'

.PHONY: all headers module tools install uninstall clean clean-module demo demo-host check check-model bench bench-annotate help
