package faultsite_test

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/faultsite"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// account is what the files of a crawl say of one host.
type account struct {
	place  faultsite.Place
	chain  []byte          // for each page of the chain: how many lines there are about it
	read   []bool          // for each: it was fetched
	front  bool            // the front page was fetched
	failed int             // of them, about pages that failed
	other  map[string]int  // the same for other pages
	later  map[string]bool // URLs that could not be requested yet

	connections bool // one of these faults, so every page and the robots.txt may fail
}

// checkFiles checks the files: each page that a fetched page links to has one line in one of the
// two files, unless its host never got a request.
func (s *soak) checkFiles() {
	accounts := make(map[string]*account)
	connections := make(map[string]bool)
	for _, f := range faultsite.Faults() {
		connections[f.Name] = f.InConnection()
	}
	for _, p := range s.site.Places() {
		accounts[p.Origin] = &account{
			place: p, chain: make([]byte, s.site.PublishedPages(p.Origin)), read: make([]bool, s.site.PublishedPages(p.Origin)),
			other: make(map[string]int), later: make(map[string]bool), connections: connections[p.Fault],
		}
	}
	for _, m := range s.crawlers {
		s.bookPages(accounts, filepath.Join(m.cfg.Output.Dir, "pages.jsonl"))
	}
	for _, m := range s.crawlers {
		s.bookRejections(accounts, filepath.Join(m.cfg.Output.Dir, "rejected.jsonl"))
	}
	s.balance(accounts)
}

func (s *soak) bookPages(accounts map[string]*account, file string) {
	for p, err := range output.Read[output.Page](file) {
		must(s.t, err)
		a, path := find(accounts, p.URL)
		if n, ok := s.page(a, p.URL, path); ok {
			a.chain[n]++
			a.read[n] = true
		} else if a != nil {
			a.other[path]++
			a.front = a.front || path == "/"
		}
	}
}

func (s *soak) bookRejections(accounts map[string]*account, file string) {
	for r, err := range output.Read[output.Rejection](file) {
		must(s.t, err)
		a, path := find(accounts, r.URL)
		switch n, ok := s.page(a, r.URL, path); {
		case a == nil:
		case ok && r.Reason == output.Failed:
			a.chain[n]++
			a.failed++
			if !a.connections && a.sound(n) {
				s.blame(r)
			}
		case r.Reason == output.Failed:
			a.other[path]++
		case r.Reason == output.RobotsUnreachable:
			a.later[path] = true
			if path == "/" && a.place.Kind != faultsite.Robots && !a.connections {
				s.blame(r)
			}
		}
	}
}

// blame reports a sound URL that was not fetched. On a busy machine, one response in some hundreds
// may be late; those are not reported.
func (s *soak) blame(r *output.Rejection) {
	if s.late++; !strings.Contains(r.Detail, "within") && !strings.Contains(r.Detail, "stalled") || s.late > 5+s.site.Report().Requests/300 {
		s.t.Errorf("%s is sound, and was not fetched (%s): %s", r.URL, r.Reason, r.Detail)
	}
}

// find returns the account of a URL, and its path, or nil if it is not the site's.
func find(accounts map[string]*account, url string) (a *account, path string) {
	scheme, rest, _ := strings.Cut(url, "://")
	host, path, _ := strings.Cut(rest, "/")
	return accounts[scheme+"://"+host], "/" + path
}

// page is the number of a page of the chain, if there is one.
func (s *soak) page(a *account, url, path string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(path, "/p/")
	if !ok || a == nil {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n >= len(a.chain) {
		s.t.Errorf("%s was never published", url)
		return 0, false
	}
	return n, true
}

// sound reports whether the fault of the host does not affect the chain.
func (a *account) sound(n int) bool { return a.place.Kind != faultsite.Page || n%4 != 3 }

// known reports whether a sound page that was fetched links to page n: one of the two before it, or
// the front page.
func (a *account) known(n int) bool {
	for at := n - 2; at < n; at++ {
		if at < 0 && a.front || at >= 0 && a.read[at] && a.sound(at) {
			return true
		}
	}
	return false
}

// balance reports which pages are missing, and which have two lines.
func (s *soak) balance(accounts map[string]*account) {
	urls, lost, twice, failed, later := 0, 0, 0, 0, 0
	for _, a := range accounts {
		if a.later["/"] {
			later++
			continue
		}
		known := []string{"/", "/after"}
		if !a.front { // given up: nobody knows of the other
			known = known[:1]
		}
		for _, path := range known {
			if n := a.other[path]; n != 1 {
				s.t.Errorf("%s%s was written down %d times (%s %s)", a.place.Origin, path, n, a.place.Kind, a.place.Fault)
			}
		}
		failed += a.failed
		for n, lines := range a.chain {
			urls++
			switch {
			case lines == 0 && a.known(n):
				lost++
				s.t.Errorf("lost: %s/p/%d (%s %s)", a.place.Origin, n, a.place.Kind, a.place.Fault)
			case lines > 1:
				twice++
				s.t.Errorf("%d times: %s/p/%d (%s %s)", lines, a.place.Origin, n, a.place.Kind, a.place.Fault)
			}
		}
	}
	s.t.Logf("%d pages of the chains: %d lost, %d twice, %d failed; %d hosts whose robots.txt could not be reached; %d sound answers that came too late", urls, lost, twice, failed, later, s.late)
}
