package archive

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
	"github.com/politecrawl/politecrawl/crawler/internal/warcreader"
	"github.com/politecrawl/politecrawl/crawler/output"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func sha1Of(text string) string {
	sum := sha1.Sum([]byte(text))
	return "sha1:" + base32.StdEncoding.EncodeToString(sum[:])
}

// A warcFile is a WARC file that a test writes.
type warcFile struct {
	name  string
	bytes []byte
	lines []byte // its index
	n     int
	zip   *gzip.Writer
}

// id returns the ID of the n-th record.
func id(n int) string { return fmt.Sprintf("<urn:uuid:00000000-0000-4000-8000-%012d>", n) }

// text adds a record of a text.
func (f *warcFile) text(text string) {
	if f.zip == nil {
		f.zip, _ = gzip.NewWriterLevel(nil, gzip.HuffmanOnly) // the others have large tables
	}
	var member bytes.Buffer
	f.zip.Reset(&member)
	_, _ = io.WriteString(f.zip, text)
	_ = f.zip.Close()
	f.bytes = append(f.bytes, member.Bytes()...)
	f.n++
}

// record adds a record. Its fields are lines.
func (f *warcFile) record(kind, url, fields, block string) {
	f.text(recordText(f.n+1, kind, url, fields, block))
}

func recordText(n int, kind, url, fields, block string) string {
	if url != "" {
		fields = "WARC-Target-URI: " + url + "\r\n" + fields
	}
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: %s\r\nWARC-Date: %s\r\n%sWARC-Block-Digest: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
		kind, id(n), noon.Add(time.Duration(n)*time.Second).Format(time.RFC3339Nano), fields, sha1Of(block), len(block), block)
}

// get adds a request and its response, with their lines in the index.
func (f *warcFile) get(url, head, body string) {
	f.request("GET", url)
	f.response("response", url, "WARC-Payload-Digest: "+sha1Of(body)+"\r\n", head+"\r\n\r\n"+body)
}

func (f *warcFile) request(method, url string) {
	f.record("request", url, "Content-Type: application/http;msgtype=request\r\n", method+" / HTTP/1.1\r\n\r\n")
}

func (f *warcFile) response(kind, url, fields, block string) {
	offset := len(f.bytes)
	f.record(kind, url, fields+"Content-Type: application/http;msgtype=response\r\n", block)
	line := cdxj.Line{URL: url, Time: noon.Add(time.Duration(f.n) * time.Second), File: f.name, Offset: int64(offset), Length: int64(len(f.bytes) - offset), RecordID: id(f.n)}
	_, rest, _ := strings.Cut(fields, "WARC-Payload-Digest: ")
	line.Digest, _, _ = strings.Cut(rest, "\r\n")
	if line.Status, line.MIME = cdxj.Head([]byte(block)); kind == "revisit" {
		line.MIME = cdxj.MIMERevisit
	}
	f.lines = line.AppendTo(f.lines)
}

// write writes the file and its index.
func (f *warcFile) write(t testing.TB, dir string) string {
	t.Helper()
	name := filepath.Join(dir, f.name)
	must(t, errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(name, f.bytes, 0o600),
		os.WriteFile(strings.TrimSuffix(name, ".warc.gz")+cdxj.Extension, f.lines, 0o600)))
	return name
}

const (
	okHTML   = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8"
	notFound = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html"
)

// sample returns a WARC file of a small crawl.
func sample(name string) *warcFile {
	f := &warcFile{name: name}
	f.record("warcinfo", "", "Content-Type: application/warc-fields\r\n", "software: test\r\n")
	f.get("https://www.example.com/robots.txt", notFound, "none")
	f.get("https://www.example.com/", okHTML, "<title>Start</title><body>Hello &amp; <b>welcome</b><script>x</script><a href=/b>b</a>")
	f.get("https://www.example.com/b", okHTML+"\r\nTransfer-Encoding: chunked", "6\r\n<p>B b\r\n0\r\n\r\n")
	f.request("GET", "https://www.example.com/same")
	f.response("revisit", "https://www.example.com/same", "WARC-Payload-Digest: "+sha1Of("6\r\n<p>B b\r\n0\r\n\r\n")+"\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"+
		"WARC-Refers-To-Target-URI: https://www.example.com/b\r\nWARC-Refers-To-Date: "+noon.Add(7*time.Second).Format(time.RFC3339Nano)+"\r\n", okHTML+"\r\n\r\n")
	f.request("HEAD", "https://www.example.com/b")
	f.record("response", "https://www.example.com/b", "Content-Type: application/http;msgtype=response\r\n", okHTML+"\r\n\r\n")
	f.request("GET", "https://www.example.com/")
	f.record("revisit", "https://www.example.com/", "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\nContent-Type: application/http;msgtype=response\r\n", "HTTP/1.1 304 Not Modified\r\n\r\n")
	f.record("metadata", "https://www.example.com/", "Content-Type: application/warc-fields\r\n", "via: x\r\n")
	f.record("resource", "urn:a", "Content-Type: text/plain\r\nWARC-Payload-Digest: sha256:"+hex256("a")+"\r\n", "a")
	f.lines = (&cdxj.Line{URL: "urn:a", Time: noon.Add(time.Duration(f.n) * time.Second), MIME: "text/plain", Digest: "sha256:" + hex256("a"), File: name,
		Offset: int64(len(f.bytes)) - lastLength(f), Length: lastLength(f)}).AppendTo(f.lines)
	return f
}

