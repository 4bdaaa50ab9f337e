package crawler

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/lifecycle"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/run"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// damages are changes of a file while the crawl is not running.
var damages = map[string]func(name string) error{
	"gone":      os.Remove,
	"empty":     func(name string) error { return os.Truncate(name, 0) },
	"shortened": func(name string) error { return cutFile(name, 8) }, // of rejected.jsonl the end does not count
}

// damagesOf returns the damages to test with the i-th of some files: all with the first two and the last two, and
// one with each other.
func damagesOf(i, files int) map[string]func(name string) error {
	if i <= 1 || i >= files-2 {
		return damages
	}
	name := slices.Sorted(maps.Keys(damages))[i%len(damages)]
	return map[string]func(string) error{name: damages[name]}
}

// spoilLastLine damages the last line, which then looks like a partial write.
func spoilLastLine(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text[len(text)-1] ^= 1
	return os.WriteFile(name, text, 0o600)
}

// cutFile truncates a file.
func cutFile(name string, part int64) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	return os.Truncate(name, info.Size()/part)
}

// listing is a site: its crawl has lines in every file.
func listing(t *testing.T) *site {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "Sitemap: {site}/map.xml\nUser-agent: *\nDisallow: /no\n",
		"/map.xml":    `<urlset><url><loc>{site}/1</loc></url><url><loc>{site}/2</loc></url><url><loc>{site}/no/1</loc></url></urlset>`,
	})
	for i := range 9 {
		s.page(fmt.Sprintf("/%d", i), fmt.Sprintf(`page %d <a href="/%d">next</a><a href="/no/%[2]d">no</a><a href="http://other.invalid/%[2]d">out</a>`, i, min(i+1, 8)))
	}
	return s
}

// Tables and databases with lost data are rewritten from the JSON Lines files when a crawl is
// resumed. In the end they are as without the loss.
func TestResumeRewritesIncompleteFormats(t *testing.T) {
	csv, db := csvout.Format(nil), sqlite.Format(nil)
	files := append(slices.Clone(csv.Files), sqlite.File)
	for i, file := range files {
		for damage, spoil := range damagesOf(i, len(files)) {
			t.Run(file+" "+damage, func(t *testing.T) {
				t.Parallel()
				s := listing(t)
				cfg := testConfig(t, s.url+"/0")
				cfg.Output.AlsoWrite, cfg.Limits.MaxPages, cfg.Limits.Concurrency = []string{"csv"}, 5, 1
				formats := []output.Format{csv}
				if file == sqlite.File {
					cfg.Output.AlsoWrite, formats = []string{"csv", "sqlite"}, []output.Format{csv, db}
				}
				runCrawl(t, cfg, &Options{Formats: formats})
				must(t, spoil(filepath.Join(cfg.Output.Dir, file)))
				cfg.Limits.MaxPages = 0
				got := runCrawl(t, cfg, &Options{Formats: formats, Resume: true})
				if n := len(got.notices); n != 1 || !strings.Contains(got.notices[0], "rewritten") || got.Lost != nil {
					t.Errorf("notices %q, lost %v", got.notices, got.Lost)
				}
				if got.Pages != 9 {
					t.Errorf("%d pages", got.Pages)
				}
				for name, lines := range map[string]int{
					csvout.PagesFile: len(got.pages), csvout.RejectedFile: len(got.rejected),
					csvout.EntriesFile: len(readOutput[output.Entry](t, cfg, "entries.jsonl")), csvout.SitemapsFile: 1,
				} {
					table := contentOf(t, filepath.Join(cfg.Output.Dir, name))
					if rows := bytes.Count(table, []byte("\n")) - 1; rows != lines {
						t.Errorf("%s has %d rows, its file of lines %d", name, rows, lines)
					}
				}
				if file == sqlite.File {
					mark, err := db.Open(cfg.Output.Dir, fmt.Appendf(nil, "[%d,%d]", len(got.pages), len(got.rejected)))
					if err != nil {
						t.Fatalf("the database lacks rows: %v", err)
					}
					must(t, mark.Close())
				}
			})
		}
	}
}

