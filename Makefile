# Targets for developers. They need Go, git, make and, for the race detector, gcc. `go run`
# fetches every other tool at the version given here.

GO            ?= go
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
COMPOSE       := github.com/compose-spec/compose-go/v2/cmd@v2.16.2
GOVULNCHECK   := golang.org/x/vuln/cmd/govulncheck@v1.8.0

FUZZTIME  ?= 1m
TESTFUZZ  ?= 3s
SOAK      ?= 1h
TESTSOAK  ?= 30s
BENCH     ?= .
BENCHTIME ?= 1s
COUNT     ?= 1
PKG       ?= ./...
VULNDB    ?=
VERSION   ?=

# By default, a process with the race detector waits for a second before it ends, and the
# tests start hundreds of processes.
GORACE ?= atexit_sleep_ms=0
export GORACE

# The folders of all modules: Go ignores modules below the current one. Targets run in each
# of them; MODULES=robotsext selects one.
MODULES ?= $(sort $(patsubst %/go.mod,%,$(shell find . -name testdata -prune -o -name go.mod -print)))

# Without debug tables, each of the eighty test programs is linked in half the time.
TESTFLAGS := -race -vet=off -ldflags=-w -parallel 8

# The module with the tests that use a browser.
BROWSERTEST := ./crawler/browsertest

# The module that go.mod requires at its last released version. go.work replaces it by ./robotsext.
ROBOTSEXT := github.com/politecrawl/politecrawl/robotsext

# Pages of the documentation packages that tests crawl.
DOCS := $(addprefix /usr/share/doc/,sqlite3/index.html python3/html/index.html debian-policy/policy.html/index.html git-doc/index.html)

# The platforms of a release.
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 freebsd/amd64

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c

.DEFAULT_GOAL := help

# Before 3.82, make ignores .SHELLFLAGS, so a target succeeds although a command of it has failed.
$(if $(filter oneshell,$(.FEATURES)),,$(error GNU make 3.82 or newer is needed; on macOS, "brew install make" installs it as gmake))

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/politecrawl
	$(GO) build -o bin/politecrawl ./cmd/politecrawl

# Tests may use newer features of Go than the go directive allows; lint checks the other code.
# With -race, vet uses the same packages as the tests.
.PHONY: test
test: warcio webbotauth redis readers ## Run vet and all tests except the long ones, with the race detector (five minutes)
	$(call each,$(GO) vet -race -stdversion=false ./...)
	$(call each,$(GO) test $(TESTFLAGS) -short -timeout 20m ./...,$(BROWSERTEST))

# Long tests call testing.Short, or are in the module BROWSERTEST. TestPeak measures a process
# that is built like a release.
.PHONY: test-all
test-all: chromium axe replay warcio webbotauth redis readers docs ## Run the rest: long tests, tests in a browser, soak for TESTSOAK (30s), fuzz for TESTFUZZ (3s)
	@$(call each,$(long),$(BROWSERTEST))
	$(GO) -C $(BROWSERTEST) test $(TESTFLAGS) -timeout 20m ./...
	$(GO) test -vet=off -timeout 20m ./crawler/internal/faultsite -run '^Test(Soak|SharedSoak|Peak)$$' -count 1 -soak $(TESTSOAK)
	@$(call fuzz,$(TESTFUZZ))

# Tests use Chromium, axe-core, warcio, Redis, shells, readers of manual pages, wget, and documentation
# packages of Debian. The targets install them for root on Debian and in continuous
# integration. Elsewhere, tests that lack a tool are skipped.
.PHONY: chromium
chromium:
	@$(call tool,chromium chromium-browser google-chrome google-chrome-stable,chromium,tests in a browser)

# warcio, web-bot-auth, axe-core and replayweb.page are packages of npm, at the versions that package-lock.json names.
.PHONY: warcio
warcio:
	@$(call npm,crawler/output/warc/testdata/warcio,warcio,tests of WARC files)

.PHONY: webbotauth
webbotauth:
	@$(call npm,cmd/politecrawl/e2e/testdata/webbotauth,web-bot-auth,tests of signatures)

.PHONY: axe
axe:
	@$(call npm,$(BROWSERTEST)/testdata/axe,axe-core,tests of accessibility)