func hex256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// lastLength returns the length of the last record.
func lastLength(f *warcFile) (length int64) {
	for in := warcreader.New(bytes.NewReader(f.bytes)); ; {
		rec, err := in.Next(io.Discard)
		if err == io.EOF {
			return length
		} else if err != nil {
			panic(err)
		}
		length = rec.Line.Length
	}
}

// writePages writes a file of pages.
func writePages(t testing.TB, dir, name string, pages ...output.Page) {
	t.Helper()
	var text []byte
	for _, p := range pages {
		line, err := json.Marshal(p)
		must(t, err)
		text = append(append(text, line...), '\n')
	}
	must(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
}

// sampleCrawl writes the directory of a crawl.
func sampleCrawl(t testing.TB, dir, warc string) {
	t.Helper()
	sample(warc).write(t, dir)
	writePages(t, dir, "pages.jsonl",
		output.Page{URL: "https://www.example.com/", Status: 200, Title: "Start", Source: "start", Encoding: "utf-8", FetchedAt: noon.Add(4 * time.Second)},
		output.Page{URL: "https://www.example.com/b", Status: 200, Title: "B", Encoding: "utf-8", FetchedAt: noon.Add(6 * time.Second)},
		output.Page{URL: "https://www.example.com/same", Status: 200, Title: "Same", Encoding: "utf-8", FetchedAt: noon.Add(8 * time.Second)},
		output.Page{URL: "https://www.example.com/robots.txt", Status: 404, Title: "Missing", Encoding: "utf-8", FetchedAt: noon},
		output.Page{URL: "https://www.example.com/withheld", Status: 200, Withheld: "noindex", Encoding: "utf-8", FetchedAt: noon},
		output.Page{URL: "https://www.example.com/not-archived", Status: 200, Title: "Not archived", Encoding: "utf-8", FetchedAt: noon},
		output.Page{URL: "https://www.example.com/image", Status: 200, FetchedAt: noon},
	)
}

// problemsOf checks a file, and returns its problems without its path.
func problemsOf(t *testing.T, name string) (found []string) {
	t.Helper()
	_, err := Check(name, func(p *Problem) {
		found = append(found, strings.ReplaceAll(p.String(), filepath.Dir(name)+"/", ""))
	})
	must(t, err)
	return found
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestCheckAcceptsSample(t *testing.T) {
	name := sample("a.warc.gz").write(t, t.TempDir())
	if found := problemsOf(t, name); found != nil {
		t.Error(strings.Join(found, "\n"))
	}
	if records, err := Check(name, func(*Problem) {}); records != 15 || err != nil {
		t.Errorf("%d records, %v", records, err)
	}
}

func TestCheckOfRecords(t *testing.T) {
	good := recordText(1, "response", "https://example.com/", "WARC-Payload-Digest: "+sha1Of("body")+"\r\nContent-Type: application/http\r\n", okHTML+"\r\n\r\nbody")
	_, rest, _ := strings.Cut(good, "\r\n\r\n")
	for name, tt := range map[string]struct {
		change [2]string
		want   []string
	}{
		"good":                 {},
		"version":              {[2]string{"WARC/1.1", "WARC/2.0"}, []string{"not a WARC record: its first line is not WARC/1.0 or WARC/1.1"}},
		"digest of the block":  {[2]string{"WARC-Block-Digest: " + sha1Of(okHTML+"\r\n\r\nbody"), "WARC-Block-Digest: " + sha1Of("body")}, []string{id(1) + ": WARC-Block-Digest is " + sha1Of("body")[5:] + ", but the bytes have " + sha1Of(okHTML + "\r\n\r\nbody")[5:]}},
		"digest of the body":   {[2]string{sha1Of("body"), sha1Of("other")}, []string{id(1) + ": WARC-Payload-Digest is " + sha1Of("other")[5:] + ", but the bytes have " + sha1Of("body")[5:]}},
		"hexadecimal":          {[2]string{sha1Of("body"), "SHA-256:" + strings.ToUpper(hex256("body"))}, nil},
		"unknown digest":       {[2]string{"WARC-Block-Digest: sha1:", "WARC-Block-Digest: sha9:"}, nil},
		"no ID":                {[2]string{"WARC-Record-ID: " + id(1) + "\r\n", ""}, []string{`WARC-Record-ID "" is not a URI in angle brackets`}},
		"ID":                   {[2]string{id(1), "1"}, []string{`1: WARC-Record-ID "1" is not a URI in angle brackets`}},
		"no date":              {[2]string{"WARC-Date: 2026-03-01T12:00:01.123456Z", "WARC-Date: 2026-03-01"}, []string{id(1) + `: WARC-Date "2026-03-01" is not a date such as 2026-03-01T12:00:00Z`}},
		"no URL":               {[2]string{"WARC-Target-URI: https://example.com/\r\n", ""}, []string{id(1) + ": response record without WARC-Target-URI"}},
		"other type":           {[2]string{"Type: response", "Type: answer"}, nil},
		"no type":              {[2]string{"WARC-Type: response\r\n", ""}, []string{id(1) + ": no WARC-Type"}},
		"revisit":              {[2]string{"Type: response", "Type: revisit"}, []string{id(1) + ": revisit record without WARC-Profile"}},
		"no length":            {[2]string{"Content-Length", "Content-Size"}, []string{id(1) + `: Content-Length "" is not a number of bytes`}},
		"negative length":      {[2]string{"Content-Length: ", "Content-Length: -"}, []string{id(1) + `: Content-Length "-63" is not a number of bytes`}},
		"block too long":       {[2]string{"body\r\n", "body and more\r\n"}, []string{id(1) + `: " and " follows the block instead of two empty lines; Content-Length 63 may be wrong`}},
		"block too short":      {[2]string{"body\r\n\r\n", ""}, []string{id(1) + ": the block ends 4 bytes before its Content-Length of 63"}},
		"no end":               {[2]string{"body\r\n\r\n", "body\r\n"}, []string{id(1) + `: "\r\n" follows the block instead of two empty lines; Content-Length 63 may be wrong`}},
		"two in a member":      {[2]string{"body\r\n\r\n", "body\r\n\r\nWARC/1.1\r\n"}, []string{id(1) + `: "\r\n\r\nW" follows the block instead of two empty lines; Content-Length 63 may be wrong`}},
		"no end of the header": {[2]string{"\r\n\r\nHTTP/1.1", "\r\nHTTP/1.1"}, []string{`malformed MIME header: missing colon: "HTTP/1.1 200 OK"`}},
		"header alone":         {[2]string{"\r\n\r\n" + rest, ""}, []string{"header: EOF"}},
		"long header":          {[2]string{"WARC-Type", "X: " + strings.Repeat("x", 1<<20) + "\r\nWARC-Type"}, []string{"header: more than 1 MiB"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &warcFile{name: "a.warc.gz"}
			text := strings.Replace(good, tt.change[0], tt.change[1], 1)
			if tt.change[0] != "" && text == good {
				t.Fatal("nothing changed")
			}
			f.text(text)
			f.record("warcinfo", "", "", "a: b\r\n") // is read, whatever stands before it
			file := filepath.Join(t.TempDir(), f.name)
			must(t, os.WriteFile(file, f.bytes, 0o600))
			for i, want := range tt.want {
				tt.want[i] = "a.warc.gz: byte 0: " + want
			}
			if diff := cmp.Diff(tt.want, problemsOf(t, file)); diff != "" {
				t.Error(diff)
			}
			if records, _ := Check(file, func(*Problem) {}); records != 2 {
				t.Errorf("%d records", records)
			}
		})
	}
}

func TestCheckOfDamagedFiles(t *testing.T) {
	f := &warcFile{name: "a.warc.gz"}
	f.record("warcinfo", "", "", "a: b\r\n")
	first := len(f.bytes)
	f.record("warcinfo", "", "", "c: d\r\n")
	for name, tt := range map[string]struct {
		bytes []byte
		want  string
	}{
		"cut":        {f.bytes[:len(f.bytes)-3], "unexpected EOF"},
		"cut header": {f.bytes[:first+5], "unexpected EOF"},
		"changed":    {slices.Concat(f.bytes[:first+20], []byte{^f.bytes[first+20]}, f.bytes[first+21:]), ""},
		"checksum":   {slices.Concat(f.bytes[:len(f.bytes)-5], []byte{^f.bytes[len(f.bytes)-5]}, f.bytes[len(f.bytes)-4:]), "gzip: invalid checksum"},
		"more":       {slices.Concat(f.bytes[:first], []byte("more")), "unexpected EOF"},
		"zeros":      {slices.Concat(f.bytes[:first], make([]byte, 100)), "gzip: invalid header"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.warc.gz")
			must(t, os.WriteFile(file, tt.bytes, 0o600))
			found := strings.Join(problemsOf(t, file), "\n")
			if !strings.HasPrefix(found, fmt.Sprintf("a.warc.gz: byte %d: ", first)) || !strings.Contains(found, "damaged gzip member: "+tt.want) || strings.Contains(found, "\n") {
				t.Error(found)
			}
		})
	}
}

func TestCheckOfOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"empty": "", "text": "text"} {
		file := filepath.Join(dir, name)
		must(t, os.WriteFile(file, []byte(content), 0o600))
		if _, err := Check(file, nil); err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Check(filepath.Join(dir, "missing"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestCheckOfIndex(t *testing.T) {
	sampleLines := strings.SplitAfter(string(sample("a.warc.gz").lines), "\n")
	for name, tt := range map[string]struct {
		change func(lines []string) []string
		want   []string
	}{
		"missing line": {func(l []string) []string { return slices.Delete(l, 1, 2) }, []string{"a.warc.gz: byte @: " + id(5) + ": the index has no line for this record"}},
		"last missing": {func(l []string) []string { return l[:4] }, []string{"a.warc.gz: byte @: " + id(15) + ": the index has no line for this record"}},
		"twice":        {func(l []string) []string { return slices.Insert(l, 1, l[0]) }, []string{"a.cdxj: line 2: no record of its own starts there: com*"}},
		"beyond": {func(l []string) []string {
			return append(l[:5], strings.Replace(l[0], `"offset":"`, `"offset":"99`, 1))
		}, []string{"a.cdxj: line 6: no record of its own starts there: com*"}},
		"not a line":   {func(l []string) []string { l[0] += "text\n"; return l }, []string{"a.cdxj: line 2: not a key, a time and JSON of that date, with spaces between them"}},
		"other file":   {func(l []string) []string { l[0] += strings.Replace(l[0], "a.warc", "b.warc", 1); return l }, []string{"a.cdxj: line 2: no record of its own starts there: com*"}},
		"length":       {func(l []string) []string { l[0] = strings.Replace(l[0], `"length":"`, `"length":"1`, 1); return l }, []string{"a.cdxj: line 1: com,example)/* should be com,example)/*"}},
		"status":       {func(l []string) []string { l[1] = strings.Replace(l[1], `"200"`, `"404"`, 1); return l }, []string{"a.cdxj: line 2: com,example)/* should be com,example)/*"}},
		"mime":         {func(l []string) []string { l[1] = strings.Replace(l[1], `text/html`, `text/css`, 1); return l }, []string{"a.cdxj: line 2: com,example)/* should be com,example)/*"}},
		"digest":       {func(l []string) []string { l[1] = strings.Replace(l[1], `sha1:`, `sha9:`, 1); return l }, []string{"a.cdxj: line 2: com,example)/* should be com,example)/*"}},
		"short digest": {func(l []string) []string { l[1] = strings.Replace(l[1], `sha1:`, ``, 1); return l }, nil},
		"id":           {func(l []string) []string { l[1] = strings.Replace(l[1], `urn:uuid:0`, `urn:uuid:1`, 1); return l }, []string{"a.cdxj: line 2: com,example)/* should be com,example)/*"}},
		"url and key": {func(l []string) []string {
			l[1] = strings.Replace(l[1], `https://www.example.com/`, `https://www.example.com/x`, 1)
			return l
		}, []string{"a.cdxj: line 2: com,example)/* should be com,example)/*"}},
		"time": {func(l []string) []string {
			l[1] = strings.Replace(l[1], `,"date":"2026-03-01T12:00:05.123456Z"`, "", 1)
			return l
		}, nil},
		"only the time": {func(l []string) []string {
			l[1] = strings.Replace(l[1], `"date":"2026-03-01T12:00:05.1`, `"date":"2026-03-01T12:00:05.2`, 1)
			return l
		}, []string{"a.cdxj: line 2: com,example)/* should be com,example)/*"}},
		"another time": {func(l []string) []string { l[1] = strings.Replace(l[1], " 2026", " 2001", 1); return l }, []string{"a.cdxj: line 2: not a key, a time and JSON of that date*"}},
		"long line":    {func(l []string) []string { return append(l[:5], strings.Repeat("x", 1<<20)) }, []string{"a.cdxj: bufio.Scanner: token too long"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := sample("a.warc.gz")
			f.lines = []byte(strings.Join(tt.change(slices.Clone(sampleLines)), ""))
			found := problemsOf(t, f.write(t, t.TempDir()))
			if len(found) != len(tt.want) {
				t.Fatal(strings.Join(found, "\n"))
			}
			for i := range found {
				if match, _ := filepath.Match(strings.NewReplacer("@", "*").Replace(strings.ReplaceAll(tt.want[i], "/", "_")), strings.ReplaceAll(found[i], "/", "_")); !match {
					t.Errorf("%s\nwant %s", found[i], tt.want[i])
				}
			}
		})
	}
}

// unzip returns the entries of a WACZ file.
func unzip(t *testing.T, name string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(name)
	must(t, err)
	defer func() { _ = z.Close() }()
	entries := make(map[string]string)
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		text, err := io.ReadAll(r)
		must(t, err)
		entries[f.Name] = string(text)
		if stored := f.Method == zip.Store; stored != strings.HasSuffix(f.Name, ".warc.gz") {
			t.Errorf("%s: method %d", f.Name, f.Method)
		}
	}
	return entries
}

// packed packs directories, and returns the file.
func packed(t *testing.T, text bool, dirs ...string) (string, Packed) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "all.wacz")
	p, err := Pack(t.Context(), name, dirs, &Options{Text: text, Software: "test/1"})
	must(t, err)
	if found := problemsOf(t, name); found != nil {
		t.Error(strings.Join(found, "\n"))
	}
	return name, p
}

