package structure

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An importRule is one sentence of the architecture. Broken is asked for every
// package and returns what breaks the rule there.
type importRule struct {
	Says   string
	Broken func(p goPackage) []string
}

// programParts is the folder of the packages of the program.
const programParts = "cmd/politecrawl/internal/"

// commands are the packages of the commands: those with a function Command, except root.
var commands = sync.OnceValue(func() (found []string) {
	files, _ := parsed() // listPackages checks the error
	for _, file := range files {
		folder := path.Dir(file.name)
		if strings.HasPrefix(folder, programParts) && folder != programParts+"root" && strings.Contains(file.text, "\nfunc Command(") {
			found = append(found, folder)
		}
	}
	return found
})

// internal is the folder of the parts of the crawler.
const internal = "crawler/internal/"

// crawlerParts are the parts of the crawler, each with the parts that it imports. They point
// down: what a part imports does not import it.
var crawlerParts = map[string][]string{
	internal + "weburl":      nil,
	internal + "provenance":  nil,
	internal + "trap":        nil,
	internal + "forecast":    nil,
	internal + "credentials": nil,
	internal + "blocked":     nil,
	internal + "notice":      nil,
	internal + "permission":  nil,
	internal + "testserver":  nil,
	internal + "redirection": parts("weburl"),
	internal + "lifecycle":   parts("notice"),
	internal + "quota":       parts("lifecycle"),
	internal + "pageserver":  parts("quota"),
	internal + "scope":       parts("weburl", "provenance"),
	internal + "politeness":  parts("weburl", "lifecycle", "quota"),
	internal + "fetch":       parts("weburl", "credentials", "redirection", "lifecycle"),
	internal + "cluster":     parts("weburl", "lifecycle"),
	internal + "results":     parts("weburl", "provenance", "blocked", "trap", "lifecycle", "scope"),
	internal + "audit":       parts("permission", "results"),
	internal + "discover":    parts("weburl", "provenance", "blocked", "notice", "redirection", "credentials", "lifecycle", "quota", "scope", "politeness", "cluster", "results"),
	internal + "visit":       parts("weburl", "provenance", "blocked", "notice", "redirection", "quota", "politeness", "results", "trap", "permission", "fetch", "discover"),
	internal + "run":         parts("weburl", "provenance", "blocked", "redirection", "quota", "politeness", "cluster", "results", "trap", "fetch", "discover", "visit"),
	internal + "plancount":   parts("weburl", "provenance", "blocked", "quota", "politeness", "results", "forecast", "discover"),
}

// parts returns the paths of parts of the crawler.
func parts(names ...string) []string {
	for i, name := range names {
		names[i] = internal + name
	}
	return names
}

// helpers are small packages that every part of the crawler may import.
var helpers = []string{internal + "escape", internal + "durable", internal + "descriptors", internal + "jsonlines", internal + "mimetype", internal + "charset", internal + "fields", internal + "cdxj", internal + "warcreader"}

// testParts are the packages below crawler/internal that only tests import.
var testParts = []string{internal + "faultsite", internal + "hostiletest", internal + "monitortest", internal + "doctest", internal + "trap/traptest", internal + "durable/powercut"}

