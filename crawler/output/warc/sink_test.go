package warc

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// openSink opens a sink in an empty directory.
func openSink(t testing.TB, dir string, opts *Options) output.Sink {
	t.Helper()
	return reopen(t, dir, opts, nil)
}

func reopen(t testing.TB, dir string, opts *Options, checkpoint []byte) output.Sink {
	t.Helper()
	return sinktest.Open(t, Format(opts), dir, checkpoint)
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// answered returns an exchange of a GET.
func answered(url string, status int, body string) *output.Exchange {
	return &output.Exchange{
		URL: url, StartedAt: noon, Duration: time.Second, Addr: "192.0.2.7", Proto: "HTTP/1.1", Status: status, Body: output.BytesBody(body),
		Request:  []byte("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"),
		Response: fmt.Appendf(nil, "HTTP/1.1 %d Some Reason\r\nServer: test\r\n\r\n", status),
	}
}

// written writes results at once and returns the records after the first warcinfo.
func written(t *testing.T, f *output.Results) []*parsed {
	t.Helper()
	dir := t.TempDir()
	s := openSink(t, dir, nil)
	sinktest.Write(t, s, f)
	sinktest.Close(t, s)
	return readDir(t, dir)[1:]
}

// kinds lists records by type and URL.
func kinds(all []*parsed) []string {
	var list []string
	for _, r := range all {
		list = append(list, strings.TrimSpace(r.kind()+" "+strings.TrimPrefix(r.get("WARC-Target-URI"), "http://a.test")))
	}
	return list
}

func TestExchange(t *testing.T) {
	x := answered("http://a.test/page", 200, "hello")
	got := written(t, &output.Results{Exchanges: []*output.Exchange{x}})
	if want := []string{"request /page", "response /page"}; !slices.Equal(kinds(got), want) {
		t.Fatalf("records %q, want %q", kinds(got), want)
	}
	request, response := got[0], got[1]
	if !bytes.Equal(request.block, x.Request) {
		t.Errorf("request %q", request.block)
	}
	if want := string(x.Response) + "hello"; string(response.block) != want {
		t.Errorf("response %q, want %q", response.block, want)
	}
	if request.get("WARC-Concurrent-To") != response.get("WARC-Record-ID") {
		t.Error("the request is not linked to its response")
	}
	for _, r := range got {
		if r.get("WARC-Date") != "2026-03-01T12:00:00.123456Z" || r.get("WARC-IP-Address") != "192.0.2.7" || r.get("WARC-Protocol") != "" {
			t.Errorf("%s has %v", r.kind(), r.fields)
		}
	}
	if got := response.get("WARC-Payload-Digest"); got != "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N" { // of "hello", by sha1sum and base32
		t.Errorf("payload digest %s", got)
	}
}

func TestRevisit(t *testing.T) {
	cut := answered("http://a.test/cut", 200, "body")
	cut.Truncated = output.TruncatedLength
	cutAgain := answered("http://a.test/cut-too", 200, "body")
	cutAgain.Truncated = output.TruncatedLength
	got := written(t, &output.Results{Exchanges: []*output.Exchange{
		cut, cutAgain, // nobody knows how they go on
		answered("http://a.test/1", 200, "body"),
		answered("http://a.test/2", 203, "body"), // another URL, another status: the payload is the same
		answered("http://a.test/empty", 200, ""),
		answered("http://a.test/empty-too", 200, ""), // nothing to be saved
		answered("http://a.test/2", 503, "later"),
		answered("http://a.test/2", 304, ""), // not about the 503: the payload is that of 1
		answered("http://a.test/1", 304, ""),
		answered("http://a.test/before", 304, ""), // known from an earlier crawl
	}})
	answers := slices.DeleteFunc(got, func(r *parsed) bool { return r.kind() == "request" })
	want := []string{
		"response /cut", "response /cut-too", "response /1", "revisit /2", "response /empty", "response /empty-too", "response /2",
		"revisit /2", "revisit /1", "revisit /before",
	}
	if !slices.Equal(kinds(answers), want) {
		t.Fatalf("records %q, want %q", kinds(answers), want)
	}
	for i, r := range answers {
		truncated, profile, refers := "", "", ""
		switch i {
		case 0, 1:
			truncated = "length"
		case 3:
			truncated, profile, refers = "length", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "http://a.test/1"
		case 7, 8:
			profile, refers = "http://netpreserve.org/warc/1.1/revisit/server-not-modified", "http://a.test/1"
		case 9:
			profile = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
		}
		if r.get("WARC-Truncated") != truncated || r.get("WARC-Profile") != profile || r.get("WARC-Refers-To-Target-URI") != refers {
			t.Errorf("%d: %v", i, r.fields)
		}
		if date := r.get("WARC-Refers-To-Date"); date != "" && date != "2026-03-01T12:00:00.123456Z" {
			t.Errorf("%d: refers to a record of %s", i, date)
		}
		if (r.get("WARC-Refers-To") != "") != (refers != "") || (r.get("WARC-Refers-To-Date") != "") != (refers != "") {
			t.Errorf("%d: refers to %v", i, r.fields)
		}
		if r.kind() == "revisit" && len(r.payload()) > 0 {
			t.Errorf("%d: a revisit with the payload %q", i, r.payload())
		}
	}
	if head := string(answers[3].block); head != "HTTP/1.1 203 Some Reason\r\nServer: test\r\n\r\n" {
		t.Errorf("a revisit has the head %q", head)
	}
}

// archiveAll writes the file of a crawl of a directory, and reads its records. If it is the last one, it removes the
// file again.
func archiveAll(t *testing.T, dir string, last bool, f *output.Results) (name string, records []*parsed) {
	t.Helper()
	s := openSink(t, dir, nil)
	sinktest.Write(t, s, f)
	sinktest.Close(t, s)
	names, err := archives(dir)
	if err != nil {
		t.Fatal(err)
	}
	name = filepath.Join(dir, names[len(names)-1])
	records, err = readFile(name)
	if err == nil && last {
		err = errors.Join(os.Remove(name), os.Remove(indexPath(name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return name, records
}

// shorten removes bytes from the end of a file.
func shorten(t *testing.T, name string, bytes int64) {
	t.Helper()
	info, err := os.Stat(name)
	if err == nil {
		err = os.Truncate(name, info.Size()-bytes)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func exchanges(all ...*output.Exchange) *output.Results { return &output.Results{Exchanges: all} }

// A recrawl refers to the payloads of all earlier crawls of the directory, as far as their files are there and whole.
func TestRevisitOfEarlierCrawls(t *testing.T) {
	dir := t.TempDir()
	withheld := answered("http://a.test/withheld", 200, "")
	withheld.Withheld = "noarchive"
	write := func(last bool, all ...*output.Exchange) []*parsed {
		t.Helper()
		_, records := archiveAll(t, dir, last, &output.Results{Exchanges: all, Pages: []*output.Page{{URL: "http://a.test/not-requested", FetchedAt: noon}}})
		return records
	}
	first := write(false, answered("http://a.test/same", 200, "same"), answered("http://a.test/changes", 200, "old"), withheld,
		answered("http://a.test/not-requested", 200, "x"), answered("http://a.test/late", 200, strings.Repeat("late", 5000)))
	original := make(map[string]string) // ID of the record with a payload, by that
	note := func(records []*parsed) {
		for _, r := range records {
			if r.kind() == "response" && len(r.payload()) > 0 {
				original[string(r.payload())] = r.get("WARC-Record-ID")
			}
		}
	}
	note(first)
	const response, notModified, identical = "", "server-not-modified", "identical-payload-digest"
	check := func(records []*parsed, want map[string][2]string) { // by path: the profile, and the payload of the record that it refers to
		t.Helper()
		for _, r := range records {
			path := strings.TrimPrefix(r.get("WARC-Target-URI"), "http://a.test")
			if r.kind() == "metadata" && (r.get("WARC-Concurrent-To") != "" || path != "/not-requested") {
				t.Errorf("metadata %v", r.fields)
			}
			if r.kind() != "response" && r.kind() != "revisit" {
				continue
			}
			profile := strings.TrimPrefix(r.get("WARC-Profile"), "http://netpreserve.org/warc/1.1/revisit/")
			if profile != want[path][0] || r.get("WARC-Refers-To") != original[want[path][1]] || want[path][1] != "" && r.get("WARC-Refers-To-Target-URI") == "" {
				t.Errorf("%s: %v, want %q", path, r.fields, want[path])
			}
		}
	}
	second := write(false, answered("http://a.test/same", 304, ""), answered("http://a.test/changes", 200, "new"), answered("http://a.test/copy", 200, "same"), answered("http://a.test/withheld", 304, ""))
	check(second, map[string][2]string{"/same": {notModified, "same"}, "/changes": {response}, "/copy": {identical, "same"}, "/withheld": {notModified}})
	note(second)
	third := []*output.Exchange{
		answered("http://a.test/same", 200, "same"), answered("http://a.test/changes", 304, ""), answered("http://a.test/copy", 304, ""), answered("http://a.test/late", 304, ""),
		answered("http://a.test/back", 200, "old"),
	}
	check(write(true, third...), map[string][2]string{
		"/same": {identical, "same"}, "/changes": {notModified, "new"}, "/copy": {notModified, "same"}, "/late": {notModified, strings.Repeat("late", 5000)}, "/back": {identical, "old"},
	})
	// Without its second half, the first file still has the first records.
	earlier := filepath.Join(dir, nth(t, dir, 0))
	shorten(t, earlier, 700)
	check(write(true, third...), map[string][2]string{
		"/same": {identical, "same"}, "/changes": {notModified, "new"}, "/copy": {notModified, "same"}, "/late": {notModified}, "/back": {identical, "old"},
	})
	if err := os.Remove(earlier); err != nil {
		t.Fatal(err)
	}
	check(write(true, third...), map[string][2]string{
		"/same": {response}, "/changes": {notModified, "new"}, "/copy": {notModified}, "/late": {notModified}, "/back": {response},
	})
}

// A 304 of a third crawl is about the response in the second one, whatever the first one archived.
func TestRevisitOfHiddenPayload(t *testing.T) {
	const url = "http://a.test/page"
	cut, withheld := answered(url, 200, "part"), answered(url, 200, "")
	cut.Truncated, withheld.Withheld = output.TruncatedLength, "noindex"
	for _, tt := range []struct {
		name   string
		second *output.Exchange
		known  bool
		torn   int64 // bytes that the archive of the second crawl lacks
	}{
		{"an error", answered(url, 503, "later"), true, 0},
		{"an error that is cut", &output.Exchange{URL: url, StartedAt: noon, Status: 500, Request: withheld.Request, Truncated: output.TruncatedDisconnect, Response: []byte("HTTP/1.1 500 \r\n\r\n"), Body: output.BytesBody("x")}, true, 0},
		{"an error with the payload of another page", answered(url, 404, "other"), true, 0},
		{"not modified", answered(url, 304, ""), true, 0},
		{"withheld", withheld, false, 0},
		{"cut", cut, false, 0},
		{"empty", answered(url, 200, ""), true, 0},
		{"a payload whose record is lost", answered(url, 200, "lost"), false, 0},
		{"a damaged archive", answered(url, 200, "new"), false, 30},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			lost, _ := archiveAll(t, dir, false, exchanges(answered("http://a.test/lost", 200, "lost")))
			archiveAll(t, dir, false, exchanges(answered(url, 200, "secret"), answered("http://a.test/other", 200, "other")))
			second, _ := archiveAll(t, dir, false, exchanges(tt.second))
			shorten(t, second, tt.torn)
			if err := os.Remove(lost); err != nil {
				t.Fatal(err)
			}
			_, all := archiveAll(t, dir, true, exchanges(answered(url, 304, "")))
			if last := all[len(all)-1]; last.kind() != "revisit" || (last.get("WARC-Refers-To") != "") != tt.known {
				t.Errorf("%v, want a known payload: %t", last.fields, tt.known)
			}
		})
	}
}

// A 304 refers to no record that is damaged, or is not the one that the index says.
func TestRevisitOfDamagedRecord(t *testing.T) {
	const url, body = "http://a.test/", "body"
	block := "HTTP/1.1 200 OK\r\n\r\n" + body
	record := func(digest string) string {
		return fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:01020304-0506-4708-8910-111213141516>\r\nWARC-Date: 2026-03-01T12:00:00.123456Z\r\n"+
			"WARC-Target-URI: %s\r\nWARC-Payload-Digest: %s\r\nContent-Length: %d\r\nContent-Type: application/http\r\n\r\n%s\r\n\r\n", url, digest, len(block), block)
	}
	good := record(sha1Of([]byte(body)))
	for name, tt := range map[string]struct {
		record string
		cut    int    // bytes that its end lacks
		line   string // of the index; empty if it is written again
		known  bool
	}{
		"good":               {good, 0, "", true},
		"another payload":    {record(sha1Of([]byte("other"))), 0, "", false},
		"wrong length":       {strings.Replace(good, "Content-Length: ", "Content-Length: 1", 1), 0, "", false},
		"cut checksum":       {good, 1, `x 20260301120000 {"url":"http://a.test/","status":"200","offset":"0","length":"1"}`, false},
		"another URL":        {strings.Replace(good, url, url+"x", 1), 0, `x 20260301120000 {"url":"http://a.test/","status":"200","offset":"0","length":"1"}`, false},
		"damaged line":       {good, 0, "x\n" + `x 20260301120000 {"url":"http://a.test/","status":"200","offset":"0","length":"1"}`, true},
		"only damaged lines": {good, 0, "x\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var packed bytes.Buffer
			pack := gzip.NewWriter(&packed)
			if _, err := io.WriteString(pack, tt.record); err != nil || pack.Close() != nil {
				t.Fatal(err)
			}
			earlier := filepath.Join(dir, "crawl-20260301120000123-k7q2xv-00000.warc.gz")
			if writeFile(t, earlier, packed.String()[:packed.Len()-tt.cut]); tt.line != "" {
				writeFile(t, indexPath(earlier), tt.line)
			}
			_, all := archiveAll(t, dir, true, exchanges(answered(url, 304, "")))
			if last := all[len(all)-1]; (last.get("WARC-Refers-To") != "") != tt.known {
				t.Errorf("%v, want a known payload: %t", last.fields, tt.known)
			}
		})
	}
}

// A 304 is about the response with the validators that the request has. A crawl without an archive may have received it.
func TestRevisitOfResponseThatIsNotArchived(t *testing.T) {
	for validators, known := range map[string]bool{
		"": true, "If-None-Match: \"1\"\r\n": true, "If-None-Match: \"2\"\r\n": false,
		"If-Modified-Since: Sun, 01 Mar 2026 12:00:00 GMT\r\n": true, "if-modified-since: Mon, 02 Mar 2026 12:00:00 GMT\r\n": false,
	} {
		first, second := answered("http://a.test/", 200, "body"), answered("http://a.test/", 304, "")
		first.Response = []byte("HTTP/1.1 200 OK\r\netag: \"1\"\r\nLast-Modified: Sun, 01 Mar 2026 12:00:00 GMT\r\n\r\n")
		second.Request = []byte("GET / HTTP/1.1\r\nHost: a.test\r\n" + validators + "\r\n")
		if last := written(t, exchanges(first, second))[3]; (last.get("WARC-Refers-To") != "") != known {
			t.Errorf("%q: %v, want a known payload: %t", validators, last.fields, known)
		}
	}
}

// Each resume reads the archives of earlier crawls, so their size has a limit.
func TestOldArchivesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	old, _ := archiveAll(t, dir, false, exchanges(answered("http://a.test/old", 200, "old")))
	if err := os.Truncate(indexPath(old), maxLoaded+1); err != nil { // sparse
		t.Fatal(err)
	}
	archiveAll(t, dir, false, exchanges(answered("http://a.test/new", 200, "new")))
	_, all := archiveAll(t, dir, true, exchanges(answered("http://a.test/1", 200, "new"), answered("http://a.test/2", 200, "old")))
	if want := []string{"warcinfo", "request /1", "revisit /1", "request /2", "response /2"}; !slices.Equal(kinds(all), want) {
		t.Errorf("%q, want %q", kinds(all), want)
	}
}

func TestUnreadableArchive(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(dir, "crawl-20260301120000123-k7q2xv-00000.warc.gz")); err != nil {
		t.Fatal(err)
	}
	if s, err := Format(nil).Open(dir, nil); s != nil || err == nil {
		t.Errorf("Open = %v, %v", s, err)
	}
}

func TestMetadata(t *testing.T) {
	f := &output.Results{
		Exchanges: []*output.Exchange{answered("http://a.test/", 301, ""), answered("http://a.test/page", 200, "text")},
		Pages: []*output.Page{
			{URL: "http://a.test/", Status: 301, Source: "start", DurationMS: 12},
			{URL: "http://a.test/page", Status: 200, Source: "redirect", FoundOn: "http://a.test/", Depth: 0, DurationMS: 34},
			{URL: "http://a.test/listed", Status: 200, Source: "sitemap", FoundOn: "http://a.test/sitemap.xml", FetchedAt: noon.Add(time.Hour)},
			{URL: "http://a.test/deep", Status: 200, Source: "link", FoundOn: "http://a.test/page", Depth: 3, FetchedAt: noon},
			{URL: "http://a.test/trap", Status: 200, Source: "link", FoundOn: "http://a.test/page", Depth: 1 << 20, FetchedAt: noon},
		},
		Links: []*output.Links{{URL: "http://a.test/page", To: []output.Link{{URL: "http://a.test/deep"}, {URL: "http://b.test/a b\r\nvia: c"}}}},
	}
	got := written(t, f)
	if want := []string{
		"request /", "response /", "request /page", "response /page", "metadata /", "metadata /page", "metadata /listed", "metadata /deep", "metadata /trap",
	}; !slices.Equal(kinds(got), want) {
		t.Fatalf("records %q, want %q", kinds(got), want)
	}
	for i, want := range []struct {
		concurrent, date, block string
	}{
		{got[1].get("WARC-Record-ID"), "2026-03-01T12:00:00.123456Z", "hopsFromSeed: \r\nfetchTimeMs: 12\r\n"},
		{got[3].get("WARC-Record-ID"), "2026-03-01T12:00:00.123456Z", "via: http://a.test/\r\nhopsFromSeed: R\r\nfetchTimeMs: 34\r\n" +
			"outlink: http://a.test/deep L\r\noutlink: http://b.test/a%20b%0D%0Avia:%20c L\r\n"},
		{"", "2026-03-01T13:00:00.123456Z", "via: http://a.test/sitemap.xml\r\nhopsFromSeed: M\r\nfetchTimeMs: 0\r\n"},
		{"", "2026-03-01T12:00:00.123456Z", "via: http://a.test/page\r\nhopsFromSeed: LLL\r\nfetchTimeMs: 0\r\n"},
		{"", "2026-03-01T12:00:00.123456Z", "via: http://a.test/page\r\nhopsFromSeed: " + strings.Repeat("L", 100) + "\r\nfetchTimeMs: 0\r\n"},
	} {
		r := got[4+i]
		if r.get("WARC-Concurrent-To") != want.concurrent || r.get("WARC-Date") != want.date || string(r.block) != want.block {
			t.Errorf("metadata %v with %q, want %q", r.fields, r.block, want)
		}
	}
}

func TestWarcinfo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s := openSink(t, dir, &Options{
			Settings: `{"delay":"1s"}`, Software: "politecrawl/1.2.3", UserAgent: "Bot/1 (+https://example.com/)", Operator: "Someone\r\nEvil: yes\xff",
		})
		sinktest.Write(t, s, &output.Results{Exchanges: []*output.Exchange{answered("http://a.test/", 200, "")}})
		sinktest.Close(t, s)
		r := readDir(t, dir)[0]
		want := "software: politecrawl/1.2.3\r\n" +
			"format: WARC File Format 1.1\r\n" +
			"conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n" +
			"robots: RFC 9309\r\n" +
			"operator: Someone  Evil: yes\uFFFD\r\n" +
			"http-header-user-agent: Bot/1 (+https://example.com/)\r\n" +
			`settings: {"delay":"1s"}` + "\r\n"
		if string(r.block) != want || r.get("WARC-Date") != "2000-01-01T00:00:00.000000Z" || !regexp.MustCompile(`^crawl-20000101000000000-[a-z2-7]{6}-00000\.warc\.gz$`).MatchString(r.get("WARC-Filename")) {
			t.Errorf("%v with\n%s\nwant\n%s", r.fields, r.block, want)
		}
	})
}