// TestPackedFile holds a WACZ file against the specification.
func TestPackedFile(t *testing.T) {
	dir := t.TempDir()
	sampleCrawl(t, dir, "a.warc.gz")
	name, p := packed(t, true, dir)
	if want := (Packed{File: name, Files: 1, Records: 5, Pages: 3}); p != want {
		t.Errorf("%+v", p)
	}
	entries := unzip(t, name)
	if entries["archive/a.warc.gz"] != string(sample("a.warc.gz").bytes) {
		t.Error("the WARC file changed")
	}
	var pkg map[string]any
	must(t, json.Unmarshal([]byte(entries["datapackage.json"]), &pkg))
	for field, want := range map[string]any{
		"profile": "data-package", "wacz_version": "1.1.1", "software": "test/1", "mainPageUrl": "https://www.example.com/", "mainPageDate": "2026-03-01T12:00:05.123456Z",
	} {
		if pkg[field] != want {
			t.Errorf("%s: %v", field, pkg[field])
		}
	}
	var listed []string
	for _, r := range pkg["resources"].([]any) {
		r := r.(map[string]any)
		content := entries[r["path"].(string)]
		listed = append(listed, r["path"].(string))
		if r["bytes"] != float64(len(content)) || r["hash"] != "sha256:"+hex256(content) || r["name"] != filepath.Base(r["path"].(string)) {
			t.Errorf("%v", r)
		}
	}
	if want := []string{"archive/a.warc.gz", "indexes/index.cdx", "pages/pages.jsonl"}; !slices.Equal(listed, want) {
		t.Errorf("%v", listed)
	}
	if want := fmt.Sprintf(`{"hash":"sha256:%s","path":"datapackage.json"}`, hex256(entries["datapackage.json"])); strings.Join(strings.Fields(entries["datapackage-digest.json"]), "") != want {
		t.Error(entries["datapackage-digest.json"])
	}
	wantPages := `{"format":"json-pages-1.0","hasText":true,"id":"pages","title":"All pages"}
{"id":"1","text":"Start\nHello \u0026\nwelcome\nb","title":"Start","ts":"2026-03-01T12:00:05.123456Z","url":"https://www.example.com/"}
{"id":"2","text":"B b","title":"B","ts":"2026-03-01T12:00:07.123456Z","url":"https://www.example.com/b"}
{"id":"3","text":"B b","title":"Same","ts":"2026-03-01T12:00:09.123456Z","url":"https://www.example.com/same"}
`
	if diff := cmp.Diff(wantPages, entries["pages/pages.jsonl"]); diff != "" {
		t.Error(diff)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(sample("a.warc.gz").lines), "\n"), "\n")
	lines[4] += "\n"
	lines[4] = strings.Replace(lines[4], "}\n", `,"id":"`+id(15)+`"}`+"\n", 1)
	slices.Sort(lines)
	if diff := cmp.Diff(strings.Join(lines, ""), entries["indexes/index.cdx"]); diff != "" {
		t.Error(diff)
	}
}

