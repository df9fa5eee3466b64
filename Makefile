# A small front for CMake. `make help` lists the targets.
SHELL := /bin/bash
JOBS  := $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
CONFIGURE = cmake -Wno-dev
COMPILE = cmake --build

.DEFAULT_GOAL := build
.PHONY: help setup build demo test bench bench-full bench-real bench-population fuzz soak soak-live programs programs-place programs-record differential-place mutants proof real install format clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "  make %-18s %s\n", $$1, $$2}'

build: ## build everything into build/ (install what is missing first: make setup)
	@$(CONFIGURE) -S . -B build -DCMAKE_BUILD_TYPE=Release >/dev/null
	@$(COMPILE) build -j $(JOBS) -- --no-print-directory -s

setup: ## install the Debian packages that building needs (root or sudo)
	@tools/setup build

demo: ## install what is missing, build, and find the races in the examples
	@tools/setup build
	@$(MAKE) --no-print-directory build
	@examples/demo build/bin/photofinish

test: ## install what is missing, build, and run all tests
	@tools/setup test
	@echo "== building (gcc)"
	@$(CONFIGURE) -S . -B build -DCMAKE_BUILD_TYPE=Release -DPF_TESTS=ON -DPF_SANITIZED_BUILD=$(CURDIR)/build-asan >/dev/null
	@$(COMPILE) build -j $(JOBS) -- --no-print-directory -s
	@echo "== building (gcc, address and undefined-behaviour sanitizers)"
	@$(CONFIGURE) -S . -B build-asan -DPF_SANITIZE=ON -DPF_TESTS=ON >/dev/null
	@$(COMPILE) build-asan -j $(JOBS) -- --no-print-directory -s
	@echo "== building (clang 19, for its warnings)"
	@CC=clang-19 $(CONFIGURE) -S . -B build-clang -DCMAKE_BUILD_TYPE=Debug -DPF_WARNINGS=ON -DPF_TESTS=ON >/dev/null
	@$(COMPILE) build-clang -j $(JOBS) -- --no-print-directory -s
	@echo "== testing"
	@ctest --test-dir build --output-on-failure -j $(JOBS) --timeout $$(tests/support/limit 1200)

bench: ## measure running programs against TSan, Helgrind and DRD, print tables (5 minutes)
	@tools/setup bench
	@$(MAKE) --no-print-directory build
	@bench/run

bench-full: ## the same with 2, 4 and 16 threads and all placements, scaling, and the detectors over traces (hours, 3 GB of disk)
	@tools/setup bench
	@$(MAKE) --no-print-directory build
	@bench/run full

bench-real: ## the same with real programs from Debian's sources, and what compiling them takes (an hour or two; root or sudo)
	@tools/setup bench
	@tools/setup bench-real || echo "bench-real: some programs will be left out" >&2
	@$(MAKE) --no-print-directory build
	@bench/run real

bench-population: ## random programs that nobody tuned for, against TSan: mean, worst decile, worst cell (half an hour; FIRST=1000, COUNT=60)
	@tools/setup bench
	@$(MAKE) --no-print-directory build
	@bench/population/run --first $(or $(FIRST),1000) --count $(or $(COUNT),60)

fuzz: ## run the libFuzzer targets, 60 s each (SECONDS_EACH=N)
	@tools/setup fuzz
	@tests/fuzz/run $(SECONDS_EACH)

soak: ## differential testing against the definition until stopped
	@tools/setup test
	@$(CONFIGURE) -S . -B build -DCMAKE_BUILD_TYPE=Release -DPF_TESTS=ON >/dev/null
	@$(COMPILE) build -j $(JOBS) --target differential -- --no-print-directory -s
	@build/bin/differential --forever

soak-live: ## everything that comes and goes under a running program: is memory flat? (ROUNDS=N, about 2 a second)
	@tools/setup test
	@$(MAKE) --no-print-directory build
	@tests/soak/run build $(or $(ROUNDS),1000)

programs: ## all small programs with a known verdict, in all four builds (10 minutes; the tests have each in one of them)
	@tools/setup test
	@$(MAKE) --no-print-directory build
	@tests/programs/run build

programs-place: ## the same with clang 19, every check placement, -O1, -O2 and -O3 (an hour; PLACEMENTS="bigfoot ...", LEVELS=-O2)
	@tools/setup test
	@$(MAKE) --no-print-directory build
	@tests/programs/run --placement "$(or $(PLACEMENTS),bigfoot redcard every)" $(LEVELS) build

programs-record: ## all small programs, recorded and analyzed (half an hour): are the races those that run finds?
	@tools/setup test
	@$(MAKE) --no-print-directory build
	@tests/host/record build ""

differential-place: ## random programs: does every check placement find the same racy bytes? (PROGRAMS=2000, FIRST=1; half an hour)
	@tools/setup test
	@$(CONFIGURE) -S . -B build -DCMAKE_BUILD_TYPE=Release -DPF_TESTS=ON >/dev/null
	@$(COMPILE) build -j $(JOBS) -- --no-print-directory -s
	@tests/place/differential build $(or $(PROGRAMS),2000) $(or $(FIRST),1)

mutants: ## plant faults one at a time: do the tests notice? (half an hour)
	@tools/setup test
	@tests/mutants/run build-mutants

proof: ## model-check the shadow's protocol with Spin (5 minutes, 4 GB)
	@tools/setup proof
	@proof/run build/proof

real: ## build real programs from Debian's sources, run their tests with and without us (hours; root or sudo)
	@tools/setup real
	@$(MAKE) --no-print-directory build
	@tests/real/run $(NAMES)

install: build ## install to PREFIX (default /usr/local)
	@cmake --install build --prefix $(PREFIX)

format: ## format the sources with clang-format
	@git ls-files '*.c' '*.h' 'src/place/*.cpp' | xargs clang-format -i

clean: ## remove all build directories
	@rm -rf build build-asan build-clang build-fuzz build-mutants
