# One place for the project's daily commands. JDK 25 is found by deploy/java-home, also when the default `java` is older.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MVN = JAVA_HOME="$$(deploy/java-home)" && export JAVA_HOME LC_ALL=C.UTF-8 && \
      deploy/maven -B -ntp "-Dsluice.commit=$$(deploy/commit)"

RUN_TESTS = JAVA_HOME="$$(deploy/java-home)" LC_ALL=C.UTF-8 deploy/run-tests "-Dsluice.commit=$$(deploy/commit)"

REPORTS = */target/surefire-reports */*/target/surefire-reports

.DEFAULT_GOAL := help
.PHONY: help build dist check test tests-only test-long bench-compare format clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

build: ## compile and package, without tests and checks (./sluice does it by itself)
	@$(MVN) -q -Dfast -DskipTests -Dmaven.test.skip=true -pl cli,bench -am package

dist: ## the tarball for machines without JDK and Maven, its bill of materials and checksums, in dist (docs/install.md)
	@deploy/dist

check: ## all that needs no test to run: compiler warnings, Error Prone, NullAway, format; packages what the tests start
	@$(MVN) -q -T 2 -DskipTests verify

test: check ## the same checks, and all tests but the long ones
	@$(MAKE) --no-print-directory tests-only

tests-only: ## all tests but the long ones, right after `make check`, as in .ci/run
	@rm -rf $(REPORTS)
	@$(RUN_TESTS) || failed=1; deploy/test-summary || failed=1; exit $${failed:-0}

test-long: check ## the same with the long tests: more crashes, kills, power cuts, faults, full drives (CONTRIBUTING.md)
	@rm -rf $(REPORTS)
	@$(RUN_TESTS) -Dlong -Dsluice.crash.seeds=20000 -Dsluice.drives.seeds=20 || failed=1; deploy/test-summary || failed=1; exit $${failed:-0}

bench-compare: ## Sluice beside nginx and MinIO on this machine: the table of docs/benchmarks.md
	@bench/compare

format: ## format the sources
	@$(MVN) -q spotless:apply

clean: ## delete what was built
	@$(MVN) -q clean