// TestWarcioReadsPackedRecords reads each record that the index names with the npm package warcio.
func TestWarcioReadsPackedRecords(t *testing.T) {
	_, installed := os.Stat("../output/warc/testdata/warcio/node_modules/warcio")
	node, err := exec.LookPath("node")
	if errors.Join(installed, err) != nil {
		const missing = "no warcio to read the archive with; run make warcio"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	dir, unpacked := t.TempDir(), t.TempDir()
	sampleCrawl(t, dir, "a.warc.gz")
	name, _ := packed(t, false, dir)
	for entry, content := range unzip(t, name) {
		path := filepath.Join(unpacked, entry)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)))
	}
	out, err := exec.CommandContext(t.Context(), node, "testdata/wacz.mjs", unpacked).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("%v: %s", err, failed.Stderr)
	}
	must(t, err)
	want := `{"key":"com,example)/","time":true,"url":"https://www.example.com/","type":"response","status":200,"bytes":86,"more":false}
{"key":"com,example)/b","time":true,"url":"https://www.example.com/b","type":"response","status":200,"bytes":6,"more":false}
{"key":"com,example)/robots.txt","time":true,"url":"https://www.example.com/robots.txt","type":"response","status":404,"bytes":4,"more":false}
{"key":"com,example)/same","time":true,"url":"https://www.example.com/same","type":"revisit","status":200,"bytes":0,"more":false}
{"key":"urn:a","time":true,"url":"urn:a","type":"resource","bytes":1,"more":false}
`
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Error(diff)
	}
}