func TestHeadersHaveNoInjectedLines(t *testing.T) {
	for name, url := range map[string]string{
		"a new field":    "http://a.test/\r\nWARC-Type: warcinfo\r\n",
		"a new record":   "http://a.test/\r\n\r\n\r\n\r\nWARC/1.0\r\nWARC-Type: response\r\n",
		"no ASCII":       "http://a.test/\xff\x00é\u2028 \t<>",
		"a long URL":     "http://a.test/" + strings.Repeat("x", 8<<10),
		"a longer URL":   "http://a.test/" + strings.Repeat("é", 8<<10),
		"the longest":    "http://a.test/" + strings.Repeat("x", 64<<10),
		"only a percent": "http://a.test/100%",
	} {
		t.Run(name, func(t *testing.T) {
			x := answered(url, 200, "WARC/1.0\r\nWARC-Type: response\r\n\r\n")
			x.Addr, x.Proto = "127.0.0.1\r\nX: y", "HTTP/2\r\nX: y"
			p := &output.Page{URL: url, FoundOn: url, Source: "link", Depth: 1}
			got := written(t, &output.Results{
				Exchanges: []*output.Exchange{x, answered("http://a.test/next", 200, "")},
				Pages:     []*output.Page{p}, Links: []*output.Links{{URL: url, To: []output.Link{{URL: url}}}},
			})
			if len(got) != 5 || got[0].get("WARC-IP-Address") != "" || !absolute(got[0].get("WARC-Target-URI")) && !strings.HasSuffix(url, "%") {
				t.Fatalf("records %q", kinds(got))
			}
			if !bytes.Equal(got[0].block, x.Request) || !bytes.Equal(got[1].payload(), x.Body.(output.BytesBody)) {
				t.Errorf("blocks %q and %q", got[0].block, got[1].block)
			}
		})
	}
}

