package report

import (
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// notes says what the report cannot say, and why.
func (m *maker) notes() []string {
	notes := []string{}
	for _, l := range m.segments.lost() {
		text := l.String() + ": what is lost is missing in this report"
		if l.Dir != "" {
			text = l.Dir + ": " + text
		}
		notes = append(notes, text)
	}
	for _, s := range m.segments.those(func(s *segment) bool { return s.state.Unlisted }) {
		notes = append(notes, s.dir+": more URLs were skipped than are listed in "+output.RejectedFile)
	}
	if m.reconciler.within.trail && m.sitemaps.pages > 0 {
		notes = append(notes, output.EntriesFile+" is missing or empty, so that the entries of sitemaps are known only as far as they were the first way to a URL")
	}
	if m.reconciler.within.linksUnknown && len(m.segments) == 1 {
		notes = append(notes, output.LinksFile+" is missing or empty, so that of the pages that link to a URL only the one is known by which it was found")
	}
	if n := m.reconciler.within.unchanged; n > 0 {
		notes = append(notes, quantity(n, "page")+" had not changed since the last crawl and came without content; the links and duplicates there are not counted")
	}
	if m.reconciler.within.part {
		notes = append(notes, onePart)
	}
	if len(m.segments) > 1 {
		notes = append(notes, m.notesOnSegments()...)
	}
	return notes
}

// notesOnSegments says what to know of the directories of several workers.
func (m *maker) notesOnSegments() []string {
	var notes []string
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if n := m.union.pages; n > 0 {
		note("%s in more than one directory: of each the line of the last fetch counts", subject(n, "page", "stands", "stand"))
	}
	if m.reconciler.within.unseen > 0 {
		note("%s", m.reconciler.within.lacking())
	}
	for _, s := range m.segments.open() {
		if s.progress() == Running {
			note("%s: its worker is still running; what it has left alone will be known when it ends", s.dir)
		} else {
			note("%s: it is not known whether its worker is still running or was killed; what it has left alone may not all be there", s.dir)
		}
	}
	if !m.reconciler.within.trail {
		for _, s := range m.segments.withoutEntries() {
			note("%s: %s is missing, so that the entries of the sitemaps that its worker read are not known", s.dir, output.EntriesFile)
		}
	}
	for _, s := range m.segments.withoutLinks() {
		note("%s: %s is missing or empty, so that it is not known what its pages link to", s.dir, output.LinksFile)
	}
	return append(notes, m.segments.differences()...)
}

// differences says in what the directories differ that ought to be the same.
func (all segments) differences() []string {
	var notes []string
	first := all[0]
	for _, s := range all[1:] {
		if a, b := first.state.Round, s.state.Round; a != b {
			notes = append(notes, fmt.Sprintf("%s is of %s, %s of %s", first.dir, roundText(a), s.dir, roundText(b)))
		}
		if a, b := first.state.Config.UserAgent, s.state.Config.UserAgent; a != b && a != "" && b != "" {
			notes = append(notes, fmt.Sprintf("the worker of %s called itself %q, that of %s %q", first.dir, a, s.dir, b))
		}
		// The address may have a password in it, and one server may have several.
		if a, b := first.state.Config.Frontier, s.state.Config.Frontier; a != b && a != "" && b != "" {
			notes = append(notes, fmt.Sprintf("the workers of %s and %s name the frontier by different addresses: these have to be of one server", first.dir, s.dir))
		}
	}
	return notes
}

func roundText(round int) string {
	if round == 0 {
		return "the first crawl"
	}
	return fmt.Sprintf("recrawl %d", round)
}