// TestPackOfSeveralDirectories packs three workers. One was recrawled, one had no work.
func TestPackOfSeveralDirectories(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "w[1]*"), t.TempDir()
	sampleCrawl(t, a, "w1-1.warc.gz")
	must(t, os.Rename(filepath.Join(a, "pages.jsonl"), filepath.Join(a, "pages.1.jsonl")))
	later := &warcFile{name: "w1-2.warc.gz", n: 100}
	later.request("GET", "https://www.example.com/b")
	later.response("revisit", "https://www.example.com/b", "WARC-Payload-Digest: "+sha1Of("6\r\n<p>B b\r\n0\r\n\r\n")+"\r\nWARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"+
		"WARC-Refers-To-Target-URI: https://www.example.com/b\r\nWARC-Refers-To-Date: "+noon.Add(7*time.Second).Format(time.RFC3339Nano)+"\r\n", okHTML+"\r\n\r\n")
	later.write(t, a)
	writePages(t, a, "pages.jsonl", output.Page{URL: "https://www.example.com/b", Status: 200, Title: "B later", Encoding: "utf-8", FetchedAt: noon.Add(101 * time.Second)})
	other := &warcFile{name: "w2-1.warc.gz", n: 200}
	other.get("https://other.example/?q={a|b}", okHTML, "<title>Other</title>")
	other.write(t, b)
	writePages(t, b, "pages.jsonl", output.Page{URL: "https://other.example/?q=%7Ba%7Cb%7D", Status: 200, Title: "Other", Encoding: "utf-8", FetchedAt: noon})
	idle := t.TempDir()
	writePages(t, idle, "pages.jsonl")
	name, p := packed(t, true, a, b, idle)
	if want := (Packed{File: name, Files: 3, Records: 7, Pages: 5}); p != want {
		t.Errorf("%+v", p)
	}
	pages := unzip(t, name)["pages/pages.jsonl"]
	for _, want := range []string{
		`"text":"B b","title":"B","ts":"2026-03-01T12:00:07.123456Z","url":"https://www.example.com/b"`,
		`"text":"B b","title":"B later","ts":"2026-03-01T12:01:42.123456Z","url":"https://www.example.com/b"`,
		`"title":"Other"`,
	} {
		if !strings.Contains(pages, want) {
			t.Errorf("no %s in\n%s", want, pages)
		}
	}
}

