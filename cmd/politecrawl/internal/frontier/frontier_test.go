package frontier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/logstore"
	"github.com/politecrawl/politecrawl/robotsext"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
)

func TestMain(m *testing.M) { program.Main(m) }

// sampleFrontier makes dir the output directory of a crawl that was stopped.
func sampleFrontier(t *testing.T, dir string) {
	t.Helper()
	const a, b, c, d = "https://a.example", "https://b.example:8443", "http://c.example", "http://d.example"
	store := clitest.Must(logstore.Open(filepath.Join(dir, "frontier"), &logstore.Options{Delay: time.Second}))(t)
	f := frontier.Frontier(store)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	add := func(items ...frontier.Item) {
		t.Helper()
		_, err := f.Add(t.Context(), items)
		check(err)
	}
	finish := func(o frontier.Outcome) {
		t.Helper()
		got, err := f.Lease(t.Context(), frontier.LeaseRequest{Max: 1, Wait: time.Hour})
		if check(err); len(got) != 1 {
			t.Fatalf("%d leases", len(got))
		}
		o.Lease = got[0].ID
		errs, err := f.Finish(t.Context(), []frontier.Outcome{o}, nil)
		if check(err); errs[0] != nil {
			t.Fatal(errs[0])
		}
	}
	now := time.Now()
	add(frontier.Item{URL: a + "/", Meta: []byte("start")})
	finish(frontier.Outcome{
		Result: frontier.Done, HostDelay: time.Nanosecond,
		Validators: &frontier.Validators{ETag: `W/"1"`, LastModified: "Sat, 01 Jan 2000 00:00:00 GMT", BodyHash: []byte{1, 2, 3}},
		Links: []frontier.Item{
			{URL: a + "/one", Meta: []byte{1, 3, 0, 1}}, {URL: a + "/two?b=<c>&d", Priority: 5}, {URL: a + "/three"},
			{Kind: "sitemap", URL: a + "/one"}, {Kind: "check-head", URL: a + "/one", Owner: "2"},
		},
	})
	add(frontier.Item{URL: b + "/broken"})
	finish(frontier.Outcome{Result: frontier.Retry, NotBefore: now.Add(90 * time.Minute), HostDelay: 10 * time.Second})
	add(frontier.Item{URL: b + "/new"})
	add(frontier.Item{URL: c + "/gone"})
	finish(frontier.Outcome{Result: frontier.Drop, HostDelay: time.Nanosecond})
	add(frontier.Item{URL: d + "/", NotBefore: now.Add(72 * time.Hour)})
	check(f.UpdateHost(t.Context(), "b.example:8443", frontier.HostUpdate{
		Delay: new(2500 * time.Millisecond), MaxInFlight: 2, BlockUntil: now.Add(20 * time.Minute), Robots: map[string]frontier.Robots{b: {Data: []byte("x")}},
	}))
	for host, rec := range map[frontier.Host]robotsext.Record{
		"a.example": {Origin: a, Outcome: robotsext.OutcomeRules, Status: 200, FetchedAt: now, Body: []byte("User-agent: *")},
		"c.example": {Origin: c, Outcome: robotsext.OutcomeAllowAll, Status: 404, FetchedAt: now},
	} {
		data, err := json.Marshal(&rec)
		check(err)
		check(f.UpdateHost(t.Context(), host, frontier.HostUpdate{Robots: map[string]frontier.Robots{string(rec.Origin): {Data: data}}}))
	}
	check(f.UpdateHost(t.Context(), "d.example", frontier.HostUpdate{
		Delay: new(time.Duration), Robots: map[string]frontier.Robots{d: {FailingSince: now.Add(-50 * time.Hour)}},
	}))
	check(store.Close())
	time.Sleep(time.Minute) // the crawl was stopped for so long
}