// If JSON Lines files have lost lines too, the remaining rows of a table are kept.
func TestResumeKeepsWhatLinesDoNotHave(t *testing.T) {
	for way, spoil := range map[string]func(t *testing.T, name string){
		"lost":    func(t *testing.T, name string) { must(t, os.Remove(name)) },
		"damaged": func(t *testing.T, name string) { damage(t, name) },
	} {
		t.Run(way, func(t *testing.T) {
			s := listing(t)
			formats := []output.Format{csvout.Format(nil)}
			cfg := testConfig(t, s.url+"/0")
			cfg.Output.AlsoWrite, cfg.Limits.MaxPages, cfg.Limits.Concurrency = []string{"csv"}, 5, 1
			runCrawl(t, cfg, &Options{Formats: formats})
			want := contentOf(t, filepath.Join(cfg.Output.Dir, csvout.PagesFile))
			spoil(t, filepath.Join(cfg.Output.Dir, "pages.jsonl"))
			must(t, os.Remove(filepath.Join(cfg.Output.Dir, csvout.LinksFile)))
			var notices []string
			cfg.Limits.MaxPages = 0
			c := newCrawler(t, cfg, &Options{Formats: formats, Resume: true, OnNotice: func(line string) { notices = append(notices, line) }})
			_, err := c.Run(t.Context())
			must(t, err)
			for _, kept := range []string{"pages.lost-1.csv", "rejected.lost-1.csv"} {
				text := contentOf(t, filepath.Join(cfg.Output.Dir, kept))
				if kept == "pages.lost-1.csv" && !bytes.HasPrefix(text, want[:len(want)/2]) {
					t.Errorf("%s: %q, want %q", kept, text, want)
				}
				if !strings.Contains(strings.Join(notices, "\n"), kept) {
					t.Errorf("notices %q do not name %s", notices, kept)
				}
			}
		})
	}
}

// Lost data of JSON Lines files and archives is reported when the crawl is resumed, and in all
// later summaries. A damaged last line is removed and reported.
func TestResumeSaysWhatIsLost(t *testing.T) {
	files := []string{"pages.jsonl", "rejected.jsonl", "links.jsonl", "sitemaps.jsonl", "entries.jsonl", "robots.jsonl", results.JournalFile, ".warc.gz"}
	for i, file := range files {
		all := maps.Clone(damagesOf(i, len(files)))
		if lines := strings.HasSuffix(file, ".jsonl"); lines && file != "rejected.jsonl" {
			all["last line"] = spoilLastLine
		}
		for damage, spoil := range all {
			t.Run(file+" "+damage, func(t *testing.T) {
				t.Parallel()
				s := listing(t)
				cfg, opts := testConfig(t, s.url+"/0"), Options{Resume: true}
				cfg.Limits.MaxPages, cfg.Limits.Concurrency = 5, 1
				if strings.HasSuffix(file, ".warc.gz") { // which cannot be written again
					cfg.Output.AlsoWrite, opts.Formats = []string{"warc"}, []output.Format{warc.Format(nil)}
				}
				runCrawl(t, cfg, &Options{Formats: opts.Formats})
				name := filepath.Join(cfg.Output.Dir, file)
				if opts.Formats != nil {
					name = warcFiles(t, cfg.Output.Dir)[0]
				}
				file := filepath.Base(name)
				text := contentOf(t, name)
				must(t, spoil(name))
				cfg.Limits.MaxPages = 7
				got := runCrawl(t, cfg, &opts)
				if len(got.Lost) != 1 || got.Lost[0].File != file || got.Lost[0].Bytes <= 0 || got.Lost[0].Bytes > got.Lost[0].SizeBefore {
					t.Fatalf("lost %+v, want something of %s", got.Lost, file)
				}
				if line := len(text) - 1 - bytes.LastIndexByte(text[:len(text)-1], '\n'); damage == "last line" && got.Lost[0] != (output.Loss{File: file, Bytes: int64(line), SizeBefore: int64(len(text))}) {
					t.Errorf("lost %+v, want the last line, %d of %d bytes", got.Lost, line, len(text))
				}
				if len(got.notices) == 0 || len(got.notices) > 1 && opts.Formats == nil || !strings.HasPrefix(got.notices[0], got.Lost[0].String()) {
					t.Errorf("notices %q", got.notices)
				}
				cfg.Limits.MaxPages = 0
				again := runCrawl(t, cfg, &opts)
				if diff := cmp.Diff(got.Lost, again.Lost); diff != "" || len(again.notices) > 0 || again.End != EndFinished {
					t.Errorf("the next process ends as %s and says %q (-before +now):\n%s", again.End, again.notices, diff)
				}
				if round := runCrawl(t, cfg, &Options{Recrawl: true, Formats: opts.Formats}); round.Lost != nil {
					t.Errorf("a recrawl says %v", round.Lost)
				}
			})
		}
	}
}

