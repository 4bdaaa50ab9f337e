package sitemap

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
	runWith = program.RunWith
)

func TestMain(m *testing.M) { program.Main(m) }

// sampleSitemap has something wrong in lines 4, 5 and 6.
const sampleSitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.com/?a=1&amp;b=2</loc><lastmod>2024-11-23</lastmod><changefreq>daily</changefreq><priority>0.8</priority></url>
  <url><loc>/relative</loc></url>
  <url><loc>https://example.com/b</loc><lastmod>yesterday</lastmod></url>
  <url><loc>https://example.com/c</loc><lastmod>2023-01-02T03:04:05+01:00</lastmod><priority>7</priority></url>
</urlset>
`

const sampleIndex = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>https://example.com/1.xml</loc></sitemap>
</sitemapindex>`

func TestSitemapFile(t *testing.T) {
	file := clitest.WriteFile(t, "sitemap.xml", sampleSitemap)
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"text": {nil, "https://example.com/?a=1&b=2\nhttps://example.com/b\nhttps://example.com/c\n"},
		"json": {[]string{"--format", "json"},
			`{"loc":"https://example.com/?a=1&b=2","lastmod":"2024-11-23T00:00:00Z","changefreq":"daily","priority":0.8,"sitemap":"` + file + `","line":3}
{"loc":"https://example.com/b","priority":0.5,"sitemap":"` + file + `","line":5}
{"loc":"https://example.com/c","lastmod":"2023-01-02T02:04:05Z","priority":0.5,"sitemap":"` + file + `","line":6}
`},
		"csv": {[]string{"--format", "csv"},
			"loc,lastmod,changefreq,priority,alternates,images,videos,news,sitemap,line\n" +
				"https://example.com/?a=1&b=2,2024-11-23T00:00:00Z,daily,0.8,,,,," + file + ",3\n" +
				"https://example.com/b,,,0.5,,,,," + file + ",5\n" +
				"https://example.com/c,2023-01-02T02:04:05Z,,0.5,,,,," + file + ",6\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(t, append([]string{"sitemap", file}, tt.args...)...)
			// Entries that are skipped are said beside the list (ROB-SMP-28).
			said := file + `: 1 entry skipped, the first: line 4: invalid location, entry skipped: "/relative": not an absolute http, https or ftp URL; --check lists all` + "\n"
			clitest.WantEqual(t, "the result", clitest.Result{Out: tt.want, Stderr: said}, got)
		})
	}
}

// Every extension has its fields.
func TestSitemapExtensions(t *testing.T) {
	forms := "../../../../robotsext/sitemap/testdata/forms/"
	for file, parts := range map[string][]string{
		"video.xml":    {`"content_loc":"https://streaming.example.com/video123.mp4"`, `"duration":600`, `"rating":4.2`, `"countries":{"allow":true,"values":["IE","GB","US","CA"]}`, `"platforms":{"allow":false,"values":["tv"]}`, `video=345"}]`},
		"image.xml":    {`"images":[{"loc":"`},
		"news.xml":     {`"news":{"publication":"The Example Times","language":"en","title":"Companies A, B in Merger Talks"`},
		"hreflang.xml": {`"alternates":[{"href":"`, `"hreflang":"de"`},
	} {
		got := run(t, "sitemap", forms+file, "--format", "json")
		for line := range strings.Lines(got.Out) {
			var e listedEntry
			dec := json.NewDecoder(strings.NewReader(line))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&e); err != nil || e.File != forms+file {
				t.Errorf("%s: %v in %s", file, err, line)
			}
		}
		clitest.WantParts(t, got.Out, parts...)
		rows, err := csv.NewReader(strings.NewReader(run(t, "sitemap", forms+file, "--format", "csv").Out)).ReadAll()
		if err != nil || len(rows) < 2 || strings.Join(rows[1][4:8], "") == "" {
			t.Errorf("%s: %v, %q", file, err, rows)
		}
	}
}