// TestFrontierOutputs holds what the commands print of one frontier. The clock
// is that of the bubble, so that the times are always the same.
func TestFrontierOutputs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		sampleFrontier(t, dir)
		for _, tt := range []struct {
			golden string
			args   []string
			stderr string
		}{
			{"stats.txt", []string{"stats"}, ""},
			{"stats.json", []string{"stats", "--format", "json"}, ""},
			{"ls.txt", []string{"ls"}, ""},
			{"ls.json", []string{"ls", "--format", "json", "--limit", "0"}, ""},
			{"ls_due.txt", []string{"ls", "--sort", "due"}, ""},
			{"ls_name.txt", []string{"ls", "--sort", "name", "--limit", "3"}, "3 of 4 hosts; --limit 0 lists all\n"},
			{"ls_host.txt", []string{"ls", "--host", "D.example:80"}, ""},
			{"ls_host.txt", []string{"ls", "--host", "d.EXAMPLE"}, ""},
			{"urls.txt", []string{"ls", "--urls"}, ""},
			{"urls.json", []string{"ls", "--urls", "--format", "json", "--limit", "2"}, "there are more than 2 URLs; --limit 0 lists all\n"},
			{"urls_host.txt", []string{"ls", "--urls", "--host", "https://B.example:8443/x"}, ""},
			{"urls_host.txt", []string{"ls", "--urls", "--host", "b.example"}, ""},
			{"urls_host.txt", []string{"ls", "--urls", "--host", "b.example:8443"}, ""},
			{"urls_state.txt", []string{"ls", "--urls", "--state", "scheduled"}, ""},
			{"export.jsonl", []string{"export"}, ""},
			{"export_done.jsonl", []string{"export", "--state", "done", "--host", "a.example"}, ""},
		} {
			for _, at := range []string{dir, filepath.Join(dir, "frontier")} {
				got := run(t, append([]string{"frontier", tt.args[0], at}, tt.args[1:]...)...)
				if got.Code != cli.ExitDone || got.Stderr != tt.stderr {
					t.Errorf("%v: exit code %d, standard error %q", tt.args, got.Code, got.Stderr)
				}
				clitest.Golden(t, filepath.Join("frontier", tt.golden), got.Out)
			}
		}
		for _, state := range []string{"pending", "dropped"} {
			// Nothing is also an answer.
			if got := run(t, "frontier", "export", dir, "--host", "d.example", "--state", state); got != (clitest.Result{}) {
				t.Errorf("%s of a host without: %+v", state, got)
			}
		}
	})
}

func TestFrontierFinished(t *testing.T) {
	dir := t.TempDir()
	store, err := logstore.Open(dir, nil)
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, "frontier", "stats", dir)
	if got.Code != cli.ExitDone || !strings.HasSuffix(got.Out, "\nno URLs remaining\n") {
		t.Errorf("exit code %d, output %q", got.Code, got.Out)
	}
	totals := clitest.JSON[frontierTotals](t, run(t, "frontier", "stats", dir, "--format", "json").Out)
	clitest.WantEqual(t, "the result", frontierTotals{Finished: true}, totals)
	for _, args := range [][]string{{"ls"}, {"ls", "--urls"}, {"export"}} {
		if got := run(t, append([]string{"frontier", args[0], dir}, args[1:]...)...); got != (clitest.Result{}) {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// TestFrontierMany holds that a list of the first is that of all, cut off, where
// there are more hosts than are kept in memory.
func TestFrontierMany(t *testing.T) {
	dir := t.TempDir()
	store := clitest.Must(logstore.Open(dir, nil))(t)
	var items []frontier.Item
	for host := range 200 {
		for page := range host*37%101 + 1 {
			items = append(items, frontier.Item{URL: "http://h" + strconv.Itoa(host) + ".example/" + strconv.Itoa(page)})
		}
	}
	if _, err := store.Add(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	clitest.OK(t, store.Close())
	all := strings.SplitAfter(run(t, "frontier", "ls", dir, "--limit", "0").Out, "\n")
	if len(all) != 202 {
		t.Fatalf("%d lines", len(all))
	}
	for _, limit := range []int{1, 3, 50, 199, 200} {
		got := run(t, "frontier", "ls", dir, "--limit", strconv.Itoa(limit))
		if want := strings.Join(all[:limit+1], ""); got.Out != want || (got.Stderr == "") != (limit == 200) {
			t.Errorf("limit %d: standard error %q (-want +got):\n%s", limit, got.Stderr, cmp.Diff(want, got.Out))
		}
	}
	if lines := strings.Count(run(t, "frontier", "export", dir).Out, "\n"); lines != len(items) {
		t.Errorf("%d lines exported, want %d", lines, len(items))
	}
}

func TestFrontierRefusals(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) { sampleFrontier(t, dir) })
	cp := func() string {
		t.Helper()
		c := filepath.Join(t.TempDir(), "copy")
		clitest.OK(t, os.CopyFS(c, os.DirFS(dir)))
		return c
	}
	damaged := cp()
	clitest.OK(t, os.WriteFile(filepath.Join(damaged, "frontier", "log"), []byte(strings.Repeat("nothing of use", 99)), 0o600))
	used := cp()
	store := clitest.Must(logstore.Open(filepath.Join(used, "frontier"), nil))(t)
	t.Cleanup(func() { _ = store.Close() })
	file := clitest.WriteFile(t, "pages.jsonl", "{}\n")
	for _, command := range [][]string{{"stats"}, {"ls"}, {"ls", "--urls"}, {"export"}} {
		for _, tt := range []struct {
			name, dir string
			code      int
			words     []string
		}{
			{"nothing there", filepath.Join(t.TempDir(), "absent"), cli.ExitMisuse, []string{"no directory", "absent", "output directory of a crawl"}},
			{"a file", file, cli.ExitMisuse, []string{"no directory", "pages.jsonl"}},
			{"a directory of something else", filepath.Dir(file), cli.ExitMisuse, []string{"not a frontier", "pages.jsonl", "output directory of a crawl"}},
			{"an empty directory", t.TempDir(), cli.ExitMisuse, []string{"not a frontier"}},
			{"in use", used, cli.ExitFailed, []string{"in use", "process " + strconv.Itoa(os.Getpid()), "when that crawl has ended"}},
			{"damaged", damaged, cli.ExitFailed, []string{"damaged", "crawl again"}},
		} {
			t.Run(strings.Join(command, " ")+"/"+tt.name, func(t *testing.T) {
				got := run(t, append([]string{"frontier", command[0], tt.dir}, command[1:]...)...)
				got.WantRefusal(t, tt.code, append(tt.words, "politecrawl: frontier "+command[0]+": ")...)
			})
		}
	}
	for _, tt := range []struct {
		args  []string
		words []string
	}{
		{[]string{"ls"}, []string{"give the output directory of a crawl"}},
		{[]string{"ls", dir, "x"}, []string{`"x"`}},
		{[]string{"ls", dir, "--limit", "-1"}, []string{"--limit", "-1"}},
		{[]string{"ls", dir, "--state", "done"}, []string{"--state", "--urls"}},
		{[]string{"ls", dir, "--urls", "--sort", "due"}, []string{"--sort", "--urls"}},
		{[]string{"ls", dir, "--urls", "--state", "leased"}, []string{"--state", `"leased"`, "pending, scheduled, done, dropped"}},
		{[]string{"ls", dir, "--host", "e.example"}, []string{"--host", `no host "e.example"`, "frontier ls DIR"}},
		{[]string{"ls", dir, "--host", "example"}, []string{`no host "example"`}},
		{[]string{"ls", dir, "--host", "b.exampl"}, []string{`no host "b.exampl"`}},
		{[]string{"ls", dir, "--host", "https://b.example"}, []string{`no host "https://b.example"`}},
		{[]string{"export", dir, "--host", "a.example:8080"}, []string{`no host "a.example:8080"`}},
		{[]string{"export", dir, "--host", "a b"}, []string{"--host", `"https://a b"`}},
		{[]string{"export", dir, "--host", "ftp://a"}, []string{"--host", `"ftp"`}},
		{nil, []string{"frontier: give a command: export, ls, stats"}},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			run(t, append([]string{"frontier"}, tt.args...)...).WantRefusal(t, cli.ExitMisuse, tt.words...)
		})
	}
}