// A recrawl requests the URLs in the files, and reports lost data.
func TestRecrawlSaysWhatIsLost(t *testing.T) {
	for name, damage := range map[string]func(file string) error{
		"the end": func(file string) error { return cutFile(file, 2) },
		"one line": func(file string) error {
			return os.WriteFile(file, bytes.Replace(contentOf(t, file), []byte("/3\""), []byte("/3x"), 1), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := listing(t)
			cfg := testConfig(t, s.url+"/0")
			first := runCrawl(t, cfg, nil)
			must(t, damage(filepath.Join(cfg.Output.Dir, "pages.jsonl")))
			got := runCrawl(t, cfg, &Options{Recrawl: true})
			if len(got.Lost) != 1 || got.Lost[0].File != "pages.1.jsonl" || len(got.notices) != 1 {
				t.Errorf("lost %v, notices %q", got.Lost, got.notices)
			}
			if len(got.pages) == 0 || len(got.pages) >= len(first.pages) {
				t.Errorf("%d pages, before %d", len(got.pages), len(first.pages))
			}
		})
	}
}

// Files that were rotated by a failed or killed recrawl are not lost.
func TestReportOfStoppedRecrawlSaysThatNothingIsLost(t *testing.T) {
	s := listing(t)
	formats := []output.Format{warc.Format(nil)}
	cfg := testConfig(t, s.url+"/0")
	cfg.Output.AlsoWrite = []string{"warc"}
	runCrawl(t, cfg, &Options{Formats: formats})
	must(t, os.MkdirAll(filepath.Join(cfg.Output.Dir, sqlite.File, "not empty"), 0o700))
	c := newCrawler(t, cfg, &Options{Formats: append(formats, sqlite.Format(nil)), Recrawl: true})
	if _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), sqlite.File) {
		t.Fatalf("the recrawl has removed a directory: %v", err)
	}
	if _, err := os.Stat(filepath.Join(cfg.Output.Dir, "pages.1.jsonl")); err != nil {
		t.Fatal(err)
	}
	r, err := report.Generate(t.Context(), []string{cfg.Output.Dir}, nil)
	must(t, err)
	if len(r.Lost) > 0 {
		t.Errorf("the report says that files are lost: %v", r.Lost)
	}
}

// Lines that are removed because a limit was raised are not lost, even if the process is killed
// before the frontier knows.
func TestRewrittenRejectionsAreNotLost(t *testing.T) {
	s := listing(t)
	cfg := testConfig(t, s.url+"/0")
	cfg.Limits.MaxHostPages = 5
	if got := runCrawl(t, cfg, nil); got.Rejected[output.MaxHostPages] == 0 {
		t.Fatalf("%+v", got.Summary)
	}
	saved, _, err := loadState(cfg.Output.Dir)
	must(t, err)
	saved.RewritingRejected = true
	f := frontier.NewMemory(nil) // the one of the crawl is not told
	_, err = f.Finish(t.Context(), nil, []byte(`{"rejected":1099511627776}`))
	w := results.New(results.Config{Dir: cfg.Output.Dir, Frontier: f, Lifecycle: lifecycle.New(slog.New(slog.DiscardHandler), nil)})
	must(t, errors.Join(err, w.Load(), results.SaveState(cfg.Output.Dir, saved)))
	must(t, w.DropRejections(func(r *output.Rejection) bool { return r.Reason == output.MaxHostPages }))
	if info, err := os.Stat(filepath.Join(cfg.Output.Dir, "rejected.jsonl")); err != nil || info.Size() == 0 {
		t.Fatal("no line is left", err)
	}
	cfg.Limits.MaxHostPages = 0
	if got := runCrawl(t, cfg, &Options{Resume: true}); got.Lost != nil || len(got.notices) > 0 {
		t.Errorf("lost %v, notices %q", got.Lost, got.notices)
	}
	if saved, _, err = loadState(cfg.Output.Dir); err != nil || saved.RewritingRejected {
		t.Errorf("%+v, %v", saved, err)
	}
}

