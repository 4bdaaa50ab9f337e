package archive

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// sortLess makes sorters use their file after a number of bytes.
func sortLess(t testing.TB, bytes int) {
	before := maxRun
	t.Cleanup(func() { maxRun = before })
	maxRun = bytes
}

func TestSorter(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	sortLess(t, 1000)
	for _, n := range []int{0, 1, 10, 1000} {
		random, s := rand.New(rand.NewPCG(1, 2)), new(sorter)
		var want, got []string
		for range n {
			line := fmt.Sprintf("%x", random.IntN(500)) + strings.Repeat("x", random.IntN(50))
			want = append(want, line)
			must(t, s.add([]byte(line)))
		}
		for line, err := range s.all() {
			must(t, err)
			got = append(got, string(line))
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%d lines: %q", n, got)
		}
		must(t, s.close())
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// TestSortsOnDisk packs and checks an index that does not fit into the memory that is used for it.
func TestSortsOnDisk(t *testing.T) {
	sortLess(t, 100)
	dir := t.TempDir()
	sampleCrawl(t, dir, "a.warc.gz")
	packed(t, false, dir)
}

// TestManyBlocks packs an index of several blocks.
func TestManyBlocks(t *testing.T) {
	defer func(before int) { blockSize = before }(blockSize)
	blockSize = 10
	f := &warcFile{name: "a.warc.gz"}
	for i := range 2*blockSize + 1 {
		f.response("response", fmt.Sprintf("https://example.com/%d", i), "", "HTTP/1.1 204 No Content\r\n\r\n")
	}
	dir := t.TempDir()
	f.write(t, dir)
	name, p := packed(t, false, dir)
	if blocks := strings.Count(unzip(t, name)[indexDir+blocksFile], "\n") - 1; blocks != 3 || p.Records != 2*blockSize+1 {
		t.Errorf("%d blocks, %+v", blocks, p)
	}
}

// TestMemoryOfCheck checks a record of 24 MB and a header without an end.
func TestMemoryOfCheck(t *testing.T) {
	var b bytes.Buffer
	for _, head := range []string{"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 25165824\r\n\r\n", ""} {
		z, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
		_, _ = z.Write([]byte(head))
		for range 24 {
			_, _ = z.Write(make([]byte, 1<<20))
		}
		must(t, z.Close())
	}
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	must(t, os.WriteFile(name, b.Bytes(), 0o600))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := problemsOf(t, name)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 || len(found) < 2 {
		t.Errorf("%d bytes; %q", took, found)
	}
}

// FuzzCheck: hostile files have problems, but no effect.
func FuzzCheck(f *testing.F) {
	sortLess(f, 1000)
	warc := sample("a.warc.gz")
	f.Add(warc.bytes, warc.lines)
	f.Add(warc.bytes[:len(warc.bytes)/2], warc.lines[:len(warc.lines)/2])
	f.Add([]byte(gzipped("WARC/1.1\r\nContent-Length: 5\r\n\r\n")), []byte{})
	dir := f.TempDir()
	sampleCrawl(f, dir, "a.warc.gz")
	name := filepath.Join(dir, "a.wacz")
	_, err := Pack(f.Context(), name, []string{dir}, new(Options))
	must(f, err)
	wacz, err := os.ReadFile(name)
	must(f, err)
	f.Add(wacz, []byte{})
	f.Fuzz(func(t *testing.T, file, lines []byte) {
		c := &checker{report: func(p *Problem) { _ = p.String() }}
		c.index = &index{checker: *c}
		must(t, c.indexed(bytes.NewReader(file), "a.warc.gz", bytes.NewReader(lines)))
		must(t, c.index.lines.close())
		c.index = nil
		must(t, c.wacz(bytes.NewReader(file), int64(len(file))))
	})
}

// FuzzEntries checks WACZ files with hostile entries.
func FuzzEntries(f *testing.F) {
	f.Add("{}", "{}", "{}", `a 20260301120000 {"filename":"a.warc.gz"}`, "a 20260301120000 {}", []byte{})
	f.Fuzz(func(t *testing.T, pkg, digest, pages, cdx, blocks string, warc []byte) {
		problemsOf(t, rezip(t, map[string]string{
			packageFile: pkg, digestFile: digest, pagesFile: pages, indexDir + indexFile: gzipped(cdx), indexDir + blocksFile: blocks, indexDir + "b.cdx": cdx,
			archiveDir + "a.warc.gz": string(warc), archiveDir + "b.warc.gz": gzipped(string(warc)),
		}))
	})
}
