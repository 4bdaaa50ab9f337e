package e2e

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/textproto"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/archive"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// TestArchive: --archive adds to --also-write and --check, requests what pages need by GET, and is kept in a resumed
// crawl and a recrawl. The report lists what is disallowed.
func TestArchive(t *testing.T) {
	var mu sync.Mutex
	var requests []string
	files := map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /no\n", "/": `<!doctype html><img src=/1.png><img src=/no.png><a href=/two>2</a><a href="/two#gone">x</a>`, "/two": `<!doctype html><img src=/1.png><img src=/2.png>`,
	}
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		requests = append(requests, r.Method+" "+r.URL.Path)
		_, _ = fmt.Fprint(w, files[r.URL.Path])
	})
	wantRequests := func(want ...string) {
		t.Helper()
		slices.Sort(requests)
		clitest.WantEqual(t, "requests", want, slices.DeleteFunc(requests, func(line string) bool { return strings.HasSuffix(line, "/robots.txt") }))
		requests = nil
	}
	dir := filepath.Join(t.TempDir(), "out")
	done(t, "crawl", site.URL, "--output", dir, "--delay", "0s", "--quiet", "--max-pages", "1", "--concurrency", "1", "--archive", "--also-write", "csv", "--check", "fragments")
	done(t, "crawl", "--resume", dir, "--quiet", "--max-pages", "0")
	wantRequests("GET /", "GET /1.png", "GET /2.png", "GET /two")
	for _, name := range []string{"pages.csv", "anchors.jsonl", "crawl-*.warc.gz"} {
		if found, err := filepath.Glob(filepath.Join(dir, name)); err != nil || len(found) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
	made := clitest.JSON[report.Report](t, readText(t, filepath.Join(dir, report.JSONFile)))
	i := slices.IndexFunc(made.Findings, func(f report.Findings) bool { return f.ID == "unverified" })
	if i < 0 || made.Findings[i].Total != 1 || made.Findings[i].Rows[0].URL != site.URL+"/no.png" {
		t.Errorf("findings %+v", made.Findings)
	}
	for line := range strings.Lines(readText(t, filepath.Join(dir, "checks.jsonl"))) {
		c := clitest.JSON[output.Check](t, line)
		if disallowed := c.URL == site.URL+"/no.png"; disallowed != (c.Detail == "Disallow: /no, line 2 of "+site.URL+"/robots.txt") {
			t.Errorf("%+v", c)
		}
	}
	done(t, "crawl", "--recrawl", dir, "--quiet")
	wantRequests("GET /", "GET /1.png", "GET /2.png", "GET /two")
}

// A numberedSite numbers its responses in the field X-Number, and records the URL of each. Its pages are /0, /1 and so
// on. Each has a link to the next one and to another page, and files: one of its own, one that several pages share, one
// with the payload of others, one that redirects and one that is missing. The first one has links to itself with a query
// and to a page that must not be archived.
type numberedSite struct {
	url string

	mu    sync.Mutex        // guards all below
	urls  []string          // by number
	pages int               // of the site
	etags map[string]string // by path; a request with this If-None-Match gets 304
	edits map[string]string // further text of a page
}

func newNumberedSite(t *testing.T, pages int) *numberedSite {
	t.Helper()
	s := &numberedSite{pages: pages, etags: make(map[string]string), edits: make(map[string]string)}
	s.url = clitest.Server(t, s.serve).URL
	return s
}

func (s *numberedSite) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	w.Header().Set("X-Number", strconv.Itoa(len(s.urls)))
	s.urls = append(s.urls, s.url+r.RequestURI)
	pages, etag, edit := s.pages, s.etags[r.URL.Path], s.edits[r.URL.Path]
	s.mu.Unlock()
	if etag != "" {
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	n, err := strconv.Atoi(path.Base(r.URL.Path))
	noise := func(n, size int) []byte {
		seed := [32]byte{byte(n), byte(n >> 8)}
		b := make([]byte, size)
		_, _ = rand.NewChaCha8(seed).Read(b) // never fails
		return b
	}
	switch dir := path.Dir(r.URL.Path); {
	case r.URL.Path == "/secret":
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<meta name=robots content=noindex><title>Secret</title>`)
	case err != nil || n >= pages || dir == "/missing":
		http.NotFound(w, r)
	case dir == "/moved":
		http.Redirect(w, r, fmt.Sprint("/own/", n), http.StatusFound)
	case dir == "/own": // some are larger than what is kept in memory
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(noise(n, 1000+n%10*10_000))
	case dir == "/same":
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(noise(0, 2000))
	case dir == "/":
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><title>Page %d</title><img src=/own/%[1]d><img src=/own/%[2]d><img src=/same/%[1]d><img src=/moved/%[1]d><img src=/missing/%[1]d>%[3]x%[4]s`,
			n, n/10*10, noise(n, 2000), edit)
		if n == 0 {
			_, _ = io.WriteString(w, `<a href="/0?q={a|b}">query</a> <a href="/secret">secret</a>`)
		}
		if n+1 < pages {
			_, _ = fmt.Fprintf(w, `<a href="/%d">next</a> <a href="/%d">more</a>`, n+1, min(n+7, pages-1))
		}
	default:
		http.NotFound(w, r)
	}
}