// A loss is reported once, and a table rewritten once, even if the crawl has finished.
func TestResumeOfFinishedCrawlSaysALossOnce(t *testing.T) {
	s := listing(t)
	cfg := testConfig(t, s.url+"/0")
	cfg.Output.AlsoWrite = []string{"csv", "sqlite", "warc"}
	formats := []output.Format{csvout.Format(nil), sqlite.Format(nil), warc.Format(nil)}
	runCrawl(t, cfg, &Options{Formats: formats})
	for _, name := range []string{"pages.jsonl", csvout.LinksFile, filepath.Base(warcFiles(t, cfg.Output.Dir)[0])} {
		must(t, os.Remove(filepath.Join(cfg.Output.Dir, name)))
	}
	first := runCrawl(t, cfg, &Options{Formats: formats, Resume: true})
	if len(first.Lost) != 2 || len(first.notices) != 3 {
		t.Errorf("lost %v, notices %q", first.Lost, first.notices)
	}
	again := runCrawl(t, cfg, &Options{Formats: formats, Resume: true})
	if !slices.Equal(again.Lost, first.Lost) || len(again.notices) > 0 {
		t.Errorf("the next process: lost %v, notices %q", again.Lost, again.notices)
	}
	if kept, err := filepath.Glob(filepath.Join(cfg.Output.Dir, "pages.lost-*.csv")); err != nil || len(kept) != 1 {
		t.Errorf("kept tables %q, %v", kept, err)
	}
}

// A crawl stores the lengths of its files at its end.
func TestEndSaysWhatIsWritten(t *testing.T) {
	s := listing(t)
	cfg := testConfig(t, s.url+"/0")
	runCrawl(t, cfg, nil)
	saved, _, err := loadState(cfg.Output.Dir)
	if err != nil || saved.Ended == nil {
		t.Fatalf("%+v, %v", saved, err)
	}
	want := make(map[string]int64)
	names, err := filepath.Glob(filepath.Join(cfg.Output.Dir, "*.jsonl"))
	must(t, err)
	for _, name := range names {
		info, err := os.Stat(name)
		must(t, err)
		want[filepath.Base(name)] = info.Size()
	}
	delete(want, results.JournalFile)
	for _, name := range []string{"pages.jsonl", "rejected.jsonl", "links.jsonl", "sitemaps.jsonl", "entries.jsonl", "permissions.jsonl", "robots.jsonl"} {
		if want[name] == 0 {
			t.Errorf("%s has no lines", name)
		}
	}
	want["checks.jsonl"], want["anchors.jsonl"] = 0, 0 // files without lines do not exist
	if !maps.Equal(saved.Ended.Written, want) {
		t.Errorf("%v, want %v", saved.Ended.Written, want)
	}
}

// damage changes one bit in the first line of a file: a quote becomes another character.
func damage(t *testing.T, name string) (before []byte) {
	t.Helper()
	text := contentOf(t, name)
	i := bytes.IndexByte(text, '"')
	if i < 0 {
		t.Fatalf("%s has no quote", name)
	}
	text[i] ^= 1
	must(t, os.WriteFile(name, text, 0o600))
	return text
}