func TestSitemapStandardInput(t *testing.T) {
	t.Run("index", func(t *testing.T) {
		got := runWith(t, sampleIndex, "sitemap", "-", "--format", "json")
		want := `{"loc":"https://example.com/1.xml","is_sitemap":true,"priority":0.5,"sitemap":"-","line":2}` + "\n"
		if got.Out != want || got.Code != cli.ExitDone {
			t.Errorf("exit code %d, output %q, want %q", got.Code, got.Out, want)
		}
	})
	t.Run("empty", func(t *testing.T) {
		runWith(t, "", "sitemap", "-").WantRefusal(t, cli.ExitFindings, "sitemap: standard input: ", "empty")
	})
	t.Run("not to the end", func(t *testing.T) {
		cut, _, _ := strings.Cut(sampleSitemap, "https://example.com/c")
		got := runWith(t, cut, "sitemap", "-")
		if got.Code != cli.ExitFailed || got.Out != "https://example.com/?a=1&b=2\nhttps://example.com/b\n" || !strings.Contains(got.Stderr, "standard input: line 6: ") {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("findings", func(t *testing.T) {
		got := runWith(t, "https://example.com/a\n/b\n", "sitemap", "-", "--check")
		if !strings.HasPrefix(got.Out, "standard input:2:1: ") || got.Code != cli.ExitFindings {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("no control characters", func(t *testing.T) {
		got := runWith(t, "https://example.com/\x1b[2Ja\nhttps://example.com/\u009bb\nhttps://example.com/c\n", "sitemap", "-", "--check")
		if strings.ContainsAny(got.Out, "\x1b\u009b") || got.Out == "" {
			t.Errorf("output %q", got.Out)
		}
		const name = "a\x1b[2J.txt"
		file := filepath.Join(t.TempDir(), name)
		clitest.OK(t, os.WriteFile(file, []byte("/b\n"), 0o600))
		if got := run(t, "sitemap", file, "--check"); strings.Contains(got.Out, "\x1b") || got.Out == "" {
			t.Errorf("output %q", got.Out)
		}
	})
}

// Entries are written while the file is still being read.
func TestSitemapStreams(t *testing.T) {
	stdin, feed := io.Pipe()
	results, out := io.Pipe()
	p := &cli.Streams{In: stdin, Out: out, Err: io.Discard}
	done := make(chan int)
	go func() {
		code := p.Run(t.Context(), program(p), []string{"sitemap", "-"})
		_ = out.Close()
		done <- code
	}()
	lines := bufio.NewScanner(results)
	const n = 5000 // more than all buffers on the way hold
	go func() {
		for i := range n {
			_, _ = fmt.Fprintf(feed, "https://example.com/%d\n", i)
		}
	}()
	for i := range n / 2 {
		if !lines.Scan() || lines.Text() != fmt.Sprintf("https://example.com/%d", i) {
			t.Fatalf("line %d is %q", i, lines.Text())
		}
	}
	_ = feed.Close()
	for lines.Scan() {
	}
	if code := <-done; code != cli.ExitDone {
		t.Errorf("exit code %d", code)
	}
}

func TestSitemapCheckFile(t *testing.T) {
	file := clitest.WriteFile(t, "sitemap.xml", sampleSitemap)
	t.Run("ROB-SMP-15/ROB-SMP-16/ROB-SMP-17/text", func(t *testing.T) {
		got := run(t, "sitemap", "--check", file)
		want := file + `:4:13: invalid location, entry skipped: "/relative": not an absolute http, https or ftp URL; write an absolute URL of fewer than 2,048 characters [ROB-SMP-15]` + "\n" +
			file + `:5:49: invalid date of last change, ignored: "yesterday"; write a date such as 2024-11-23 or 2024-11-23T18:00:15+00:00, in RSS such as Sat, 23 Nov 2024 18:00:15 +0000 [ROB-SMP-16]` + "\n" +
			file + `:6:94: priority is not a number from 0 to 1, default used: "7"; write a number from 0.0 to 1.0 [ROB-SMP-17]` + "\n"
		clitest.WantEqual(t, "the result", clitest.Result{Code: cli.ExitFindings, Out: want}, got)
	})
	t.Run("json", func(t *testing.T) {
		first, _, _ := strings.Cut(run(t, "sitemap", "--check", file, "--format", "json").Out, "\n")
		want := `{"sitemap":"` + file + `","line":4,"column":13,"kind":"invalid location, entry skipped","text":"/relative","error":"not an absolute http, https or ftp URL","fix":"write an absolute URL of fewer than 2,048 characters","id":"ROB-SMP-15"}`
		if first != want {
			t.Errorf("got  %s\nwant %s", first, want)
		}
	})
	t.Run("csv", func(t *testing.T) {
		got := run(t, "sitemap", "--check", file, "--format", "csv")
		rows, err := csv.NewReader(strings.NewReader(got.Out)).ReadAll()
		if err != nil || len(rows) != 4 || strings.Join(rows[0], " ") != "sitemap line column kind text error fix id" || rows[3][1] != "6" {
			t.Errorf("%v, %q", err, rows)
		}
	})
	t.Run("nothing wrong", func(t *testing.T) {
		if got := runWith(t, sampleIndex, "sitemap", "--check", "-"); got != (clitest.Result{}) {
			t.Errorf("got %+v", got)
		}
		if got := runWith(t, sampleIndex, "sitemap", "--check", "-", "--format", "csv"); got != (clitest.Result{Out: "sitemap,line,column,kind,text,error,fix,id\n"}) {
			t.Errorf("got %+v", got)
		}
	})
	for name, tt := range map[string]struct{ body, id string }{
		"a page":       {"<html><title>x</title></html>", "ROB-SMP-11"},
		"cut":          {sampleIndex[:100], "ROB-SMP-22"},
		"DTD":          {"<!DOCTYPE urlset [<!ENTITY x 'y'>]>" + sampleIndex, "ROB-SMP-13"},
		"no location":  {`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url/></urlset>`, "ROB-SMP-15"},
		"odd element":  {`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><page/><url><loc>https://example.com/</loc></url></urlset>`, "ROB-SMP-14"},
		"nothing":      {`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>`, "ROB-SMP-26"},
		"no namespace": {"<urlset><url><loc>https://example.com/</loc></url></urlset>", "ROB-SMP-26"},
		"ampersand":    {`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url a="&b"><loc>https://example.com/</loc></url></urlset>`, "ROB-SMP-26"},
		"more after":   {sampleIndex + "x", "ROB-SMP-26"},
		"markup":       {`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://example.com/<b>1</b></loc></url></urlset>`, "ROB-SMP-27"},
		"50,001 lines": {strings.Repeat("https://example.com/\n", 50_001), "ROB-SMP-12"},
	} {
		t.Run(tt.id+"/"+name, func(t *testing.T) {
			got := runWith(t, tt.body, "sitemap", "--check", "-")
			if got.Code != cli.ExitFindings || got.Stderr != "" || !strings.Contains(got.Out, "["+tt.id+"]\n") || strings.Count(got.Out, "\n") != 1 {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestSitemapStatsFile(t *testing.T) {
	file := clitest.WriteFile(t, "sitemap.xml", sampleSitemap)
	size := len(sampleSitemap)
	got := run(t, "sitemap", "--stats", file)
	want := fmt.Sprintf(`  files     1 read (urlset: 1)
  entries   3
  lastmod   2023-01-02 to 2024-11-23, on 2 entries
  findings  3 (invalid date of last change, ignored: 1, invalid location, entry skipped: 1, priority is not a number from 0 to 1, default used: 1)
  bytes     %d received, %d decompressed
`, size, size)
	clitest.WantEqual(t, "the result", clitest.Result{Out: want}, got)
	var totals sitemapTotals
	got = run(t, "sitemap", "--stats", file, "--format", "json")
	clitest.OK(t, json.Unmarshal([]byte(got.Out), &totals))
	wantTotals := sitemapTotals{
		Files: 1, Formats: totals.Formats, Entries: 3, Dated: 2, Findings: totals.Findings, Received: int64(size), Bytes: int64(size),
		Oldest: time.Date(2023, 1, 2, 2, 4, 5, 0, time.UTC), Newest: time.Date(2024, 11, 23, 0, 0, 0, 0, time.UTC),
	}
	if diff := cmp.Diff(wantTotals, totals); diff != "" || totals.Formats["urlset"] != 1 || len(totals.Findings) != 3 {
		t.Errorf("%+v (-want +got):\n%s", totals, diff)
	}
	both := run(t, "sitemap", "--stats", "--check", file)
	if both.Code != cli.ExitFindings || strings.Count(both.Out, "\n") != 8 || !strings.HasSuffix(both.Out, want) {
		t.Errorf("got %+v", both)
	}
	if none := runWith(t, sampleIndex, "sitemap", "-", "--stats"); !strings.Contains(none.Out, "lastmod   none\n") {
		t.Errorf("got %+v", none)
	}
}

// Without --check, the command reads what a strict parser rejects, and says nothing.
func TestSitemapReadsLeniently(t *testing.T) {
	got := runWith(t, "\n<?xml version='1.0'?><urlset><url a=b><loc>https://example.com/</loc></url></urlset>", "sitemap", "-")
	if want := (clitest.Result{Out: "https://example.com/\n"}); got != want {
		t.Errorf("got %+v", got)
	}
}

// fullDisk takes no more after some bytes.
type fullDisk struct{ left int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

// A listing that cannot be written ends there, and says so once.
func TestSitemapFullDisk(t *testing.T) {
	for _, format := range []string{"text", "json", "csv"} {
		for entries, room := range map[int]int{10_000: 10_000, 2: 0} {
			list := strings.NewReader(strings.Repeat("https://example.com/\n", entries))
			var stderr strings.Builder
			p := &cli.Streams{In: list, Out: &fullDisk{room}, Err: &stderr}
			code := p.Run(t.Context(), program(p), []string{"sitemap", "-", "--format", format})
			if want := "politecrawl: cannot write the results: no space left\n"; code != cli.ExitFailed || stderr.String() != want {
				t.Errorf("%s: exit code %d, %q", format, code, stderr.String())
			}
			if entries > 2 && list.Len() == 0 {
				t.Errorf("%s: all was read although nothing could be written", format)
			}
		}
	}
}

func TestSitemapMisuse(t *testing.T) {
	program.WantMisuse(t, []string{"sitemap"}, []clitest.Misuse{
		{"nothing", nil, []string{"give one URL, file name or -"}},
		{"two", []string{"a", "b"}, []string{"give one URL", `"b"`}},
		{"missing file", []string{"absent.xml", "--format", "csv", "--check"}, []string{"absent.xml", "no such file"}},
		{"directory", []string{"."}, []string{"is a directory", "name a file"}},
		{"unsupported scheme", []string{"gopher://h/"}, []string{`"gopher"`, "http or https"}},
		{"no host", []string{"https:///"}, []string{"no host"}},
		{"no URL", []string{"https://h/%zz"}, []string{"not a URL"}},
		{"bad timeout", []string{"http://h", "--timeout", "-1s"}, []string{"--timeout", "-1s"}},
		{"bad delay", []string{"http://h", "--delay", "-1s"}, []string{"--delay", "-1s"}},
		{"bad number", []string{"http://h", "--max-files", "0"}, []string{"--max-files", "0"}},
		{"bad format", []string{"http://h", "--format", "xml"}, []string{"--format", `"xml" is not one of text, json, csv`}},
		{"bad policy", []string{"http://h", "--policy", "all"}, []string{"--policy", `"all" is not one of listed, directory, any`}},
		{"bad user agent", []string{"http://h", "--user-agent", "1.0"}, []string{"--user-agent"}},
		{"a table of totals", []string{"-", "--stats", "--format", "csv"}, []string{"--stats", "text or json"}},
	})
}

// The reason that is given for skipped entries is that of one of them, whatever else is wrong in this file or others.
func TestReasonOfSkippedEntries(t *testing.T) {
	in := "<urlset><url><loc>https://example.com/1</loc><lastmod>x</lastmod></url>\n<url><loc>/2</loc></url></urlset>"
	got := runWith(t, in, "sitemap", "-")
	if !strings.HasPrefix(got.Stderr, "standard input: 1 entry skipped, the first: line 2: invalid location") {
		t.Errorf("%+v", got)
	}
	s := newSitemapSite(t, map[string]string{
		"/robots.txt": "Sitemap: {own}/1.xml\nSitemap: {own}/2.xml\n", "/1.xml": strings.ReplaceAll(in, "https://example.com", "{own}"),
		"/2.xml": "<urlset><url><loc>{own}/3</loc></url>\n\n<url></url></urlset>",
	})
	if got := s.list(t, "/"); !strings.Contains(got.Stderr, "/2.xml: 1 entry skipped, the first: line 3: missing location") {
		t.Errorf("%+v", got)
	}
}

// A command that was asked for URLs and prints none says why, and fails.
func TestNoURL(t *testing.T) {
	const ns = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
	for name, tt := range map[string]struct{ in, why string }{
		"a urlset in a urlset":    {"<urlset" + ns + ">\n<urlset><url><loc>https://example.com/1</loc></url></urlset></urlset>", `it lists no URL: line 2: unknown element at this place, skipped: "urlset"`},
		"an index in a urlset":    {"<urlset" + ns + "><sitemap><loc>https://example.com/1</loc></sitemap></urlset>", `it lists no URL: line 1: unknown element at this place, skipped: "sitemap"`},
		"an unknown root":         {"<pages><url><loc>https://example.com/1</loc></url></pages>", `neither sitemap XML, a feed, nor a list of URLs: "pages"`},
		"an empty urlset":         {"<urlset" + ns + "></urlset>", "it lists no URL: line 1: the file lists nothing that could be read"},
		"invalid locations":       {"<urlset" + ns + "><url><loc>/1</loc></url></urlset>", "it lists no URL: line 1: invalid location, entry skipped"},
		"markup in the locations": {"<urlset" + ns + "><url><loc>https://example.com/<b>1</b></loc></url></urlset>", "it lists no URL: line 1: an element inside a URL"},
	} {
		t.Run("ROB-SMP-28/"+name, func(t *testing.T) {
			for _, format := range []string{"text", "json", "csv"} {
				got := runWith(t, tt.in, "sitemap", "-", "--format", format)
				if got.Code != cli.ExitFindings || strings.Contains(got.Out, "example.com") || !strings.HasPrefix(got.Stderr, "politecrawl: sitemap: standard input: ") || !strings.Contains(got.Stderr, tt.why) {
					t.Errorf("%s: %+v", format, got)
				}
			}
		})
	}
	t.Run("ROB-SMP-28/of a site", func(t *testing.T) {
		const foreign = "http://127.0.0.9:1"
		s := newSitemapSite(t, map[string]string{
			"/robots.txt":  "Sitemap: {own}/foreign.xml\nSitemap: {own}/index.xml\nSitemap: {own}/self.xml\n",
			"/foreign.xml": sitemapOf(foreign + "/1"), "/index.xml": indexOf(foreign + "/2.xml"), "/self.xml": indexOf("{own}/self.xml"),
		})
		const refused = foreign + "/robots.txt is unreachable: dial tcp 127.0.0.9:1: connect: connection refused\n"
		for path, want := range map[string]string{
			"/foreign.xml": "politecrawl: sitemap: /foreign.xml: no entry of the sitemap counts: line 2: the sitemap is not authorized to list this URL, entry skipped: \"" + foreign + "/1\": " + refused,
			"/index.xml":   "politecrawl: sitemap: " + foreign + "/2.xml: the index is not authorized to list this sitemap, it is skipped: " + refused,
			"/self.xml":    "politecrawl: sitemap: /self.xml: it lists no URL: line 2: the index lists itself or an index that lists it: \"/self.xml\"\n",
		} {
			got := s.list(t, path)
			if got.Code != cli.ExitFindings || got.Out != "" || got.Stderr != want {
				t.Errorf("%s: %+v\nwant %s", path, got, want)
			}
		}
		if got := s.list(t, "/"); got.Code != cli.ExitFindings || got.Out != "" || strings.Count(got.Stderr, "politecrawl: ") != 2 {
			t.Errorf("%+v", got)
		}
	})
}
