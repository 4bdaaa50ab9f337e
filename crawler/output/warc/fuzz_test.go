package warc

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/warcreader"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// FuzzWrite: everything a site sends is archived unchanged, in valid records.
func FuzzWrite(f *testing.F) {
	const get, ok = "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"
	f.Add("a.test/", get, ok, []byte("hello"), "192.0.2.1", "HTTP/1.1", "http://a.test/", 200, false)
	f.Add("a.test/\r\nWARC-Type: warcinfo\r\n\r\nx", get, ok, []byte("\r\n\r\nWARC/1.0\r\n"), "::1", "HTTP/2.0", "\r\nvia: x", 304, false)
	f.Add("\x00\xff é%zz<>", "", "", []byte{}, "::ffff:1.2.3.4%eth0", "", "", 0, true)
	f.Add("a", "GET /", "HTTP/1.1 200 OK\n\nx", bytes.Repeat([]byte("x"), 3<<16), "x\r\ny", "HTTP/2\r\n", "a b", -1, true)
	f.Add("a", "\r\n\r\n\r\n", "\r", bytes.Repeat([]byte("x"), (1<<16)-10), "", "HTTP/3", "", 200, false)
	f.Fuzz(func(t *testing.T, url, request, response string, body []byte, addr, proto, via string, status int, cut bool) {
		dir := t.TempDir()
		url = "http://" + url
		truncated := output.Truncated("")
		if cut {
			truncated = output.TruncatedTime
		}
		request, response = ended(request), ended(response)
		x := &output.Exchange{
			URL: url, StartedAt: noon, Addr: addr, Proto: proto, Status: status, Body: output.BytesBody(body), Truncated: truncated,
			Request: []byte(request), Response: []byte(response),
		}
		found := &output.Results{
			Exchanges: []*output.Exchange{x, x, answered("http://a.test/other", 200, "other")},
			Pages:     []*output.Page{{URL: url, FoundOn: via, Source: "redirect", Depth: 2, FetchedAt: noon}},
			Links:     []*output.Links{{URL: url, To: []output.Link{{URL: via}, {URL: url}, {URL: response}}}},
		}
		s := openSink(t, dir, nil)
		sinktest.Write(t, s, found)
		sinktest.Close(t, s)

		all := slices.DeleteFunc(readDir(t, dir), func(r *parsed) bool { return r.kind() == "warcinfo" })
		var got []string
		for _, r := range all {
			got = append(got, r.kind())
		}
		first, second := "response", "response"
		if len(body) > 0 && !cut {
			second = "revisit"
		}
		if status == 304 {
			first, second = "revisit", "revisit"
		}
		if want := []string{"request", first, "request", second, "request", "response", "metadata"}; !slices.Equal(got, want) {
			t.Fatalf("records %q, want %q", got, want)
		}
		if answer := all[1]; !bytes.Equal(answer.payload(), body) || string(answer.block) != response+string(body) || string(all[0].block) != request {
			t.Errorf("%q, %q and body %q came back as %q and %q", request, response, body, all[0].block, answer.block)
		}
		if (all[1].get("WARC-Truncated") != "") != cut && status != 304 {
			t.Errorf("truncated: %v", all[1].fields)
		}
	})
}

// ended returns the header of a message to its first empty line.
func ended(head string) string {
	head += "\r\n\r\n"
	return head[:headEnd.FindStringIndex(head)[1]]
}