.PHONY: replay
replay:
	@$(call npm,$(BROWSERTEST)/testdata/replaywebpage,replaywebpage,tests of replay)

.PHONY: redis
redis:
	@$(call tool,redis-server valkey-server,redis-server,tests of the frontier on Redis)

# Tests run completion scripts in fish and zsh, manual pages in man and mandoc, and recipes with jq and curl.
.PHONY: readers
readers:
	@$(call tool,fish,fish,tests of completion in fish)
	@$(call tool,zsh,zsh,tests of completion in zsh)
	@$(call tool,man,man-db,tests of manual pages)
	@$(call tool,mandoc,mandoc,tests of manual pages)
	@$(call tool,jq,jq,tests of recipes)
	@$(call tool,curl,curl,tests of recipes)
	@$(call tool,script,bsdutils,tests on a terminal)
	@$(call tool,systemd-analyze,systemd,tests of the service of systemd)

# Container images often exclude /usr/share/doc; the option includes it. The pattern matches
# python3-doc and the package that has its files, which has a version in its name.
.PHONY: docs
docs:
	@$(call files,$(DOCS),--reinstall -o 'Dpkg::Options::=--path-include=/usr/share/doc/*' sqlite3-doc '^python3[.0-9]*-doc$$' debian-policy git-doc,tests that crawl real sites)
	@$(call tool,wget,wget,tests that crawl a section as wget does)

.PHONY: pictures
pictures: chromium ## Update the pictures of the documentation that have changed
	$(GO) -C crawler/browsertest test ./pictures -run '^TestPictures$$' -count 1 -v -update

.PHONY: man
man: ## Write the manual pages into bin/man
	$(GO) run ./cmd/politecrawl man bin/man

.PHONY: fuzz
fuzz: ## Fuzz each target for FUZZTIME (1m)
	@$(call fuzz,$(FUZZTIME))

.PHONY: soak
soak: ## Crawl 2,000 hosts with every known fault for SOAK (1h), with kills, and check the results
	$(GO) test -vet=off -timeout 0 ./crawler/internal/faultsite -run '^Test(Soak|SharedSoak|Peak)$$' -count 1 -v -soak $(SOAK)

.PHONY: bench
bench: ## Run the benchmarks, with a table that compares robotstxt and temoto (MODULES=robotsext, PKG=./..., BENCH=regexp, BENCHTIME=1s, COUNT=1)
	@$(call each,$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) -count $(COUNT) $(PKG)) | \
		awk -f robotsext/robotstxt/testdata/table.awk

.PHONY: bench-e2e
bench-e2e: ## Compare the program with a bare loop, colly and wget on seven sites, in five rounds (BENCH_PAGES=8250, BENCH_BASE=/another/politecrawl)
	BENCH_PAGES=$${BENCH_PAGES:-8250} $(GO) test -vet=off -timeout 0 -run '^$$' -bench 'Program$$' -benchtime 5x ./crawler

.PHONY: lint
lint: ## Run golangci-lint, and check the Compose file
	$(GO) run $(GOLANGCI_LINT) config verify
	$(call each,$(GO) run $(GOLANGCI_LINT) run)
	$(GO) run $(COMPOSE) configs/docker/compose.yaml > /dev/null

.PHONY: check
check: tidy licenses vuln ## Check go.mod, licenses and known vulnerabilities

# go mod tidy ignores go.work, so the root is checked with a copy of go.mod with the replace directive of go.work.
.PHONY: tidy
tidy:
	mkdir -p bin
	$(GO) mod edit -replace=$(ROBOTSEXT)=./robotsext -print > bin/tidy.mod
	sed '\|^$(ROBOTSEXT) |d' go.sum > bin/tidy.sum
	$(GO) mod tidy -diff -modfile=bin/tidy.mod
	$(call each,$(GO) mod tidy -diff,.)
	$(call each,$(GO) mod verify)

.PHONY: licenses
licenses:
	$(GO) build -o bin/licenses ./cmd/internal/licenses
	$(call each,$(abspath bin/licenses) -platforms '$(PLATFORMS)' ./... > /dev/null)

