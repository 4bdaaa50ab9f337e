package jsonlines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A page is a line.
type page struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

// A log that is read while it grows shows whole lines only.
func TestLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	must(t, os.WriteFile(name, []byte(`{"url":"a"}`+"\n"+`{"url":"to`), 0o600))
	l, err := Open(name, math.MaxInt64)
	must(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				line, err := Line(nil, page{URL: "b", Title: strings.Repeat("x", 500)})
				if err != nil {
					t.Error(err)
				}
				if _, err := l.Append(line); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		if err := Each(name, func(int64, *page) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	must(t, errors.Join(l.Sync(), l.Close()))
	file, err := os.ReadFile(name)
	must(t, err)
	n := 0
	err = Each(name, func(at int64, p *page) error {
		n++
		var same page
		if err := json.NewDecoder(bytes.NewReader(file[at:])).Decode(&same); err != nil || same.URL != p.URL {
			t.Errorf("at %d: %+v, %v, want %s", at, same, err, p.URL)
		}
		return nil
	})
	if err != nil || n != 401 {
		t.Errorf("%d lines, %v; want 401", n, err)
	}
}

// Lines that cannot be read are named, in whatever way they are damaged, and all others are
// read.
func TestDamagedLinesAreNamedAndTheOthersRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	const a, b = `{"url":"a"}` + "\n", `{"url":"b"}` + "\n"
	for text, want := range map[string]struct {
		read string // the URLs
		says string // of the lines; empty: nothing
	}{
		a + b:                                     {"ab", ""},
		a + "\n \n\r\n" + b:                       {"ab", ""},
		strings.TrimSuffix(a, "\n"):               {"a", ""},
		a + `{"url":"b`:                           {"a", ""}, // it is being written
		"nonsense\n":                              {"", "line 1 cannot be read (invalid character"},
		a + "nonsense\n" + b:                      {"ab", "line 2 cannot be read"},
		a + `{"url":` + "\n" + b + a:              {"aba", "line 2 cannot be read"},
		a + b + "\n \n" + `{"url":1}` + "\n":      {"ab", "line 5 cannot be read (json: cannot unmarshal number"},
		a + "\r\n\x00\x00\x00\n" + b:              {"ab", "line 3 cannot be read"},
		a + `{"url":"x` + "\n" + `y"}` + "\n" + b: {"ab", "lines 2, 3 cannot be read"}, // one byte has become a line end
		`{"url":"a"}*{"url":"b"}` + "\n" + b:      {"b", "line 1 cannot be read"},      // a line end has become another byte
		a + `{"url":"b"}` + "\x8a":                {"ab", ""},                          // as above, in the last line
		a + `{"url":x`:                            {"a", "line 2 cannot be read"},      // and not for the lack of an end
		a + "{\"url\":\"\xe2\"}\n" + b:            {"ab", "line 2 cannot be read (not UTF-8)"},
		"{\"\xf5rl\":\"a\"}\n" + b:                {"b", "line 1 cannot be read (not UTF-8)"},
		a + "{\"url\":\"\xe2\"}":                  {"a", "line 2 cannot be read (not UTF-8)"},
		a + "{\"url\":\"b\xc3":                    {"a", ""}, // it is being written
		strings.Repeat("x\n", 7) + a:              {"a", "lines 1, 2, 3, 4, 5 and 2 more cannot be read"},
	} {
		must(t, os.WriteFile(name, []byte(text), 0o600))
		var read string
		var err error
		for p, failed := range Read[page](name) {
			if err = failed; err == nil {
				read += p.URL
			}
		}
		if read != want.read {
			t.Errorf("%q: read %q, want %q", text, read, want.read)
		}
		if want.says == "" {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			continue
		}
		damage, ok := errors.AsType[*DamagedError](err)
		if !ok || damage.File != name || !strings.HasPrefix(err.Error(), fmt.Sprintf("%q is damaged: %s", name, want.says)) {
			t.Errorf("%q: %v, want %s…", text, err, want.says)
		}
	}
}

