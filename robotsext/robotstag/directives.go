package robotstag

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// maxRead is how many bytes of the headers of a page, and of its meta elements,
// are looked at. The draft of Robots-Tag asks for at least 8 KiB.
const maxRead = 64 << 10

// Directives is all that one page asks of one crawler. Its zero value is of no
// crawler in particular: it hears what is for everyone.
//
// Every question is answered by the rule that decides it, nil if there is none.
type Directives struct {
	tokens    []string // in lower case
	rules     []Rule
	usage     Usage
	canonical string

	headerRead, metaRead int // bytes looked at
	metas                int
}

// New returns what a page asks of the crawler that goes by these product tokens,
// before anything is read of the page.
func New(tokens ...string) *Directives {
	d := &Directives{}
	for _, token := range tokens {
		d.tokens = append(d.tokens, strings.ToLower(token))
	}
	return d
}

// Header reads the fields of a response that address crawlers: X-Robots-Tag,
// Robots-Tag, Content-Usage, and the canonical link of Link.
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
	if lines := h.Values("Content-Usage"); len(lines) > 0 {
		if all, ok := d.budget(&d.headerRead, strings.Join(lines, ", "), ""); ok {
			d.usage = ParseUsage(all)
		}
	}
	for _, line := range h.Values("Link") {
		if line, ok := d.budget(&d.headerRead, line, ""); ok && d.canonical == "" {
			d.canonical = canonical(line)
		}
	}
}

// Meta reads a meta element: one whose name is "robots" or one of the crawler's
// product tokens. Others are ignored, so that all of a page's can be
// handed over, wherever they stand in it.
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

// Link reads a link element, for its canonical URL. One in the header comes
// first.
func (d *Directives) Link(rel, href string) {
	if d.canonical == "" && hasWord(rel, "canonical") {
		d.canonical = strings.TrimSpace(href)
	}
}

// addressed reports whether a rule for agent, in lower case, is for this crawler.
func (d *Directives) addressed(agent string) bool {
	return agent == "" || slices.Contains(d.tokens, agent)
}

// budget takes a text into account. Of one beyond maxRead it leaves what is
// before the last separator within it: half a rule may mean something else. With
// no separator it leaves nothing.
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

// add adds a rule. Of a name given twice in one place the stricter rule stays, so
// that a line of thousands costs no more than one of each.
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

// Rules returns all rules for this crawler, in the order in which they were read,
// for a report. Of a name given twice in one place it has the stricter rule.
func (d *Directives) Rules() []Rule { return slices.Clone(d.rules) }

// NoIndex returns the rule that asks not to keep the page: noindex or none, or an
// unavailable_after that is over by now.
func (d *Directives) NoIndex(now time.Time) *Rule {
	if r := d.first(NoIndex, None); r != nil {
		return r
	}
	if r := d.UnavailableAfter(); r != nil && now.After(r.After) {
		return r
	}
	return nil
}

// IndexIfEmbedded returns the rule that lets the page be kept as a part of
// another, where NoIndex says that by itself it must not.
func (d *Directives) IndexIfEmbedded(now time.Time) *Rule {
	if d.NoIndex(now) == nil {
		return nil
	}
	return d.first(IndexIfEmbedded)
}

// NoFollow returns the rule that asks not to follow the links of the page:
// nofollow or none.
func (d *Directives) NoFollow() *Rule { return d.first(NoFollow, None) }

// NoSnippet returns the rule that asks to show nothing of the page: nosnippet, or
// a max-snippet of 0.
func (d *Directives) NoSnippet() *Rule {
	if r := d.first(NoSnippet); r != nil {
		return r
	}
	if r := d.strictest(MaxSnippet); r != nil && r.Limit == 0 {
		return r
	}
	return nil
}

// NoImageIndex returns the rule that asks not to keep the page's images.
func (d *Directives) NoImageIndex() *Rule { return d.first(NoImageIndex) }

// NoTranslate returns the rule that asks not to offer a translation.
func (d *Directives) NoTranslate() *Rule { return d.first(NoTranslate) }

// NoArchive returns the rule that asks not to offer a copy: noarchive or nocache.
func (d *Directives) NoArchive() *Rule { return d.first(NoArchive, NoCache) }

// MaxSnippet returns the rule that limits text taken from the page: the max-snippet
// with the smallest Limit, or nosnippet, whose Limit is 0.
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

// Canonical returns the URL that the page gives as its own, as written; "" if it
// gives none. It is a hint: pages with the same one may be duplicates.
func (d *Directives) Canonical() string { return d.canonical }

// Usage returns what the Content-Usage header says; nil if it says nothing.
func (d *Directives) Usage() Usage { return d.usage }

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

// strictest returns the rule of that name that is stricter than the others, the
// first of equals.
func (d *Directives) strictest(name Name) *Rule {
	var best *Rule
	for i := range d.rules {
		if r := d.rules[i]; r.Name == name && (best == nil || r.stricter(best)) {
			best = &r
		}
	}
	return best
}