# The versions are those of go.work. robotsext/go.mod requires older ones; programs choose theirs.
# VULNDB is the URL of a copy of the database; empty: the database of the Go project. If the
# database or the tool is unavailable, the target says so and succeeds.
.PHONY: vuln
vuln:
	@$(call vuln,bin)

.PHONY: version
version: ## Set the version of the next release in go.mod, go.sum and go.work (VERSION=v1.2.3)
	$(if $(VERSION),,$(error give a version, such as VERSION=v1.2.3))
	$(GO) run ./cmd/internal/modules $(VERSION)

# With VERSION, the commit must have the tags VERSION and robotsext/VERSION. Without, there are no modules.
.PHONY: release
release: dist ## Build dist/ for all platforms from the commit, and check `go install` of its tags (VERSION=v1.2.3)
	@$(if $(VERSION),$(call goinstall,dist/modules))

# All programs of a release are built alike, so that their packages are compiled once.
.PHONY: dist
dist: export CGO_ENABLED := 0
dist: export GOFLAGS := -trimpath
dist:
	@$(call release,dist,$(PLATFORMS))

.PHONY: rebuild
rebuild: ## Build a release twice, in two directories and with an empty cache, and compare
	@$(call rebuild)

.PHONY: clean
clean: ## Remove bin and dist
	rm -rf bin dist

# each runs a command in the folder of each module except EXCEPT: $(call each,COMMAND,EXCEPT).
each = for module in $(filter-out $(2),$(MODULES)); do (cd "$$module"; $(1)); done

# tests lists the test files of a module.
tests = $$($(GO) list -f '{{$$dir := .Dir}}{{range .TestGoFiles}}{{$$dir}}/{{.}} {{end}}{{range .XTestGoFiles}}{{$$dir}}/{{.}} {{end}}' ./...)

# fuzztargets prints the fuzz targets of a module: its folder, that of the package in it, the name.
define fuzztargets
awk -F '[ (]' -v module="$$module" '/^func Fuzz/ { dir = substr(FILENAME, length(ENVIRON["PWD"]) + 2); sub("[^/]*$$", "", dir); print module, "./" dir, $$2 }' $(tests)
endef

# long runs the tests of a module that make test skips. It finds them by their call of
# testing.Short, which must be in the test function itself.
define long
files=$$(grep -l 'testing\.Short()' $(tests) || true); \
[ -n "$$files" ] || exit 0; \
names=$$(awk '/^func / { name = $$2; sub(/\(.*/, "", name) } \
	/testing\.Short\(\)/ { print name; if (name !~ /^Test/) { print FILENAME ": " name " calls testing.Short, but is not a test" > "/dev/stderr"; exit 1 } }' \
	$$files | sort -u | paste -s -d '|' -); \
$(GO) test $(TESTFLAGS) -timeout 40m -run "^($$names)\$$" $$(dirname $$files | sort -u)
endef

# tool installs PACKAGE unless one of COMMANDS exists: $(call tool,COMMANDS,PACKAGE,USE).
define tool
for name in $(1); do \
	if command -v "$$name" > /dev/null; then exit 0; fi; \
done; \
missing="$(firstword $(1))"; $(call install,$(2),$(3))
endef

# npm installs PACKAGE, which DIR/package-lock.json names: $(call npm,DIR,PACKAGE,USE).
define npm
( $(call tool,npm,npm,$(3)) ); \
if [ ! -d $(1)/node_modules/$(2) ] && command -v npm > /dev/null; then \
	cd $(1); npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || [ -z "$${CI:-}" ]; \
fi
endef

# files installs PACKAGES unless all FILES exist: $(call files,FILES,PACKAGES,USE).
define files
missing=; \
for name in $(1); do \
	[ -e "$$name" ] || missing=$$name; \
done; \
[ -n "$$missing" ] || exit 0; \
$(call install,$(2),$(3))
endef

# install installs PACKAGES, or says what is missing and that USE is skipped: $(call install,PACKAGES,USE).
define install
as=; [ "$$(id -u)" = 0 ] || as=sudo; \
if [ -n "$${CI:-}" ] || { [ -z "$$as" ] && grep -qs '^ID.*debian' /etc/os-release; }; then \
	$$as apt-get update -q; \
	$$as env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(1); \
