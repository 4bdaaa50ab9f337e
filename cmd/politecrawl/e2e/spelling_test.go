package e2e

import (
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gocolly/colly/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext"
)

// TestSpellings shows that a crawl, and colly with Attach, request the links that
// "robots check" says are allowed and no others, however links and rules are
// spelt, and that a rule binds all spellings of a link.
func TestSpellings(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("ROB-MAT-28/seed %d", seed), func(t *testing.T) {
			s := speller{rand.New(rand.NewPCG(seed, seed))}
			robots, front := "User-agent: *\n", ""
			var links []string
			bound := map[string]string{} // links that a rule spells in another way, and that rule
			for i := range 100 {
				dir := fmt.Sprintf("/%d/", i)
				link, rule := s.twice(dir)
				if i%2 == 0 {
					bound[link] = rule
				} else {
					link = dir + s.anything()
					rule = s.ruleFor(link)
				}
				links = append(links, link)
				robots += "Disallow: " + rule + "\n"
			}
			site := newRecordingSite(t)
			for _, link := range links {
				front += `<a href="` + html.EscapeString(site.url+link) + `">x</a>` + "\n"
			}
			site.robots, site.front = robots, front

			verdict := checked(t, robots, site.url, links)
			got := run(t, "crawl", site.url, "--output", filepath.Join(t.TempDir(), "out"), "--delay", "0s", "--quiet")
			if got.Code != cli.ExitDone || got.Stderr != "" {
				t.Fatalf("exit code %d, standard error %q", got.Code, got.Stderr)
			}
			byCrawl := site.takeRecord()
			delete(byCrawl, "/")
			var allowedLinks []string
			for _, link := range links {
				canonical := clitest.Must(crawler.Canonical(site.url + link))(t)
				if verdict[link] == "allowed" {
					allowedLinks = append(allowedLinks, strings.TrimPrefix(canonical, site.url))
				}
				if rule, ok := bound[link]; ok && verdict[link] == "allowed" {
					t.Errorf("Disallow: %s does not bind %q", rule, link)
				}
			}
			wantRecord(t, "the crawl", byCrawl, allowedLinks)
			if n := len(links) - len(allowedLinks); n < len(bound) || n == len(links) {
				t.Errorf("%d of %d links refused", n, len(links))
			}

			asked := visitAll(t, site.url, links)
			byColly := site.takeRecord()
			verdict = checked(t, robots, site.url, asked)
			wantRecord(t, "colly", byColly, slices.DeleteFunc(asked, func(target string) bool { return verdict[target] != "allowed" }))
		})
	}
}

// wantRecord compares the targets that a site was asked for with those expected.
func wantRecord(t *testing.T, by string, got map[string]bool, want []string) {
	t.Helper()
	wanted := map[string]bool{}
	for _, target := range want {
		wanted[target] = true
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("requested by %s (-want +got):\n%s", by, diff)
	}
}

// checked is what "robots check" says about each link.
func checked(t *testing.T, robots, site string, links []string) map[string]string {
	t.Helper()
	args := []string{"robots", "check", "--robots", clitest.WriteFile(t, "robots.txt", robots), "--format", "json"}
	for _, link := range links {
		args = append(args, site+link)
	}
	got := run(t, args...)
	type answer struct{ URL, Verdict string }
	answers := clitest.JSONLines[answer](t, got.Out)
	if len(answers) != len(links) || got.Stderr != "" {
		t.Fatalf("%d answers for %d links, standard error %q", len(answers), len(links), got.Stderr)
	}
	verdicts := map[string]string{}
	for i, a := range answers {
		verdicts[links[i]] = a.Verdict
	}
	return verdicts
}

// visitAll has colly visit the links with Attach, and returns the targets that colly
// makes of them. Those are not always the ones of a crawl: colly spells a path with a
// raw | or ^ anew, and then the rest of it too.
func visitAll(t *testing.T, site string, links []string) (targets []string) {
	t.Helper()
	robots := clitest.Must(robotsext.New("politecrawl/1.0 (+https://example.com/)", nil))(t)
	defer robots.CloseIdleConnections()
	c := colly.NewCollector(robots.Attach)
	c.AllowURLRevisit = true
	c.OnRequest(func(r *colly.Request) { targets = append(targets, r.URL.RequestURI()) })
	for _, link := range links {
		if err := c.Visit(site + link); err != nil && !errors.Is(err, colly.ErrRobotsTxtBlocked) {
			t.Errorf("%q: %v", link, err)
		}
	}
	if len(targets) != len(links) {
		t.Errorf("%d requests for %d links", len(targets), len(links))
	}
	return targets
}

