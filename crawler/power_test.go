package crawler

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/durable/powercut"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
	"github.com/politecrawl/politecrawl/robotsext"
)

// powerConfig returns a configuration with or without durability power, and a disk that simulates
// a power cut.
func powerConfig(t *testing.T, d Durability, urls ...string) (Config, *powercut.Disk) {
	t.Helper()
	cfg := testConfig(t, urls...)
	cfg.Output.Durability = d
	return cfg, powercut.Watch(t, filepath.Dir(cfg.Output.Dir))
}

// leftOf returns the directory of a crawl after a power cut.
func leftOf(disk *powercut.Disk, cfg Config, kept ...string) string {
	for i, name := range kept {
		kept[i] = filepath.Join(filepath.Base(cfg.Output.Dir), name)
	}
	return filepath.Join(disk.Cut(kept...), filepath.Base(cfg.Output.Dir))
}

// cutting is a frontier that simulates a power cut before each change: files that the change
// relies on must be on disk.
type cutting struct {
	*frontier.Memory
	t        *testing.T
	cfg      Config
	disk     *powercut.Disk
	finished int
	robots   atomic.Int32 // records: of two hosts at a time
}

func (f *cutting) Finish(ctx context.Context, o []frontier.Outcome, note []byte) ([]error, error) {
	f.finished++
	var c struct {
		Pages, Rejected, Sitemaps, Links, Entries, Robots int64
		Sinks                                             map[string][]byte
	}
	if err := json.Unmarshal(note, &c); err != nil {
		f.t.Error(err)
	}
	left := leftOf(f.disk, f.cfg)
	has := func(name string, counted int64) {
		if text, err := os.ReadFile(filepath.Join(left, name)); int64(len(text)) < counted {
			f.t.Errorf("%d bytes of %s count, %d are left: %v", counted, name, len(text), err)
		}
	}
	has("pages.jsonl", c.Pages)
	has("rejected.jsonl", c.Rejected)
	has("sitemaps.jsonl", c.Sitemaps)
	has("links.jsonl", c.Links)
	has("entries.jsonl", c.Entries)
	has("robots.jsonl", c.Robots)
	var tables []int64
	var archive struct {
		Name          string
		Length, Index int64
	}
	err := json.Unmarshal(c.Sinks["warc"], &archive)
	if f.finished > 1 { // the first one begins the archive
		err = errors.Join(err, json.Unmarshal(c.Sinks["csv"], &tables))
	}
	if err != nil {
		f.t.Error(err)
	}
	for i, name := range []string{csvout.PagesFile, csvout.RejectedFile, csvout.LinksFile, csvout.SitemapsFile, csvout.EntriesFile} {
		if tables != nil {
			has(name, tables[i])
		}
	}
	has(archive.Name+"-00000.warc.gz", archive.Length)
	has(archive.Name+"-00000.cdxj", archive.Index)
	return f.Memory.Finish(ctx, o, note)
}

func (f *cutting) UpdateHost(ctx context.Context, h frontier.Host, u frontier.HostUpdate) error {
	for _, robots := range u.Robots {
		f.robots.Add(1)
		rec := new(robotsext.Record)
		if err := json.Unmarshal(robots.Data, rec); err != nil {
			f.t.Error(err)
		}
		left := leftOf(f.disk, f.cfg)
		if text, err := os.ReadFile(output.RobotsPath(left, string(rec.Origin))); !bytes.Equal(text, rec.Body) || err != nil {
			f.t.Errorf("the robots.txt that is left is %q, %v", text, err)
		}
		var lines []string
		for line, err := range output.Read[robotsext.Record](filepath.Join(left, "robots.jsonl")) {
			if err != nil {
				f.t.Error(err)
				break
			}
			lines = append(lines, string(line.Origin))
		}
		if !slices.Contains(lines, string(rec.Origin)) {
			f.t.Errorf("%s has lines of %q, not of %s", "robots.jsonl", lines, rec.Origin)
		}
	}
	return f.Memory.UpdateHost(ctx, h, u)
}

// Files are on disk before the frontier relies on them.
func TestFilesOutlivePowerCutBeforeFrontier(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /no\nSitemap: {site}/map.xml\n",
		"/map.xml":    `<urlset><url><loc>{site}/a</loc></url></urlset>`,
		"/":           `<a href="/a">a</a><a href="/no">no</a>`,
		"/a":          `<a href="/b">b</a>`,
		"/b":          "b",
	})
	other := newSite(t, "127.0.0.2", map[string]string{"/robots.txt": "User-agent: *\n", "/": "other"})
	cfg, disk := powerConfig(t, DurablePower, s.url+"/", other.url+"/")
	cfg.Output.AlsoWrite = []string{"csv", "warc"}
	f := &cutting{Memory: frontier.NewMemory(nil), t: t, cfg: cfg, disk: disk}
	got := runCrawl(t, cfg, &Options{Frontier: f, Formats: []output.Format{csvout.Format(nil), warc.Format(nil)}})
	if got.Pages != 4 || f.finished < 4 || f.robots.Load() != 2 {
		t.Errorf("%d pages, %d finishes, %d records", got.Pages, f.finished, f.robots.Load())
	}
}