// FuzzOpen: Open with any checkpoint and any file may fail, but does not change files before the
// checkpoint.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	s := openSink(f, dir, nil)
	sinktest.Write(f, s, some(1))
	checkpoint := sinktest.Commit(f, s, false)
	sinktest.Close(f, s)
	var first position
	if err := json.Unmarshal(checkpoint, &first); err != nil {
		f.Fatal(err)
	}
	file := contents(f, dir)[fileName(first.Name, 0)]
	at := func(file int, length int64) []byte {
		text, err := json.Marshal(position{Name: first.Name, File: file, Length: length})
		if err != nil {
			f.Fatal(err)
		}
		return text
	}
	index := []byte(contents(f, dir)[strings.Replace(fileName(first.Name, 0), extension, ".cdxj", 1)])
	f.Add(checkpoint, []byte(file), index)
	f.Add(checkpoint, []byte(file[:len(file)-1]), index)
	f.Add(checkpoint, []byte(file[:20]), index[:20])
	f.Add(at(1, 5), []byte(file), []byte{})
	f.Add(at(0, math.MaxInt64), []byte(file+file), append(index, 0xff, '\n'))
	f.Add(at(999, 0), []byte{0x1f, 0x8b}, index)
	f.Fuzz(func(t *testing.T, checkpoint, content, index []byte) {
		dir := t.TempDir()
		for number := range 3 {
			name := filepath.Join(dir, fileName(first.Name, number))
			writeFile(t, name, string(content))
			writeFile(t, indexPath(name), string(index))
		}
		s, err := Format(nil).Open(dir, checkpoint)
		if err != nil {
			return
		}
		at := s.(*sink).files.position
		if at.Name != first.Name {
			sinktest.Close(t, s)
			return
		}
		sinktest.Write(t, s, some(2))
		sinktest.Close(t, s)
		for number := range 3 {
			b, err := os.ReadFile(filepath.Join(dir, fileName(at.Name, number)))
			if number < at.File && (err != nil || !bytes.Equal(b, content)) {
				t.Errorf("%s was changed, %v", fileName(at.Name, number), err)
			}
			if number == at.File && (err != nil || int64(len(b)) <= at.Length || !bytes.HasPrefix(b, content[:at.Length])) {
				t.Errorf("%s has %d bytes, %v; %d counted", fileName(at.Name, number), len(b), err, at.Length)
			}
		}
	})
}

// FuzzRecall: whatever a file of an earlier crawl contains, a recrawl writes its own records, and refers only to
// payloads that are the same.
func FuzzRecall(f *testing.F) {
	const id = "<urn:uuid:01020304-0506-4708-8910-111213141516>"
	record := func(kind, more, block string) string {
		return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: %s\r\nWARC-Date: 2026-03-01T12:00:00.123456Z\r\nWARC-Target-URI: http://a.test/\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n",
			kind, id, more, len(block), block)
	}
	payload := "WARC-Payload-Digest: " + sha1Of([]byte("body")) + "\r\n"
	f.Add(record("response", payload, "HTTP/1.1 200 OK\r\n\r\nbody"), "")
	f.Add(record("response", payload, "HTTP/1.1 200 OK\r\n\r\nanother"), "")
	f.Add(strings.Replace(record("response", payload, "HTTP/1.1 200 OK\r\n\r\nbody"), "urn:uuid", "urn:other", 1), "")
	f.Add(record("response", payload+"WARC-Truncated: length\r\n", "HTTP/1.1 200 OK\r\n\r\nbody"), "")
	f.Add(record("revisit", payload+"WARC-Refers-To: "+id+"\r\n", "HTTP/1.1 304 \r\n\r\n"), "")
	f.Add("WARC/1.1\r\nContent-Length: -1\r\n\r\n", `x 20260301120000 {"url":"http://a.test/","digest":"`+sha1Of([]byte("body"))+`","status":"200","offset":"0","length":"1"}`+"\n")
	f.Fuzz(func(t *testing.T, text, index string) {
		dir := t.TempDir()
		var packed bytes.Buffer
		pack := gzip.NewWriter(&packed)
		if _, err := pack.Write([]byte(text)); err != nil || pack.Close() != nil {
			t.Fatal(err)
		}
		earlier := filepath.Join(dir, "crawl-20260301120000123-k7q2xv-00000.warc.gz")
		if writeFile(t, earlier, packed.String()); index != "" {
			writeFile(t, indexPath(earlier), index)
		}
		s := openSink(t, dir, nil)
		sinktest.Write(t, s, &output.Results{Exchanges: []*output.Exchange{answered("http://a.test/", 200, "body")}})
		sinktest.Close(t, s)
		file, err := os.Open(filepath.Join(dir, nth(t, dir, 1)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		for reader, n := warcreader.New(file), 0; ; n++ {
			rec, err := reader.Next(io.Discard)
			if err == io.EOF && n == 3 {
				return
			}
			if err != nil || len(rec.Problems) > 0 || rec.Kind == "revisit" && !strings.Contains(text, "\r\n\r\nbody") {
				t.Fatalf("%v: %v, after %q", err, rec, text)
			}
		}
	})
}