// importRules are what keeps the packages apart. Imports point down (program,
// crawler, drop-in, pure packages), never sideways; and who uses a pure package
// or the drop-in links nothing that only the crawler or the program needs.
var importRules = []importRule{
	{
		"imports point down: the program uses the crawler, the crawler the drop-in, never the reverse; robotsext, a module of its own, uses nothing of the others",
		func(p goPackage) []string {
			switch {
			case within(p.Path, "cmd", "examples"):
				return nil
			case within(p.Path, "crawler"):
				return among(p.Deps, "cmd", "examples")
			default:
				return among(p.Deps, "cmd", "examples", "crawler")
			}
		},
	},
	{
		"the parts of the crawler do not know the crawler that joins them",
		func(p goPackage) []string {
			if !strings.HasPrefix(p.Path, "crawler/") || within(p.Path, "crawler/monitor", internal+"monitortest", "crawler/browsertest") { // which watch it from above
				return nil
			}
			return slices.DeleteFunc(among(p.Deps, "crawler"), func(d string) bool { return d != "crawler" })
		},
	},
	{
		"the parts below crawler/internal import no part but those that crawlerParts allows",
		func(p goPackage) []string {
			allowed, isPart := crawlerParts[p.Path]
			if !isPart {
				return nil
			}
			return slices.DeleteFunc(among(imports(p), "crawler"), func(path string) bool {
				return within(path, "crawler/frontier", "crawler/output", "crawler/extract", "crawler/plan", "crawler/params") || within(path, helpers...) || slices.Contains(allowed, path)
			})
		},
	},
	{
		"package crawler alone joins visits and runs: what reads their files knows neither",
		func(p goPackage) []string {
			joined := parts("discover", "visit", "run", "plancount")
			if p.Path == "crawler" || within(p.Path, joined...) { // crawlerParts has their rules
				return nil
			}
			return among(imports(p), joined...)
		},
	},
	{
		"root assembles the commands: of this repository it imports nothing but them, cli, heap and settings; main imports root alone",
		func(p goPackage) []string {
			var allowed []string
			switch p.Path {
			case "cmd/politecrawl":
				allowed = []string{programParts + "root"}
			case programParts + "root":
				allowed = append([]string{programParts + "cli", programParts + "heap", programParts + "settings"}, commands()...)
			default:
				return nil
			}
			return slices.DeleteFunc(among(imports(p), "cmd", "crawler", "robotsext", "examples"), func(path string) bool { return within(path, allowed...) })
		},
	},
	{
		"no part of the program but root imports a command, commands do not import each other",
		func(p goPackage) []string {
			if !strings.HasPrefix(p.Path, programParts) || p.Path == programParts+"root" {
				return nil
			}
			return slices.DeleteFunc(among(p.Deps, commands()...), func(path string) bool { return within(p.Path, path) })
		},
	},
	{
		"robotstxt, sitemap, robotstag and frontier do not import each other; output knows what package usage has of them",
		func(p goPackage) []string {
			layers := []string{"robotsext/robotstxt", "robotsext/sitemap", "robotsext/robotstag", "crawler/frontier", "crawler/output"}
			for i, layer := range layers {
				known := p.Deps
				if layer == "crawler/output" {
					known = imports(p)
				}
				if within(p.Path, layer) {
					return among(known, slices.Concat(layers[:i], layers[i+1:])...)
				}
			}
			return nil
		},
	},
	{
		"robotstxt, sitemap, robotstag, guard and what they share are built on the standard library, x/net/idna, x/text and httpsfv alone",
		func(p goPackage) []string {
			if !within(p.Path, "robotsext/robotstxt", "robotsext/sitemap", "robotsext/robotstag", "robotsext/guard", "robotsext/internal") || within(p.Path, "robotsext/internal/hook", "robotsext/internal/lookup", "robotsext/internal/roundtrip") {
				return nil
			}
			return slices.DeleteFunc(imports(p), func(path string) bool {
				return standard(path) || path == "golang.org/x/net/idna" || path == "github.com/dunglas/httpsfv" || within(path, "golang.org/x/text") || within(p.Path, path) || within(path, p.Path) ||
					within(path, "robotsext/internal", "robotsext/gunzip", "robotsext/headerlist", "robotsext/xmlstrict")
			})
		},
	},
	{
		"colly is imported by robotsext/internal/hook, robotsext/{attach,errors}.go, crawler/internal/fetch/fetch.go and the examples only",
		onlyIn("github.com/gocolly/colly", "robotsext/internal/hook", "robotsext/attach.go", "robotsext/errors.go",
			"crawler/internal/fetch/fetch.go", "examples"),
	},
	{
		"robotsext joins its parts: internal/lookup and internal/hook do not know each other",
		func(p goPackage) []string {
			parts := []string{"robotsext/internal/lookup", "robotsext/internal/hook"}
			if !within(p.Path, parts...) {
				return nil
			}
			return slices.DeleteFunc(among(p.Deps, parts...), func(d string) bool { return within(d, p.Path) || within(p.Path, d) })
		},
	},
	{
		"no pure package, frontier or sink is linked with colly",
		func(p goPackage) []string {
			if !within(p.Path, "robotsext/robotstxt", "robotsext/sitemap", "robotsext/robotstag", "robotsext/usage", "robotsext/guard", "robotsext/record", "robotsext/internal/lookup",
				"crawler/frontier", "crawler/output", "crawler/demosite", "crawler/internal/faultsite", "crawler/internal/testserver") {
				return nil
			}
			return among(p.Deps, "github.com/gocolly/colly")
		},
	},
	{
		"a judge shares no code with what it judges: demosite, faultsite, their testserver and robotstxttest use nothing of this module but each other",
		func(p goPackage) []string {
			judges := []string{"crawler/demosite", "crawler/internal/faultsite", "crawler/internal/testserver", "robotsext/robotstxt/robotstxttest"}
			if !within(p.Path, judges...) {
				return nil
			}
			return slices.DeleteFunc(among(p.Deps, "robotsext", "crawler", "cmd", "examples"), func(d string) bool { return within(d, judges...) })
		},
	},
	{
		"testserver is imported by the test sites, redistest and tests only",
		onlyIn("crawler/internal/testserver", "crawler/demosite", "crawler/internal/faultsite", "crawler/frontier/redisstore/redistest"),
	},
	{"goquery is imported by crawler/extract only", onlyIn("github.com/PuerkitoBio/goquery", "crawler/extract")},
	{"viper is imported by the program only", onlyIn("github.com/spf13/viper", "cmd")},
	{"cobra is imported by the program only", onlyIn("github.com/spf13/cobra", "cmd")},
	{"flock is imported by the frontier on disk only", onlyIn("github.com/gofrs/flock", "crawler/frontier/logstore")},
	{"rueidis is imported by its store and the examples only", onlyIn("github.com/redis/rueidis", "crawler/frontier/redisstore", "examples")},
	{
		"package cluster is known to crawler/{config,changes,cluster}.go, to discover and run, and to crawler/shared only",
		onlyIn("crawler/internal/cluster", "crawler/config.go", "crawler/changes.go", "crawler/cluster.go",
			internal+"discover", internal+"run", "crawler/shared"),
	},
	{"the driver of SQLite is imported by its output only", onlyIn("modernc.org/sqlite", "crawler/output/sqlite")},
	{"the metrics are in crawler/monitor only", onlyIn("github.com/prometheus/client_golang", "crawler/monitor")},
	{"temoto/robotstxt is imported by tests only", onlyIn("github.com/temoto/robotstxt")},
	{
		"chromedp is for tests: nothing but crawler/browsertest, a module of its own, is linked with it",
		func(p goPackage) []string {
			if within(p.Path, "crawler/browsertest") {
				return nil
			}
			return among(p.Deps, "github.com/chromedp", "crawler/browsertest")
		},
	},
	{
		"who uses the drop-in links no database, ftp or command-line library",
		func(p goPackage) []string {
			if p.Path != "robotsext" {
				return nil
			}
			return among(p.Deps, "github.com/spf13", "github.com/redis/rueidis",
				"github.com/jlaffaye/ftp", "github.com/prometheus")
		},
	},
}

