package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawl"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// chainSite has pages 0 to n-1, each with a link to the next.
func chainSite(t *testing.T, n int) (url string) {
	t.Helper()
	s := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &i); err != nil || i >= n {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<a href="/%d">next</a>`, min(i+1, n-1))
	})
	return s.URL + "/0"
}

// A crawl that processes share, as a person has to do with it. A user with the permissions of SHARED.md
// can run every command.
func TestSharedCrawl(t *testing.T) {
	server := redistest.Start(t)
	redis := restricted(t, server)
	secret := os.Getenv(redisstore.PasswordVariable)
	t.Setenv(redisstore.PasswordVariable, "")
	url, dir := chainSite(t, 6), t.TempDir()
	w1, w2 := filepath.Join(dir, "w1"), filepath.Join(dir, "w2")
	at, shown := []string{"--frontier", redis}, strings.Replace(redis, "crawler@", "***@", 1)
	shared := func(args ...string) clitest.Result {
		return run(t, append(append([]string{"crawl"}, args...), at...)...)
	}

	shared("status", "news").WantRefusal(t, cli.ExitFailed, "redis rejects the login", redisstore.PasswordVariable, "--frontier-password-file")
	t.Setenv(redisstore.PasswordVariable, secret)
	shared("status", "news").WantRefusal(t, cli.ExitMisuse, `no crawl "news"`)
	shared("--crawl-name", "news").WantRefusal(t, cli.ExitMisuse, `no crawl "news"`, "give start URLs")
	run(t, "crawl", url, "--frontier", "redis://:"+secret+"@127.0.0.1").WantRefusal(t, cli.ExitMisuse, "process list", redisstore.PasswordVariable)
	run(t, "crawl", "stop", "news").WantRefusal(t, cli.ExitMisuse, "--frontier")
	run(t, "crawl", url, "--crawl-name", "news").WantRefusal(t, cli.ExitMisuse, "--crawl-name", "--frontier")

	got := shared(url, "--crawl-name", "news", "--worker-name", "one", "--output", w1, "--delay", "0s", "--max-pages", "4", "--quiet", "--format", "json")
	if got.Code != cli.ExitDone || !strings.Contains(got.Out, `"pages":4`) || !strings.Contains(got.Out, `"worker":"one"`) {
		t.Fatalf("the first: %+v", got)
	}
	shared("--crawl-name", "news", "--output", w2, "--delay", "3s").WantRefusal(t, cli.ExitMisuse, "another delay", "news")
	got = shared("--crawl-name", "news", "--worker-name", "two", "--output", w2)
	if got.Code != cli.ExitDone || !strings.Contains(got.Out, "stopped at --max-pages") || !strings.Contains(got.Out, "4 pages by 2 workers; this is worker two of news") ||
		!strings.Contains(got.Stderr, `as a worker of the crawl "news" on `+shown) {
		t.Errorf("the second: %+v", got)
	}
	if got := shared(url, "--output", filepath.Join(dir, "d1"), "--max-pages", "1", "--allow-addr", "127.0.0.0/8"); got.Code != cli.ExitDone {
		t.Errorf("without a name: %+v", got)
	}
	shared("http://127.0.0.1:1/", "--output", filepath.Join(dir, "d2")).WantRefusal(t, cli.ExitMisuse, "other start URLs", "--crawl-name")
	run(t, "frontier", "stats", w1).WantRefusal(t, cli.ExitMisuse, "politecrawl crawl status news --frontier "+shown)

	got = run(t, "crawl", "--resume", w2, "--max-pages", "0")
	if got.Code != cli.ExitDone || !strings.Contains(got.Out, "finished") || !strings.Contains(got.Out, "6 pages by 2 workers") {
		t.Errorf("going on: %+v", got)
	}
	got = shared("status", "news", "--format", "json")
	st := clitest.JSON[crawl.PrintedCrawl](t, got.Out)
	if !st.Finished || st.Pages != 6 || st.Done != 6 || len(st.Workers) != 2 || st.Workers[0].Name != "one" || st.Workers[1].Pages != 2 ||
		st.Workers[0].Dir != w1 || st.Workers[1].Dir != w2 || st.Workers[1].Machine == "" {
		t.Errorf("%+v", got)
	}
	if got := shared("status", "news"); !strings.HasPrefix(got.Out, "news: finished, 6 pages fetched, 6 URLs known on 1 host, 0 in flight\n  one ") || !strings.Contains(got.Out, "; "+w2+" on "+st.Workers[1].Machine+"\n") {
		t.Errorf("%+v", got)
	}
	got = run(t, "report", w1, w2, "--output", filepath.Join(dir, "all"))
	if got.Code != cli.ExitDone || !strings.HasPrefix(got.Out, "finished: 6 pages, 0 URLs skipped, 1 origin found\n  workers     2, read") || strings.Contains(got.Out, "note") {
		t.Errorf("the report: %+v", got)
	}
	done(t, "crawl", "--recrawl", w1)
	if got := shared("stop", "news"); got.Code != cli.ExitDone || got.Out != "no worker of news is running\n" {
		t.Errorf("%+v", got)
	}
	if got := shared("delete", "news"); got.Code != cli.ExitDone || got.Out != "deleted news\n" {
		t.Errorf("%+v", got)
	}
	shared("delete", "news").WantRefusal(t, cli.ExitMisuse, `no crawl "news"`)
	shared("delete", "default")
	if answer := server.Do(t, "DBSIZE"); answer != ":0" {
		t.Errorf("after delete the server has %s keys", answer)
	}
	got = run(t, "crawl", "--resume", w1)
	got.WantRefusal(t, cli.ExitFailed, "no such crawl")

	wantNowhere(t, dir, secret)
}

// A process that allows other addresses than the crawl is refused before it fetches or writes
// anything, whatever way it is told what to allow.
func TestJoiningWithOtherAddressesIsRefused(t *testing.T) {
	at := []string{"--frontier", redistest.Start(t).URL(), "--crawl-name", "news"}
	url, dir := chainSite(t, 2), t.TempDir()
	join := func(args ...string) clitest.Result {
		return run(t, append(append([]string{"crawl"}, args...), at...)...)
	}
	w1, w2 := filepath.Join(dir, "w1"), filepath.Join(dir, "w2")
	done(t, append([]string{"crawl", url, "--output", w1, "--delay", "0s"}, at...)...)
	const want = `the crawl "news" allows connections to 127.0.0.0/8; join or resume it with --allow-addr 127.0.0.0/8`
	join("--output", w2, "--allow-addr", "10.0.0.0/8").WantRefusal(t, cli.ExitMisuse, want)
	join("--output", w2, "--allow-addr", "").WantRefusal(t, cli.ExitMisuse, want)
	if _, err := os.Stat(w2); !os.IsNotExist(err) {
		t.Errorf("%s: %v, want nothing written", w2, err)
	}
	done(t, append([]string{"crawl", "--output", w2, "--allow-addr", "127.0.0.0/8"}, at...)...)

	// The addresses can be changed with --resume, for all.
	done(t, "crawl", "--resume", w1, "--allow-addr", "127.0.0.0/8,10.0.0.0/8")
	run(t, "crawl", "--resume", w2, "--allow-addr", "127.0.0.0/8").
		WantRefusal(t, cli.ExitMisuse, "join or resume it with --allow-addr 10.0.0.0/8,127.0.0.0/8")
	done(t, "crawl", "--resume", w2, "--allow-addr", "127.0.0.0/8,10.0.0.0/8")
}

// A Redis that cannot be used is said to be so, with what to do.
func TestRedisIsUnavailable(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	run(t, "crawl", "http://127.0.0.1:1/", "--output", out, "--frontier", "redis://127.0.0.1:1").WantRefusal(t, cli.ExitFailed, "redis is not available", "check that the server runs")
	run(t, "crawl", "http://127.0.0.1:1/", "--output", out, "--frontier", "http://127.0.0.1:1").WantRefusal(t, cli.ExitMisuse, "frontier", "redis://host:port")

	server := redistest.Start(t)
	server.Do(t, "CONFIG", "SET", "maxmemory", "1")
	got := run(t, "crawl", "http://127.0.0.1:1/", "--output", out, "--frontier", server.URL())
	got.WantRefusal(t, cli.ExitFailed, "redis is full", "maxmemory")
}

// restricted returns the address of a server, and of a user of it who may do what the
// line in SHARED.md says and no more. The password is in the environment.
func restricted(t *testing.T, server *redistest.Server) (url string) {
	t.Helper()
	const secret = "hunter2-in-no-output"
	text := clitest.Must(os.ReadFile(filepath.Join("..", "..", "..", "crawler", "SHARED.md")))(t)
	line := regexp.MustCompile(`ACL SETUSER crawler(?:\\\n|[^\n])*`).FindString(string(text))
	line = strings.ReplaceAll(strings.ReplaceAll(line, "\\\n", ""), ">PASSWORD", ">"+secret)
	if answer := server.Do(t, strings.Fields(line)...); answer != "+OK" {
		t.Fatalf("%q: %s", line, answer)
	}
	t.Setenv(redisstore.PasswordVariable, secret)
	return strings.Replace(server.URL(), "://", "://crawler@", 1)
}

// What a user may not do is told from a password that is wrong or missing, each with
// what to do about it.
func TestRedisRefuses(t *testing.T) {
	server := redistest.Start(t)
	url := restricted(t, server)
	status := func(args ...string) clitest.Result {
		return run(t, append([]string{"crawl", "status", "news", "--frontier", url}, args...)...)
	}
	permission := []string{"the password is correct", "ACL SETUSER", "SHARED.md"}
	for _, test := range []struct {
		name  string
		acl   []string // for SETUSER
		args  []string
		words []string
	}{
		{"a command of scripts", []string{"-llen"}, nil, append(permission, "+llen")},
		{"two commands of scripts", []string{"-llen", "-hget"}, nil, append(permission, "+hget +llen")},
		{"a command of the program", []string{"-eval"}, nil, append(permission, "eval")},
		{"a prefix", nil, []string{"--frontier-prefix", "other"}, append(permission, "--frontier-prefix")},
		{"a channel", []string{"resetchannels"}, nil, append(permission, "&politecrawl:*")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.acl != nil {
				server.Do(t, append([]string{"ACL", "SETUSER", "crawler"}, test.acl...)...)
			}
			got := status(test.args...)
			got.WantRefusal(t, cli.ExitFailed, test.words...)
			if strings.Contains(got.Stderr, redisstore.PasswordVariable) {
				t.Errorf("the password is blamed: %s", got.Stderr)
			}
			restricted(t, server)
		})
	}
	t.Run("a database", func(t *testing.T) {
		got := run(t, "crawl", "status", "news", "--frontier", url+"/2")
		got.WantRefusal(t, cli.ExitFailed, append(permission, "select")...)
		server.Do(t, "ACL", "SETUSER", "crawler", "+select")
		run(t, "crawl", "status", "news", "--frontier", url+"/2").WantRefusal(t, cli.ExitMisuse, "no crawl")
	})
	for name, password := range map[string]string{"wrong": "wrong", "missing": ""} {
		t.Run(name+" password", func(t *testing.T) {
			t.Setenv(redisstore.PasswordVariable, password)
			got := status()
			got.WantRefusal(t, cli.ExitFailed, redisstore.PasswordVariable, "--frontier-password-file", "user")
			if strings.Contains(got.Stderr, "ACL") || strings.Contains(got.Stderr, "is right") {
				t.Errorf("permissions are blamed: %s", got.Stderr)
			}
		})
	}
}
