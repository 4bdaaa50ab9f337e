package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// contents returns the contents of the files in a directory, by name.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

func sizes(files map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, fmt.Sprintf("%s %d", name, len(files[name])))
	}
	return strings.Join(list, ", ")
}

// some returns a batch with an exchange and its page, with a unique payload.
func some(n int) *output.Results {
	x := answered(fmt.Sprintf("http://a.test/%d", n), 200, fmt.Sprint("payload ", n))
	return &output.Results{
		Exchanges: []*output.Exchange{x},
		Pages:     []*output.Page{{URL: x.URL, Status: 200, Source: "link", Depth: 1}},
	}
}

// urlsOf returns the URLs of the responses, in order.
func urlsOf(all []*parsed) []string {
	var urls []string
	for _, r := range all {
		if r.kind() == "response" {
			urls = append(urls, strings.TrimPrefix(r.get("WARC-Target-URI"), "http://a.test/"))
		}
	}
	return urls
}

func TestFullFileStartsTheNext(t *testing.T) {
	dir := t.TempDir()
	const limit = 3000
	s := openSink(t, dir, &Options{MaxBytes: limit})
	for n := range 20 {
		sinktest.Write(t, s, some(n))
	}
	var many output.Results // and within one call
	for n := 20; n < 40; n++ {
		f := some(n)
		many.Exchanges, many.Pages = append(many.Exchanges, f.Exchanges...), append(many.Pages, f.Pages...)
	}
	sinktest.Write(t, s, &many)
	sinktest.Close(t, s)
	all := readDir(t, dir)
	if got := urlsOf(all); len(got) != 40 || !slices.IsSortedFunc(got, func(a, b string) int { return len(a) - len(b) }) {
		t.Errorf("%d responses: %q", len(got), got)
	}
	files := contents(t, dir)
	if len(files) < 5 {
		t.Errorf("files %s", sizes(files))
	}
	names := slices.Sorted(maps.Keys(files))
	for i, name := range names {
		if name != fileName(i) || i < len(names)-1 && (len(files[name]) < limit || len(files[name]) > limit+3000) {
			t.Errorf("files %s", sizes(files))
		}
	}
	for i, r := range all { // what belongs together is not torn apart
		if r.kind() == "response" && all[i-1].file != r.file {
			t.Errorf("the response of %s is in %s, its request in %s", r.get("WARC-Target-URI"), r.file, all[i-1].file)
		}
	}
}

func TestResumeAtEachMark(t *testing.T) {
	for _, limit := range []int64{0, 1, 2500} {
		t.Run(fmt.Sprint("files of ", limit), func(t *testing.T) {
			dir := t.TempDir()
			s := openSink(t, dir, &Options{MaxBytes: limit})
			checkpoints := [][]byte{sinktest.Commit(t, s, true)}
			states := []map[string]string{contents(t, dir)}
			for n := range 8 {
				sinktest.Write(t, s, some(n))
				checkpoints = append(checkpoints, sinktest.Commit(t, s, n%2 == 0))
				states = append(states, contents(t, dir))
			}
			sinktest.Write(t, s, some(8)) // and is killed before Commit
			killed := contents(t, dir)
			sinktest.Close(t, s)
			for n, checkpoint := range checkpoints {
				dir := t.TempDir()
				for name, content := range killed {
					writeFile(t, filepath.Join(dir, name), content)
				}
				s := reopen(t, dir, &Options{MaxBytes: limit}, checkpoint)
				if got := contents(t, dir); !maps.Equal(got, states[n]) {
					t.Fatalf("at %s: %s; want %s", checkpoint, sizes(got), sizes(states[n]))
				}
				if again := sinktest.Commit(t, s, true); !bytes.Equal(again, checkpoint) {
					t.Errorf("Commit after Open(%s) = %s", checkpoint, again)
				}
				sinktest.Write(t, s, some(100))
				sinktest.Close(t, s)
				urls := urlsOf(readDir(t, dir))
				if len(urls) != n+1 || urls[n] != "100" {
					t.Errorf("after %s there are responses of %q", checkpoint, urls)
				}
			}
		})
	}
}

