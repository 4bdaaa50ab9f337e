package sitemap

import (
	"slices"
	"strings"
	"testing"
)

func TestFeeds(t *testing.T) {
	rss := func(item string) string {
		return "<rss version='2.0'><channel><item>" + item + "</item></channel></rss>"
	}
	atom := func(feed, entry, link string) string {
		return `<feed xmlns="http://www.w3.org/2005/Atom"` + feed + "><entry" + entry + "><link" + link + "/></entry></feed>"
	}
	const (
		link   = "<link>http://h.example/link</link>"
		guid   = "<guid>http://h.example/guid</guid>"
		noLink = `<guid isPermaLink="false">http://h.example/guid</guid>`
		file   = "http://h.example/feeds/f.xml?x=1"
	)
	for name, tt := range map[string]struct {
		in   string
		url  string // Options.URL
		want []string
		tell []Kind
	}{
		"RSS: a guid is the link of an item without one":    {rss(guid), "", []string{"http://h.example/guid"}, nil},
		"RSS: a guid that says that it is a link":           {rss(`<guid isPermaLink="true"> http://h.example/guid </guid>`), "", []string{"http://h.example/guid"}, nil},
		"RSS: a guid that is no link":                       {rss(noLink), "", nil, []Kind{NoLoc}},
		"RSS: a guid that is no link, in other case":        {rss(`<guid isPermaLink=" FALSE ">http://h.example/guid</guid>`), "", nil, []Kind{NoLoc}},
		"RSS: the link counts before the guid":              {rss(link + guid), "", []string{"http://h.example/link"}, nil},
		"RSS: the link counts after the guid":               {rss(guid + link), "", []string{"http://h.example/link"}, nil},
		"RSS: an empty link is none":                        {rss("<link> </link>" + guid), "", []string{"http://h.example/guid"}, nil},
		"RSS: an empty link and nothing else":               {rss("<link/>"), "", nil, []Kind{NoLoc}},
		"RSS: an invalid link is not replaced":              {rss("<link>/a</link>" + guid), file, nil, []Kind{BadLoc}},
		"RSS: a guid that is not a URL":                     {rss("<guid>tag:h.example,2024:1</guid>"), "", nil, []Kind{BadLoc}},
		"RSS: an Atom link is not the link":                 {rss(`<atom:link xmlns:atom="http://www.w3.org/2005/Atom" href="http://h.example/s"/>` + guid), "", []string{"http://h.example/guid"}, nil},
		"RSS: a guid of the item before":                    {rss(guid + "</item><item><title>x</title>"), "", []string{"http://h.example/guid"}, []Kind{NoLoc}},
		"RSS: no base":                                      {strings.Replace(rss("<link>/a</link>"), "<rss", "<rss xml:base='http://h.example/'", 1), file, nil, []Kind{BadLoc}},
		"Atom: the base of the feed":                        {atom(` xml:base="http://b.example/x/"`, "", ` href="a?b=1&amp;c"`), "", []string{"http://b.example/x/a?b=1&c"}, nil},
		"Atom: the base of the entry":                       {atom("", ` xml:base="http://b.example/x"`, ` href="a"`), "", []string{"http://b.example/a"}, nil},
		"Atom: the base of the link":                        {atom("", "", ` href="a" xml:base="http://b.example/"`), "", []string{"http://b.example/a"}, nil},
		"Atom: bases inside each other":                     {atom(` xml:base="http://b.example/1/"`, ` xml:base="2/"`, ` xml:base="3/" href="a"`), "", []string{"http://b.example/1/2/3/a"}, nil},
		"Atom: a base relative to the file":                 {atom(` xml:base="/blog/"`, "", ` href="a"`), file, []string{"http://h.example/blog/a"}, nil},
		"Atom: the URL of the file":                         {atom("", "", ` href="../a"`), file, []string{"http://h.example/a"}, nil},
		"Atom: the base counts before the URL of the file":  {atom(` xml:base="http://b.example/"`, "", ` href="/a"`), file, []string{"http://b.example/a"}, nil},
		"Atom: the scheme of the base":                      {atom("", "", ` href="//c.example/a"`), "https://h.example/f", []string{"https://c.example/a"}, nil},
		"Atom: an absolute link":                            {atom(` xml:base="http://b.example/"`, "", ` href="http://c.example/a"`), file, []string{"http://c.example/a"}, nil},
		"Atom: an empty base is the feed's base":            {atom(` xml:base="http://b.example/x/"`, ` xml:base=""`, ` href="a"`), "", []string{"http://b.example/x/a"}, nil},
		"Atom: a base in other scripts":                     {atom(` xml:base="http://müller.example/ä/"`, "", ` href="ö"`), "", []string{"http://xn--mller-kva.example/%C3%A4/%C3%B6"}, nil},
		"Atom: no base and no URL":                          {atom("", "", ` href="/a"`), "", nil, []Kind{BadLoc}},
		"Atom: a base that is not a URL":                    {atom(` xml:base="mailto:a@b.example"`, "", ` href="/a"`), file, nil, []Kind{BadLoc}},
		"Atom: the base of the entry before does not count": {strings.Replace(atom("", ` xml:base="http://b.example/"`, ` href="/a"`), "</entry>", `</entry><entry><link href="/a"/></entry>`, 1), file, []string{"http://b.example/a", "http://h.example/a"}, nil},
		"Atom: another scheme":                              {atom("", "", ` href="javascript:alert(1)"`), file, nil, []Kind{BadLoc}},
		"Atom: a relative link to something else":           {atom("", "", ` rel="self" href="/s"/><link href="/a"`), file, []string{"http://h.example/a"}, nil},
		"Atom: an empty link is none":                       {atom("", "", ` href=""/><link href="/a"`), file, []string{"http://h.example/a"}, nil},
		"Atom 0.3":                                          {`<feed xmlns="http://purl.org/atom/ns#" xml:base="http://b.example/"><entry><link rel="alternate" href="a"/></entry></feed>`, "", []string{"http://b.example/a"}, nil},
	} {
		t.Run("ROB-SMP-21/"+name, func(t *testing.T) {
			entries, findings, err := readAll(strings.NewReader(tt.in), Options{URL: tt.url})
			if got := locs(entries); !slices.Equal(got, tt.want) || err != nil {
				t.Errorf("got %q, want %q: %v", got, tt.want, err)
			}
			if got := kinds(findings); !slices.Equal(got, tt.tell) {
				t.Errorf("findings %q, want %q", got, tt.tell)
			}
		})
	}
}

func TestSharedFeeds(t *testing.T) {
	for file, want := range map[string][]string{
		"atom-base-feed.xml": {"http://127.0.0.1:8160/posts/a"},
		"rss-guid.xml":       {"http://127.0.0.1:8160/blog/a", "http://127.0.0.1:8160/blog/b"},
	} {
		entries, _, err := readAll(strings.NewReader(sharedCase(t, "feeds/"+file)), Options{Strict: true})
		if got := locs(entries); !slices.Equal(got, want) || err != nil {
			t.Errorf("%s: got %q, want %q: %v", file, got, want, err)
		}
	}
}