// TestImportRules holds that no package breaks a rule. crawlerParts names each package below
// crawler/internal, but for helpers and what only tests import, and allows no import that there is not.
func TestImportRules(t *testing.T) {
	pkgs := listPackages(t)
	for _, p := range pkgs {
		allowed, named := crawlerParts[p.Path]
		for _, part := range allowed {
			if !slices.Contains(imports(p), part) {
				t.Errorf("%s may import %s, and does not", p.Path, part)
			}
		}
		if strings.HasPrefix(p.Path, internal) && !named && !within(p.Path, helpers...) && !within(p.Path, testParts...) {
			t.Errorf("%s is in no rule", p.Path)
		}
	}
	if len(commands()) < 10 {
		t.Errorf("only the commands %q were found", commands())
	}
	for _, broken := range breaches(pkgs, importRules) {
		t.Error(broken)
	}
}

// TestImportRulesCanFail shows each rule a module that breaks it, so that a rule
// which lost its meaning (a folder renamed, a module path changed) is noticed.
func TestImportRulesCanFail(t *testing.T) {
	const colly = "github.com/gocolly/colly/v2"
	in := func(path, file string, imports ...string) goPackage {
		return goPackage{Path: path, Files: map[string][]string{file: imports}, Deps: imports}
	}
	pkgs := []goPackage{
		in("robotsext", "robots.go", "crawler/output"),
		in("crawler/output", "sink.go", "crawler"),
		in("crawler/frontier/logstore", "store.go", "robotsext/robotstxt"),
		in("robotsext/sitemap", "xml.go", "golang.org/x/net/html"),
		in("robotsext", "gate.go", colly),
		in("robotsext/internal/lookup", "lookup.go", "robotsext/internal/hook"),
		in("crawler/demosite", "robots.go", "robotsext/robotstxt"),
		in("crawler/internal/faultsite", "http2.go", "crawler/frontier"),
		in("crawler/internal/testserver", "server.go", "crawler/internal/fetch"),
		in("crawler/frontier", "memory.go", colly),
		in("crawler", "worker.go", "github.com/PuerkitoBio/goquery", "github.com/spf13/viper", "github.com/spf13/cobra",
			"github.com/gofrs/flock", "github.com/redis/rueidis", "crawler/internal/cluster",
			"crawler/internal/testserver", "modernc.org/sqlite", "github.com/prometheus/client_golang/prometheus"),
		in("robotsext", "ftp.go", "github.com/jlaffaye/ftp"),
		in("cmd/politecrawl", "robots.go", "github.com/temoto/robotstxt"),
		in("cmd/politecrawl", "main.go", "crawler"),
		in("cmd/politecrawl/internal/demo", "demo.go", "cmd/politecrawl/internal/crawl"),
		in("crawler/internal/quota", "pages.go", "crawler/internal/results"),
		in("crawler/report", "browser.go", "github.com/chromedp/cdproto/network", "crawler/internal/visit"),
	}
	found := breaches(pkgs, importRules)
	for _, rule := range importRules {
		if !slices.ContainsFunc(found, func(b string) bool { return strings.HasSuffix(b, rule.Says) }) {
			t.Errorf("no breach found of the rule: %s", rule.Says)
		}
	}
}