// requests returns the URLs of all requests.
func (s *numberedSite) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.urls)
}

// wantResponses checks that the site sent each response in the records, that none is there twice, and that each URL has one
// record; robots.txt, which resumed crawls and workers request again, has one or more.
func (s *numberedSite) wantResponses(t *testing.T, records []warcRecord) {
	t.Helper()
	requests, numbers, urls, ids, exchanges := s.requests(), make(map[int]bool), make(map[string]int), make(map[string]bool), 0
	for _, r := range records {
		if id := r.Get("WARC-Record-ID"); ids[id] {
			t.Errorf("two records have the ID %s", id)
		} else {
			ids[id] = true
		}
		if r.Get("WARC-Type") == "request" {
			exchanges++
		}
		if !r.isResponse() {
			continue
		}
		n, url := r.number(t), r.Get("WARC-Target-URI")
		urls[url]++
		if numbers[n] || n >= len(requests) || requests[n] != url {
			t.Errorf("response %d, of %s, is there twice, or the site did not send it", n, url)
		}
		numbers[n] = true
	}
	if exchanges != len(numbers) {
		t.Errorf("%d records of requests, %d of responses", exchanges, len(numbers))
	}
	for _, url := range requests {
		if n := urls[url]; n == 0 || n > 1 && url != s.url+"/robots.txt" {
			t.Errorf("%s has %d records", url, n)
			for _, r := range records {
				if r.Get("WARC-Target-URI") == url {
					t.Logf("%v %.600s", r.MIMEHeader, r.block)
				}
			}
			urls[url] = 1
		}
	}
	t.Logf("%d requests for %d URLs, %d responses have records", len(requests), len(urls), len(numbers))
}

// A warcRecord is a record of a WARC file.
type warcRecord struct {
	textproto.MIMEHeader
	file  string
	block []byte
}

// readRecords reads the records of the WARC files in directories. It leaves what is wrong with them to "archive check".
func readRecords(t *testing.T, dirs ...string) (records []warcRecord) {
	t.Helper()
	for _, name := range warcFiles(t, dirs...) {
		in := textproto.NewReader(bufio.NewReader(strings.NewReader(unzipped(t, name))))
		for {
			if _, err := in.ReadLine(); errors.Is(err, io.EOF) {
				break
			}
			r := warcRecord{MIMEHeader: clitest.Must(in.ReadMIMEHeader())(t), file: name}
			r.block = make([]byte, clitest.Must(strconv.Atoi(r.Get("Content-Length")))(t)+len("\r\n\r\n"))
			clitest.Must(io.ReadFull(in.R, r.block))(t)
			records = append(records, r)
		}
	}
	return records
}

// isResponse reports whether the record has a response, or refers to an equal one.
func (r *warcRecord) isResponse() bool {
	kind := r.Get("WARC-Type")
	return kind == "response" || kind == "revisit"
}

// isNotModified reports whether the record has a response with status 304.
func (r *warcRecord) isNotModified() bool { return bytes.HasPrefix(r.block, []byte("HTTP/1.1 304 ")) }

// number returns the number of the response of a [numberedSite].
func (r *warcRecord) number(t *testing.T) int {
	t.Helper()
	resp := clitest.Must(http.ReadResponse(bufio.NewReader(bytes.NewReader(r.block)), nil))(t)
	_ = resp.Body.Close() // a revisit has none
	return clitest.Must(strconv.Atoi(resp.Header.Get("X-Number")))(t)
}

// warcFiles returns the paths of the WARC files in directories.
func warcFiles(t *testing.T, dirs ...string) (names []string) {
	t.Helper()
	for _, dir := range dirs {
		names = append(names, clitest.Must(filepath.Glob(filepath.Join(dir, "*.warc.gz")))(t)...)
	}
	return names
}

