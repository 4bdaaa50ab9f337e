package crawler

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// TestConfigErrorsNameTheKey: an invalid value of any group is reported once, as a ConfigError
// with its key.
func TestConfigErrorsNameTheKey(t *testing.T) {
	for _, tt := range []struct {
		key     string
		change  func(*Config)
		problem string
	}{
		{"urls", func(c *Config) { c.URLs = nil }, "there is no start URL"},
		{"urls", func(c *Config) { c.URLs = []string{""} }, "a start URL is empty"},
		{"output", func(c *Config) { c.Output.Dir = "" }, "is empty; name the directory to write"},
		{"extract", func(c *Config) { c.Output.Extract = []string{"a=["} }, `field "a": selector "[": expected identifier, found EOF instead`},
		{"extract", func(c *Config) { c.Output.Extract = []string{"a"} }, `"a" is not of the form NAME=SELECTOR`},
		{"extract", func(c *Config) { c.Output.Extract = []string{"a=p", "a=b"} }, `field "a" has two rules`},
		{"links", func(c *Config) { c.Output.Links = "all" }, `"all" is not one of false, true, full`},
		{"keep-header", func(c *Config) { c.Output.KeepHeader = []string{"a:"} }, `"a:" is not the name of a header`},
		{"keep-header", func(c *Config) { c.Output.KeepHeader = []string{"set-cookie"} }, "the value of set-cookie may be a secret, so it is not written; omit it"},
		{"keep-generations", func(c *Config) { c.Output.KeepGenerations = -1 }, "-1 is negative; 0 keeps all"},
		{"warc-max", func(c *Config) { c.Output.WARCMax = 0 }, "0 is not a number of bytes to record"},
		{"durability", func(c *Config) { c.Output.Durability = "" }, `"" is not one of process, power`},
		{"concurrency", func(c *Config) { c.Limits.Concurrency = 0 }, "0 is less than 1"},
		{"max-pages", func(c *Config) { c.Limits.MaxPages = -1 }, "-1 is negative; 0 means no limit"},
		{"max-host-pages", func(c *Config) { c.Limits.MaxHostPages = -1 }, "-1 is negative; 0 means no limit"},
		{"max-hosts", func(c *Config) { c.Limits.MaxHosts = -1 }, "-1 is negative; 0 means no limit"},
		{"max-bytes", func(c *Config) { c.Limits.MaxBytes = -1 }, "-1 is negative; 0 means no limit"},
		{"max-time", func(c *Config) { c.Limits.MaxTime = -1 }, "-1ns is negative; 0 means no limit"},
		{"max-time", func(c *Config) { c.Limits.MaxTime = maxDuration + 1 }, "8760h0m0.000000001s is longer than 8760h0m0s"},
		{"max-wait", func(c *Config) { c.Limits.MaxWait = -1 }, "-1ns is negative"},
		{"max-wait", func(c *Config) { c.Limits.MaxWait = 2 * maxDuration }, "17520h0m0s is longer than 8760h0m0s"},
		{"max-links", func(c *Config) { c.Limits.MaxLinks = -1 }, "-1 is negative; 0 means no limit"},
		{"trap-pages", func(c *Config) { c.Limits.TrapPages = -1 }, "-1 is negative; 0 means no limit"},
		{"delay", func(c *Config) { c.Politeness.Delay = -time.Second }, "-1s is negative"},
		{"delay", func(c *Config) { c.Politeness.Delay = 2 * maxDuration }, "17520h0m0s is longer than 8760h0m0s"},
		{"max-crawl-delay", func(c *Config) { c.Politeness.MaxCrawlDelay = -1 }, "-1ns is negative"},
		{"max-crawl-delay", func(c *Config) { c.Politeness.MaxCrawlDelay = 2 * maxDuration }, "17520h0m0s is longer than 8760h0m0s"},
		{"response-factor", func(c *Config) { c.Politeness.ResponseFactor = 101 }, "101 is not a number from 0 to 100"},
		{"per-host", func(c *Config) { c.Politeness.PerHost = 0 }, "0 is less than 1"},
		{"header", func(c *Config) { c.Sharing.Frontier, c.Credentials.Header = "redis://h", []string{"X-Key: 1"} }, "other processes of a shared crawl can add start URLs; name the origin, with header-for or basic-auth"},
		{"header", func(c *Config) {
			c.Fetch.Identity, c.Credentials.Header = "dir", []string{"Signature: x"}
		}, "the identity sets Signature itself; leave it out, or crawl without identity"},
		{"header", func(c *Config) {
			c.Fetch.Identity, c.Credentials.Header = "dir", []string{"X-Key: 1", "SIGNATURE-input : x"}
		}, "the identity sets Signature-Input itself; leave it out, or crawl without identity"},
		{"header-for", func(c *Config) {
			c.Fetch.Identity, c.Credentials.HeaderFor = "dir", []string{"http://h signature-Agent: x"}
		}, "the identity sets Signature-Agent itself; leave it out, or crawl without identity"},
		{"netrc", func(c *Config) { c.Sharing.Frontier, c.Credentials.Netrc = "redis://h", true }, "other processes of a shared crawl can add start URLs; name the origin, with header-for or basic-auth"},
		{"cookie-file", func(c *Config) { c.Sharing.Frontier, c.Credentials.CookieFile = "redis://h", "f" }, "other processes of a shared crawl can add start URLs; name the origin, with header-for or basic-auth"},
		{"header", func(c *Config) {
			c.Credentials.BasicAuth, c.Credentials.Header = []string{"http://me:1@h"}, []string{"Authorization: x"}
			c.URLs = []string{"http://h/"}
		}, "http://h has two values for Authorization; give one"},
		{"per-ip", func(c *Config) { c.Politeness.PerIP = -1 }, "-1 is negative; 0 means no limit"},
		{"scope", func(c *Config) { c.Scope.Kind = "galaxy" }, `"galaxy" is not one of host, path, domain, any`},
		{"include", func(c *Config) { c.Scope.Include = []string{"a", "b[z-a]"} }, "`b[z-a]` is not a regular expression: invalid character class range in `z-a` at byte 3"},
		{"exclude", func(c *Config) { c.Scope.Exclude = []string{"(a"} }, "`(a` is not a regular expression: missing closing ) at the end"},
		{"exclude", func(c *Config) { c.Scope.Exclude = []string{""} }, "an expression is empty, which matches every URL"},
		{"urls", func(c *Config) { c.Scope.Exclude = []string{"h/"} }, `start URL "http://h/" matches --exclude "h/"; omit the URL, or change the expression`},
		{"urls", func(c *Config) { c.Scope.Include = []string{"a", "b"} }, `start URL "http://h/" matches no --include; omit the URL, or change the expression`},
		{"check", func(c *Config) { c.Scope.Check = []string{"everything"} }, `"everything" is not one of assets, external, fragments, canonical, hreflang, all`},
		{"forbid-host", func(c *Config) { c.Scope.ForbidHost = []string{"https://h/"} }, `"https://h/" is not a host such as staging.example.com or localhost:8080`},
		{"max-depth", func(c *Config) { c.Scope.MaxDepth = -2 }, "-2 is less than -1, which means no limit"},
		{"max-url", func(c *Config) { c.Scope.MaxURL = 0 }, "0 is not a number of bytes from 1 to 8192"},
		{"max-params", func(c *Config) { c.Scope.MaxParams = -1 }, "-1 is negative; 0 means no limit"},
		{"max-repeats", func(c *Config) { c.Scope.MaxRepeats = -1 }, "-1 is negative; 0 means no limit"},
		{"drop-params", func(c *Config) { c.Scope.DropParams = []string{""} }, "the name of a parameter is empty"},
		{"robots-timeout", func(c *Config) { c.Robots.Timeout = 0 }, "0s is not positive"},
		{"robots-timeout", func(c *Config) { c.Robots.Timeout = 2 * maxDuration }, "17520h0m0s is longer than 8760h0m0s"},
		{"robots-retry", func(c *Config) { c.Robots.Retry = 0 }, "0s is not positive"},
		{"sitemap-order", func(c *Config) { c.Sitemaps.Order = "" }, `"" is not one of lastmod, priority, none`},
		{"since", func(c *Config) { c.Sitemaps.Since = "May" }, `"May" is neither a date like 2026-01-31 nor a time like 2026-01-31T12:00:00Z`},
		{"max-sitemaps", func(c *Config) { c.Sitemaps.MaxFiles = -1 }, "-1 is negative; 0 is to read none"},
		{"max-sitemap-entries", func(c *Config) { c.Sitemaps.MaxEntries = -1 }, "-1 is negative; 0 means no limit"},
		{"user-agent", func(c *Config) { c.Fetch.UserAgent = "(bot)" }, `"(bot)" contains no product token (letters, digits, dots, - and _)`},
		{"user-agent", func(c *Config) { c.Fetch.UserAgent = "bot\n" }, `"bot\n" holds a line end or another control character, which no field of a request can`},
		{"contact", func(c *Config) { c.Fetch.Contact = "me" }, `"me" is not an email address; write it as crawler@example.com, without a name`},
		{"contact", func(c *Config) { c.Fetch.Contact = "Me <me@h>" }, `"Me <me@h>" is not an email address; write it as crawler@example.com, without a name`},
		{"contact", func(c *Config) { c.Fetch.Contact = "me@h\r\nX: y" }, `"me@h\r\nX: y" is not an email address; write it as crawler@example.com, without a name`},
		{"contact", func(c *Config) { c.Fetch.Contact = "mé@h" }, `"mé@h" is not an email address; write it as crawler@example.com, without a name`},
		{"check-dns", func(c *Config) { c.Fetch.CheckDNS = true }, "needs an identity, since the names must be under its domain; set identity too"},
		{"types", func(c *Config) { c.Fetch.Types = []string{"text/html", "pdf"} }, `"pdf" is not a media type; write it as text/html, or as text/* for all types of text`},
		{"timeout", func(c *Config) { c.Fetch.Timeout = 0 }, "0s is not positive"},
		{"first-byte-timeout", func(c *Config) { c.Fetch.FirstByteTimeout = -1 }, "-1ns is negative; 0 means no limit"},
		{"first-byte-timeout", func(c *Config) { c.Fetch.FirstByteTimeout = 2 * maxDuration }, "17520h0m0s is longer than 8760h0m0s"},
		{"stall-timeout", func(c *Config) { c.Fetch.StallTimeout = -1 }, "-1ns is negative; 0 means no limit"},
		{"stall-timeout", func(c *Config) { c.Fetch.StallTimeout = 2 * maxDuration }, "17520h0m0s is longer than 8760h0m0s"},
		{"max-body", func(c *Config) { c.Fetch.MaxBody = 0 }, "0 is not a number of bytes to read"},
		{"retries", func(c *Config) { c.Fetch.Retries = -1 }, "-1 is negative"},
		{"proxy", func(c *Config) { c.Fetch.Proxies = []string{"ftp://h"} }, `"ftp://h" is not a proxy; write it as http://host:port, https://host:port or socks5://host:port`},
		{"allow-addr", func(c *Config) { c.Fetch.AllowAddr = []string{"localhost"} }, `"localhost" is neither an IP address nor a network: use the form 127.0.0.1, 10.0.0.0/8 or fd00::/8`},
		{"frontier", func(c *Config) { c.Sharing.Frontier = "redis" }, "bad address: it does not begin with redis:// or rediss://; write it as redis://host:port"},
		{"crawl-name", func(c *Config) { c.Sharing.Frontier, c.Sharing.CrawlName = "redis://h", "a b" }, `"a b" is no name: only letters, digits, '.', '_', '-', and at most 100 of them`},
		{"worker-name", func(c *Config) { c.Sharing.Frontier, c.Sharing.WorkerName = "redis://h", "a b" }, `"a b" is no name: only letters, digits, '.', '_', '-', and at most 100 of them`},
		{"frontier-prefix", func(c *Config) { c.Sharing.Frontier, c.Sharing.Prefix = "redis://h", "a b" }, `"a b" is no name: only letters, digits, '.', '_', '-', and at most 100 of them`},
		{"expected-urls", func(c *Config) { c.Sharing.ExpectedURLs = 0 }, "0 is not a number of URLs"},
	} {
		t.Run(tt.key, func(t *testing.T) {
			cfg := Default()
			cfg.URLs = []string{"http://h/"}
			tt.change(&cfg)
			err := cfg.Validate()
			bad, ok := errors.AsType[*ConfigError](err)
			if !ok || bad.Key != tt.key || !errors.Is(bad, ErrConfig) {
				t.Fatalf("%v", err)
			}
			if want := "bad configuration: " + tt.key + ": " + tt.problem; err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// TestConfigJSONHasNoGroups: JSON has the keys of all groups in one object, as in crawl.json.
func TestConfigJSONHasNoGroups(t *testing.T) {
	text := `{"urls":["http://h/"],"output":"d","links":false,"also-write":["csv"],"concurrency":2,"max-pages":3,"delay":"5ns","per-ip":4,"scope":"any","max-depth":6,
		"robots-timeout":"7ns","robots-retry":"8ns","sitemap-order":"none","only-sitemaps":true,"max-sitemaps":9,"timeout":"10ns","proxy":["http://p"],
		"frontier":"redis://r","crawl-name":"j","frontier-prefix":"x","frontier-password-file":"f"}`
	var got Config
	must(t, json.Unmarshal([]byte(text), &got))
	want := Config{
		URLs:       []string{"http://h/"},
		Output:     Output{Dir: "d", Links: LinksNone, AlsoWrite: []string{"csv"}},
		Limits:     Limits{Concurrency: 2, MaxPages: 3},
		Politeness: Politeness{Delay: 5, PerIP: 4},
		Scope:      Scope{Kind: ScopeAny, MaxDepth: 6},
		Robots:     Robots{Timeout: 7, Retry: 8},
		Sitemaps:   Sitemaps{Order: AsListed, Only: true, MaxFiles: 9},
		Fetch:      Fetch{Timeout: 10, Proxies: []string{"http://p"}},
		Sharing:    Sharing{Frontier: "redis://r", CrawlName: "j", Prefix: "x", PasswordFile: "f"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	settings, err := settingsOf(Default())
	must(t, err)
	for key, value := range settings {
		if slices.Contains([]byte("{"), value[0]) {
			t.Errorf("%s is an object: %s", key, value)
		}
	}
}

// TestSchema: SCHEMA.md of package output has every field of the files with types in other
// packages, and calls fields optional that are omitted when they have no value.
func TestSchema(t *testing.T) {
	schema := contentOf(t, "output/SCHEMA.md")
	dir, now := t.TempDir(), time.Unix(1e9, 0)
	rec := results.New(results.Config{Dir: dir})
	must(t, rec.Create(&run.State{
		Version: results.Version, Config: []byte("{}"), DelayChanged: true, Recrawls: 1, StartedAt: now, RecrawlPending: true, CheckRecrawl: 1, Local: true, Shared: "ab12",
		Ended: &run.Ended{End: EndFinished, Remaining: 1, Uncommitted: true}, Lost: []output.Loss{{}}, RejectedIncomplete: true, RewritingRejected: true, RereadUntil: 1,
	}))
	must(t, rec.Robots(&robotsext.Record{
		Origin: "http://h", Outcome: robotsext.OutcomeUnreachable, Status: 503, Err: os.ErrNotExist, Body: []byte("x"), Truncated: true, RedirectChain: []string{"u"},
		FetchedAt: now, ExpiresAt: now, FailingSince: now, RetryAt: now, Failures: 1, Outage: time.Second, CopyLost: true,
	}))
	must(t, rec.Close())
	empty := results.New(results.Config{Dir: filepath.Join(dir, "empty")})
	must(t, empty.Create(&run.State{Config: []byte("{}")}))
	must(t, empty.Robots(&robotsext.Record{Origin: "http://h"}))
	must(t, empty.Close())
	for name, least := range map[string]int{"robots.jsonl": 14, "crawl.json": 12} {
		_, section, _ := strings.Cut(string(schema), "\n## "+name+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		text := contentOf(t, filepath.Join(dir, name))
		var fields map[string]any
		must(t, json.Unmarshal(text, &fields))
		if len(fields) < least {
			t.Errorf("%s has only %d fields", name, len(fields))
		}
		var present map[string]any
		must(t, json.Unmarshal(contentOf(t, filepath.Join(dir, "empty", name)), &present))
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			row := regexp.MustCompile("\n\\| `" + field + "` \\| [a-z ]+ \\| (optional)?").FindStringSubmatch(section)
			if row == nil {
				t.Errorf("SCHEMA.md does not explain %q of %s", field, name)
				continue
			}
			if _, always := present[field]; always == (row[1] != "") {
				t.Errorf("SCHEMA.md says %q of %q in %s", row[1], field, name)
			}
		}
		if described := strings.Count(section, "\n| `"); described != len(fields) {
			t.Errorf("SCHEMA.md has %d fields of %s, which has %d", described, name, len(fields))
		}
	}
}