// Without durability power, a crawl syncs files only at its start and end.
func TestProcessDoesNotWaitForDisk(t *testing.T) {
	count := func(origins, pages int) int {
		var urls []string
		for range origins {
			urls = append(urls, chain(t, pages).url+"/0")
		}
		cfg, disk := powerConfig(t, DurableProcess, urls...)
		cfg.Output.AlsoWrite = []string{"csv"}
		if got := runCrawl(t, cfg, &Options{Frontier: frontier.NewMemory(nil), Formats: []output.Format{csvout.Format(nil)}}); got.Pages != origins*pages {
			t.Errorf("%d pages, want %d", got.Pages, origins*pages)
		}
		return disk.Syncs()
	}
	if few, many := count(1, 1), count(3, 5); few != many {
		t.Errorf("%d files and directories were brought to the disk with a page, %d with 15 of 3 origins", few, many)
	}
}

// robotsBodies returns the texts in the table robots of a crawl's database.
func robotsBodies(t *testing.T, cfg Config) (bodies []sql.NullString) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(cfg.Output.Dir, sqlite.File))
	must(t, err)
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), "SELECT body FROM robots ORDER BY id")
	must(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var body sql.NullString
		must(t, rows.Scan(&body))
		bodies = append(bodies, body)
	}
	must(t, rows.Err())
	return bodies
}

// A crawl resumes after a power cut without loss, also in another format.
func TestResumeAfterPowerCut(t *testing.T) {
	const n = 6
	s := chain(t, n)
	cfg, disk := powerConfig(t, DurablePower, s.url+"/0")
	cfg.Limits.MaxPages = 2
	runCrawl(t, cfg, nil)
	cfg.Output.Dir = leftOf(disk, cfg, run.FrontierDir)
	cfg.Limits.MaxPages, cfg.Output.AlsoWrite = 0, []string{"sqlite"}
	got := runCrawl(t, cfg, &Options{Resume: true, Formats: []output.Format{sqlite.Format(nil)}})
	got.whole(t, s, n)
	if len(got.notices) != 0 {
		t.Errorf("notices %q", got.notices)
	}
	if bodies := robotsBodies(t, cfg); len(bodies) != 1 || bodies[0].String != "User-agent: *\nDisallow: /no\n" {
		t.Errorf("bodies of robots.txt: %+v", bodies)
	}
	if n := s.count("/robots.txt"); n != 1 {
		t.Errorf("robots.txt was requested %d times", n)
	}
}

// Files in robots/ that a power cut removed are restored from the frontier. They are requested
// again if the text differs from the hash.
func TestResumeRestoresRobots(t *testing.T) {
	t.Parallel()
	const text = "User-agent: *\nDisallow: /no\n"
	for _, test := range []struct {
		name     string
		damage   func(cfg Config) error
		requests int // for robots.txt
		notice   string
		bodies   []sql.NullString
	}{
		{
			"removed",
			func(cfg Config) error { return os.RemoveAll(filepath.Join(cfg.Output.Dir, "robots")) },
			1, "", []sql.NullString{{String: text, Valid: true}},
		},
		{
			"removed, and another text in the frontier",
			func(cfg Config) error {
				name := filepath.Join(cfg.Output.Dir, "robots.jsonl")
				line, err := os.ReadFile(name)
				at := bytes.LastIndex(line, []byte(`"hash":"`)) + len(`"hash":"`)
				copy(line[at:], "0123456789abcdef")
				return errors.Join(err, os.WriteFile(name, line, 0o600), os.RemoveAll(filepath.Join(cfg.Output.Dir, "robots")))
			},
			2, "robots/ has lost robots.txt files (1, the first of ", []sql.NullString{{}, {String: text, Valid: true}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := chain(t, 6)
			cfg := testConfig(t, s.url+"/0")
			cfg.Output.Durability, cfg.Limits.MaxPages = DurablePower, 2
			runCrawl(t, cfg, nil)
			must(t, test.damage(cfg))
			cfg.Limits.MaxPages, cfg.Output.AlsoWrite = 0, []string{"sqlite"}
			got := runCrawl(t, cfg, &Options{Resume: true, Formats: []output.Format{sqlite.Format(nil)}})
			if notices := strings.Join(got.notices, "\n"); !strings.Contains(notices, test.notice) || (notices == "") != (test.notice == "") {
				t.Errorf("notices %q, want %q", notices, test.notice)
			}
			if n := s.count("/robots.txt"); n != test.requests {
				t.Errorf("robots.txt was requested %d times, want %d", n, test.requests)
			}
			if bodies := robotsBodies(t, cfg); !slices.Equal(bodies, test.bodies) {
				t.Errorf("bodies of robots.txt: %+v, want %+v", bodies, test.bodies)
			}
			if kept, err := os.ReadFile(output.RobotsPath(cfg.Output.Dir, s.url)); string(kept) != text || err != nil {
				t.Errorf("in robots/ is %q, %v", kept, err)
			}
		})
	}
}