// A crawl with damaged lines reports them and their effect, and continues otherwise unchanged.
func TestCrawlContinuesWithDamagedLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		opts    Options
		put     int      // the number of the file in the recrawl; 0 if it stays where it was
		request []string // what is requested; nil means nothing but the rest
	}{
		{name: "pages.jsonl", opts: Options{Resume: true}},
		{name: "rejected.jsonl", opts: Options{Resume: true}},
		{name: "robots.jsonl", opts: Options{Resume: true}},
		{name: "sitemaps.jsonl", opts: Options{Resume: true}},
		{name: results.JournalFile, opts: Options{Resume: true}},
		{name: "pages.jsonl", opts: Options{Recrawl: true}, put: 1, request: []string{"/1", "/2", "/3", "/4", "/5", "/map.xml"}},
		{name: "rejected.jsonl", opts: Options{Recrawl: true}, put: 1, request: []string{"/0", "/1", "/2", "/3", "/4", "/5", "/map.xml"}},
		{name: "sitemaps.jsonl", opts: Options{Recrawl: true}, put: 1, request: []string{"/0", "/1", "/2", "/3", "/4", "/5"}},
		{name: results.JournalFile, opts: Options{Recrawl: true}, request: []string{"/0", "/1", "/2", "/3", "/4", "/5", "/map.xml"}},
	} {
		t.Run(fmt.Sprintf("%s, recrawl %v", tt.name, tt.opts.Recrawl), func(t *testing.T) {
			pages := map[string]string{
				"/robots.txt": "User-agent: *\nDisallow: /no\nSitemap: {site}/map.xml\n",
				"/map.xml":    "<urlset><url><loc>{site}/0</loc></url></urlset>",
			}
			for i := range 6 {
				pages[fmt.Sprintf("/%d", i)] = fmt.Sprintf(`page %d <a href="/no/%[1]d">no</a><a href="http://elsewhere.invalid/%[1]d">out</a><a href="/%d">next</a>`, i, min(i+1, 5))
			}
			s := newSite(t, "127.0.0.1", pages)
			cfg := testConfig(t, s.url+"/0")
			cfg.Limits.MaxPages, cfg.Limits.Concurrency = 4, 1
			runCrawl(t, cfg, nil)
			name := filepath.Join(cfg.Output.Dir, tt.name)
			before, asked := damage(t, name), len(s.asked())

			var notices []string
			tt.opts.OnNotice = func(line string) { notices = append(notices, line) }
			cfg.Limits.MaxPages = 0
			c := newCrawler(t, cfg, &tt.opts)
			sum, err := c.Run(t.Context())
			if err != nil || sum.End != EndFinished || sum.Remaining != 0 {
				t.Fatalf("%+v, %v", sum, err)
			}
			if tt.put > 0 {
				name = filepath.Join(cfg.Output.Dir, strings.Replace(tt.name, ".", fmt.Sprintf(".%d.", tt.put), 1))
			}
			says := filepath.Base(name) + " is damaged: line 1 cannot be read (invalid character"
			if len(notices) != 1 || !strings.HasPrefix(notices[0], says) || !strings.Contains(notices[0], "; all other lines can be read; ") {
				t.Errorf("notices %q", notices)
			}
			hasURLs := tt.name == "pages.jsonl" || tt.name == "sitemaps.jsonl"
			if says := strings.Contains(strings.Join(notices, "\n"), "; to request them, crawl again into another directory"); says != hasURLs {
				t.Errorf("notices %q say how to request the URLs: %v, want %v", notices, says, hasURLs)
			}
			if len(sum.Lost) != 1 || !strings.HasPrefix(sum.Lost[0].String(), says) {
				t.Errorf("lost %v", sum.Lost)
			}
			if tt.request == nil {
				tt.request = []string{"/4", "/5"}
			}
			got := s.asked()[asked:]
			slices.Sort(got)
			if diff := cmp.Diff(tt.request, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			after, err := os.ReadFile(name)
			if err != nil || !bytes.HasPrefix(after, before[:bytes.IndexByte(before, '\n')+1]) {
				t.Errorf("the damaged line is not there any more: %v", err)
			}
			for _, file := range []string{"pages.jsonl", "links.jsonl", "robots.jsonl"} {
				for _, err := range output.Read[struct{}](filepath.Join(cfg.Output.Dir, file)) {
					if damaged, ok := errors.AsType[*output.DamagedError](err); err != nil && (!ok || damaged.File != name || len(damaged.Lines) != 1) {
						t.Error(err)
					}
				}
			}
		})
	}
}