// A page whose body is withheld, as with noarchive, is not in the list, also if an earlier crawl has archived it.
func TestPackLeavesOutWithheldPages(t *testing.T) {
	dir, f := t.TempDir(), &warcFile{name: "a.warc.gz"}
	f.get("https://www.example.com/", okHTML, "<title>First</title>")
	for _, url := range []string{"https://www.example.com/", "https://www.example.com/secret"} {
		f.request("GET", url)
		f.response("response", url, "WARC-Truncated: unspecified\r\nWARC-Payload-Digest: "+sha1Of("")+"\r\n", okHTML+"\r\n\r\n")
	}
	f.write(t, dir)
	writePages(t, dir, "pages.1.jsonl", output.Page{URL: "https://www.example.com/", Status: 200, Title: "First", Encoding: "utf-8", FetchedAt: noon.Add(2 * time.Second)})
	writePages(t, dir, "pages.jsonl",
		output.Page{URL: "https://www.example.com/", Status: 200, Title: "Later", Encoding: "utf-8", FetchedAt: noon.Add(4 * time.Second)},
		output.Page{URL: "https://www.example.com/secret", Status: 200, Title: "Secret", Encoding: "utf-8", FetchedAt: noon.Add(6 * time.Second)},
	)
	name, p := packed(t, true, dir)
	if pages := unzip(t, name)["pages/pages.jsonl"]; p.Records != 3 || p.Pages != 1 || !strings.Contains(pages, `"text":"First","title":"First"`) {
		t.Errorf("%+v, pages\n%s", p, pages)
	}
}