func writeFile(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestNewSinkKeepsForeignFiles(t *testing.T) {
	dir := t.TempDir()
	ours := []string{"crawl-00000.warc.gz", "crawl-00007.warc.gz"}
	others := []string{"crawl-00000.1.warc.gz", "crawl-0.warc.gz", "crawl-abcde.warc.gz", "pages.jsonl", "crawl-000000.warc.gz"}
	for _, name := range append(ours, others...) {
		writeFile(t, filepath.Join(dir, name), "torn")
	}
	s := openSink(t, dir, nil)
	if got := slices.Sorted(maps.Keys(contents(t, dir))); !slices.Equal(got, slices.Sorted(slices.Values(others))) {
		t.Errorf("files %q are left, want %q", got, others)
	}
	sinktest.Write(t, s, &output.Results{}) // nothing to archive, nothing to begin
	if checkpoint := sinktest.Commit(t, s, true); len(contents(t, dir)) != len(others) {
		t.Errorf("files for nothing, checkpoint %s", checkpoint)
	}
	sinktest.Close(t, s)
	for _, name := range others {
		if match, err := filepath.Match(Format(nil).Files[0], name); err != nil || match {
			t.Errorf("the pattern matches %s, %v", name, err)
		}
	}
	for _, name := range ours {
		if match, err := filepath.Match(Format(nil).Files[0], name); err != nil || !match {
			t.Errorf("the pattern does not match %s, %v", name, err)
		}
	}
}

func TestShorterFileIsReportedAsLost(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, nil)
	var checkpoints []position
	for n := range 3 {
		sinktest.Write(t, s, some(n))
		sinktest.Commit(t, s, false)
		checkpoints = append(checkpoints, s.(*sink).files.position)
	}
	checkpoint := sinktest.Commit(t, s, false)
	sinktest.Close(t, s)
	name := filepath.Join(dir, fileName(0))
	whole := contents(t, dir)[fileName(0)]
	for _, tt := range []struct {
		length int64
		want   []string
	}{
		{checkpoints[2].Length - 1, []string{"0", "1", "2", "9"}}, // the last is metadata
		{checkpoints[1].Length + 1, []string{"0", "1", "9"}},
		{checkpoints[1].Length, []string{"0", "1", "9"}},
		{checkpoints[1].Length - 1, []string{"0", "1", "9"}},
		{5, []string{"9"}},
		{0, []string{"9"}},
		{-1, []string{"9"}}, // not there at all
	} {
		t.Run(fmt.Sprint(tt.length), func(t *testing.T) {
			if tt.length < 0 {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			} else {
				writeFile(t, name, whole[:tt.length])
			}
			s := reopen(t, dir, nil, checkpoint)
			sinktest.Write(t, s, some(9))
			sinktest.Close(t, s)
			if got := urlsOf(readDir(t, dir)); !slices.Equal(got, tt.want) {
				t.Errorf("responses of %q, want %q", got, tt.want)
			}
			lost := s.(output.LossReporter).Lost()
			if len(lost) != 1 || lost[0].File != fileName(0) || lost[0].SizeBefore != checkpoints[2].Length || lost[0].Bytes <= 0 || lost[0].Bytes > lost[0].SizeBefore {
				t.Errorf("lost %+v", lost)
			}
		})
	}
}

func TestMissingEarlierFilesAreReported(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, &Options{MaxBytes: 1}) // each page begins a file
	for n := range 4 {
		sinktest.Write(t, s, some(n))
	}
	checkpoint := sinktest.Commit(t, s, false)
	sinktest.Close(t, s)
	if lost := reopen(t, dir, nil, checkpoint).(output.LossReporter).Lost(); len(lost) != 0 {
		t.Errorf("lost %+v", lost)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, fileName(0))), os.Remove(filepath.Join(dir, fileName(2)))); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, dir, nil, checkpoint)
	if lost := s.(output.LossReporter).Lost(); !slices.Equal(lost, []output.Loss{{File: fileName(0)}, {File: fileName(2)}}) {
		t.Errorf("lost %+v", lost)
	}
	sinktest.Close(t, s)
}

func TestWriteBuffersLittle(t *testing.T) {
	f, err := newFiles(t.TempDir(), 1<<30, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.next(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.close() }()
	random := fixed() // bytes that do not get smaller
	for range 10 {
		block := make([]byte, bufferSize/4)
		_, _ = random.Read(block) // never fails
		if err := f.add(nil, block); err != nil {
			t.Fatal(err)
		}
		info, err := f.file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if waits := int64(f.packed.Len()); waits >= bufferSize || info.Size()+waits != f.Length {
			t.Fatalf("%d bytes wait, %d are in the file, of %d", waits, info.Size(), f.Length)
		}
	}
}

func TestMarks(t *testing.T) {
	for _, checkpoint := range []string{"", "x", `{"file":-1}`, `{"length":-1}`, `{"file":100000}`, `[]`} {
		if s, err := Format(nil).Open(t.TempDir(), []byte(checkpoint)); err == nil {
			t.Errorf("Open(%q) = %v", checkpoint, s)
		}
	}
}

func TestMissingDirectoryIsAnError(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	s := openSink(t, dir, nil)
	if err := s.Write(some(1)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Write = %v", err)
	}
	sinktest.Close(t, s)
	writeFile(t, dir, "a file")
	if s, err := Format(nil).Open(dir, nil); err == nil {
		t.Errorf("Open = %v", s)
	}
}

func TestFileNamesAreNotReused(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, &Options{MaxBytes: 1})
	s.(*sink).files.File = maxFiles - 1
	sinktest.Write(t, s, &output.Results{Exchanges: some(1).Exchanges})
	before := contents(t, dir)
	if err := s.Write(some(2)); err == nil || !maps.Equal(contents(t, dir), before) {
		t.Errorf("Write = %v, files %s", err, sizes(contents(t, dir)))
	}
	sinktest.Close(t, s)
}

func TestExistingFilesAreNotOverwritten(t *testing.T) {
	for _, plant := range []func(own, at string) error{os.Symlink, os.Link} {
		f, err := newFiles(t.TempDir(), 1<<20, 1)
		if err != nil {
			t.Fatal(err)
		}
		own := filepath.Join(t.TempDir(), "own")
		writeFile(t, own, "mine")
		if err := plant(own, f.path()); err != nil {
			t.Fatal(err)
		}
		if err := f.next(); err == nil {
			t.Error("it was opened")
			_ = f.close()
		}
		if text, err := os.ReadFile(own); string(text) != "mine" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
}
