package report

import (
	"strings"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// Sitemaps compares the sitemaps with the site.
type Sitemaps struct {
	Files     List[SitemapFile] `json:"files"`
	FilesRead int               `json:"files_read"` // files that were read completely

	Entries               int          `json:"entries"`                 // page entries of all files
	URLs                  int          `json:"urls"`                    // listed URLs, each counted once
	OK                    int          `json:"ok"`                      // listed URLs that can be fetched and indexed
	Problems              int          `json:"problems"`                // listed URLs that cannot be fetched and indexed; the other URLs were not fetched
	OriginsWithoutEntries List[string] `json:"origins_without_entries"` // origins with pages, none of them listed in a sitemap

	// Caveats are reasons why the sitemaps may list more URLs. It is empty if they do not.
	Caveats []string `json:"caveats"`
}

// entries are the URLs that sitemaps list.
type entries struct {
	facts     *facts
	result    Sitemaps
	origins   map[string]bool // with entries
	unfetched int             // URLs that were neither fetched nor rejected
}

// add records an entry. Pages and rejections come first.
func (x *entries) add(_ *workerDir, e *output.Entry) {
	x.result.Entries++
	k := keyOf(e.URL)
	x.facts.mark(k, listed)
	origin := originOf(e.URL)
	if !x.origins[origin] && x.facts.reason(x.facts.byURL[k]) != output.NotAuthorized {
		x.origins[strings.Clone(origin)] = true // it is part of a URL
	}
}

// An entryState is what is known about a listed URL.
type entryState int

const (
	entryNotFetched entryState = iota
	entryBroken
	entryRedirected
	entryDisallowed
	entryNotAuthorized
	entryNotIndexable
	entryFine // the sitemap is right
)

func (s entryState) isProblem() bool { return entryNotFetched < s && s < entryFine }

func (x *entries) stateOf(f fact) entryState {
	reason := x.facts.reason(f)
	switch {
	case x.facts.broken(f):
		return entryBroken
	case redirected(int(f.status)):
		return entryRedirected
	case reason == output.Disallowed:
		return entryDisallowed
	case reason == output.NotAuthorized:
		return entryNotAuthorized
	case !succeeded(int(f.status)):
		return entryNotFetched
	case f.has(noindex | elsewhere):
		return entryNotIndexable
	}
	return entryFine
}

// count counts the listed URLs, when all are known.
func (x *entries) count() {
	for _, f := range x.facts.byURL {
		if !f.has(listed) {
			continue
		}
		x.result.URLs++
		if f.status == 0 && f.reason == 0 {
			x.unfetched++
		}
		switch state := x.stateOf(f); {
		case state == entryFine:
			x.result.OK++
		case state.isProblem():
			x.result.Problems++
		}
	}
}

// sitemapResult returns the comparison of the sitemaps with the site.
func (m *model) sitemapResult() Sitemaps {
	result := m.entries.result
	result.Files, result.FilesRead = m.sitemaps.list()
	var without []string
	for name, o := range m.counters.origins {
		if o.OK > 0 && !m.entries.origins[name] && !m.entriesUnknown {
			without = append(without, name)
		}
	}
	result.OriginsWithoutEntries = listOf(m.rows, without, strings.Compare)
	result.Caveats = m.caveats(ofEntries)
	return result
}
