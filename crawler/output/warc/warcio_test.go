package warc

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// A warcioRecord is a record as read by warcio.
type warcioRecord struct {
	Version string
	Headers map[string]string
	Status  int
	Offset  int
	Length  int
	SHA1    string // of the block
	Payload string // of what follows the HTTP head
}

// warcio reads a file with the npm package warcio. Without the package the test is skipped,
// except in continuous integration.
func warcio(t *testing.T, name string) (records []warcioRecord) {
	t.Helper()
	_, installed := os.Stat("testdata/warcio/node_modules/warcio")
	node, err := exec.LookPath("node")
	if errors.Join(installed, err) != nil {
		const missing = "no warcio to read the archive with; run make warcio"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/warcio/read.mjs", name)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("warcio: %v: %s", err, &stderr)
	}
	for lines := json.NewDecoder(bytes.NewReader(out)); ; {
		var r warcioRecord
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return records
		} else if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
}

// crawled returns results with bodies of all sizes and types, and hostile URLs.
func crawled() []*output.Results {
	random := rand.New(rand.NewPCG(5, 6))
	var all []*output.Results
	add := func(x *output.Exchange) *output.Exchange {
		x.URL = strings.ReplaceAll(x.URL, "http://a.test", "https://example.com")
		all = append(all, &output.Results{
			Exchanges: []*output.Exchange{x},
			Pages:     []*output.Page{{URL: x.URL, Status: x.Status, Source: "link", Depth: 1, FoundOn: x.URL, FetchedAt: noon}},
			Links:     []*output.Links{{URL: x.URL, To: []output.Link{{URL: x.URL}, {URL: "http://b.test/a b\r\nvia: c"}}}},
		})
		return x
	}
	for n := range 60 {
		body := make([]byte, random.IntN(1<<(1+n%18)))
		for i := range body {
			body[i] = byte(random.Uint32())
		}
		add(answered(fmt.Sprintf("http://a.test/page/%d", n), 200, string(body)))
	}
	add(answered("http://a.test/large", 200, strings.Repeat("z", 3<<20)))
	add(answered("http://a.test/", 301, ""))
	add(answered("http://a.test/same", 200, "the same as ever"))
	add(answered("http://a.test/twin", 404, "the same as ever"))
	add(answered("http://a.test/same", 304, ""))
	add(answered("http://a.test/?q=\r\n\r\nWARC/1.1\r\n\xff é<>", 200, "\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n\r\n"))
	add(answered("http://a.test/cut", 200, "not all of")).Truncated = output.TruncatedLength
	add(answered("http://a.test/h2", 200, "over HTTP/2")).Proto = "HTTP/2.0"
	withheld := add(answered("http://a.test/noarchive", 200, ""))
	withheld.Withheld = "noarchive"
	for coding, open := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"br":   func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	} {
		var packed bytes.Buffer
		z := open(&packed)
		_, _ = z.Write([]byte("packed by the server"))
		_ = z.Close()
		encoded := add(answered("http://a.test/packed/"+coding, 200, packed.String()))
		encoded.Response = []byte("HTTP/1.1 200 OK\r\nContent-Encoding: " + coding + "\r\n\r\n")
	}
	return all
}

// TestWarcioReadsEveryRecord compares every record, digest, length and offset that warcio reads
// with the written ones.
func TestWarcioReadsEveryRecord(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, &Options{MaxBytes: 200_000, Software: "test"})
	var sent []*output.Exchange
	for _, f := range crawled() {
		sinktest.Write(t, s, f)
		sent = append(sent, f.Exchanges...)
	}
	sinktest.Close(t, s)

	byFile := make(map[string][]*parsed)
	for _, r := range readDir(t, dir) {
		byFile[r.file] = append(byFile[r.file], r)
	}
	if len(byFile) < 3 {
		t.Errorf("%d files", len(byFile))
	}
	answers := 0
	for number := range len(byFile) {
		name := nth(t, dir, number)
		want, got := byFile[name], warcio(t, filepath.Join(dir, name))
		compareIndex(t, filepath.Join(dir, name))
		if len(got) != len(want) {
			t.Fatalf("%s: %d records, want %d", name, len(got), len(want))
		}
		for i, r := range got {
			compareRecord(t, r, want[i])
			if kind := want[i].kind(); kind == "response" || kind == "revisit" {
				compareAnswer(t, r, kind, sent[answers])
				answers++
			}
		}
	}
	if answers != len(sent) {
		t.Errorf("%d answers, want %d", answers, len(sent))
	}
}

// compareIndex compares the index of a file with that of warcio, whose digests have no algorithm and whose times have no
// fraction of a second.
func compareIndex(t *testing.T, name string) {
	t.Helper()
	theirs, err := exec.CommandContext(t.Context(), "node", "testdata/warcio/node_modules/warcio/dist/cli.js", "cdx-index", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(indexPath(name))
	if err != nil {
		t.Fatal(err)
	}
	ours = regexp.MustCompile(`,"date":"[^"]*"`).ReplaceAll(bytes.ReplaceAll(ours, []byte(`"digest":"sha1:`), []byte(`"digest":"`)), nil)
	if diff := cmp.Diff(strings.Split(string(theirs), "\n"), strings.Split(string(ours), "\n")); diff != "" {
		t.Errorf("%s (-warcio +this):\n%s", filepath.Base(name), diff)
	}
}

func compareRecord(t *testing.T, got warcioRecord, want *parsed) {
	t.Helper()
	name := want.kind() + " " + want.get("WARC-Target-URI")
	if got.Version != "WARC/1.1" || got.Offset != want.offset || got.Length != len(want.block) || got.SHA1 != hexSHA1(want.block) {
		t.Errorf("%s: %s at %d, %d bytes of %s; want %d bytes at %d", name, got.Version, got.Offset, got.Length, got.SHA1, len(want.block), want.offset)
	}
	if len(got.Headers) != len(want.fields) {
		t.Errorf("%s: fields %v, want %v", name, got.Headers, want.fields)
	}
	for field := range want.fields {
		if got.Headers[field] != want.get(field) {
			t.Errorf("%s: %s is %q, want %q", name, field, got.Headers[field], want.get(field))
		}
	}
}

// compareAnswer compares a response, or a revisit, with the sent data.
func compareAnswer(t *testing.T, got warcioRecord, kind string, sent *output.Exchange) {
	t.Helper()
	body, _ := sent.Body.(output.BytesBody)
	if kind == "revisit" {
		body = nil
	}
	if got.Status != sent.Status || got.Payload != hexSHA1(body) {
		t.Errorf("%s of %s: status %d, payload %s; want %d, %s", kind, sent.URL, got.Status, got.Payload, sent.Status, hexSHA1(body))
	}
}

func hexSHA1(b []byte) string {
	sum := sha1.Sum(b)
	return hex.EncodeToString(sum[:])
}
