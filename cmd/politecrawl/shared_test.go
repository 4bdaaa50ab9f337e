package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// chainSite has pages 0 to n-1, each with a link to the next.
func chainSite(t *testing.T, n int) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &i); err != nil || i >= n {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<a href="/%d">next</a>`, min(i+1, n-1))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/0"
}

// A crawl that processes share, as a person has to do with it.
func TestSharedCrawl(t *testing.T) {
	const secret = "hunter2-in-no-output"
	server := redistest.Start(t, "--requirepass", secret)
	url, dir := chainSite(t, 6), t.TempDir()
	w1, w2 := filepath.Join(dir, "w1"), filepath.Join(dir, "w2")
	at := []string{"--frontier", server.URL()}
	crawl := func(args ...string) ran {
		return run(t, append(append([]string{"crawl"}, args...), at...)...)
	}

	crawl("status", "news").wantRefusal(t, exitFailed, "redis refuses", redisstore.PasswordVariable, "--frontier-password-file")
	t.Setenv(redisstore.PasswordVariable, secret)
	crawl("status", "news").wantRefusal(t, exitMisuse, `there is no crawl "news"`)
	crawl("--join", "news").wantRefusal(t, exitMisuse, `no crawl "news"`, "give start URLs")
	run(t, "crawl", url, "--frontier", "redis://:"+secret+"@127.0.0.1").wantRefusal(t, exitMisuse, "list of processes", redisstore.PasswordVariable)
	run(t, "crawl", "stop", "news").wantRefusal(t, exitMisuse, "--frontier")
	run(t, "crawl", url, "--join", "news").wantRefusal(t, exitMisuse, "--join", "--frontier")

	got := crawl(url, "--join", "news", "--worker", "one", "--output", w1, "--delay", "0s", "--max-pages", "4", "--quiet", "--format", "json")
	if got.code != exitDone || !strings.Contains(got.out, `"pages":4`) || !strings.Contains(got.out, `"worker":"one"`) {
		t.Fatalf("the first: %+v", got)
	}
	crawl("--join", "news", "--output", w2, "--delay", "3s").wantRefusal(t, exitMisuse, "another delay", "news")
	got = crawl("--join", "news", "--worker", "two", "--output", w2)
	if got.code != exitDone || !strings.Contains(got.out, "ended at --max-pages") || !strings.Contains(got.out, "4 pages in all by 2 workers; this is two of news") ||
		!strings.Contains(got.stderr, `with all who have joined "news" on `+server.URL()) {
		t.Errorf("the second: %+v", got)
	}
	if got := crawl(url, "--output", filepath.Join(dir, "d1"), "--max-pages", "1", "--allow-addr", "127.0.0.0/8"); got.code != exitDone {
		t.Errorf("without a name: %+v", got)
	}
	crawl("http://127.0.0.1:1/", "--output", filepath.Join(dir, "d2")).wantRefusal(t, exitMisuse, "other start URLs", "--join")
	run(t, "frontier", "stats", w1).wantRefusal(t, exitMisuse, "politecrawl crawl status news --frontier "+server.URL())

	got = run(t, "crawl", "--resume", w2, "--max-pages", "0")
	if got.code != exitDone || !strings.Contains(got.out, "finished") || !strings.Contains(got.out, "6 pages in all by 2 workers") {
		t.Errorf("going on: %+v", got)
	}
	got = crawl("status", "news", "--format", "json")
	var st printedCrawl
	if err := json.Unmarshal([]byte(got.out), &st); err != nil || !st.Finished || st.Pages != 6 || st.Done != 6 || len(st.Workers) != 2 || st.Workers[0].Worker != "one" || st.Workers[1].Pages != 2 {
		t.Errorf("%v, %+v", err, got)
	}
	if got := crawl("status", "news"); !strings.HasPrefix(got.out, "news: finished, 6 pages of 6 URLs known on 1 host, 0 in flight\n  one ") {
		t.Errorf("%+v", got)
	}
	if got := crawl("stop", "news"); got.code != exitDone || got.out != "nobody is at work on news\n" {
		t.Errorf("%+v", got)
	}
	if got := crawl("delete", "news"); got.code != exitDone || got.out != "news is deleted\n" {
		t.Errorf("%+v", got)
	}
	crawl("delete", "news").wantRefusal(t, exitMisuse, `there is no crawl "news"`)
	got = run(t, "crawl", "--resume", w1)
	got.wantRefusal(t, exitFailed, "no such crawl")

	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.Contains(string(text), secret) {
			t.Errorf("%s has the password in it", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A Redis that cannot be used is said to be so, with what to do.
func TestRedisIsNotThere(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	run(t, "crawl", "http://127.0.0.1:1/", "--output", out, "--frontier", "redis://127.0.0.1:1").wantRefusal(t, exitFailed, "redis is not available", "is it running")
	run(t, "crawl", "http://127.0.0.1:1/", "--output", out, "--frontier", "http://127.0.0.1:1").wantRefusal(t, exitMisuse, "frontier", "redis://host:port")

	server := redistest.Start(t)
	server.Do(t, "CONFIG", "SET", "maxmemory", "1")
	got := run(t, "crawl", "http://127.0.0.1:1/", "--output", out, "--frontier", server.URL())
	got.wantRefusal(t, exitFailed, "redis is full", "maxmemory")
}
