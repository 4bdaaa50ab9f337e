package crawler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// verify verifies a crawl, and returns its differences as "line, file or URL, problem".
func verify(t *testing.T, dir string) (Verification, []string) {
	t.Helper()
	var found []string
	got, err := VerifyPermissions(dir, func(d PermissionDifference) error {
		found = append(found, fmt.Sprintf("%d %s%s %s", d.Line, d.File, d.URL, d.Problem))
		return nil
	})
	must(t, err)
	if got.Differences != len(found) {
		t.Errorf("%d differences, reported %d", got.Differences, len(found))
	}
	return got, found
}

const permitRobots = "User-agent: *\nDisallow: /no\nContent-Usage: train-ai=n\nContent-Usage: /free train-ai=y\nContent-Signal: search=yes, see=http://user:pass@h/\nLicense: https://user:pass@example.com/\xfflicense.xml\n"

// newPermitSite has pages with every kind of statement.
func newPermitSite(t *testing.T) *site {
	t.Helper()
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt":              permitRobots,
		"/.well-known/tdmrep.json": `[{"location": "/free", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1, "tdm-policy": "https://user:pass@example.com/policy"}]`,
		"/":                        `<a href=/free>1</a><a href=/meta>2</a><a href=/header>3</a><a href=/long>4</a>`,
		"/free":                    "free",
		"/meta":                    `<meta name=robots content=noarchive><meta name=politecrawl content="max-snippet:0"><meta name=tdm-reservation content=1><meta name=tdm-policy content=/policy><meta name=robots content="unavailable_after: 2100-01-01">`,
		"/long":                    `<meta name=robots content="noai, ` + strings.Repeat("x", usage.MaxRaw) + `">`,
	})
	s.handle("/header", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html")
		h.Set("Content-Usage", "train-ai=y, x=n")
		h["X-Robots-Tag"] = []string{"all", "otherbot: noai", "unavailable_after: 01 Jan 2020 00:00:00 GMT, noai", "politecrawl: noarchive"}
		h["Tdm-Reservation"] = []string{"0"}
		h["Link"] = []string{`<a>; rel=next`, `<https://user:pass@example.com/1>; rel="license"; type="application/rsl+xml", <2>; rel="license"; type="application/rsl+xml"`}
	})
	return s
}

func permitConfig(t *testing.T, s *site) Config {
	cfg := testConfig(t, s.url+"/")
	cfg.Usage.Permissions = true
	return cfg
}