else \
	echo "$$missing is missing, so $(2) are skipped; install it (on Debian: apt-get install $(1))" >&2; \
fi
endef

# vuln installs govulncheck into DIR and runs it: $(call vuln,DIR). It ends with 3 at the first
# module with a finding.
define vuln
unknown() { printf 'govulncheck: vulnerabilities are unknown, because %s is unavailable:\n%s\n' "$$1" "$$2" >&2; exit 0; }; \
out=$$(GOBIN=$(abspath $(1)) $(GO) install $(GOVULNCHECK) 2>&1) || unknown "the tool" "$$out"; \
for module in $(MODULES); do \
	code=0; out=$$($(abspath $(1))/govulncheck -C "$$module" $(if $(VULNDB),-db $(VULNDB)) ./... 2>&1) || code=$$?; \
	if [ "$$code" = 1 ] && grep -q '^govulncheck: fetching vulnerabilities:' <<< "$$out"; then unknown "the database" "$$out"; fi; \
	printf '%s\n' "$$out"; \
	[ "$$code" = 0 ] || exit "$$code"; \
done
endef

# release builds the commit into DIR: for each platform an archive with the program, its licenses,
# manual pages and completions. The same version of Go builds the same bytes anywhere:
# $(call release,DIR,PLATFORMS).
define release
if [ -n "$$(git status --porcelain)" ]; then echo "uncommitted changes would not be in the release; commit them first" >&2; exit 1; fi; \
rm -rf $(1); mkdir -p $(1) bin; \
$(if $(VERSION),$(GO) run ./cmd/internal/modules '$(VERSION)' $(1)/modules;) \
$(GO) build -o bin/release ./cmd/politecrawl; $(GO) build -o bin/archive ./cmd/internal/archive; \
common=$$(mktemp -d); trap 'rm -rf "$$common"' EXIT; mkdir "$$common/completions"; \
{ cat LICENSE; echo; $(GO) run ./cmd/internal/licenses -texts -platforms '$(2)' ./cmd/politecrawl; } > "$$common/LICENSES.txt"; \
env -u SOURCE_DATE_EPOCH bin/release man --quiet "$$common/man"; \
for shell in bash fish powershell zsh; do bin/release completion $$shell > "$$common/completions/politecrawl.$$shell"; done; \
for platform in $(2); do \
	os=$${platform%/*} arch=$${platform#*/} ext= archive=tar.gz; [ "$$os" != windows ] || { ext=.exe; archive=zip; }; \
	name=politecrawl-$$os-$$arch; \
	echo "$(1)/$$name.$$archive"; \
	mkdir "$$common/$$name"; cp -r "$$common"/{LICENSES.txt,man,completions} "$$common/$$name"; \
	GOOS=$$os GOARCH=$$arch $(GO) build -buildvcs=true -ldflags='-s -w' -o "$$common/$$name/politecrawl$$ext" ./cmd/politecrawl; \
	bin/archive "$(1)/$$name.$$archive" "$$common/$$name"; \
	rm -r "$$common/$$name"; \
done; \
cd $(1); find * -type f | LC_ALL=C sort | if command -v sha256sum > /dev/null; then xargs sha256sum --; else xargs shasum -a 256 --; fi > ../SHA256SUMS~; mv ../SHA256SUMS~ SHA256SUMS
endef

# goinstall installs the program and gets robotsext at VERSION from DIR as a module proxy, in a folder
# without the repository and with no module in the cache. Other modules come from the cache of the
# user, in its role as a proxy, or from GOPROXY: $(call goinstall,DIR).
define goinstall
there=$$(mktemp -d); trap 'rm -rf "$$there"' EXIT; \
export GOPROXY="file://$$PWD/$(1),file://$$($(GO) env GOMODCACHE)/cache/download,$$($(GO) env GOPROXY)" GONOPROXY=none GONOSUMDB="$(dir $(ROBOTSEXT)),$$($(GO) env GONOSUMDB)"; \
export GOMODCACHE="$$there/mod" GOBIN="$$there/bin" GOFLAGS='-trimpath -modcacherw' CGO_ENABLED=0; \
mkdir "$$there/program"; cp robotsext/testdata/light/main.go "$$there/program"; cd "$$there/program"; \
$(GO) install $(dir $(ROBOTSEXT))cmd/politecrawl@$(VERSION); \
"$$there/bin/politecrawl" version | grep -F ' $(VERSION),' || { echo "the installed program does not print $(VERSION)" >&2; exit 1; }; \
"$$there/bin/politecrawl" demo --help > /dev/null; \
$(GO) mod init example.com/program; \
$(GO) get $(ROBOTSEXT)@$(VERSION); \
$(GO) build .
endef