// A frontier that has lost its last changes is behind the files. The crawl reports that, and
// requests URLs again that are not done in the frontier.
func TestResumeWithAFrontierBehindTheFiles(t *testing.T) {
	s, cfg := stoppedChain(t, 6, 4)
	log := filepath.Join(cfg.Output.Dir, run.FrontierDir, "log")
	info, err := os.Stat(log)
	must(t, err)
	must(t, os.Truncate(log, info.Size()*3/4))
	asked := len(s.asked())
	got := resume(t, cfg, func(c *Config) { c.Limits.MaxPages = 0 })
	if len(got.notices) != 1 || !strings.HasPrefix(got.notices[0], "the frontier has lost its last changes: the last ") || !strings.Contains(got.notices[0], "pages.jsonl") {
		t.Errorf("notices %q", got.notices)
	}
	if again := len(s.asked()) - asked; again <= 2 || again >= 6 {
		t.Errorf("%d requests, want those for the rest and for some of what was done", again)
	}
	got.whole(t, s, 6)
}

// An invalid line of the journal counts as damaged, even if it is JSON.
func TestResumeWithInvalidLinesInJournal(t *testing.T) {
	s, cfg := stoppedChain(t, 3, 1)
	name := filepath.Join(cfg.Output.Dir, results.JournalFile)
	whole := contentOf(t, name)
	must(t, os.WriteFile(name, append(slices.Clip(whole), "{\"joined\":\"nowhere\"}\n{\"deferred\":\"http://h\"}\n"...), 0o600))
	cfg.Limits.MaxPages = 0
	got := runCrawl(t, cfg, &Options{Resume: true})
	lines := bytes.Count(whole, []byte("\n"))
	if want := fmt.Sprintf("%s is damaged: lines %d, %d cannot be read", results.JournalFile, lines+1, lines+2); len(got.notices) != 1 || !strings.HasPrefix(got.notices[0], want) {
		t.Errorf("notices %q, want %s…", got.notices, want)
	}
	got.whole(t, s, 3)
}

// A directory with some files of an earlier crawl is refused for a new crawl.
func TestCrawlRefusesFilesOfAnother(t *testing.T) {
	s := chain(t, 2)
	cfg := testConfig(t, s.url+"/0")
	runCrawl(t, cfg, nil)
	refuses(t, cfg, nil, output.ErrExists, "")
	for _, name := range []string{"crawl.json", "pages.jsonl", "rejected.jsonl", "links.jsonl", "sitemaps.jsonl", "permissions.jsonl"} {
		must(t, os.Remove(filepath.Join(cfg.Output.Dir, name)))
	}
	for _, left := range []string{run.FrontierDir, results.JournalFile} {
		refuses(t, cfg, nil, output.ErrExists, left)
		must(t, os.RemoveAll(filepath.Join(cfg.Output.Dir, run.FrontierDir)))
	}
}

// A crawl without its frontier is not resumed, since it would truncate all its files.
func TestResumeWithoutFrontier(t *testing.T) {
	s, cfg := stoppedChain(t, 4, 2)
	must(t, os.RemoveAll(filepath.Join(cfg.Output.Dir, run.FrontierDir)))
	before, asked := readOutput[output.Page](t, cfg, "pages.jsonl"), len(s.requests())
	for _, opts := range []*Options{{Resume: true}, {Recrawl: true}} {
		refuses(t, cfg, opts, ErrFrontierLost, run.FrontierDir)
	}
	if diff := cmp.Diff(before, readOutput[output.Page](t, cfg, "pages.jsonl")); diff != "" || len(s.requests()) != asked {
		t.Errorf("%d requests (-before +after):\n%s", len(s.requests())-asked, diff)
	}
}
