package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
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
	if len(files) < 10 {
		t.Errorf("files %s", sizes(files))
	}
	names := slices.Sorted(maps.Keys(files))
	for i, name := range names {
		if ext := filepath.Ext(name); ext == ".cdxj" {
			continue
		}
		if i/2 != numberOf(t, name) || i < len(names)-2 && (len(files[name]) < limit || len(files[name]) > limit+3000) {
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

// nth returns the name of the nth WARC file of a directory.
func nth(t testing.TB, dir string, n int) string {
	t.Helper()
	names, err := archives(dir)
	if err != nil || n >= len(names) {
		t.Fatalf("%d files, %v", len(names), err)
	}
	return names[n]
}

// numberOf returns the number in the name of a file.
func numberOf(t testing.TB, name string) (n int) {
	t.Helper()
	m := fileTail.FindStringSubmatch(strings.Replace(name, ".cdxj", extension, 1))
	if m == nil {
		t.Fatalf("the name %s", name)
	}
	if _, err := fmt.Sscanf(m[1][25:], "%d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Names are unique: a new crawl changes no file that is there, whoever wrote it, and its own names come after them.
func TestNewSinkKeepsAllFiles(t *testing.T) {
	dir := t.TempDir()
	others := []string{
		"crawl-20260301120000123-k7q2xv-00000.warc.gz", "crawl-20260301120000123-k7q2xv-00000.cdxj", "other-99990101000000999-k7q2xv-00007.warc.gz", "other-99990101000000999-k7q2xv-00007.cdxj",
		"crawl-00000.warc.gz", "crawl-0.warc.gz", "pages.jsonl", "x.warc.gz",
	}
	for _, name := range others {
		writeFile(t, filepath.Join(dir, name), "torn")
	}
	before := contents(t, dir)
	s := openSink(t, dir, &Options{Prefix: "My_2.crawl"})
	sinktest.Write(t, s, &output.Results{}) // nothing to archive, nothing to begin
	if checkpoint := sinktest.Commit(t, s, true); !maps.Equal(contents(t, dir), before) {
		t.Errorf("files %s for nothing, checkpoint %s", sizes(contents(t, dir)), checkpoint)
	}
	sinktest.Write(t, s, some(1))
	sinktest.Close(t, s)
	after := contents(t, dir)
	for name, content := range before {
		if after[name] != content {
			t.Errorf("%s was changed", name)
		}
	}
	for _, pattern := range []string{"My_2.crawl-99990101000001000-??????-00000.warc.gz", "My_2.crawl-99990101000001000-??????-00000.cdxj"} {
		if names, _ := filepath.Glob(filepath.Join(dir, pattern)); len(names) != 1 || len(after) != len(before)+2 {
			t.Errorf("no %s: %s", pattern, sizes(after))
		}
	}
	for name := range after { // a new crawl of the directory fails
		if match, err := filepath.Match(Format(nil).Files[0], name); err != nil || match != strings.HasSuffix(name, ".warc.gz") {
			t.Errorf("%s: match %t, %v", name, match, err)
		}
	}
}

// A resumed crawl removes no files but its own.
func TestResumeKeepsFilesOfOtherCrawls(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, nil)
	checkpoint := sinktest.Commit(t, s, true)
	sinktest.Write(t, s, some(1)) // not committed
	name := s.(*sink).files.Name
	sinktest.Close(t, s)
	want := make(map[string]string)
	for _, other := range []string{
		"zrawl-20260301120000123-k7q2xv-00000.warc.gz", "zrawl-20260301120000123-k7q2xv-00000.cdxj", "crawl-99990101000000999-k7q2xv-00000.warc.gz", "crawl-99990101000000999-k7q2xv-00000.cdxj",
		name + "-20260301120000123-k7q2xv-00000.warc.gz", name + "-20260301120000123-k7q2xv-00000.cdxj", name + ".warc.gz", name + "-00000.txt",
	} {
		want[other] = "torn"
		writeFile(t, filepath.Join(dir, other), "torn")
	}
	sinktest.Close(t, reopen(t, dir, nil, checkpoint))
	if got := contents(t, dir); !maps.Equal(got, want) {
		t.Errorf("%s, want %s", sizes(got), sizes(want))
	}
}

// A checkpoint of the earlier version does not say which files are those of the crawl.
func TestCheckpointOfEarlierVersion(t *testing.T) {
	if s, err := Format(nil).Open(t.TempDir(), []byte(`{"file":0,"length":5}`)); err == nil || !strings.Contains(err.Error(), "resume with that version") {
		t.Errorf("Open = %v, %v", s, err)
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
	name := filepath.Join(dir, nth(t, dir, 0))
	whole, index := contents(t, dir)[nth(t, dir, 0)], contents(t, dir)[filepath.Base(indexPath(name))]
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
			writeFile(t, indexPath(name), index)
			s := reopen(t, dir, nil, checkpoint)
			sinktest.Write(t, s, some(9))
			sinktest.Close(t, s)
			if got := urlsOf(readDir(t, dir)); !slices.Equal(got, tt.want) {
				t.Errorf("responses of %q, want %q", got, tt.want)
			}
			lost := s.(output.LossReporter).Lost()
			if len(lost) != 1 || lost[0].File != filepath.Base(name) || lost[0].SizeBefore != checkpoints[2].Length || lost[0].Bytes <= 0 || lost[0].Bytes > lost[0].SizeBefore {
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
	first, third := nth(t, dir, 0), nth(t, dir, 2)
	if err := errors.Join(os.Remove(filepath.Join(dir, first)), os.Remove(filepath.Join(dir, third))); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, dir, nil, checkpoint)
	if lost := s.(output.LossReporter).Lost(); !slices.Equal(lost, []output.Loss{{File: first}, {File: third}}) {
		t.Errorf("lost %+v", lost)
	}
	sinktest.Close(t, s)
}

func TestWriteBuffersLittle(t *testing.T) {
	f := newFiles(t.TempDir())
	if err := f.next(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.close() }()
	random := rand.NewChaCha8([32]byte{1}) // bytes that do not get smaller
	for range 10 {
		block := make([]byte, bufferSize/4)
		_, _ = random.Read(block) // never fails
		if _, _, err := f.add(nil, nil, output.BytesBody(block)); err != nil {
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
	for _, checkpoint := range []string{"", "x", `{}`, `[]`, `{"name":"a-20260301120000123-k7q2xv","file":-1}`, `{"name":"a-20260301120000123-k7q2xv","length":-1}`,
		`{"name":"a-20260301120000123-k7q2xv","index":-1}`, `{"name":"a-20260301120000123-k7q2xv","file":100000}`, `{"name":"../a-20260301120000123"}`, `{"name":"a"}`} {
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
		f := newFiles(t.TempDir())
		own := filepath.Join(t.TempDir(), "own")
		writeFile(t, own, "mine")
		for _, path := range []string{f.path(), indexPath(f.path())} {
			if err := plant(own, path); err != nil {
				t.Fatal(err)
			}
			if err := f.next(); err == nil {
				t.Error("it was opened")
			}
			if err := errors.Join(f.close(), os.Remove(path)); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := os.ReadFile(own); string(text) != "mine" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
}

// A failed Write leaves the files as they were, wherever in a body it fails.
func TestUnreadableBodyLeavesFilesUnchanged(t *testing.T) {
	for _, size := range []int64{0, 1, bufferSize - 1, 3 * bufferSize} {
		for _, at := range []int{1, 2} { // the first read computes the digests
			dir := t.TempDir()
			s := openSink(t, dir, &Options{MaxBytes: bufferSize})
			sinktest.Write(t, s, some(1))
			checkpoint, before := sinktest.Commit(t, s, false), contents(t, dir)
			bad := answered("http://a.test/bad", 200, "")
			bad.Body = &brokenBody{length: size, at: at}
			if err := s.Write(&output.Results{Exchanges: []*output.Exchange{some(2).Exchanges[0], bad}}); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("Write = %v", err)
			}
			if again := sinktest.Commit(t, s, false); !bytes.Equal(again, checkpoint) || !maps.Equal(contents(t, dir), before) {
				t.Errorf("checkpoint %s, want %s; files %s, want %s", again, checkpoint, sizes(contents(t, dir)), sizes(before))
			}
			sinktest.Write(t, s, some(2))
			sinktest.Close(t, s)
			if got := urlsOf(readDir(t, dir)); !slices.Equal(got, []string{"1", "2"}) {
				t.Errorf("responses %q", got)
			}
		}
	}
}

// A brokenBody has a byte less than it says, when it is read for the at-th time.
type brokenBody struct {
	length   int64
	at, read int
}

func (b *brokenBody) Size() int64  { return b.length + 1 }
func (b *brokenBody) Close() error { return nil }

func (b *brokenBody) ReadAt(p []byte, off int64) (int, error) {
	if off == 0 {
		b.read++
	}
	end := b.Size()
	if b.read == b.at {
		end = b.length
	}
	n := int(max(min(end-off, int64(len(p))), 0))
	for i := range p[:n] {
		p[i] = byte(uint64(off+int64(i)) * 0x9e3779b97f4a7c15 >> 56) // does not get smaller
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// After a resume the index equals that of the file, whatever of both is left, and no record is there twice.
func TestIndexIsRepaired(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, &Options{MaxBytes: 3000})
	for n := range 5 {
		sinktest.Write(t, s, some(n))
	}
	checkpoint := sinktest.Commit(t, s, false)
	at := s.(*sink).files.position
	sinktest.Write(t, s, some(5)) // not committed
	sinktest.Close(t, s)
	killed := contents(t, dir)
	file, earlier := fileName(at.Name, at.File), fileName(at.Name, 0)
	if at.File == 0 || at.Index == 0 {
		t.Fatalf("checkpoint %s", checkpoint)
	}
	for name, damage := range map[string]map[string]int{ // the size of files; -1: removed
		"killed":                     {},
		"torn line":                  {indexPath(file): int(at.Index) + 7},
		"index without a line":       {indexPath(file): int(at.Index) - 1},
		"empty index":                {indexPath(file): 0},
		"no index":                   {indexPath(file): -1},
		"shorter file":               {file: int(at.Length) - 1},
		"shorter file, and no index": {file: int(at.Length) - 1, indexPath(file): -1},
		"no file":                    {file: -1},
		"no index of earlier file":   {indexPath(earlier): -1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range killed {
				size, damaged := damage[name]
				if !damaged {
					size = len(content)
				}
				if size >= 0 {
					writeFile(t, filepath.Join(dir, name), content[:size])
				}
			}
			s := reopen(t, dir, nil, checkpoint)
			again := sinktest.Commit(t, s, false)
			_, shorter := damage[file]
			if !shorter && !bytes.Equal(again, checkpoint) {
				t.Errorf("checkpoint %s, want %s", again, checkpoint)
			}
			sinktest.Write(t, s, some(5))
			sinktest.Write(t, s, exchanges(answered("http://a.test/2", 304, "")))
			sinktest.Close(t, s)
			records := readDir(t, dir)
			urls := urlsOf(records)
			if len(slices.Compact(slices.Sorted(slices.Values(urls)))) != len(urls) || urls[len(urls)-1] != "5" {
				t.Errorf("responses %q", urls)
			}
			// It refers to the record from before the resume, unless a lost one may be later.
			if last := records[len(records)-1]; (last.get("WARC-Refers-To-Target-URI") == "http://a.test/2") == shorter {
				t.Errorf("%v", last.fields)
			}
		})
	}
}

// A large body is never in memory.
func TestLargeBodyIsStreamed(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, nil)
	sinktest.Write(t, s, some(1))
	large := answered("http://a.test/large", 200, "")
	large.Body = &brokenBody{length: 16 << 20}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	sinktest.Write(t, s, exchanges(large))
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
	sinktest.Write(t, s, exchanges(large))
	sinktest.Close(t, s)
	if records := readDir(t, dir); records[len(records)-1].kind() != "revisit" {
		t.Errorf("records %q", kinds(records))
	}
}
