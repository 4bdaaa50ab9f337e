package archive

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

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
		c := &checker{found: func(p *Problem) { _ = p.String() }, index: make(map[string]*record)}
		c.warc(bytes.NewReader(file), "a.warc.gz")
		c.lines(bytes.NewReader(lines))
		c.missing()
		c.wacz(bytes.NewReader(file), int64(len(file)))
	})
}

// FuzzEntries checks WACZ files with hostile entries.
func FuzzEntries(f *testing.F) {
	f.Add("{}", "{}", "{}", `a 20260301120000 {"filename":"a.warc.gz"}`, "a 20260301120000 {}", []byte{})
	f.Fuzz(func(t *testing.T, pkg, digest, pages, cdx, blocks string, warc []byte) {
		problemsOf(t, rezip(t, map[string]string{
			packageFile: pkg, digestFile: digest, "pages/pages.jsonl": pages, indexDir + "index.cdx.gz": gzipped(cdx), indexDir + "index.idx": blocks, indexDir + "b.cdx": cdx,
			archiveDir + "a.warc.gz": string(warc), archiveDir + "b.warc.gz": gzipped(string(warc)),
		}))
	})
}
