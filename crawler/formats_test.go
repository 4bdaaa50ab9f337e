package crawler

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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
		{"unknown", []string{"lisp"}, []output.Format{listFormat}, `there is no format "lisp"; there are list`},
		{"none given", []string{"list"}, nil, `none was given`},
		{"the same files", []string{"list", "other"}, []output.Format{listFormat, {Name: "other", Files: listFormat.Files}}, "write the same files"},
		{"twice", []string{"list", "list"}, []output.Format{listFormat}, "named twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := testConfig(t, "http://h.invalid/")
			cfg.Output.Write = c.write
			if _, err := New(cfg, &Options{Formats: c.formats}); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// resumeWith goes on with a crawl in other formats, and returns what it says.
func resumeWith(t *testing.T, cfg Config, write []string, formats ...output.Format) (notices []string, err error) {
	t.Helper()
	cfg.Output.Write = write
	c, err := New(cfg, &Options{Resume: true, Formats: formats, Notice: func(line string) { notices = append(notices, line) }})
	if err != nil {
		return nil, err
	}
	_, err = c.Run(t.Context())
	return notices, err
}

// A crawl that goes on in a format takes over no files but its own.
func TestResumeTakesOverOnlyItsOwnFiles(t *testing.T) {
	begin := func(t *testing.T, write ...string) Config {
		s := chain(t, 6)
		cfg := testConfig(t, s.url+"/0")
		cfg.Limits.MaxPages, cfg.Output.Write = 2, write
		run(t, cfg, &Options{Formats: []output.Format{listFormat}})
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
		if err := os.WriteFile(name, []byte("mine\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := resumeWith(t, cfg, []string{"list"}, listFormat); !errors.Is(err, output.ErrExists) || !strings.Contains(err.Error(), "found.list") {
			t.Errorf("%v", err)
		}
		if text, err := os.ReadFile(name); string(text) != "mine\n" {
			t.Errorf("%q, %v", text, err)
		}
	})
	t.Run("its own that were removed", func(t *testing.T) {
		cfg := begin(t, "list")
		if err := os.Remove(filepath.Join(cfg.Output.Dir, "found.list")); err != nil {
			t.Fatal(err)
		}
		notices, err := resumeWith(t, cfg, []string{"list"}, listFormat)
		if err != nil || !strings.Contains(strings.Join(notices, "\n"), "the files of list are gone, and are written anew") {
			t.Errorf("%q, %v", notices, err)
		}
		sameInSink(t, cfg, true)
	})
	t.Run("an archive that was removed", func(t *testing.T) {
		cfg := begin(t, "list")
		if err := os.Remove(filepath.Join(cfg.Output.Dir, "found.list")); err != nil {
			t.Fatal(err)
		}
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

// When a limit for hosts is raised, lines of rejected.jsonl go, and so they do in sinks.
func TestSinkWithFullHosts(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a><a href="/b">b</a>`, "/a": "a", "/b": "b"})
	cfg := testConfig(t, s.url)
	cfg.Output.Write, cfg.Limits.MaxHostPages = []string{"list"}, 1
	if got := run(t, cfg, &Options{Formats: []output.Format{listFormat}}); got.Rejected[output.HostFull] != 2 {
		t.Fatalf("%+v", got.Summary)
	}
	cfg.Limits.MaxHostPages = 0
	if got := run(t, cfg, &Options{Formats: []output.Format{listFormat}, Resume: true}); got.Pages != 3 {
		t.Errorf("%+v", got.Summary)
	}
	sameInSink(t, cfg, true)
}

// With durability power a sink is told so, and nameless ones get no mark.
func TestSinkPower(t *testing.T) {
	for _, power := range []bool{false, true} {
		s := chain(t, 3)
		cfg := testConfig(t, s.url+"/0")
		cfg.Output.Write = []string{"asked"}
		if power {
			cfg.Output.Durability = DurablePower
		}
		var asked askedSink
		open := func(_ string, mark []byte) (output.Sink, error) {
			asked.marks = append(asked.marks, string(mark))
			return &asked, nil
		}
		formats := []output.Format{{Name: "asked", Open: open}, {Open: open}}
		cfg.Limits.MaxPages = 1
		run(t, cfg, &Options{Formats: formats})
		cfg.Limits.MaxPages = 0
		run(t, cfg, &Options{Formats: formats, Resume: true})
		if asked.power[!power] > 0 || asked.power[power] == 0 {
			t.Errorf("power %v: %v", power, asked.power)
		}
		if diff := cmp.Diff([]string{"", "", "", "mark"}, asked.marks); diff != "" {
			t.Errorf("marks (-want +got):\n%s", diff)
		}
	}
}

type askedSink struct {
	power map[bool]int
	marks []string
}

func (a *askedSink) Write(*output.Found) error { return nil }
func (a *askedSink) Close() error              { return nil }

func (a *askedSink) Commit(power bool) ([]byte, error) {
	if a.power == nil {
		a.power = make(map[bool]int)
	}
	a.power[power]++
	return []byte("mark"), nil
}

// A mark that is too long for the frontier's note is refused where it is made.
func TestSinkMarkTooLong(t *testing.T) {
	s := chain(t, 1)
	cfg := testConfig(t, s.url+"/0")
	cfg.Output.Write = []string{"long"}
	c, err := New(cfg, &Options{Formats: []output.Format{{Name: "long", Open: func(string, []byte) (output.Sink, error) { return longSink{}, nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "write long: a mark of 201 bytes") {
		t.Errorf("%v", err)
	}
}

type longSink struct{}

func (longSink) Write(*output.Found) error   { return nil }
func (longSink) Close() error                { return nil }
func (longSink) Commit(bool) ([]byte, error) { return make([]byte, 201), nil }