func TestPackErrors(t *testing.T) {
	dir, same, cut := t.TempDir(), t.TempDir(), t.TempDir()
	sampleCrawl(t, dir, "a.warc.gz")
	sampleCrawl(t, same, "a.warc.gz")
	idle := t.TempDir()
	writePages(t, idle, "pages.jsonl")
	f := sample("b.warc.gz")
	f.bytes = f.bytes[:len(f.bytes)-1]
	f.write(t, cut)
	for name, tt := range map[string]struct {
		dirs []string
		want error
	}{
		"no WARC files":     {[]string{idle, filepath.Join(dir, "missing")}, ErrNoWARC},
		"files of one name": {[]string{dir, same}, nil},
		"directory twice":   {[]string{dir, dir}, nil},
		"cut":               {[]string{cut}, io.ErrUnexpectedEOF},
	} {
		file := filepath.Join(t.TempDir(), "a.wacz")
		must(t, os.WriteFile(file, []byte("earlier"), 0o600))
		_, err := Pack(t.Context(), file, tt.dirs, &Options{})
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := filepath.Glob(file + "*"); len(left) != 1 {
			t.Errorf("%s: %v", name, left)
		}
		if text, _ := os.ReadFile(file); string(text) != "earlier" {
			t.Errorf("%s: the earlier file was replaced", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Pack(ctx, filepath.Join(t.TempDir(), "a.wacz"), []string{dir}, &Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// rezip writes a WACZ file with entries. A name that ends with ! is compressed.
func rezip(t *testing.T, entries map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		method := zip.Store
		if strings.HasSuffix(name, "!") {
			method = zip.Deflate
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: strings.TrimSuffix(name, "!"), Method: method})
		must(t, err)
		_, err = io.WriteString(w, entries[name])
		must(t, err)
	}
	must(t, z.Close())
	name := filepath.Join(t.TempDir(), "a.wacz")
	must(t, os.WriteFile(name, b.Bytes(), 0o600))
	return name
}

func gzipped(text string) string {
	f := new(warcFile)
	f.text(text)
	return string(f.bytes)
}

func TestCheckOfWACZ(t *testing.T) {
	dir := t.TempDir()
	sampleCrawl(t, dir, "a.warc.gz")
	name, _ := packed(t, false, dir)
	index := strings.SplitAfter(unzip(t, name)["indexes/index.cdx"], "\n")
	const pkg, cdx, warc = "datapackage.json", "indexes/index.cdx", "archive/a.warc.gz"
	change := func(e map[string]string, name, before, after string) {
		e[name] = strings.Replace(e[name], before, after, 1)
	}
	for name, tt := range map[string]struct {
		change func(e map[string]string)
		want   []string // their beginnings, without problems of hashes
	}{
		"unchanged":          {func(map[string]string) {}, nil},
		"no package":         {func(e map[string]string) { delete(e, pkg) }, []string{"no datapackage.json with"}},
		"no digest":          {func(e map[string]string) { delete(e, "datapackage-digest.json") }, nil},
		"package of no WACZ": {func(e map[string]string) { change(e, pkg, "1.1.1", "") }, []string{"no datapackage.json with the profile and wacz_version of a WACZ"}},
		"package is no JSON": {func(e map[string]string) { e[pkg] = "{" }, []string{"no datapackage.json with"}},
		"package changed":    {func(e map[string]string) { change(e, pkg, "test/1", "test/2") }, []string{`datapackage-digest.json says "sha256:`}},
		"digest is no JSON":  {func(e map[string]string) { e["datapackage-digest.json"] = "{" }, []string{`datapackage-digest.json says "", but datapackage.json has `}},
		"missing file":       {func(e map[string]string) { delete(e, "pages/pages.jsonl") }, []string{"pages/pages.jsonl: datapackage.json lists 362 bytes, sha256:"}},
		"other file":         {func(e map[string]string) { e["x"] = "" }, []string{"x: datapackage.json does not list it"}},
		"other size":         {func(e map[string]string) { e["pages/pages.jsonl"] += "\n" }, []string{"pages/pages.jsonl: datapackage.json lists 362 bytes, sha256:"}},
		"other content":      {func(e map[string]string) { change(e, "pages/pages.jsonl", "Start", "Begin") }, []string{"pages/pages.jsonl: datapackage.json lists 362 bytes, sha256:"}},
		"compressed":         {func(e map[string]string) { e[warc+"!"] = e[warc]; delete(e, warc) }, []string{"archive/a.warc.gz: compressed in the ZIP file, so that players cannot read parts of it"}},
		"no index":           {func(e map[string]string) { delete(e, cdx) }, []string{"no index", "indexes/index.cdx: datapackage.json lists"}},
		"compressed index": {func(e map[string]string) {
			e[cdx+".gz"], e["indexes/index.idx"] = gzipped(index[0])+gzipped(strings.Join(index[1:], "")), "blocks"
			delete(e, cdx)
		}, []string{"indexes/index.cdx: datapackage.json lists", "indexes/index.cdx.gz: datapackage.json does not list it", "indexes/index.idx: datapackage.json does not list it"}},
		"damaged index":       {func(e map[string]string) { e[cdx+".gz"] = gzipped(e[cdx])[:50]; delete(e, cdx) }, []string{"indexes/index.cdx.gz: unexpected EOF", "indexes/index.cdx: datapackage.json lists", "indexes/index.cdx.gz: datapackage.json does not"}},
		"line out of order":   {func(e map[string]string) { e[cdx] = index[1] + index[0] + strings.Join(index[2:], "") }, []string{"indexes/index.cdx: line 2: the lines are not sorted: "}},
		"line of no file":     {func(e map[string]string) { e[cdx] += strings.Replace(index[4], "a.warc", "b.warc", 1) }, []string{"indexes/index.cdx: line 6: no record of its own"}},
		"no line":             {func(e map[string]string) { e[cdx] += "x\n" }, []string{"indexes/index.cdx: line 6: not a key"}},
		"line without record": {func(e map[string]string) { e[cdx] += strings.Replace(index[4], `"offset":"`, `"offset":"9`, 1) }, []string{"indexes/index.cdx: line 6: no record of its own"}},
		"record without line": {func(e map[string]string) { e[cdx] = strings.Join(index[1:], "") }, []string{"archive/a.warc.gz: byte "}},
		"WARC file":           {func(e map[string]string) { e[warc] = e[warc][:len(e[warc])-2] }, []string{"archive/a.warc.gz: byte"}},
	} {
		t.Run(name, func(t *testing.T) {
			entries := unzip(t, packedName(t, dir))
			tt.change(entries)
			var found []string
			for _, problem := range problemsOf(t, rezip(t, entries)) {
				if !strings.HasSuffix(problem, "no entry") && (strings.HasPrefix(problem, "a.wacz: "+cdx+": datapackage.json lists") || strings.HasPrefix(problem, "a.wacz: "+warc+": datapackage.json lists")) {
					continue // as it must
				}
				found = append(found, strings.TrimPrefix(problem, "a.wacz: "))
			}
			if !slices.EqualFunc(found, tt.want, strings.HasPrefix) {
				t.Error(strings.Join(found, "\n"))
			}
		})
	}
}

func packedName(t *testing.T, dir string) string {
	t.Helper()
	name, _ := packed(t, false, dir)
	return name
}
