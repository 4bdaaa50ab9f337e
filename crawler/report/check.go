package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The kinds of checks of --check.
const (
	checkAssets    = "assets"
	checkExternal  = "external"
	checkFragments = "fragments"
	checkCanonical = "canonical"
	checkHreflang  = "hreflang"
)

// checks reports whether the crawl made the checks of a kind.
func (s *workerDir) checks(kind string) bool {
	var kinds []string
	switch v := s.state.Config.Check.(type) {
	case string:
		kinds = strings.Split(v, ",")
	case []any:
		for _, value := range v {
			kinds = append(kinds, fmt.Sprint(value))
		}
	}
	return slices.Contains(kinds, kind) || slices.Contains(kinds, "all")
}

// checks reports whether all workers made the checks of a kind.
func (all workerDirs) checks(kind string) bool {
	return !slices.ContainsFunc(all, func(s *workerDir) bool { return !s.checks(kind) })
}

// A checkFact is what the report knows about a URL that was only checked.
type checkFact struct {
	next   key // target of the redirect
	status int16
	result uint8
	marks  checkMarks
}

// The results in a checkFact.
const (
	checkOK = iota
	checkRedirected
	checkBroken
	checkUnverified
)

var checkResults = [...]output.CheckResult{
	checkOK: output.CheckOK, checkRedirected: output.CheckRedirected, checkBroken: output.CheckBroken, checkUnverified: output.CheckUnverified,
}

type checkMarks uint8

const (
	checkedNoindex    checkMarks = 1 << iota // its page has noindex
	checkedElsewhere                         // its page names another as its canonical one
	checkedDisallowed                        // robots.txt disallows it
	checkedPage                              // its page was read
	usedAsLink                               // a page links to it
	usedAsAsset                              // a page or stylesheet uses it
	redirectTarget                           // another check redirects to it
)

func (c checkFact) has(m checkMarks) bool { return c.marks&m != 0 }

// checks finds broken URLs among those that were only checked.
type checks struct {
	facts *facts
	byURL map[key]checkFact
	dead  map[string]bool // origins of checks; true: none has a response
}

func newChecks(f *facts) *checks {
	return &checks{facts: f, byURL: make(map[key]checkFact), dead: make(map[string]bool)}
}

// add records a check. Links come later.
func (c *checks) add(line *output.Check) {
	k := keyOf(line.URL)
	f := c.byURL[k] // it may be the target of another
	f.status = int16(min(line.Status, 999))
	f.result = uint8(max(slices.Index(checkResults[:], line.Result), 0))
	mark := func(is bool, m checkMarks) {
		if is {
			f.marks |= m
		}
	}
	mark(line.Noindex != "", checkedNoindex)
	mark(line.Reason == output.Disallowed, checkedDisallowed)
	asPage := line.Kind == checkCanonical || line.Kind == checkHreflang
	mark(f.result == checkOK && (asPage || line.Canonical != "" || len(line.Hreflang) > 0), checkedPage)
	mark(line.Canonical != "" && line.Canonical != line.URL, checkedElsewhere)
	if !asPage {
		f.marks |= usedAs(line.Kind, line.FoundOn, line.URL)
	}
	if f.result == checkRedirected {
		if to, _ := targetOf(line.Location); to != "" {
			f.next = keyOf(to)
			next := c.byURL[f.next]
			next.marks |= redirectTarget
			c.byURL[f.next] = next
		}
	}
	c.byURL[k] = f
	origin := originOf(line.URL)
	switch _, known := c.dead[origin]; {
	case line.Status != 0:
		c.dead[origin] = false
	case !known:
		c.dead[origin] = true
	}
}

// usedAs returns how a page uses a URL. Link elements such as license lead to files of the site, or
// are links to other sites.
func usedAs(kind, page, to string) checkMarks {
	switch kind {
	case "a", "area", "frame", "meta", "header", "redirect":
		return usedAsLink
	case "link":
		if originOf(page) != originOf(to) {
			return usedAsLink
		}
	}
	return usedAsAsset
}

// use marks a URL that a page uses, and reports whether it may be a finding.
func (c *checks) use(k key, as checkMarks) bool {
	f, known := c.byURL[k]
	if known && !f.has(as) {
		f.marks |= as
		c.byURL[k] = f
	}
	return known && f.result != checkOK
}

// end follows the redirects of a check. The fault is not empty if they end with a URL that is
// broken or unverified.
func (c *checks) end(k key) (fault string, result uint8) {
	for range redirection.Max + 1 {
		f := c.byURL[k]
		switch page := c.facts.byURL[k]; {
		case c.facts.broken(page):
			return statusText(int(page.status)), checkBroken
		case page.status != 0: // the crawl fetched it
			return "", checkOK
		case f.result == checkRedirected && f.next == 0:
			return "no valid Location", checkBroken
		case f.result == checkRedirected:
			k = f.next
		case f.result == checkOK:
			return "", checkOK
		default:
			return statusText(int(f.status)), f.result
		}
	}
	return "too many redirects", checkBroken
}

// statusText is the detail of a URL that is broken.
func statusText(status int) string {
	switch {
	case status == 0:
		return "no response"
	case status < 0:
		return fmt.Sprintf("status %d to a request without conditions", -status)
	}
	return "status " + strconv.Itoa(status)
}

// A checkFault is a check whose URL is broken or could not be verified.
type checkFault struct {
	Finding

	foundOn    string
	unverified bool
	asset      bool
}

// fault returns the fault of a check, or nil if it has none or the line of a page says it.
func (c *checks) fault(line *output.Check, r *references) *checkFault {
	k := keyOf(line.URL)
	f := c.byURL[k]
	if c.facts.byURL[k].status != 0 || !f.has(usedAsLink|usedAsAsset) {
		return nil
	}
	detail, result := c.end(k)
	// A redirect target may be found only by a redirect, for which there is a finding.
	if result == checkOK || f.has(redirectTarget) && r.count(k) == 0 {
		return nil
	}
	fault := &checkFault{Finding{URL: line.URL, Detail: detail}, line.FoundOn, result == checkUnverified, f.has(usedAsAsset)}
	switch {
	case f.result == checkRedirected:
		fault.Related = line.Location
		fault.Detail = fmt.Sprintf("status %d, then %s", line.Status, detail)
	case line.Status == 0:
		fault.Detail = clip(string(line.Reason) + detailText(line.Detail))
	}
	return fault
}

// detailText is what a line says beside its reason.
func detailText(detail string) string {
	if detail == "" {
		return ""
	}
	return ": " + detail
}