// Whatever is in a file, each line of it is read, or named, or empty, or the last one that has
// no end.
func FuzzEach(f *testing.F) {
	for _, seed := range []string{"", "{}\n", "{}\n\n{\"url\":\"a\"}", "{\n}\n", "nonsense\r\n1 2\nnull\n[", "\xff\n\"\x00\"\n{}{}\n"} {
		f.Add([]byte(seed))
	}
	name := filepath.Join(f.TempDir(), "log")
	f.Fuzz(func(t *testing.T, text []byte) {
		must(t, os.WriteFile(name, text, 0o600))
		read := map[int]string{} // by the numbers of lines
		err := Each(name, func(at int64, v *json.RawMessage) error {
			if at > 0 && text[at-1] != '\n' {
				t.Errorf("a line begins at %d", at)
			}
			read[1+bytes.Count(text[:at], []byte("\n"))] = string(*v)
			return nil
		})
		damage, damaged := errors.AsType[*DamagedError](err)
		if err != nil && !damaged {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		for i, line := range lines {
			number, line := i+1, bytes.TrimSpace(line)
			value, isRead := read[number]
			isNamed := damaged && slices.Contains(damage.Lines, number)
			switch last := number == len(lines); {
			case isRead && isNamed, isRead && !last && value != string(line), isRead && !json.Valid([]byte(value)):
				t.Errorf("line %d is %q, read as %q, named %v", number, line, value, isNamed)
			case !isRead && !isNamed && len(line) > 0 && !last:
				t.Errorf("line %d, %q, is neither read nor named", number, line)
			}
		}
	})
}

// The decoder stops with the receiver, in a file of more batches than can wait.
func TestEachStopsEarly(t *testing.T) {
	name := filepath.Join(t.TempDir(), "many.jsonl")
	must(t, os.WriteFile(name, bytes.Repeat([]byte(`{"url":"a"}`+"\n"), (waitingBatches+4)*maxBatchLines), 0o600))
	enough := errors.New("enough")
	read := 0
	err := Each(name, func(int64, *page) error {
		read++
		return enough
	})
	if !errors.Is(err, enough) || read != 1 {
		t.Errorf("%v after %d lines", err, read)
	}
}

// What a caller finds wrong with a line is damage like any other, and what fails in the
// caller is not.
func TestBadLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	must(t, os.WriteFile(name, []byte("{\"url\":\"a\"}\n{\"url\":\"b\"}\n{\"url\":\"c\"}\n"), 0o600))
	none := errors.New("there is no b")
	var read string
	err := Each(name, func(_ int64, p *page) error {
		if p.URL == "b" {
			return BadLine(none)
		}
		read += p.URL
		return nil
	})
	if damage, ok := errors.AsType[*DamagedError](err); !ok || !errors.Is(err, none) || !slices.Equal(damage.Lines, []int{2}) || read != "ac" {
		t.Errorf("read %q, %v", read, err)
	}
	if err := Each(name, func(int64, *page) error { return none }); !errors.Is(err, none) || err.Error() != none.Error() {
		t.Errorf("the caller fails: %v", err)
	}
}

// must ends a test with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCompleteLength(t *testing.T) {
	long := strings.Repeat("x", 4096)
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"empty", "", 0},
		{"one line", "a\n", 2},
		{"torn", "a\nb", 2},
		{"torn from the start", "a", 0},
		{"empty lines", "\n\n", 2},
		{"torn after CR", "a\r\nb\r", 3},
		{"torn where a piece begins", "a\n" + long, 2},
		{"torn over pieces", "a\n" + long + long + "b", 2},
		{"a long line", long + long + "\n", 8193},
		{"nothing but a long torn line", long + long, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, beyond := range []string{"", "c\n", "c"} { // what does not count
				got, err := CompleteLength(strings.NewReader(tt.text+beyond), int64(len(tt.text)))
				if err != nil || got != int64(tt.want) {
					t.Errorf("%d, %v, want %d", got, err, tt.want)
				}
			}
		})
	}
	if _, err := CompleteLength(strings.NewReader("a\n"), 3); err == nil {
		t.Error("a file that is shorter is read")
	}
}