// TestFrontierDamaged holds that the commands list what precedes damage, and then say that there is
// damage, whether it is found when the log is opened or later. Counts are not given.
func TestFrontierDamaged(t *testing.T) {
	for _, index := range []bool{true, false} {
		t.Run("index "+strconv.FormatBool(index), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) { sampleFrontier(t, dir) })
			folder := filepath.Join(dir, "frontier")
			log := clitest.Must(os.ReadFile(filepath.Join(folder, "log")))(t)
			log[bytes.Index(log, []byte("http://d.example/"))] ^= 1
			clitest.OK(t, os.WriteFile(filepath.Join(folder, "log"), log, 0o600))
			if !index {
				clitest.OK(t, os.Remove(filepath.Join(folder, "index")))
			}
			for _, tt := range []struct {
				args []string
				want []string
			}{
				{[]string{"export"}, []string{
					"a.example/one", "a.example/three", "a.example/one", "a.example/one", "a.example/two?b=<c>&d",
					"b.example:8443/new", "b.example:8443/broken", "a.example/", "c.example/gone",
				}},
				{[]string{"ls", "--urls", "--format", "json", "--host", "c.example"}, []string{"c.example/gone"}},
				{[]string{"ls", "--urls", "--format", "json", "--host", "d.example"}, nil},
				{[]string{"stats", "--format", "json"}, nil},
			} {
				got := run(t, append([]string{"frontier", tt.args[0], dir}, tt.args[1:]...)...)
				var urls []string
				for _, u := range clitest.JSONLines[urlOutput](t, got.Out) {
					_, url, _ := strings.Cut(u.URL, "://")
					urls = append(urls, url)
				}
				clitest.WantEqual(t, fmt.Sprint(tt.args), tt.want, urls)
				got.Out = ""
				got.WantRefusal(t, cli.ExitFailed, "damaged frontier", "a checksum is wrong", "crawl again")
			}
			got := run(t, "frontier", "ls", dir, "--format", "json")
			if got.Code != cli.ExitFailed || !index && !strings.Contains(got.Out, "c.example") {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestFrontierOtherFormat holds that what another version has written is told
// from what is damaged.
func TestFrontierOtherFormat(t *testing.T) {
	if err := frontierError("frontier ls", "", "d", logstore.ErrFormat); !strings.Contains(err.Error(), "written by another version") {
		t.Errorf("%v", err)
	}
}
