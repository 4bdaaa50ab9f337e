package crawler

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestWriteNames(t *testing.T) {
	for _, c := range []struct {
		name    string
		write   []string
		formats []output.Format
		want    string
	}{
		{"unknown", []string{"lisp"}, []output.Format{listFormat}, `unknown format "lisp"; use one of list`},
		{"none given", []string{"list"}, nil, `none was given`},
		{"the same files", []string{"list", "other"}, []output.Format{listFormat, {Name: "other", Files: listFormat.Files}}, "write the same files"},
		{"twice", []string{"list", "list"}, []output.Format{listFormat}, "named twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := testConfig(t, "http://h.invalid/")
			cfg.Output.AlsoWrite = c.write
			if _, err := New(cfg, &Options{Formats: c.formats}); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// resumeWith resumes a crawl with other formats, and returns its notices.
func resumeWith(t *testing.T, cfg Config, write []string, formats ...output.Format) (notices []string, err error) {
	t.Helper()
	cfg.Output.AlsoWrite = write
	c, err := New(cfg, &Options{Resume: true, Formats: formats, OnNotice: func(line string) { notices = append(notices, line) }})
	if err != nil {
		return nil, err
	}
	_, err = c.Run(t.Context())
	return notices, err
}

// A crawl that is resumed with a new format does not overwrite files of others.
func TestResumeTakesOverOnlyItsOwnFiles(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, write ...string) Config {
		s := chain(t, 6)
		cfg := testConfig(t, s.url+"/0")
		cfg.Limits.MaxPages, cfg.Output.AlsoWrite = 2, write
		runCrawl(t, cfg, &Options{Formats: []output.Format{listFormat}})
		cfg.Limits.MaxPages = 4
		return cfg
	}
	twin := listFormat
	twin.Name = "twin"
	archive := listFormat
	archive.Exchanges = true // it cannot be made again

	t.Run("those of another format", func(t *testing.T) {
		cfg := begin(t, "list")
		before, _ := listed(t, cfg, true)
		if _, err := resumeWith(t, cfg, []string{"twin"}, listFormat, twin); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "those of list") {
			t.Errorf("%v", err)
		}
		if after, _ := listed(t, cfg, true); !slices.Equal(before, after) {
			t.Errorf("%d lines, there were %d", len(after), len(before))
		}
	})
	t.Run("those of somebody else", func(t *testing.T) {
		cfg := begin(t)
		name := filepath.Join(cfg.Output.Dir, "found.list")
		must(t, os.WriteFile(name, []byte("mine\n"), 0o644))
		if _, err := resumeWith(t, cfg, []string{"list"}, listFormat); !errors.Is(err, output.ErrExists) || !strings.Contains(err.Error(), "found.list") {
			t.Errorf("%v", err)
		}
		if text, err := os.ReadFile(name); string(text) != "mine\n" {
			t.Errorf("%q, %v", text, err)
		}
	})
	t.Run("its own that were removed", func(t *testing.T) {
		cfg := begin(t, "list")
		must(t, os.Remove(filepath.Join(cfg.Output.Dir, "found.list")))
		notices, err := resumeWith(t, cfg, []string{"list"}, listFormat)
		if err != nil || !strings.Contains(strings.Join(notices, "\n"), "the files of list are gone, and are rewritten") {
			t.Errorf("%q, %v", notices, err)
		}
		sameInSink(t, cfg, true)
	})
	t.Run("an archive that was removed", func(t *testing.T) {
		cfg := begin(t, "list")
		must(t, os.Remove(filepath.Join(cfg.Output.Dir, "found.list")))
		if notices, err := resumeWith(t, cfg, []string{"list"}, archive); err != nil || !strings.Contains(strings.Join(notices, "\n"), "not requested again") {
			t.Errorf("%q, %v", notices, err)
		}
	})
	t.Run("an archive that is left out", func(t *testing.T) {
		cfg := begin(t, "list")
		if notices, err := resumeWith(t, cfg, nil, archive); err != nil || !strings.Contains(strings.Join(notices, "\n"), "list is not written this time") {
			t.Errorf("%q, %v", notices, err)
		}
	})
}

// When a limit for hosts is raised, its lines are removed from rejected.jsonl and from sinks.
func TestSinkWithFullHosts(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a><a href="/b">b</a>`, "/a": "a", "/b": "b"})
	cfg := testConfig(t, s.url)
	cfg.Output.AlsoWrite, cfg.Limits.MaxHostPages = []string{"list"}, 1
	if got := runCrawl(t, cfg, &Options{Formats: []output.Format{listFormat}}); got.Rejected[output.MaxHostPages] != 2 {
		t.Fatalf("%+v", got.Summary)
	}
	cfg.Limits.MaxHostPages = 0
	if got := runCrawl(t, cfg, &Options{Formats: []output.Format{listFormat}, Resume: true}); got.Pages != 3 {
		t.Errorf("%+v", got.Summary)
	}
	sameInSink(t, cfg, true)
}

// With durability power, Commit gets power. A sink without a name gets no checkpoint.
func TestSinkPower(t *testing.T) {
	t.Parallel()
	for _, power := range []bool{false, true} {
		s := chain(t, 3)
		cfg := testConfig(t, s.url+"/0")
		cfg.Output.AlsoWrite = []string{"asked"}
		if power {
			cfg.Output.Durability = DurablePower
		}
		asked, checkpoints := make(map[bool]int), []string{}
		open := func(_ string, checkpoint []byte) (output.Sink, error) {
			checkpoints = append(checkpoints, string(checkpoint))
			return testSink(func(method string, _ *output.Results, power bool) ([]byte, error) {
				if method == "Commit" {
					asked[power]++
				}
				return []byte("checkpoint"), nil
			}), nil
		}
		formats := []output.Format{{Name: "asked", Open: open}, {Open: open}}
		cfg.Limits.MaxPages = 1
		runCrawl(t, cfg, &Options{Formats: formats})
		cfg.Limits.MaxPages = 0
		runCrawl(t, cfg, &Options{Formats: formats, Resume: true})
		if asked[!power] > 0 || asked[power] == 0 {
			t.Errorf("power %v: %v", power, asked)
		}
		if diff := cmp.Diff([]string{"", "", "", "checkpoint"}, checkpoints); diff != "" {
			t.Errorf("checkpoints (-want +got):\n%s", diff)
		}
	}
}

// A checkpoint that is too long for the frontier's note is an error of Commit.
func TestSinkMarkTooLong(t *testing.T) {
	s := chain(t, 1)
	cfg := testConfig(t, s.url+"/0")
	cfg.Output.AlsoWrite = []string{"long"}
	long := testSink(func(string, *output.Results, bool) ([]byte, error) { return make([]byte, 201), nil })
	c := newCrawler(t, cfg, &Options{Formats: []output.Format{long.format("long")}})
	if _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "write long: a checkpoint of 201 bytes") {
		t.Errorf("%v", err)
	}
}

// listFormat is a format for tests: a file with a line for each result.
var listFormat = output.Format{Name: "list", Files: []string{"found.list"}, Open: openList}

type list struct {
	file  *os.File
	lines bytes.Buffer // written, and not committed
}

func openList(dir string, checkpoint []byte) (output.Sink, error) {
	file, err := os.OpenFile(filepath.Join(dir, "found.list"), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	length := 0
	if checkpoint != nil {
		if length, err = strconv.Atoi(string(checkpoint)); err != nil {
			return nil, err
		}
	}
	return &list{file: file}, file.Truncate(int64(length))
}

func (l *list) Write(f *output.Results) error {
	for _, v := range f.Pages {
		_, _ = fmt.Fprintln(&l.lines, "page", v.URL)
	}
	for _, v := range f.Rejected {
		_, _ = fmt.Fprintln(&l.lines, "rejected", v.URL, v.Reason)
	}
	for _, v := range f.Links {
		_, _ = fmt.Fprintln(&l.lines, "links", v.URL, len(v.To))
	}
	for _, v := range f.Sitemaps {
		_, _ = fmt.Fprintln(&l.lines, "sitemap", v.URL)
	}
	for _, v := range f.Entries {
		_, _ = fmt.Fprintln(&l.lines, "entry", v.URL)
	}
	for _, v := range f.Robots {
		_, _ = fmt.Fprintln(&l.lines, "robots", v.URL, v.Outcome, v.Status)
	}
	return nil
}

func (l *list) Commit(bool) ([]byte, error) {
	if _, err := l.lines.WriteTo(l.file); err != nil {
		return nil, err
	}
	info, err := l.file.Stat()
	if err != nil {
		return nil, err
	}
	return []byte(strconv.FormatInt(info.Size(), 10)), nil
}

func (l *list) Close() error { return l.file.Close() }

// listed returns the contents of found.list and of the JSON Lines files of a directory, sorted.
// They should be equal.
func listed(t *testing.T, cfg Config, robots bool) (sink, lines []string) {
	t.Helper()
	text := contentOf(t, filepath.Join(cfg.Output.Dir, "found.list"))
	for line := range strings.Lines(string(text)) {
		if robots || !strings.HasPrefix(line, "robots") {
			sink = append(sink, line)
		}
	}
	add := func(v ...any) { lines = append(lines, fmt.Sprintln(v...)) }
	for _, v := range readOutput[output.Page](t, cfg, "pages.jsonl") {
		add("page", v.URL)
	}
	for _, v := range readOutput[output.Rejection](t, cfg, "rejected.jsonl") {
		add("rejected", v.URL, v.Reason)
	}
	for _, v := range readOutput[output.Links](t, cfg, "links.jsonl") {
		add("links", v.URL, len(v.To))
	}
	for _, v := range readOutput[output.Sitemap](t, cfg, "sitemaps.jsonl") {
		add("sitemap", v.URL)
	}
	for _, v := range readOutput[output.Entry](t, cfg, "entries.jsonl") {
		add("entry", v.URL)
	}
	if robots {
		for _, v := range readOutput[struct {
			Chain   []string `json:"chain"`
			Outcome string   `json:"outcome"`
			Status  int      `json:"status"`
		}](t, cfg, "robots.jsonl") {
			add("robots", v.Chain[len(v.Chain)-1], v.Outcome, v.Status)
		}
	}
	slices.Sort(sink)
	slices.Sort(lines)
	return sink, lines
}

// sameInSink checks that a sink has the contents of the JSON Lines files.
func sameInSink(t *testing.T, cfg Config, robots bool) {
	t.Helper()
	sink, lines := listed(t, cfg, robots)
	if diff := cmp.Diff(lines, sink); diff != "" {
		t.Errorf("in the sink (-lines +sink):\n%s", diff)
	}
}

// A sink gets all results of the JSON Lines files: in a crawl, in a resumed one, when it is added
// later, and in a recrawl, which replaces its files.
func TestSink(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /no\nSitemap: {site}/map.txt\n", "/map.txt": "{site}/b\n{site}/c\n",
		"/":  `<a href="/a">a</a> <a href="/no">no</a> <a href="http://elsewhere.invalid/">out</a>`,
		"/a": "a", "/b": "b", "/c": "c",
	})
	cfg := testConfig(t, s.url)
	cfg.Output.AlsoWrite, cfg.Limits.MaxPages = []string{"list"}, 2
	formats := []output.Format{listFormat}
	runCrawl(t, cfg, &Options{Formats: formats})
	sameInSink(t, cfg, true)

	cfg.Limits.MaxPages = 3
	runCrawl(t, cfg, &Options{Formats: formats, Resume: true})
	sameInSink(t, cfg, true)

	without := cfg
	without.Output.AlsoWrite, without.Limits.MaxPages = nil, 4
	runCrawl(t, without, &Options{Formats: formats, Resume: true})
	cfg.Limits.MaxPages = 0
	got := runCrawl(t, cfg, &Options{Formats: formats, Resume: true}) // what it lacks is made good
	sameInSink(t, cfg, true)
	if got.Pages != 4 || got.End != EndFinished {
		t.Errorf("%+v", got.Summary)
	}

	runCrawl(t, cfg, &Options{Formats: formats, Recrawl: true})
	sameInSink(t, cfg, true)
	if kept, err := filepath.Glob(filepath.Join(cfg.Output.Dir, "*.list")); err != nil || len(kept) != 1 {
		t.Errorf("files of the format after a recrawl: %q, %v", kept, err)
	}
}

// A sink that fails ends the crawl with an error that names it.
func TestSinkFails(t *testing.T) {
	full := errors.New("no space left")
	for _, at := range []string{"Open", "Write", "Commit", "Close"} {
		t.Run(at, func(t *testing.T) {
			s := chain(t, 3)
			cfg := testConfig(t, s.url+"/0")
			cfg.Output.AlsoWrite = []string{"broken"}
			fails := func(method string, _ *output.Results, _ bool) ([]byte, error) {
				if method == at {
					return nil, full
				}
				return []byte{}, nil
			}
			broken := testSink(fails).format("broken")
			if at == "Open" {
				broken.Open = func(string, []byte) (output.Sink, error) { return nil, full }
			}
			c := newCrawler(t, cfg, &Options{Formats: []output.Format{broken}})
			sum, err := c.Run(t.Context())
			if !errors.Is(err, full) || !strings.Contains(err.Error(), "write broken") {
				t.Errorf("Run = %v", err)
			}
			if at != "Open" && (sum == nil || sum.End != EndFailed) {
				t.Errorf("%+v", sum)
			}
			if at != "Close" && s.count("/2") > 0 {
				t.Error("the crawl has gone on")
			}
		})
	}
}

// A new crawl does not overwrite the files of a format.
func TestCheckEmptyOfFormats(t *testing.T) {
	cfg := testConfig(t, "http://h.invalid/")
	cfg.Output.AlsoWrite = []string{"list"}
	must(t, os.MkdirAll(cfg.Output.Dir, 0o755))
	must(t, os.WriteFile(filepath.Join(cfg.Output.Dir, "found.list"), []byte("mine\n"), 0o644))
	refuses(t, cfg, &Options{Formats: []output.Format{listFormat}}, output.ErrExists, "found.list")
	if text, err := os.ReadFile(filepath.Join(cfg.Output.Dir, "found.list")); string(text) != "mine\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A testSink is called for each method of a sink.
type testSink func(method string, f *output.Results, power bool) (checkpoint []byte, err error)

// onWrite is a sink with a function for Write only.
func onWrite(write func(*output.Results)) testSink {
	return func(_ string, f *output.Results, _ bool) ([]byte, error) {
		if f != nil {
			write(f)
		}
		return nil, nil
	}
}

func (s testSink) Commit(power bool) ([]byte, error) { return s("Commit", nil, power) }

func (s testSink) Write(f *output.Results) error {
	_, err := s("Write", f, false)
	return err
}

func (s testSink) Close() error {
	_, err := s("Close", nil, false)
	return err
}

// format returns a format with the sink.
func (s testSink) format(name string) output.Format {
	return output.Format{Name: name, Open: func(string, []byte) (output.Sink, error) { return s, nil }}
}
