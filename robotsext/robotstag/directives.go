package robotstag

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/weblink"
)

// maxRead limits the bytes parsed from the headers of a page, and from its meta
// elements. The draft of Robots-Tag requires at least 8 KiB.
const maxRead = 64 << 10

// Directives holds the rules of one page for one crawler. The zero value collects only
// rules that apply to all crawlers.
//
// Methods that return a *Rule return the rule that decides, or nil if there is none.
type Directives struct {
	tokens    []string // in lower case
	rules     []Rule
	canonical string

	headerRead, metaRead int // bytes parsed
	metas                int
}

// New returns empty Directives for the crawler with these product tokens. Add the
// rules of the page with Header, Meta and Link.
func New(tokens ...string) *Directives {
	d := &Directives{}
	for _, token := range tokens {
		d.tokens = append(d.tokens, strings.ToLower(token))
	}
	return d
}

// Header adds the rules of response headers, X-Robots-Tag and Robots-Tag, and the
// canonical URL of the Link header.
func (d *Directives) Header(h http.Header) {
	for i, line := range h.Values("X-Robots-Tag") {
		if line, ok := d.budget(&d.headerRead, line, ","); ok {
			d.list(line, Source{Field: "X-Robots-Tag", Line: i + 1}, true)
		}
	}
	for i, line := range h.Values("Robots-Tag") {
		if line, ok := d.budget(&d.headerRead, line, ","); ok {
			d.structured(line, Source{Field: "Robots-Tag", Line: i + 1})
		}
	}
	for _, line := range h.Values("Link") {
		if line, ok := d.budget(&d.headerRead, line, ""); ok && d.canonical == "" {
			d.canonical = canonical(line)
		}
	}
}

// Meta adds the rules of a meta element whose name is "robots" or one of the crawler's
// product tokens. It ignores all others, so callers can pass every meta element of a
// page.
func (d *Directives) Meta(name, content string) {
	agent := strings.ToLower(strings.TrimSpace(name))
	if agent != "robots" && !slices.Contains(d.tokens, agent) {
		return
	}
	agent = everyone(agent)
	d.metas++
	if content, ok := d.budget(&d.metaRead, content, ","); ok {
		d.list(content, Source{Field: "meta", Line: d.metas, Agent: agent}, false)
	}
}

// Link adds the canonical URL of a link element. A canonical URL from the headers
// wins.
func (d *Directives) Link(rel, href string) {
	if d.canonical == "" && hasWord(rel, "canonical") {
		d.canonical = strings.TrimSpace(href)
	}
}

// addressed reports whether a rule for agent, in lower case, is for this crawler.
func (d *Directives) addressed(agent string) bool {
	return agent == "" || slices.Contains(d.tokens, agent)
}

// budget adds a text to the bytes read. It cuts a text beyond maxRead at the last
// separator within the limit, because half a rule may mean something else. Without a
// separator it returns nothing.
func (d *Directives) budget(read *int, text, separator string) (string, bool) {
	room := maxRead - *read
	*read += min(len(text), room)
	if len(text) <= room {
		return text, true
	}
	if separator == "" {
		return "", false
	}
	cut := strings.LastIndex(text[:room], separator)
	return text[:max(cut, 0)], cut > 0
}

// add adds a rule. It keeps only the strictest rule of each name and source, so a line
// of thousands costs no more than one of each.
func (d *Directives) add(r Rule) {
	for i := len(d.rules) - 1; i >= 0 && d.rules[i].Source.Field == r.Source.Field && d.rules[i].Source.Line == r.Source.Line; i-- {
		if before := &d.rules[i]; before.Name == r.Name && before.Source == r.Source {
			if r.stricter(before) {
				*before = r
			}
			return
		}
	}
	d.rules = append(d.rules, r)
}

// Rules returns all rules for this crawler in the order read, for a report. If a rule
// occurs twice in one header line or meta element, it returns the stricter one.
func (d *Directives) Rules() []Rule { return slices.Clone(d.rules) }

// NoIndex returns the rule that forbids indexing the page: noindex, none, or an
// unavailable_after before now.
func (d *Directives) NoIndex(now time.Time) *Rule {
	if r := d.first(NoIndex, None); r != nil {
		return r
	}
	if r := d.UnavailableAfter(); r != nil && now.After(r.After) {
		return r
	}
	return nil
}

// IndexIfEmbedded returns the rule that permits indexing the page inside another
// page although NoIndex applies.
func (d *Directives) IndexIfEmbedded(now time.Time) *Rule {
	if d.NoIndex(now) == nil {
		return nil
	}
	return d.first(IndexIfEmbedded)
}

// NoFollow returns the rule that forbids following the links of the page: nofollow or
// none.
func (d *Directives) NoFollow() *Rule { return d.first(NoFollow, None) }

// NoSnippet returns the rule that forbids showing text or video of the page:
// nosnippet, or a max-snippet of 0.
func (d *Directives) NoSnippet() *Rule {
	if r := d.first(NoSnippet); r != nil {
		return r
	}
	if r := d.strictest(MaxSnippet); r != nil && r.Limit == 0 {
		return r
	}
	return nil
}

// NoImageIndex returns the rule that forbids indexing the page's images.
func (d *Directives) NoImageIndex() *Rule { return d.first(NoImageIndex) }

// NoTranslate returns the rule that forbids offering a translation.
func (d *Directives) NoTranslate() *Rule { return d.first(NoTranslate) }

// NoArchive returns the rule that forbids offering a cached copy: noarchive or
// nocache.
func (d *Directives) NoArchive() *Rule { return d.first(NoArchive, NoCache) }

// MaxSnippet returns the rule that limits quoted text: the max-snippet with the
// smallest Limit, or nosnippet, which has the Limit 0.
func (d *Directives) MaxSnippet() *Rule {
	if r := d.NoSnippet(); r != nil {
		return r
	}
	return d.strictest(MaxSnippet)
}

// MaxVideoPreview returns the max-video-preview with the smallest Limit.
func (d *Directives) MaxVideoPreview() *Rule { return d.strictest(MaxVideoPreview) }

// MaxImagePreview returns the max-image-preview with the smallest Preview.
func (d *Directives) MaxImagePreview() *Rule { return d.strictest(MaxImagePreview) }

// UnavailableAfter returns the unavailable_after with the earliest After.
func (d *Directives) UnavailableAfter() *Rule { return d.strictest(UnavailableAfter) }

// Canonical returns the canonical URL that the page declares, as written, or "". It is
// a hint: pages with the same canonical URL may be duplicates.
func (d *Directives) Canonical() string { return d.canonical }

// canonical returns the target of the first link with the relation canonical in a Link
// header, or "".
func canonical(line string) string {
	for link := range weblink.Parse(line) {
		if hasWord(link.Rel, "canonical") && !link.Anchor {
			return link.Target
		}
	}
	return ""
}

// first returns the first rule that has one of the names.
func (d *Directives) first(names ...Name) *Rule {
	for i := range d.rules {
		if slices.Contains(names, d.rules[i].Name) {
			r := d.rules[i]
			return &r
		}
	}
	return nil
}

// strictest returns the strictest rule with the name, or the first of several.
func (d *Directives) strictest(name Name) *Rule {
	var best *Rule
	for i := range d.rules {
		if r := d.rules[i]; r.Name == name && (best == nil || r.stricter(best)) {
			best = &r
		}
	}
	return best
}
