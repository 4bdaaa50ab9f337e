package robotstag

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

var now = time.Date(2026, 8, 31, 12, 0, 0, 0, time.UTC)

// page is what a page sends: header lines as "Name: value", and meta elements as
// "name=content".
type page struct {
	header []string
	meta   []string
}

func (p page) fields() http.Header {
	h := http.Header{}
	for _, line := range p.header {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

// read hands a page over to what is asked of the crawler token.
func (p page) read(tokens ...string) *Directives {
	d := New(tokens...)
	d.Header(p.fields())
	for _, m := range p.meta {
		name, content, _ := strings.Cut(m, "=")
		d.Meta(name, content)
	}
	return d
}

// verdicts writes down every question that has an answer, in a fixed order.
func verdicts(d *Directives) string {
	var out []string
	say := func(question string, r *Rule) {
		if r != nil {
			out = append(out, question)
		}
	}
	say("noindex", d.NoIndex(now))
	say("indexifembedded", d.IndexIfEmbedded(now))
	say("nofollow", d.NoFollow())
	say("nosnippet", d.NoSnippet())
	say("noimageindex", d.NoImageIndex())
	say("notranslate", d.NoTranslate())
	say("noarchive", d.NoArchive())
	if r := d.MaxSnippet(); r != nil && d.NoSnippet() == nil {
		say(fmt.Sprintf("snippet %d", r.Limit), r)
	}
	if r := d.MaxVideoPreview(); r != nil {
		say(fmt.Sprintf("video %d", r.Limit), r)
	}
	if r := d.MaxImagePreview(); r != nil {
		say(fmt.Sprintf("image %s", r.Preview), r)
	}
	return strings.Join(out, ", ")
}

func TestRows(t *testing.T) {
	header := func(lines ...string) page { return page{header: lines} }
	meta := func(pairs ...string) page { return page{meta: pairs} }
	const x = "X-Robots-Tag: "
	tests := []struct {
		name  string
		page  page
		token string
		want  string
	}{
		{"ROB-PAG-02/a list", header(x + "noindex, nofollow"), "", "noindex, nofollow"},
		{"ROB-PAG-02/lines add up", header(x+"noindex", x+"nofollow"), "", "noindex, nofollow"},
		{"ROB-PAG-02/any case", header("x-robots-tag: NoIndex,NOSNIPPET, Max-Image-Preview:LARGE"), "", "noindex, nosnippet, image large"},
		{"ROB-PAG-02/empty elements", header(x + ",, noindex ,,"), "", "noindex"},
		{"ROB-PAG-02/another header", header("X-Robots: noindex", "Robots: noindex"), "", ""},

		{"ROB-PAG-02/spaces beside a value", header(x + "noindex nofollow max-snippet:-1"), "x", "noindex, nofollow, snippet -1"},
		{"ROB-PAG-02/spaces behind a value", header(x + "max-image-preview:none noindex"), "x", "noindex, image none"},
		{"ROB-PAG-02/spaces between values", header(x + "max-image-preview: standard max-snippet :7 nofollow, noindex"), "x", "noindex, nofollow, snippet 7, image standard"},
		{"ROB-PAG-02/a value left out", header(x + "max-snippet: noindex max-snippet:max-video-preview:3"), "x", "noindex, video 3"},
		{"ROB-PAG-02/semicolons", header(x + "noindex;nofollow; max-snippet:7;nosnippet"), "x", "noindex, nofollow, nosnippet"},

		{"ROB-PAG-03/for another", header(x+"googlebot: nofollow", x+"otherbot: noindex, nofollow"), "x", ""},
		{"ROB-PAG-03/for this one", header(x+"googlebot: nofollow", x+"otherbot: noindex, nofollow"), "otherbot", "noindex, nofollow"},
		{"ROB-PAG-03/for the other one", header(x+"googlebot: nofollow", x+"otherbot: noindex, nofollow"), "googlebot", "nofollow"},
		{"ROB-PAG-03/two in a line", header(x + "googlebot: nofollow, otherbot: noindex, nosnippet"), "otherbot", "noindex, nosnippet"},
		{"ROB-PAG-03/two in a line, the first", header(x + "googlebot: nofollow, otherbot: noindex, nosnippet"), "googlebot", "nofollow"},
		{"ROB-PAG-03/before the first name", header(x + "noindex, googlebot: nofollow"), "x", "noindex"},
		{"ROB-PAG-03/the next line is for all again", header(x+"googlebot: nofollow", x+"noindex"), "x", "noindex"},
		{"ROB-PAG-03/case and space of the name", header(x + " ExampleBot :noindex"), "exampleBOT", "noindex"},
		{"ROB-PAG-03/a name that begins so", header(x + "examplebot-news: noindex"), "examplebot", ""},
		{"ROB-PAG-03/a name and a value", header(x + "examplebot: max-snippet: 20, otherbot: max-snippet: 10"), "examplebot", "snippet 20"},
		{"ROB-PAG-03/a name and a date", header(x + "examplebot: unavailable_after: 25 Jun 2010 15:00:00 PST"), "examplebot", "noindex"},
		{"ROB-PAG-03/a date for another", header(x + "otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST"), "examplebot", ""},
		{"ROB-PAG-03/max-snippet is no name", header(x + "max-snippet: 50, noindex"), "x", "noindex, snippet 50"},
		{"ROB-PAG-03/max-image-preview is no name", header(x + "max-image-preview: none, noindex"), "x", "noindex, image none"},
		{"ROB-PAG-03/max-video-preview is no name", header(x + "max-video-preview: 3, nofollow"), "x", "nofollow, video 3"},
		{"ROB-PAG-03/unavailable_after is no name", header(x + "unavailable_after: 2099-01-01, nofollow"), "x", "nofollow"},
		{"ROB-PAG-03/spaces behind a name", header(x + "examplebot: noindex nofollow max-snippet:-1"), "examplebot", "noindex, nofollow, snippet -1"},
		{"ROB-PAG-03/spaces behind another's name", header(x + "otherbot: noindex nofollow max-snippet:7; nosnippet"), "examplebot", ""},
		{"ROB-PAG-03/a name behind a space", header(x + "noindex otherbot: nofollow"), "examplebot", "noindex"},
		{"ROB-PAG-03/a rule of later times is no name", header(x + "max-other-preview: 3, nofollow"), "x", "nofollow"},
		{"ROB-PAG-03/a rule with a colon is no name", header(x + "noindex: yes, nofollow"), "x", "noindex, nofollow"},
		{"ROB-PAG-03/what cannot be a name is none", header(x + "so it is: good, nofollow"), "x", "nofollow"},
		{"ROB-PAG-03/everyone by a star", header(x + "otherbot: nofollow, *: noindex"), "x", "noindex"},
		{"ROB-PAG-03/a name without rules", header(x+"otherbot:", x+"otherbot:, noindex"), "x", ""},
		{"ROB-PAG-03/without a token all that is for everyone", header(x+"otherbot: noindex", x+"nofollow"), "", "nofollow"},

		{"ROB-PAG-04/all crawlers and one", meta("robots=nofollow", "googlebot=noindex"), "Googlebot", "noindex, nofollow"},
		{"ROB-PAG-04/all crawlers", meta("robots=nofollow", "googlebot=noindex"), "x", "nofollow"},
		{"ROB-PAG-04/case and space", meta(" ROBOTS = NOINDEX , NoFollow "), "x", "noindex, nofollow"},
		{"ROB-PAG-04/several add up", meta("robots=noindex", "robots=nosnippet", "robots=max-snippet:-1"), "x", "noindex, nosnippet"},
		{"ROB-PAG-04/other elements", meta("description=noindex", "viewport=width=device-width", "=noindex"), "x", ""},
		{"ROB-PAG-04/names have no place in a content", meta("robots=otherbot: nofollow, noindex"), "x", "noindex"},
		{"ROB-PAG-04/spaces for commas", meta("robots=noindex nofollow"), "x", "noindex, nofollow"},
		{"ROB-PAG-04/spaces beside a value", meta("robots=noindex max-snippet:-1"), "x", "noindex, snippet -1"},
		{"ROB-PAG-04/semicolons", meta("robots=noindex; nofollow"), "x", "noindex, nofollow"},
		{"ROB-PAG-04/with the header", page{header: []string{x + "noindex"}, meta: []string{"robots=nofollow"}}, "x", "noindex, nofollow"},

		{"ROB-PAG-05/all and noindex", meta("robots=all, noindex"), "x", "noindex"},
		{"ROB-PAG-05/noindex and index", meta("robots=noindex", "robots=index, follow"), "x", "noindex"},
		{"ROB-PAG-05/max-snippet and nosnippet", meta("robots=max-snippet:50, nosnippet"), "x", "nosnippet"},
		{"ROB-PAG-05/max-snippet of none", meta("robots=max-snippet:0"), "x", "nosnippet"},
		{"ROB-PAG-05/a specific one does not undo", meta("robots=noindex", "examplebot=all"), "examplebot", "noindex"},
		{"ROB-PAG-05/nor the other way", meta("robots=all", "examplebot=noindex"), "examplebot", "noindex"},
		{"ROB-PAG-05/nor the header the page", page{header: []string{x + "index, follow, all"}, meta: []string{"robots=none"}}, "x", "noindex, nofollow"},
		{"ROB-PAG-05/the smaller limit", meta("robots=max-snippet:50", "examplebot=max-snippet:100, max-video-preview:-1, max-video-preview:9"), "examplebot", "snippet 50, video 9"},
		{"ROB-PAG-05/a limit and none", meta("robots=max-snippet:-1", "robots=max-snippet:100"), "x", "snippet 100"},
		{"ROB-PAG-05/the smaller image", meta("robots=max-image-preview:large", "robots=max-image-preview:standard"), "x", "image standard"},
		{"ROB-PAG-05/the earlier time", meta("robots=unavailable_after:2099-01-01", "robots=unavailable_after:2020-09-21"), "x", "noindex"},

		{"ROB-PAG-06/all", meta("robots=all"), "x", ""},
		{"ROB-PAG-06/none", meta("robots=none"), "x", "noindex, nofollow"},
		{"ROB-PAG-06/each flag", meta("robots=noindex,nofollow,noimageindex,nosnippet,notranslate,noarchive,indexifembedded"), "x",
			"noindex, indexifembedded, nofollow, nosnippet, noimageindex, notranslate, noarchive"},
		{"ROB-PAG-06/nocache", meta("robots=nocache"), "x", "noarchive"},
		{"ROB-PAG-06/indexifembedded alone", meta("robots=indexifembedded"), "x", ""},
		{"ROB-PAG-06/indexifembedded with none", meta("robots=none,indexifembedded"), "x", "noindex, indexifembedded, nofollow"},
		{"ROB-PAG-06/values that cannot be read", meta("robots=max-snippet, max-snippet:, max-snippet:-2, max-snippet:many, max-snippet:1.5, max-image-preview:huge, max-video-preview:99999999999"), "x", ""},
		{"ROB-PAG-06/the last value that can", meta("robots=max-snippet:x, max-snippet:7, max-video-preview:0"), "x", "snippet 7, video 0"},
		{"ROB-PAG-06/unknown ones", meta("robots=noodp, noydir, noai, no-index, noindexed, unavailable_after"), "x", ""},

		{"ROB-PAG-07/over", meta("robots=unavailable_after:2020-09-21"), "x", "noindex"},
		{"ROB-PAG-07/not yet", meta("robots=unavailable_after: 2099-09-21"), "x", ""},
		{"ROB-PAG-07/a date that is none", meta("robots=unavailable_after: soon, nofollow"), "x", "nofollow"},
		{"ROB-PAG-07/over in every zone", header(x + "unavailable_after: 25 Jun 2010 15:00:00 XYZT, nofollow"), "x", "noindex, nofollow"},
		{"ROB-PAG-07/an unknown zone after the comma of RFC 850", header(x + "unavailable_after: Friday, 25-Jun-10 15:00:00 XYZT, nofollow"), "x", "noindex, nofollow"},
		{"ROB-PAG-07/a zone of several words", header(x + "unavailable_after: 2010-06-25T15:00 Central European Summer Time nosnippet"), "x", "noindex, nosnippet"},
		{"ROB-PAG-07/an unknown zone, to come", header(x + "unavailable_after: 25 Jun 2099 15:00:00 XYZT"), "x", ""},
		{"ROB-PAG-07/no date before a zone", header(x + "unavailable_after: 31 Feb 2010 15:00:00 XYZT"), "x", ""},
		{"ROB-PAG-07/the comma of RFC 850", header(x + "unavailable_after: Friday, 25-Jun-10 15:00:00 PST, nofollow"), "x", "noindex, nofollow"},
		{"ROB-PAG-07/the comma of RFC 822", header(x + "nofollow, unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT"), "x", "noindex, nofollow"},
		{"ROB-PAG-07/a day of the week alone", header(x + "unavailable_after: Friday, nofollow"), "x", "nofollow"},
		{"ROB-PAG-07/a day of the week and a date that is none", header(x + "unavailable_after: Friday, 31 Feb 2010, nofollow"), "x", "nofollow"},

		{"ROB-PAG-07/a rule behind a date", header(x + "unavailable_after: 2099-01-01 noindex"), "x", "noindex"},
		{"ROB-PAG-07/rules around a date", header(x + "nofollow unavailable_after: 25 Jun 2010 15:00:00 PST nosnippet"), "x", "noindex, nofollow, nosnippet"},
		{"ROB-PAG-07/a rule behind the date of RFC 850", header(x + "unavailable_after: Monday, 25-Jun-10 15:00:00 UTC nofollow; nosnippet"), "x", "noindex, nofollow, nosnippet"},
		{"ROB-PAG-07/a rule behind a date that is none", header(x + "unavailable_after: at 15:00 noindex"), "x", "noindex"},
		{"ROB-PAG-07/another's name behind a date", header(x + "unavailable_after: 2099-01-01 otherbot: noindex"), "x", ""},

		{"ROB-PAG-10/for all and for one", header("Robots-Tag: *;nosnippet, ExampleBot;noindex"), "ExampleBot", "noindex, nosnippet"},
		{"ROB-PAG-10/for all", header("Robots-Tag: *;nosnippet, ExampleBot;noindex"), "x", "nosnippet"},
		{"ROB-PAG-10/a name without rules", header("Robots-Tag: *;noindex;nosnippet, ExampleBot"), "ExampleBot", "noindex, nosnippet"},
		{"ROB-PAG-10/lines add up", header("Robots-Tag: examplebot; noindex", `Robots-Tag: "ExampleBot";nofollow`), "examplebot", "noindex, nofollow"},
		{"ROB-PAG-10/values", header(`Robots-Tag: *;max-snippet=50;max-image-preview=none;unavailable_after="Fri, 25 Jun 2010 15:00:00 GMT"`), "x", "noindex, snippet 50, image none"},
		{"ROB-PAG-10/any case", header("Robots-Tag: EXAMPLEBOT;NoIndex"), "examplebot", "noindex"},
		{"ROB-PAG-10/false", header("Robots-Tag: *;noindex=?0;nofollow=?1"), "x", "nofollow"},
		{"ROB-PAG-10/a limit without a number", header("Robots-Tag: *;max-snippet;max-video-preview=?1;nofollow", "Robots-Tag: *;max-snippet=:MQ==:;max-video-preview=:1:;unavailable_after=@20200101"), "x", "nofollow"},
		{"ROB-PAG-10/whole members only", header("Robots-Tag: *;nosnippet, *;noindex;nofollow="), "x", "nosnippet"},
		{"ROB-PAG-10/a member that is not over", header("Robots-Tag: *;nosnippet, *;noindex)"), "x", "nosnippet"},
		{"ROB-PAG-10/what is no token", header("Robots-Tag: 7;noindex, (a b);noindex, *;nofollow"), "x", "nofollow"},
		{"ROB-PAG-10/beside the old header", header("Robots-Tag: *;noindex", x+"nofollow"), "x", "noindex, nofollow"},
		{"ROB-PAG-10/8 KiB", header("Robots-Tag: " + strings.Repeat("otherbot;noindex, ", 460) + "*;noindex"), "x", "noindex"},
		{"ROB-PAG-10/far beyond", header("Robots-Tag: *;nofollow, " + strings.Repeat("otherbot;noindex, ", 10_000) + "*;noindex"), "x", "nofollow"},
		{"ROB-PAG-10/beyond in a member", header("Robots-Tag: *;nofollow, *;noindex;x=\"" + strings.Repeat("a,", 40_000) + "\""), "x", "nofollow"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := verdicts(tt.page.read(tt.token)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSource(t *testing.T) {
	p := page{
		header: []string{"X-Robots-Tag: nosnippet", "X-Robots-Tag: otherbot: noindex, ExampleBot: max-snippet: 20, nofollow", "Robots-Tag: *;noimageindex"},
		meta:   []string{"description=noindex", "robots=noindex", "otherbot=none", "ExampleBot=unavailable_after: 2020-09-21"},
	}
	d := p.read("ExampleBot")
	for _, tt := range []struct {
		name string
		rule *Rule
		want string
	}{
		{"ROB-PAG-02/header", d.NoSnippet(), "nosnippet, 1st X-Robots-Tag header"},
		{"ROB-PAG-03/header for one", d.NoFollow(), "nofollow, 2nd X-Robots-Tag header for examplebot"},
		{"ROB-PAG-04/meta", d.NoIndex(now), "noindex, 1st robots meta element"},
		{"ROB-PAG-07/meta for one", d.UnavailableAfter(), "unavailable_after: 2020-09-21T00:00:00Z, 2nd robots meta element for examplebot"},
		{"ROB-PAG-10/draft", d.NoImageIndex(), "noimageindex, 1st Robots-Tag header"},
		{"ROB-PAG-05/the rule that decides", d.MaxSnippet(), "nosnippet, 1st X-Robots-Tag header"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.rule == nil {
				t.Fatal("no rule")
			}
			if got := fmt.Sprintf("%s, %s", tt.rule, tt.rule.Source); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	var all []string
	for _, r := range d.Rules() {
		all = append(all, r.String())
	}
	want := []string{"nosnippet", "max-snippet: 20", "nofollow", "noimageindex", "noindex", "unavailable_after: 2020-09-21T00:00:00Z"}
	if !slices.Equal(all, want) {
		t.Errorf("rules %q, want %q", all, want)
	}
}

func TestExpiry(t *testing.T) {
	d := page{meta: []string{"robots=unavailable_after: 2020-09-21T10:00:00Z"}}.read()
	at := time.Date(2020, 9, 21, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name string
		now  time.Time
		want bool
	}{
		{"ROB-PAG-07/before", at.Add(-time.Second), false},
		{"ROB-PAG-07/at", at, false},
		{"ROB-PAG-07/after", at.Add(time.Second), true},
		{"ROB-PAG-07/after, elsewhere", at.Add(time.Second).In(time.FixedZone("", -8*3600)), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := d.NoIndex(tt.now) != nil; got != tt.want {
				t.Errorf("noindex %t", got)
			}
		})
	}
}

// now is 12:00 UTC: a date in an unknown zone is over if it is more than 14 hours ago.
func TestUnknownZoneIsOverInEveryZone(t *testing.T) {
	for date, want := range map[string]bool{
		"30 Aug 2026 21:59:59 XYZT":         true,
		"2026-08-30 21:59:59 Europe/Berlin": true,
		"30 Aug 2026 21:59:59 UTC":          true,
		"30 Aug 2026 22:00:00 XYZT":         false,
		"31 Aug 2026 11:00:00 XYZT":         false,
		"31 Aug 2026 11:00:00 UTC":          true,
		"31 Aug 2026 13:00:00 XYZT":         false,
		"1 Sep 2026 02:00:01 XYZT":          false,
	} {
		t.Run("ROB-PAG-07/"+date, func(t *testing.T) {
			if got := (page{meta: []string{"robots=unavailable_after: " + date}}).read().NoIndex(now) != nil; got != want {
				t.Errorf("noindex %t", got)
			}
		})
	}
}

func TestRel(t *testing.T) {
	for _, tt := range []struct {
		rel    string
		want   Rel
		follow bool
	}{
		{"", Rel{}, true},
		{"noopener noreferrer", Rel{}, true},
		{"nofollow", Rel{NoFollow: true}, false},
		{"ugc,nofollow", Rel{NoFollow: true, UGC: true}, false},
		{"external\tNoFollow\n", Rel{NoFollow: true}, false},
		{"SPONSORED", Rel{Sponsored: true}, false},
		{" , ugc ,", Rel{UGC: true}, false},
		{"nofollows x-nofollow follow", Rel{}, true},
	} {
		t.Run("ROB-PAG-08/"+tt.rel, func(t *testing.T) {
			if got := ParseRel(tt.rel); got != tt.want || got.Follow() != tt.follow {
				t.Errorf("got %+v, follow %t", got, got.Follow())
			}
		})
	}
}

func TestCanonical(t *testing.T) {
	for _, tt := range []struct {
		name   string
		header []string
		want   string
	}{
		{"ROB-PAG-09/quoted", []string{`Link: <https://example.com/a>; rel="canonical"`}, "https://example.com/a"},
		{"ROB-PAG-09/bare", []string{`Link: </a>;rel=canonical`}, "/a"},
		{"ROB-PAG-09/any case", []string{`link: <a> ; REL = "Canonical"`}, "a"},
		{"ROB-PAG-09/several relations", []string{`Link: <a>; rel="shortlink canonical"`}, "a"},
		{"ROB-PAG-09/several links", []string{`Link: <s.css>; rel=preload; as=style, <b>; title="a, b; rel=canonical"; rel=next, <a>; rel=canonical`}, "a"},
		{"ROB-PAG-09/several lines", []string{`Link: <x>; rel=next`, `Link: <a>; rel=canonical`, `Link: <b>; rel=canonical`}, "a"},
		{"ROB-PAG-09/commas in the address", []string{`Link: <http://h.example/a,b;c>; rel=canonical`}, "http://h.example/a,b;c"},
		{"ROB-PAG-09/escapes in a value", []string{`Link: <x>; title="\"; rel=canonical"; rel=next, <a>; rel="\canonical"`}, "a"},
		{"ROB-PAG-09/another relation", []string{`Link: <a>; rel=alternate`, `Link: <a>`, `Link: <b>;canonical`}, ""},
		{"ROB-PAG-09/the second rel does not count", []string{`Link: <a>; rel=next; rel=canonical`}, ""},
		{"ROB-PAG-09/about another document", []string{`Link: <a>; rel=canonical; anchor="#part"`}, ""},
		{"ROB-PAG-09/broken", []string{`Link: a; rel=canonical`, `Link: <a; rel=canonical`, `Link: <a>; rel="canonic`, `Link: <a> rel=canonical`, `Link: `}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (page{header: tt.header}).read().Canonical(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("ROB-PAG-09/link elements", func(t *testing.T) {
		d := New()
		d.Link("stylesheet", "/s.css")
		d.Link("Canonical", " /a ")
		d.Link("canonical", "/b")
		if got := d.Canonical(); got != "/a" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("ROB-PAG-09/the header first", func(t *testing.T) {
		d := page{header: []string{"Link: </h>; rel=canonical"}}.read()
		d.Link("canonical", "/a")
		if got := d.Canonical(); got != "/h" {
			t.Errorf("got %q", got)
		}
	})
}