// wantSound checks that "archive check" finds no problem in the WARC files of directories, and in one WACZ of all of them,
// and that the WACZ has all files, all responses but those with status 304, and these pages so many times.
func wantSound(t *testing.T, records []warcRecord, want map[string]int, dirs ...string) {
	t.Helper()
	packed, files, responses, listed := filepath.Join(t.TempDir(), "all.wacz"), warcFiles(t, dirs...), 0, 0
	for _, r := range records {
		if r.isResponse() && !r.isNotModified() {
			responses++
		}
	}
	for _, times := range want {
		listed += times
	}
	got := done(t, slices.Concat([]string{"archive", "wacz", "--text", "--output", packed, "--format", "json"}, dirs)...)
	clitest.WantEqual(t, "WACZ", archive.Packed{File: packed, Files: len(files), Records: responses, Pages: listed}, clitest.JSON[archive.Packed](t, got.Out))
	got = run(t, slices.Concat([]string{"archive", "check", packed}, files)...)
	if got.Code != 0 || !strings.HasSuffix(got.Stderr, fmt.Sprintf(" in %d files, 0 problems\n", len(files)+1)) {
		t.Errorf("%+v", got)
	}
	z := clitest.Must(zip.OpenReader(packed))(t)
	defer func() { _ = z.Close() }()
	text := string(clitest.Must(io.ReadAll(clitest.Must(z.Open("pages/pages.jsonl"))(t)))(t))
	pages := make(map[string]int)
	for _, p := range clitest.JSONLines[struct{ URL, Title, Text string }](t, text)[1:] {
		number, _, _ := strings.Cut(path.Base(p.URL), "?")
		if pages[p.URL]++; p.Title != "Page "+number || !strings.HasPrefix(p.Text, p.Title+"\n") {
			t.Errorf("%+v", p)
		}
	}
	clitest.WantEqual(t, "pages", want, pages)
}

// eachPage has each page of the site so many times.
func (s *numberedSite) eachPage(times int) map[string]int {
	pages := map[string]int{s.url + "/0?q={a|b}": times}
	for n := range s.pages {
		pages[fmt.Sprint(s.url, "/", n)] = times
	}
	return pages
}

