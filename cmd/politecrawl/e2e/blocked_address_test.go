package e2e

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// untouched is a site that nobody may ask for anything.
func untouched(t *testing.T) *httptest.Server {
	return clitest.Server(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("requested %s %s", r.Method, r.URL) })
}

// noneAllowed is --allow-addr with an address that no test is about, which keeps run from
// allowing loopback.
const noneAllowed = "--" + flags.AllowAddr + "=192.0.2.1"

// TestBlockedStartURL: every command that asks a site for something asks none at an address
// that is not allowed, ends with exit code 3, and names the flag that would allow it.
func TestBlockedStartURL(t *testing.T) {
	s := untouched(t)
	out := filepath.Join(t.TempDir(), "crawl")
	for _, args := range [][]string{
		{"crawl", s.URL + "/", "--quiet", "--output", out, noneAllowed},
		{"plan", s.URL + "/", "--quiet", noneAllowed},
		{"robots", "check", s.URL + "/", noneAllowed},
		{"robots", "check", s.URL + "/", "--explain", noneAllowed},
		{"robots", "show", s.URL + "/", noneAllowed},
		{"robots", "lint", s.URL + "/", noneAllowed},
		{"robots", "agents", s.URL + "/", noneAllowed},
		{"robots", "diff", s.URL + "/", s.URL + "/", noneAllowed},
		{"permit", s.URL + "/", noneAllowed},
		{"sitemap", s.URL + "/", noneAllowed},
		{"sitemap", s.URL + "/s.xml", noneAllowed},
	} {
		got := run(t, args...)
		said, flag := got.Out+got.Stderr, " --allow-addr 127.0.0.0/8"
		if args[0] == "crawl" { // it goes on with what it is given in place of what it had
			flag = " --allow-addr 192.0.2.1,127.0.0.0/8"
		}
		if got.Code != cli.ExitFailed || !strings.Contains(said, "address 127.0.0.1 is not allowed (loopback)") ||
			strings.Contains(said, "next try") || strings.Contains(said, "ask again") || !strings.Contains(said, "if that is the site you mean, allow it ") || !strings.Contains(said, flag) {
			t.Errorf("%q: exit code %d\n%s\n%s", args, got.Code, got.Out, got.Stderr)
		}
	}
	if r := jsonLines[output.Rejection](t, filepath.Join(out, "rejected.jsonl")); len(r) != 1 || r[0].Reason != output.BlockedAddress || r[0].URL != s.URL+"/" {
		t.Errorf("rejected.jsonl: %+v", r)
	}
}

// A crawl that is resumed without another --allow-addr fails with the same message.
func TestBlockedAddressOnResume(t *testing.T) {
	s := untouched(t)
	for _, start := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)} {
		out := filepath.Join(t.TempDir(), "crawl")
		first := run(t, "crawl", start+"/", "--quiet", "--output", out, noneAllowed)
		again := run(t, "crawl", "--resume", out, "--quiet", noneAllowed)
		if first.Code != cli.ExitFailed || again.Code != cli.ExitFailed || again.Stderr != first.Stderr {
			t.Errorf("exit code %d\n%sand then %d\n%s", first.Code, first.Stderr, again.Code, again.Stderr)
		}
	}
}

// The message names or counts all blocked start URLs. One flag allows them all, with the
// addresses that are already allowed; also if other start URLs are crawled.
func TestSeveralBlockedStartURLs(t *testing.T) {
	s := newTestSite(t, map[string]string{"/": "home"})
	for site, want := range map[string]struct {
		code  int
		allow string
	}{s.url: {cli.ExitDone, ",10.0.0.1"}, "http://10.0.0.2": {cli.ExitFailed, ",10.0.0.2"}} {
		dir := filepath.Join(t.TempDir(), "crawl")
		got := run(t, "crawl", site+"/", "http://10.0.0.1/", "http://10.0.0.1/x", "http://[fc00::1]/", "--output", dir, "--delay", "1ms")
		for _, part := range []string{" is blocked: address ", "more); if that is the site you mean, allow it and resume: politecrawl crawl --resume " + dir + " --allow-addr 127.0.0.0/8,", want.allow, ",10.0.0.1", ",fc00::1"} {
			if got.Code != want.code || !strings.Contains(got.Stderr, part) {
				t.Errorf("%s: exit code %d, %q is missing in:\n%s", site, got.Code, part, got.Stderr)
			}
		}
	}
}

// TestBlockedAddressInJSON: the same for programs.
func TestBlockedAddressInJSON(t *testing.T) {
	s := untouched(t)
	got := run(t, "crawl", s.URL+"/", "--quiet", "--format", "json", "--output", filepath.Join(t.TempDir(), "crawl"), noneAllowed)
	sum := clitest.JSON[crawler.Summary](t, got.Out)
	if got.Code != cli.ExitFailed {
		t.Fatalf("exit code %d: %s", got.Code, got.Out)
	}
	if len(sum.BlockedStartURLs) != 1 || sum.BlockedStartURLs[0].URL != s.URL+"/" || sum.BlockedStartURLs[0].Addr != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("refused: %+v", sum.BlockedStartURLs)
	}
	got = run(t, "robots", "check", s.URL+"/", "--format", "json", noneAllowed)
	var a struct {
		Verdict string
		Error   string
		RetryAt time.Time `json:"retry_at"`
	}
	if err := json.Unmarshal([]byte(got.Out), &a); err != nil || got.Code != cli.ExitFailed || a.Verdict != "later" || !a.RetryAt.IsZero() || !strings.Contains(a.Error, "--allow-addr") {
		t.Errorf("exit code %d, %+v", got.Code, a)
	}
}