// A crawl verifies its own record: every kind of statement, its purposes and settings.
func TestVerifyPermissions(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"without purpose": func(*Config) {},
		"with purposes":   func(c *Config) { c.Usage.Purposes = []string{"archive", "search"} },
		"refuse unknown":  func(c *Config) { c.Usage.Purposes, c.Usage.Unknown = []string{"ai-input"}, UnknownRefuse },
	} {
		t.Run(name, func(t *testing.T) {
			s := newPermitSite(t)
			cfg := permitConfig(t, s)
			change(&cfg)
			runCrawl(t, cfg, nil)
			got, differences := verify(t, cfg.Output.Dir)
			lines := readOutput[output.Permission](t, cfg, "permissions.jsonl")
			if len(differences) > 0 || got.Lines != len(lines) || got.Lines == 0 || got.Files != 2 || got.NotKept != 0 {
				t.Errorf("%+v, differences %q", got, differences)
			}
			if text, err := os.ReadFile(filepath.Join(cfg.Output.Dir, "permissions.jsonl")); err != nil || bytes.Contains(text, []byte("user:pass")) {
				t.Errorf("a password is in permissions.jsonl, or %v", err)
			}
			withheld := slices.ContainsFunc(lines, func(p output.Permission) bool { return p.Withheld != "" })
			if withheld != (name != "without purpose") {
				t.Errorf("withheld %v", withheld)
			}
			if name != "without purpose" {
				return
			}
			if got.Lines != 5 || got.Cut != 1 {
				t.Errorf("%+v, want 5 lines and a text that was cut", got)
			}
			// Noai refuses training and input, max-snippet:0 input, and a passed unavailable_after search. For TDM, a
			// meta element is stronger than a header, and a header than the file.
			want := map[string]map[usage.Purpose]string{
				"/":       {usage.TrainAI: "disallowed", usage.TDM: "disallowed", usage.Search: "allowed"},
				"/free":   {usage.TrainAI: "allowed", usage.TDM: "allowed", usage.Search: "allowed"},
				"/meta":   {usage.TrainAI: "disallowed", usage.TDM: "disallowed", usage.Search: "allowed", usage.Archive: "disallowed", usage.AIInput: "disallowed"},
				"/header": {usage.TrainAI: "disallowed", usage.TDM: "allowed", usage.Search: "disallowed", usage.Archive: "disallowed", usage.AIInput: "disallowed"},
				"/long":   {usage.TrainAI: "disallowed", usage.TDM: "disallowed", usage.Search: "allowed", usage.AIInput: "disallowed"},
			}
			found := map[string]map[usage.Purpose]string{}
			for path, p := range permissionsOf(t, cfg, s) {
				found[path] = values(p)
			}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

// Every change of the record is found where the rest of it says something else.
func TestVerifyPermissionsFindsChanges(t *testing.T) {
	s := newPermitSite(t)
	cfg := permitConfig(t, s)
	cfg.Usage.Purposes = []string{"archive"}
	runCrawl(t, cfg, nil)
	path := filepath.Join(cfg.Output.Dir, "permissions.jsonl")
	original, err := os.ReadFile(path)
	must(t, err)
	robots := output.VersionPath(cfg.Output.Dir, usage.Hash([]byte(permitRobots)))
	number := make(map[string]int) // of lines, by the end of the URL
	for i, line := range bytes.Split(bytes.TrimSpace(original), []byte("\n")) {
		var p output.Permission
		must(t, json.Unmarshal(line, &p))
		number[p.URL[strings.LastIndexByte(p.URL, '/'):]] = i + 1
	}
	edit := func(page string, change func(p *output.Permission)) func(t *testing.T) {
		return func(t *testing.T) {
			lines := bytes.SplitAfter(original, []byte("\n"))
			var p output.Permission
			must(t, json.Unmarshal(lines[number[page]-1], &p))
			change(&p)
			text, err := json.Marshal(p)
			must(t, err)
			lines[number[page]-1] = append(text, '\n')
			must(t, os.WriteFile(path, bytes.Join(lines, nil), 0o600))
		}
	}
	of := func(p *output.Permission, source string) *usage.Statement {
		i := slices.IndexFunc(p.Statements, func(s usage.Statement) bool { return s.Source.String() == source })
		if i < 0 {
			t.Fatalf("no statement of %s", source)
		}
		return &p.Statements[i]
	}
	without := func(p *output.Permission, source string) {
		p.Statements = slices.DeleteFunc(p.Statements, func(s usage.Statement) bool { return s.Source.String() == source })
	}
	remove := func(page string) func(t *testing.T) {
		return func(t *testing.T) {
			lines := bytes.SplitAfter(original, []byte("\n"))
			writeFile(t, path, string(bytes.Join(slices.Delete(lines, number[page]-1, number[page]), nil)))
		}
	}
	// withoutRobots is a line that agrees with itself, for another robots.txt.
	withoutRobots := func(hash string) func(p *output.Permission) {
		return func(p *output.Permission) {
			p.Statements = slices.DeleteFunc(p.Statements, func(s usage.Statement) bool { return s.Source.Kind == usage.InRobots })
			p.Robots, p.Purposes = hash, usage.Merge(p.Statements)
		}
	}
	for name, tt := range map[string]struct {
		change func(t *testing.T)
		page   string // the only one with another line; empty if others differ too
		want   string // in a difference
	}{
		"a byte of robots.txt": {func(t *testing.T) {
			writeFile(t, robots, strings.Replace(permitRobots, "train-ai=n", "train-ai=y", 1))
		}, "", "the file was changed"},
		"robots.txt is longer": {func(t *testing.T) { writeFile(t, robots, permitRobots+strings.Repeat("#", 2<<20)) }, "", "the file was changed"},
		"robots.txt is removed": {func(t *testing.T) {
			must(t, os.Remove(robots))
		}, "", "is missing"},
		"a merged value": {edit("/free", func(p *output.Permission) {
			p.Purposes[usage.TDM] = usage.Verdict{Value: usage.Disallowed, Statement: 1}
		}), "/free", "tdm is disallowed by statement 1, but the statements say allowed"},
		"a merged value is removed": {edit("/", func(p *output.Permission) { delete(p.Purposes, usage.TDM) }), "/", "tdm is unknown"},
		"an unknown purpose":        {edit("/", func(p *output.Permission) { p.Purposes["x"] = usage.Verdict{} }), "/", `unknown purpose "x"`},
		"a value of robots.txt": {edit("/", func(p *output.Permission) {
			of(p, "robots.txt line 3, Content-Usage").Values[usage.TrainAI] = usage.Allowed
		}), "/", `robots.txt line 3, Content-Usage: values is "train-ai: allowed", but the text says "train-ai: disallowed"`},
		"the text of robots.txt":        {edit("/", func(p *output.Permission) { of(p, "robots.txt line 3, Content-Usage").Raw = "train-ai=y" }), "/", "robots.txt line 3, Content-Usage: raw"},
		"a statement of robots.txt":     {edit("/", func(p *output.Permission) { without(p, "robots.txt line 3, Content-Usage") }), "/", "a statement is missing: robots.txt line 3"},
		"a statement of tdmrep.json":    {edit("/", func(p *output.Permission) { without(p, "file /.well-known/tdmrep.json, rule 2") }), "/", "a statement is missing: file /.well-known"},
		"an additional statement":       {edit("/", func(p *output.Permission) { p.Statements = append(p.Statements, p.Statements[0]) }), "/", "the file does not have a statement"},
		"the text of a header":          {edit("/header", func(p *output.Permission) { of(p, "header Content-Usage").Raw = "train-ai=n" }), "/header", "header Content-Usage: values"},
		"the value of a header":         {edit("/header", func(p *output.Permission) { of(p, "header Content-Usage").Values[usage.Search] = usage.Allowed }), "/header", "header Content-Usage: values"},
		"the label of a header":         {edit("/header", func(p *output.Permission) { of(p, "header Content-Usage").Labels["x"] = "y" }), "/header", "header Content-Usage: labels"},
		"a header that the name is not": {edit("/header", func(p *output.Permission) { of(p, "header Content-Usage").Source.Name = "X" }), "/header", "header X: values"},
		"the license of a link":         {edit("/header", func(p *output.Permission) { of(p, "header Link, number 2").URL = "3" }), "/header", "header Link, number 2: url"},
		"the text of a meta element":    {edit("/meta", func(p *output.Permission) { of(p, "meta robots").Raw = "index" }), "/meta", "meta robots: values"},
		"the time of the request": {edit("/header", func(p *output.Permission) {
			p.FetchedAt = p.FetchedAt.AddDate(-20, 0, 0)
		}), "/header", "header X-Robots-Tag, number 3: values"},
		"withheld":                 {edit("/meta", func(p *output.Permission) { p.Withheld = "" }), "", `withheld is ""`},
		"withheld by nothing":      {edit("/", func(p *output.Permission) { p.Withheld = "tdm" }), "", `withheld is "tdm"`},
		"the hash of robots.txt":   {edit("/", func(p *output.Permission) { p.Robots = "" }), "/", "the file does not have a statement: robots.txt line 3"},
		"an invalid hash":          {edit("/", func(p *output.Permission) { p.TDMRep = "../../crawl.json" }), "/", "tdmrep is not a SHA-256"},
		"another page":             {edit("/", func(p *output.Permission) { p.URL = s.url + "/free" }), "", "a statement is missing: robots.txt line 4"},
		"another source":           {edit("/", func(p *output.Permission) { p.Statements[0].Source.Kind = "x" }), "/", `the unknown source "x"`},
		"no URL":                   {edit("/", func(p *output.Permission) { p.URL = "http://[/" }), "", "url is not a URL"},
		"a problem of tdmrep.json": {edit("/", func(p *output.Permission) { p.TDMRepProblem = "unreachable: status 503" }), "/", `tdmrep_problem is "unreachable: status 503", but of the file it is ""`},
		"the hash of a header":     {edit("/header", func(p *output.Permission) { of(p, "header Content-Usage").Source.Hash = p.Robots }), "/header", "header Content-Usage: hash is"},

		"a line is removed":           {remove("/"), "", s.url + "/ permissions.jsonl has no line for this page of pages.jsonl"},
		"a line of a page is renamed": {edit("/", func(p *output.Permission) { p.URL += "x" }), "", "pages.jsonl does not list such a page"},
		"the line of a refused page":  {remove("/meta"), "", s.url + "/meta permissions.jsonl has no line for this page of rejected.jsonl"},
		"all lines are removed":       {func(t *testing.T) { writeFile(t, path, "") }, "", "has no line for this page"},
		"no robots.txt":               {edit("/", withoutRobots("")), "/", `robots is "nothing", but robots.jsonl does not say`},
		"a robots.txt that never applied": {func(t *testing.T) {
			other := output.VersionPath(cfg.Output.Dir, usage.Hash([]byte("#")))
			writeFile(t, other, "#")
			t.Cleanup(func() { _ = os.Remove(other) })
			edit("/", withoutRobots(usage.Hash([]byte("#"))))(t)
		}, "/", "robots.jsonl does not say that this applied"},
		"robots.txt is replaced with no-store": {func(t *testing.T) {
			writeFile(t, robots+output.NoStore, "")
			t.Cleanup(func() { _ = os.Remove(robots + output.NoStore) })
			must(t, os.Remove(robots))
		}, "", "robots.jsonl does not say that this applied"},
		"a line that is no JSON": {func(t *testing.T) { writeFile(t, path, "{]\n"+string(original)) }, "", "the line cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			writeFile(t, path, string(original))
			writeFile(t, robots, permitRobots)
			tt.change(t)
			_, differences := verify(t, cfg.Output.Dir)
			if !slices.ContainsFunc(differences, func(d string) bool { return strings.Contains(d, tt.want) }) {
				t.Errorf("differences %q, want %q", differences, tt.want)
			}
			if tt.page != "" {
				for _, d := range differences {
					if !strings.HasPrefix(d, fmt.Sprintf("%d ", number[tt.page])) {
						t.Errorf("difference %q, want it in line %d", d, number[tt.page])
					}
				}
			}
		})
	}
	t.Run("the cut text of a meta element cannot be verified", func(t *testing.T) {
		writeFile(t, path, string(original))
		writeFile(t, robots, permitRobots)
		if got, differences := verify(t, cfg.Output.Dir); got.Cut != 1 || len(differences) > 0 {
			t.Errorf("%+v, differences %q", got, differences)
		}
	})
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// A file that the site forbids to keep is counted. Its statements cannot be verified, those of the
// response can.
func TestVerifyPermissionsNoStore(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<meta name=robots content=noai>`})
	s.handle("/robots.txt", page(200, permitRobots, "Cache-Control", "no-store"))
	cfg := permitConfig(t, s)
	runCrawl(t, cfg, nil)
	got, differences := verify(t, cfg.Output.Dir)
	if len(differences) > 0 || got.NotKept != 1 || got.Files != 0 || got.Lines != 1 {
		t.Errorf("%+v, differences %q", got, differences)
	}
	kept := output.VersionPath(cfg.Output.Dir, usage.Hash([]byte(permitRobots)))
	if text, err := os.ReadFile(kept + output.NoStore); err != nil || len(text) > 0 {
		t.Errorf("the file that stands for it: %q, %v", text, err)
	}
	if _, err := os.Lstat(kept); !os.IsNotExist(err) {
		t.Errorf("robots.txt was kept: %v", err)
	}
	if p := permissionsOf(t, cfg, s)["/"]; p.Robots == "" || values(p)[usage.Search] != "allowed" {
		t.Errorf("%+v", p)
	}
}

// Memory does not grow with the number of lines or of files.
func TestVerifyPermissionsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it parses 200 files of 420 KB")
	}
	const lines = 200_000
	s := newSite(t, "127.0.0.1", map[string]string{"/": ""})
	cfg := permitConfig(t, s)
	runCrawl(t, cfg, nil)
	pages, err := os.Create(filepath.Join(cfg.Output.Dir, "pages.jsonl"))
	must(t, err)
	var text, listed bytes.Buffer
	const files = 200 // more than are kept parsed
	var hashes []string
	for i := range files {
		body := fmt.Sprintf("User-agent: *\nContent-Usage: train-ai=n\n%s# %d\n", strings.Repeat("# text\n", 60_000), i)
		hashes = append(hashes, usage.Hash([]byte(body)))
		writeFile(t, output.VersionPath(cfg.Output.Dir, hashes[i]), body)
	}
	file, err := os.Create(filepath.Join(cfg.Output.Dir, "permissions.jsonl"))
	must(t, err)
	for i := range lines {
		hash := hashes[i*files/lines]
		fmt.Fprintf(&text, `{"url":"http://h/%d","fetched_at":"2026-10-01T00:00:00Z","robots":"%s","purposes":{"train-ai":{"value":"disallowed","statement":1}},"statements":[{"kind":"content-usage","source":{"kind":"robots.txt","name":"Content-Usage","line":2,"hash":"%[2]s"},"raw":"train-ai=n","values":{"train-ai":"disallowed"}}]}`+"\n", i, hash)
		fmt.Fprintf(&listed, `{"url":"http://h/%d","status":200}`+"\n", i)
		if text.Len() > 1<<20 || i == lines-1 {
			_, err1 := text.WriteTo(file)
			_, err2 := listed.WriteTo(pages)
			must(t, errors.Join(err1, err2))
		}
	}
	must(t, errors.Join(file.Close(), pages.Close()))
	var fetched bytes.Buffer
	for _, hash := range hashes {
		fmt.Fprintf(&fetched, `{"origin":"http://h","outcome":"rules","hash":"%s"}`+"\n", hash)
	}
	writeFile(t, filepath.Join(cfg.Output.Dir, "robots.jsonl"), fetched.String())
	text, listed = bytes.Buffer{}, bytes.Buffer{}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got, differences := verify(t, cfg.Output.Dir)
	runtime.ReadMemStats(&after)
	if len(differences) > 0 || got.Lines != lines || got.Files != files {
		t.Errorf("%+v, %d differences, the first %q", got, len(differences), slices.Concat(differences, []string{""})[0])
	}
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 300<<20 {
		t.Errorf("memory has grown by %d MB", grown>>20)
	}
}

// A page that the crawl must not use keeps the robots.txt that applied to it, also one that another process requested.
func TestRefusedPageKeepsItsRobots(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /no\n"})
	s.handle("/", page(200, "x", "Content-Type", "text/html", "Content-Usage", "train-ai=n"))
	cfg := testConfig(t, s.url+"/")
	cfg.Usage.Purposes = []string{"train-ai"}
	m := frontier.NewMemory(&frontier.Options{Delay: time.Millisecond, MaxInFlight: 1, LeaseTime: time.Minute})
	h, err := frontier.HostOf(s.url + "/")
	must(t, err)
	o := robotsext.Origin(s.url)
	now := time.Now()
	data, err := json.Marshal(&robotsext.Record{Origin: o, Outcome: robotsext.OutcomeRules, Status: 200, Body: []byte("User-agent: *\nDisallow: /no\n"), FetchedAt: now.Add(-time.Second), ExpiresAt: now.Add(time.Hour)})
	must(t, err)
	must(t, m.UpdateHost(t.Context(), h, frontier.HostUpdate{Robots: map[string]frontier.Robots{string(o): {Data: data}}}))
	c := newCrawler(t, cfg, &Options{Frontier: m})
	if sum, err := c.Run(t.Context()); err != nil || sum.Rejected[output.Usage] != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	_, differences := verify(t, cfg.Output.Dir)
	if slices.ContainsFunc(differences, func(d string) bool { return strings.Contains(d, "is missing") }) {
		t.Errorf("%+v", differences)
	}
}