// A crawl with --archive is killed again and again, while it starts too. In the end no record is torn or there twice, each
// request has one, and the indexes have the records of the files.
func TestArchiveAfterKills(t *testing.T) {
	t.Parallel()
	kills := 63
	if testing.Short() {
		kills = 5
	}
	site, dir := newNumberedSite(t, 1_000_000), filepath.Join(t.TempDir(), "crawl")
	args := []string{"crawl", site.url + "/0", "--output", dir, "--continue", "--archive", "--warc-size", "1", "--delay", "0s", "--per-host", "4", "--trap-pages", "0", "--quiet"}
	for i := range kills {
		cmd := program.Process(t, args...)
		var said clitest.Buffer
		cmd.Stderr = &said
		clitest.OK(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		more := len(site.requests()) + rand.IntN(60)
		for i%8 != 7 && len(site.requests()) < more && len(ended) == 0 {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		clitest.OK(t, cmd.Process.Kill())
		if exit, ok := errors.AsType[*exec.ExitError](<-ended); !ok || exit.ExitCode() >= 0 {
			t.Fatalf("kill %d: the crawl ended before: %v, %s", i, exit, said.String())
		}
	}
	site.mu.Lock()
	site.pages = 0
	for _, url := range site.urls {
		n, _ := strconv.Atoi(path.Base(url))
		site.pages = max(site.pages, n+8) // the links that the crawl may have
	}
	site.mu.Unlock()
	done(t, args...)
	records := readRecords(t, dir)
	site.wantResponses(t, records)
	wantSound(t, records, site.eachPage(1), dir)
	if files := warcFiles(t, dir); len(files) < 2 {
		t.Errorf("files %q", files)
	}
}

// Three workers of a shared crawl write files with different names. One WACZ has the records of all.
func TestArchiveOfWorkers(t *testing.T) {
	t.Parallel()
	const workers = 3
	redis, site, dir := redistest.Start(t).URL(), newNumberedSite(t, 60), t.TempDir()
	var dirs []string
	var all sync.WaitGroup
	ended := make(chan struct{}, workers)
	for i := range workers {
		dirs = append(dirs, filepath.Join(dir, fmt.Sprint(i)))
		cmd := program.Process(t, "crawl", site.url+"/0", "--output", dirs[i], "--frontier", redis, "--crawl-name", "news", "--worker-name", fmt.Sprint("w", i),
			"--archive", "--delay", "0s", "--per-host", "4", "--concurrency", "2", "--trap-pages", "0", "--quiet")
		all.Go(func() {
			defer func() { ended <- struct{}{} }() // if it fails
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("worker %d: %v: %s", i, err, out)
			}
		})
		if i == 0 { // it makes the crawl
			for len(site.requests()) == 0 && len(ended) == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}
	all.Wait()
	records := readRecords(t, dirs...)
	site.wantResponses(t, records)
	wantSound(t, records, site.eachPage(1), dirs...)
	for i := range dirs {
		for _, name := range warcFiles(t, dirs[i]) {
			if !strings.HasPrefix(filepath.Base(name), fmt.Sprintf("crawl-w%d-", i)) {
				t.Errorf("worker %d wrote %s", i, name)
			}
		}
	}
}

// A recrawl with one page of a hundred changed writes what has changed. Everything else refers to the records of the first crawl,
// whether the site sends it again, or says that a page has not changed. What a killed crawl left is removed.
func TestArchiveOfRecrawl(t *testing.T) {
	t.Parallel()
	pages := 100
	if testing.Short() {
		pages = 20
	}
	for _, flag := range []string{"--archive", "--also-write=warc"} { // a recrawl with --archive requests without conditions
		t.Run(flag, func(t *testing.T) {
			site, dir := newNumberedSite(t, pages), filepath.Join(t.TempDir(), "crawl")
			for n := range pages {
				site.etags[fmt.Sprint("/", n)] = `"1"`
			}
			done(t, "crawl", site.url+"/0", "--output", dir, flag, "--delay", "0s", "--per-host", "4", "--trap-pages", "0", "--quiet")
			first := readRecords(t, dir)
			site.wantResponses(t, first)
			earlier, old := make(map[string]*warcRecord), make(map[string]bool)
			for i := range first {
				earlier[first[i].Get("WARC-Record-ID")], old[first[i].file] = &first[i], true
			}
			names := warcFiles(t, dir)
			last := names[len(names)-1]
			text := readText(t, last) // a kill leaves a record that is not committed, and a part of another one
			clitest.OK(t, os.WriteFile(last, []byte(text+text[:len(text)/2]), 0o600))
			before, edited := len(site.requests()), fmt.Sprint("/", pages/2)
			site.mu.Lock()
			site.edits[edited], site.etags[edited] = "another text", `"2"`
			site.mu.Unlock()
			done(t, "crawl", "--recrawl", dir, "--quiet")
			records, sizes, responses, notModified := readRecords(t, dir), make(map[bool]int64), 0, 0
			for _, r := range records {
				if old[r.file] || !r.isResponse() {
					continue
				}
				responses++
				if r.isNotModified() {
					notModified++
				}
				url, of := r.Get("WARC-Target-URI"), earlier[r.Get("WARC-Refers-To")]
				switch isNew := url == site.url+edited; {
				case r.Get("WARC-Type") == "response":
					if !isNew && len(r.block) > 3000 { // small ones need no reference
						t.Errorf("%s is stored again", url)
					}
				case isNew, of == nil, of.Get("WARC-Type") != "response",
					r.Get("WARC-Refers-To-Target-URI") != of.Get("WARC-Target-URI"), r.Get("WARC-Refers-To-Date") != of.Get("WARC-Date"),
					r.Get("WARC-Payload-Digest") != of.Get("WARC-Payload-Digest"):
					t.Errorf("%s: %v refers to %+v", url, r.MIMEHeader, of)
				}
			}
			if again := len(site.requests()) - before; responses != again {
				t.Errorf("%d responses of the recrawl have records, the site sent %d", responses, again)
			}
			for _, name := range warcFiles(t, dir) {
				sizes[old[name]] += clitest.Must(os.Stat(name))(t).Size()
			}
			t.Logf("the first crawl has %d bytes, the recrawl %d; %d responses have status 304", sizes[true], sizes[false], notModified)
			want := site.eachPage(2)
			if flag == "--archive" {
				if sizes[false] > sizes[true]/8 { // most of it is the headers of 1,000 records
					t.Error("the recrawl has too many bytes")
				}
			} else {
				want = site.eachPage(1)
				want[site.url+edited]++
				if unchanged := len(want) - 1; notModified != unchanged {
					t.Errorf("%d pages have status 304, want %d", notModified, unchanged)
				}
			}
			wantSound(t, records, want, dir)
		})
	}
}