// All commands report a robots.txt that redirects to a blocked address. Only the commands about
// robots.txt say how to allow it, and only if the address may belong to a site.
func TestBlockedRedirectTarget(t *testing.T) {
	crawl := []string{"crawl", "--quiet", "--output", filepath.Join(t.TempDir(), "crawl")}
	check, show, lint, agents := []string{"robots", "check"}, []string{"robots", "show"}, []string{"robots", "lint"}, []string{"robots", "agents"}
	for _, tt := range []struct {
		target   string
		commands [][]string // without the site
		says     string
		lacks    string
	}{
		{
			"http://169.254.169.254/robots.txt", [][]string{crawl, {"plan", "--quiet"}, check, show, lint, {"sitemap"}},
			" is not allowed (cloud metadata)", "--allow-addr",
		},
		{
			"http://10.1.2.3/robots.txt", [][]string{check, show, lint, agents},
			"/robots.txt is blocked: it redirects to http://10.1.2.3/robots.txt: address 10.1.2.3 is not allowed (private); if you trust that redirect, allow it with --allow-addr 10.1.2.3\n", "unreachable",
		},
	} {
		s := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, tt.target, http.StatusFound) })
		for _, command := range tt.commands {
			got := run(t, append(command, s.URL+"/")...)
			said := got.Out + got.Stderr
			clitest.WantParts(t, said, "redirects to "+tt.target+": ", tt.says)
			if got.Code != cli.ExitFailed || strings.Contains(said, tt.lacks) {
				t.Errorf("%q: exit code %d\n%s", command, got.Code, said)
			}
		}
	}
}

// TestBlockedAddressIsNotRequested: a host at an address that is not allowed is not among those
// whose robots.txt was requested, for a crawl and for a plan.
func TestBlockedAddressIsNotRequested(t *testing.T) {
	s := newTestSite(t, map[string]string{"/": "home"})
	const start = "http://169.254.169.254/"
	got := run(t, "crawl", s.url+"/", start, "--output", filepath.Join(t.TempDir(), "crawl"))
	if !strings.Contains(got.Out+got.Stderr, "robots.txt  1 requested, for 1 host\n") {
		t.Errorf("exit code %d\n%s\n%s", got.Code, got.Out, got.Stderr)
	}
	got = run(t, "plan", start, "--quiet")
	if !strings.Contains(got.Out, " 0, 0 of them for robots.txt and sitemaps\n") ||
		!strings.Contains(got.Out, start+"robots.txt is not requested: address 169.254.169.254 is not allowed (cloud metadata)\n") ||
		strings.Contains(got.Out, "unreachable") || strings.Contains(got.Out, "the URLs on") {
		t.Errorf("exit code %d\n%s\n%s", got.Code, got.Out, got.Stderr)
	}
}

// TestBlockedSitemap: a sitemap of a list is not had, the others are.
func TestBlockedSitemap(t *testing.T) {
	var s *httptest.Server
	s = clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = w.Write([]byte("Sitemap: http://10.1.2.3/s.xml\nSitemap: " + s.URL + "/s.txt\n"))
		default:
			_, _ = w.Write([]byte(s.URL + "/page\n"))
		}
	})
	got := run(t, "sitemap", s.URL+"/", "--delay", "0s")
	if got.Code != cli.ExitFailed || got.Out != s.URL+"/page\n" || !strings.Contains(got.Stderr, "http://10.1.2.3/s.xml: address 10.1.2.3 is not allowed (private)") ||
		strings.Contains(got.Stderr, "--allow-addr") {
		t.Errorf("exit code %d\n%s\n%s", got.Code, got.Out, got.Stderr)
	}
}

// An invalid address is a usage error, before any request.
func TestBadAllowAddr(t *testing.T) {
	s := untouched(t)
	for _, args := range [][]string{{"crawl", s.URL + "/"}, {"plan", s.URL + "/"}, {"robots", "check", s.URL + "/"}, {"robots", "show", s.URL + "/"}, {"robots", "agents", s.URL + "/"}, {"sitemap", s.URL + "/"}} {
		run(t, append(args, "--allow-addr", "127.0.0.1", "--allow-addr", "localhost")...).
			WantRefusal(t, cli.ExitMisuse, "allow-addr: \"localhost\" is neither an IP address nor a network", "use the form 127.0.0.1, 10.0.0.0/8 or fd00::/8")
	}
}

// TestLocalhost: the flag that is named for localhost is enough, whichever of its
// addresses the site listens on.
func TestLocalhost(t *testing.T) {
	s := newTestSite(t, map[string]string{"/": "home"})
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	site := "http://localhost:" + port + "/"
	refused := run(t, "crawl", site, "--quiet", "--output", filepath.Join(t.TempDir(), "crawl"), noneAllowed)
	_, command, ok := strings.Cut(strings.TrimSpace(refused.Stderr), "allow it and resume: politecrawl ")
	if !ok || refused.Code != cli.ExitFailed {
		t.Fatalf("exit code %d: %s", refused.Code, refused.Stderr)
	}
	args := append(strings.Fields(command), "--quiet")
	if got := run(t, args...); got.Code != cli.ExitDone || len(s.requested()) == 0 {
		t.Errorf("%q: exit code %d\n%s", args, got.Code, got.Stderr)
	}
}