// breaches returns a sentence for each import that a rule forbids.
func breaches(pkgs []goPackage, rules []importRule) []string {
	var found []string
	for _, rule := range rules {
		for _, p := range pkgs {
			for _, what := range rule.Broken(p) {
				found = append(found, fmt.Sprintf("%s uses %s, but %s", p.Path, what, rule.Says))
			}
		}
	}
	return found
}

// onlyIn allows the import of module in the given folders and files alone.
func onlyIn(module string, places ...string) func(goPackage) []string {
	return func(p goPackage) []string {
		var found []string
		for file, paths := range p.Files {
			if !within(p.Path, places...) && !slices.Contains(places, p.Path+"/"+file) {
				for _, path := range among(paths, module) {
					found = append(found, fmt.Sprintf("%s (in %s)", path, file))
				}
			}
		}
		return found
	}
}

// among returns the paths that lie in one of the folders.
func among(paths []string, folders ...string) []string {
	var found []string
	for _, path := range paths {
		if within(path, folders...) {
			found = append(found, path)
		}
	}
	return found
}

// within reports whether path is one of the folders or below one.
func within(path string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return path == f || strings.HasPrefix(path, f+"/")
	})
}

// imports returns the direct imports of all files of p.
func imports(p goPackage) []string {
	var all []string
	for _, paths := range p.Files {
		all = append(all, paths...)
	}
	return all
}

