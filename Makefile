# What a developer runs. It needs Go, git, make and, for the race detector, gcc;
# every other tool comes through `go run` at the version written here.

GO            ?= go
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

FUZZTIME  ?= 1m
TESTFUZZ  ?= 3s
BENCH     ?= .
BENCHTIME ?= 1s
COUNT     ?= 1
PKG       ?= ./...

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/politecrawl
	$(GO) build -o bin/politecrawl ./cmd/politecrawl

.PHONY: test
test: chromium bsdtar redis ## Vet, test under the race detector, fuzz each target for TESTFUZZ (3s)
	$(GO) vet ./...
	$(GO) test -race -vet=off -timeout 10m ./...
	@$(call fuzz,$(TESTFUZZ))

# Tests look at pages in Chromium, read archives back with bsdtar, and start servers of
# Redis. These are installed for root on Debian and in continuous integration; elsewhere the tests of
# what is missing are skipped.
.PHONY: chromium
chromium:
	@$(call tool,chromium chromium-browser google-chrome google-chrome-stable,chromium,tests that look at pages)

.PHONY: bsdtar
bsdtar:
	@$(call tool,bsdtar,libarchive-tools,tests that read archives back)

.PHONY: redis
redis:
	@$(call tool,redis-server valkey-server,redis-server,tests of the frontier on Redis)

.PHONY: pictures
pictures: chromium ## Take the pictures of the documentation anew where they have changed
	$(GO) test ./cmd/politecrawl/pictures -run '^TestPictures$$' -count 1 -v -update

.PHONY: man
man: ## Write the manual pages into bin/man
	$(GO) run ./cmd/politecrawl man bin/man

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME (1m)
	@$(call fuzz,$(FUZZTIME))

.PHONY: bench
bench: ## Run the benchmarks and tabulate ours/temoto (PKG=./..., BENCH=regexp, BENCHTIME=1s, COUNT=1)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) -count $(COUNT) $(PKG) | \
		awk -f robotsext/robotstxt/testdata/table.awk

.PHONY: lint
lint: ## Run golangci-lint as .golangci.yml says
	$(GO) run $(GOLANGCI_LINT) config verify
	$(GO) run $(GOLANGCI_LINT) run

.PHONY: clean
clean: ## Remove what build made
	rm -rf bin

# tool sees to it that there is one of some commands: $(call tool,COMMANDS,PACKAGE,USE).
define tool
for name in $(1); do \
	if command -v "$$name" > /dev/null; then exit 0; fi; \
done; \
as=; [ "$$(id -u)" = 0 ] || as=sudo; \
if [ -n "$${CI:-}" ] || { [ -z "$$as" ] && grep -qs '^ID.*debian' /etc/os-release; }; then \
	$$as apt-get update -q; \
	$$as env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(2); \
else \
	echo "there is no $(firstword $(1)): $(3) are skipped; install it (on Debian: apt-get install $(2))" >&2; \
fi
endef

# fuzz runs every fuzz target of the module, one after the other, and goes on
# after a finding so that one run tells all. `go test -list` prints a package's
# targets and then the line "ok <package>", which is where each gets its package.
#
# When the time is up the fuzzing engine of Go 1.26 now and then fails a target
# with a bare "context deadline exceeded" (https://go.dev/issue/75804). A finding
# always names the input that failed, so that line without one is let pass.
define fuzz
targets=$$($(GO) test -race -vet=off -list '^Fuzz' ./... | \
	awk '/^Fuzz/ { names[n++] = $$1 } $$1 == "ok" { for (i = 0; i < n; i++) print $$2, names[i] } !/^Fuzz/ { n = 0 }'); \
failed=; \
while read -r pkg name; do \
	[ -n "$$name" ] || continue; \
	echo "fuzz $(1) $$name $$pkg"; \
	if out=$$($(GO) test -vet=off -run '^$$' -fuzz "^$$name\$$" -fuzztime $(1) "$$pkg" 2>&1); then continue; fi; \
	if grep -qx ' *context deadline exceeded' <<< "$$out" && ! grep -Eq 'Failing input|seed corpus entry' <<< "$$out"; then continue; fi; \
	printf '%s\n' "$$out"; failed="$$failed $$name"; \
done <<< "$$targets"; \
[ -z "$$failed" ] || { echo "fuzzing found something:$$failed" >&2; exit 1; }
endef