// A recordingSite is a site on loopback that keeps the request targets as they were
// sent.
type recordingSite struct {
	url           string
	robots, front string

	mu     sync.Mutex // guards record
	record map[string]bool
}

func newRecordingSite(t *testing.T) *recordingSite {
	t.Helper()
	s := &recordingSite{record: map[string]bool{}}
	s.url = clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.RequestURI {
		case "/robots.txt":
			_, _ = w.Write([]byte(s.robots))
			return
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(s.front))
		default:
			w.Header().Set("Content-Type", "text/plain")
		}
		s.mu.Lock()
		s.record[r.RequestURI] = true
		s.mu.Unlock()
	}).URL
	return s
}

// takeRecord returns the targets requested since it was last called, save that of
// robots.txt.
func (s *recordingSite) takeRecord() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	record := s.record
	s.record = map[string]bool{}
	return record
}

// A speller makes up links and rules out of what is spelt in more than one way.
type speller struct{ *rand.Rand }

func (s speller) pick(from ...string) string { return from[s.IntN(len(from))] }

// escape spells each octet of text as an escape, with digits in either case.
func (s speller) escape(text string) string {
	var b strings.Builder
	for _, octet := range []byte(text) {
		fmt.Fprintf(&b, s.pick("%%%02X", "%%%02x"), octet)
	}
	return b.String()
}

// anything makes up what may follow a slash in a link.
func (s speller) anything() string {
	var b strings.Builder
	for range 1 + s.IntN(8) {
		switch s.IntN(4) {
		case 0:
			b.WriteString(s.escape(string([]byte{byte(s.IntN(256))})))
		case 1:
			b.WriteString(s.pick("é", "ツ", "\u00a0", "\ufffd", "%", "%2", "%zz", "/", "/../", "/.", "?", "a", "\t", "\x01", "\x7f", "//"))
		default:
			b.WriteByte(byte(' ' + s.IntN(0x7f-' ')))
		}
	}
	return strings.ReplaceAll(b.String(), "#", "?") + "z"
}

// ruleFor makes up a rule for a link, or one that is close to it: a beginning of it
// as it is written, or as it is sent.
func (s speller) ruleFor(link string) string {
	if canonical, err := crawler.Canonical("http://h" + link); err == nil && s.IntN(2) == 0 {
		link = strings.TrimPrefix(canonical, "http://h")
	}
	rule := link[:len(link)-s.IntN(len(link)/2)]
	return strings.NewReplacer("\n", "", "\t", "", "\x01", "").Replace(rule) + s.pick("", "", "*", "$")
}

// twice makes up a link and a rule for it, each in a spelling of its own.
func (s speller) twice(dir string) (link, rule string) {
	link, rule = dir, dir
	query := false
	for range 1 + s.IntN(8) {
		either := "\"<>^`{|}[]" + "ab~-_" + "é" // equal to its escape
		if query {
			either += `\:/?@'`
		}
		var inLink, inRule string
		switch unit := s.pick(strings.Split(either, "")...); s.IntN(6) {
		case 0: // a rule cannot hold it raw, or it would mean something there
			unit = s.pick("$", " ", "\x01", "\x7f")
			inLink, inRule = s.pick(unit, s.escape(unit)), s.escape(unit)
		case 1: // neither can hold it raw
			unit = s.pick("#", "%", "\t", "\n", "\x00")
			inLink, inRule = s.escape(unit), s.escape(unit)
		case 2: // not equal to its escape
			inLink = s.pick("!", "&", "(", ")", "+", ",", ";", "=", "%3B", "%26", "%2b")
			inRule = inLink
		default:
			inLink, inRule = s.pick(unit, s.escape(unit)), s.pick(unit, s.escape(unit))
		}
		link, rule = link+inLink, rule+inRule
		if !query && s.IntN(4) == 0 {
			link, rule, query = link+"?", rule+"?", true
		}
	}
	return link + "z", rule
}