func TestAddressAndProtocol(t *testing.T) {
	for _, tt := range []struct{ url, proto, addr, wantProto, wantAddr string }{
		{"https://a.test/", "HTTP/2.0", "2001:db8::1", "h2", "2001:db8::1"},
		{"http://a.test/", "HTTP/2.0", "::ffff:192.0.2.1", "h2c", "192.0.2.1"},
		{"https://a.test/", "HTTP/1.1", "fe80::1%eth0", "", "fe80::1"},
		{"https://a.test/", "HTTP/1.0", "", "", ""},
		{"https://a.test/", "", "example.com", "", ""},
	} {
		x := answered(tt.url, 200, "")
		x.Proto, x.Addr = tt.proto, tt.addr
		for _, r := range written(t, &output.Results{Exchanges: []*output.Exchange{x}}) {
			if r.get("WARC-Protocol") != tt.wantProto || r.get("WARC-IP-Address") != tt.wantAddr {
				t.Errorf("%v: %v", tt, r.fields)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	for name, opts := range map[string]*Options{
		"size": {MaxBytes: -1}, "digest": {Digest: "md5"}, "prefix": {Prefix: "a/b"}, "long prefix": {Prefix: strings.Repeat("a", 101)}, "hidden": {Prefix: ".a"},
	} {
		if s, err := Format(opts).Open(t.TempDir(), nil); err == nil || !strings.HasPrefix(err.Error(), ErrOptions.Error()) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

func TestDigest(t *testing.T) {
	dir := t.TempDir()
	s := openSink(t, dir, &Options{Digest: SHA256})
	sinktest.Write(t, s, exchanges(answered("http://a.test/1", 200, "hello"), answered("http://a.test/2", 200, "hello")))
	sinktest.Close(t, s)
	records := readDir(t, dir)
	for _, r := range []*parsed{records[2], records[4]} {
		if got := r.get("WARC-Payload-Digest"); got != "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" { // by sha256sum
			t.Errorf("%s: payload digest %s", r.kind(), got)
		}
	}
	if last := records[4]; last.kind() != "revisit" || last.get("WARC-Refers-To") != records[2].get("WARC-Record-ID") {
		t.Errorf("%v", last.fields)
	}
}

func TestTruncated(t *testing.T) {
	for _, tt := range []struct {
		truncated      output.Truncated
		withheld, want string
	}{
		{want: ""}, {truncated: output.TruncatedLength, want: "length"}, {truncated: output.TruncatedTime, want: "time"},
		{truncated: output.TruncatedDisconnect, want: "disconnect"}, {truncated: output.TruncatedTime, withheld: "noindex", want: "unspecified"},
	} {
		x := answered("http://a.test/", 200, "part")
		if x.Truncated, x.Withheld = tt.truncated, tt.withheld; tt.withheld != "" {
			x.Body = nil
		}
		if got := written(t, exchanges(x))[1].get("WARC-Truncated"); got != tt.want {
			t.Errorf("%v: WARC-Truncated %q", tt, got)
		}
	}
}

// A site can make two bodies with the same SHA-1. Both are archived. These are the collision of M. Stevens and others:
// The first collision for full SHA-1, 2017.
func TestSameDigestOfDifferentPayloads(t *testing.T) {
	const prefix = "255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f4865696768742033203020522f547970652034203020522f" +
		"537562747970652035203020522f46696c7465722036203020522f436f6c6f7253706163652037203020522f4c656e6774682038203020522f42697473506572" +
		"436f6d706f6e656e7420383e3e0a73747265616d0affd8fffe00245348412d3120697320646561642121212121852fec092339759c39b1a1c63c4c97e1fffe01"
	bodies := map[string]string{
		"one": prefix + "7f46dc93a6b67e013b029aaa1db2560b45ca67d688c7f84b8c4c791fe02b3df614f86db1690901c56b45c1530afedfb76038e972722fe7ad728f0e4904e046c2" +
			"30570fe9d41398abe12ef5bc942be33542a4802d98b5d70f2a332ec37fac3514e74ddc0f2cc1a874cd0c78305a21566461309789606bd0bf3f98cda8044629a1",
		"two": prefix + "7346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c79030c2b3de218f86db3a90901d5df45c14f26fedfb3dc38e96ac22fe7bd728f0e45bce046d2" +
			"3c570feb141398bb552ef5a0a82be331fea48037b8b5d71f0e332edf93ac3500eb4ddc0decc1a864790c782c76215660dd309791d06bd0af3f98cda4bc4629b1",
	}
	dir := t.TempDir()
	s := openSink(t, dir, nil)
	for _, name := range []string{"one", "two", "two", "one"} {
		body, err := hex.DecodeString(bodies[name])
		if err != nil {
			t.Fatal(err)
		}
		sinktest.Write(t, s, exchanges(answered("http://a.test/"+name, 200, string(body))))
		sinktest.Write(t, s, exchanges(answered("http://a.test/"+name, 304, "")))
	}
	sinktest.Close(t, s)
	var got []string
	for _, l := range linesOf(t, indexPath(filepath.Join(dir, nth(t, dir, 0)))) {
		got = append(got, strings.TrimSpace(strings.TrimPrefix(l.URL, "http://a.test/")+" "+l.MIME))
	}
	want := []string{"one", "one warc/revisit", "two", "two warc/revisit", "two warc/revisit", "two warc/revisit", "one", "one warc/revisit"}
	if !slices.Equal(got, want) {
		t.Errorf("records %q, want %q", got, want)
	}
}

// Messages are archived byte for byte. Responses to requests of no body or a part of it are not in the index.
func TestMessagesAsReceived(t *testing.T) {
	const get, ok = "GET / HTTP/1.1\r\nhost: a.test\r\n", "HTTP/1.1 200 OK\r\n\r\n"
	for _, tt := range []struct {
		request, response string
		indexed           int
	}{
		{get, "HTTP/1.1 200\r\nx-lower: 1\r\nA:2\r\nA:  3 \r\nTransfer-Encoding: chunked\r\n\r\n", 1},
		{get, "HTTP/1.0 200 OK\nA: b\n\n", 1}, {get, "HTTP/1.1 200 OK\nA: b\r\n\n", 1},
		{get + "A: Range: x\r\nX-Range: 1\r\n", ok, 1},
		{"HEAD / HTTP/1.1\r\nhost: a.test\r\n", ok, 0}, {get + "range: bytes=0-0\r\n", ok, 0}, {get + "Range: bytes=0-0\r\n", "HTTP/1.1 206 \r\n\r\n", 0},
	} {
		const body = "3\r\nabc\r\n0\r\n\r\n"
		x := answered("http://a.test/", 200, body)
		x.Request, x.Response = []byte(tt.request+"\r\n"), []byte(tt.response)
		dir := t.TempDir()
		s := openSink(t, dir, nil)
		sinktest.Write(t, s, exchanges(x, answered("http://a.test/", 304, "")))
		sinktest.Close(t, s)
		r := readDir(t, dir)
		if got := string(r[2].block); got != tt.response+body || string(r[1].block) != tt.request+"\r\n" {
			t.Errorf("%q, %q became %q, %q", tt.request, tt.response, r[1].block, got)
		}
		lines := linesOf(t, indexPath(filepath.Join(dir, nth(t, dir, 0))))
		if known := r[4].get("WARC-Refers-To") != ""; len(lines) != tt.indexed+1 || known != (tt.indexed > 0) {
			t.Errorf("%q: lines %v; the 304 refers to a response: %t", tt.request, lines, known)
		}
	}
}