# rebuild builds the release of this platform in two clones, in the second with an empty cache.
# Without VERSION, it first prepares and tags a release in the first clone, as RELEASING.md says.
define rebuild
git rev-parse HEAD > /dev/null || { echo "this directory is not a git clone, so there is no commit to build" >&2; exit 0; }; \
there=$$(mktemp -d); trap 'rm -rf "$$there"' EXIT; \
platform=$$($(GO) env GOOS)/$$($(GO) env GOARCH); version='$(or $(VERSION),v0.0.0-rebuild)'; \
git clone -q . "$$there/one"; \
$(if $(VERSION),,$(MAKE) -s -C "$$there/one" version VERSION="$$version"; \
	git -C "$$there/one" -c user.name=rebuild -c user.email=rebuild@localhost -c commit.gpgSign=false commit -q -a -m "$$version"; \
	for tag in "$$version" "robotsext/$$version"; do git -C "$$there/one" -c tag.gpgSign=false tag "$$tag"; done;) \
git clone -q "$$there/one" "$$there/another"; \
$(MAKE) -s -C "$$there/one" release PLATFORMS="$$platform" VERSION="$$version"; \
GOCACHE="$$there/cache" $(MAKE) -s -C "$$there/another" dist PLATFORMS="$$platform" VERSION="$$version"; \
diff "$$there"/{one,another}/dist/SHA256SUMS || { echo "the two builds differ" >&2; exit 1; }; \
tar -xzf "$$there/one/dist/politecrawl-$${platform/\//-}.tar.gz" -C "$$there"; \
"$$there/politecrawl-$${platform/\//-}/politecrawl" version | grep -F "$$version (revision $$(git -C "$$there/one" rev-parse HEAD) of" || { echo "the program does not print its version and revision" >&2; exit 1; }; \
cat "$$there/one/dist/SHA256SUMS"
endef

# fuzz runs every fuzz target of every module for TIME, as many at once as there are processors. It
# continues after a finding, so that one run shows all findings: $(call fuzz,TIME).
#
# At the end of the time, the fuzzing engine of Go 1.26 sometimes fails a target with a bare
# "context deadline exceeded" (https://go.dev/issue/75804). A real finding names the input that
# failed, so this line without an input is ignored.
define fuzz
targets=$$(set -e; $(call each,$(fuzztargets))); \
there=$$(mktemp -d); trap 'rm -rf "$$there"' EXIT; export there; \
cut -d ' ' -f 1,2 <<< "$$targets" | sort -u | while read -r module pkg; do \
	$(GO) -C "$$module" test -c -vet=off -fuzz . -o "$$there/$$module/$$pkg/test" "$$pkg"; \
done; \
fuzz() { \
	echo "fuzz $(1) $$3 $$1 $$2"; \
	if out=$$(cd "$$1/$$2"; "$$there/$$1/$$2/test" -test.run '^$$' -test.fuzz "^$$3\$$" -test.fuzztime $(1) -test.fuzzcachedir "$$($(GO) env GOCACHE)/fuzz/$$1/$$2" -test.parallel 1 2>&1); then return; fi; \
	if grep -qx ' *context deadline exceeded' <<< "$$out" && ! grep -Eq 'Failing input|seed corpus entry' <<< "$$out"; then return; fi; \
	printf '%s\n' "$$out"; exit 1; \
}; \
export -f fuzz; \
xargs -L 1 -P "$$(getconf _NPROCESSORS_ONLN)" bash -c 'fuzz "$$@"' fuzz <<< "$$targets" || { echo "fuzzing found something" >&2; exit 1; }
endef