// standard reports whether path belongs to the standard library. Its paths have
// no dot in their first element; those of this module begin with its folders.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && !within(path, "cmd/politecrawl", "crawler", "robotsext", "examples")
}

// TestImportersGetNoBrowser holds that the modules that others require do not ask for what
// drives a browser: a requirement that only tests have is one of each importer too.
func TestImportersGetNoBrowser(t *testing.T) {
	for _, name := range documents(t, "go.mod") {
		text := document(t, name)
		for _, path := range []string{"chromedp", modulePath + "/crawler/browsertest"} {
			if strings.Contains(text, path) && !strings.HasPrefix(text, "module "+modulePath+"/crawler/browsertest\n") {
				t.Errorf("%s names %s", name, path)
			}
		}
	}
}

// asksForSharing matches what a line of package crawler says when it asks whether several
// processes share the crawl, instead of asking cluster.Member what is different then.
var asksForSharing = regexp.MustCompile(`\.shared\b|\bset\.Shared [!=]= nil|\b(cfg|c|saved)\.Sharing\.(Frontier|CrawlName) [!=]= ""|[Mm]ember(\.ID\(\)|\.Peers\(\))? [!=]= |\.\(\*?cluster\.`)

// choosesMember is the one line that asks: it chooses the implementation.
const choosesMember = `open.go: case c.set.Shared != nil:`

// Nothing in the crawler but the line that opens the frontier asks whether the crawl is
// shared: package cluster answers what is different then.
func TestOnlyClusterKnowsThatACrawlIsShared(t *testing.T) {
	var found []string
	folders := []string{"crawler", "crawler/internal/discover", "crawler/internal/run", "crawler/internal/visit"}
	for _, folder := range folders {
		if len(filesIn(t, folder)) < 5 {
			t.Errorf("%s has few files", folder)
		}
	}
	for _, file := range sources(t) {
		if !file.test && slices.Contains(folders, path.Dir(file.name)) {
			for _, line := range asking(file.text) {
				found = append(found, fmt.Sprintf("%s: %s", path.Base(file.name), line))
			}
		}
	}
	// The first makes the options of a shared crawl. In a directory that is resumed the same question finds out
	// that it holds no shared crawl.
	want := []string{`cluster.go: if c.cfg.Sharing.Frontier == "" || c.opts.Frontier != nil {`, `cluster.go: case saved.Sharing.Frontier == "":`, choosesMember}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("places that ask whether the crawl is shared (-want +got):\n%s", diff)
	}
}

// asking returns the lines of a program that ask whether the crawl is shared.
func asking(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "//") && asksForSharing.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestAskingForSharingIsNoticed(t *testing.T) {
	asks := []string{
		`if c.shared != nil {`, `if cfg.Sharing.Frontier != "" {`, `if c.opts.Frontier != nil || c.shared != nil {`,
		`if s.Ended != nil && c.shared == nil {`, `if p.spared[host] || p.resumed && !p.shared {`, `case l.shared() && !b.dry:`,
		`if l.perHost == 0 && !l.shared() {`, `if c.member.ID() != "" {`, `if _, ok := c.member.(*cluster.Redis); ok {`,
		`if c.member.Peers() == nil {`,
	}
	fine := []string{`if over, err := c.member.Finished(c.books); !over || err != nil {`, `// c.shared != nil`, `Shared: c.member.ID()}`, `expired && !shared && conn != nil`}
	if got := asking(strings.Join(slices.Concat(asks, fine), "\n")); !slices.Equal(got, asks) {
		t.Errorf("noticed %q", got)
	}
}
