package sitemap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/guard"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// A sitemapFinding is one mistake in a sitemap.
type sitemapFinding struct {
	Sitemap string `json:"sitemap"`
	Line    int    `json:"line,omitempty"`   // 0 if it is about the file
	Column  int    `json:"column,omitempty"` // in bytes of the line, from 1
	Kind    string `json:"kind"`
	Text    string `json:"text,omitempty"`  // the text at this place
	Error   string `json:"error,omitempty"` // what is wrong with it
	Fix     string `json:"fix,omitempty"`   // what to write instead
	ID      string `json:"id,omitempty"`    // of the requirement
}

// findingColumns are the columns of the table of findings.
var findingColumns = []string{"sitemap", "line", "column", "kind", "text", "error", "fix", "id"}

// finding reports a mistake in a file. That the file could not be received is no mistake in it;
// unread reports that.
func (l *listing) finding(file string, f sitemap.Finding) error {
	if f.Kind == sitemap.Unreadable {
		return nil
	}
	if l.problem == nil || l.problem.file != file || !l.problem.skips() && (&fileProblem{file, f}).skips() {
		l.problem = &fileProblem{file, f}
	}
	return l.report(sitemapFinding{
		Sitemap: file, Line: f.Line, Column: f.Column, Kind: string(f.Kind),
		Text: f.Text, Error: cli.ErrorText(f.Err), Fix: f.Fix, ID: l.requirement(f.Kind),
	})
}

// A fileProblem is the first finding about a file that skips an entry, or else the first one.
type fileProblem struct {
	file string
	sitemap.Finding
}

// skips reports whether the finding is why an entry was skipped.
func (p *fileProblem) skips() bool {
	switch p.Kind {
	case sitemap.BadLoc, sitemap.NoLoc, sitemap.Markup, sitemap.NotAuthorized:
		return true
	}
	return false
}

// done ends a file. It says how many of its entries were skipped, unless an error or findings do.
func (l *listing) done(f robotsext.SitemapFile) {
	l.totals.addFile(f)
	skipped := f.Summary.Skipped + f.NotAuthorized
	if skipped == 0 || l.check || l.stats || f.Err != nil || l.totals.Entries == 0 {
		return
	}
	text := fmt.Sprintf("%s: %s skipped", cli.InputName(f.URL), humanize.Count(skipped, "entry"))
	if p := l.problem; p != nil && p.file == f.URL && p.skips() {
		text += ", the first: " + cli.ErrorText(&p.Finding)
	}
	l.Notice(text + "; --check lists all")
}

// report counts a finding, and writes it if --check says so.
func (l *listing) report(f sitemapFinding) error {
	l.totals.Findings[f.Kind]++
	if kind := sitemap.Kind(f.Kind); kind == sitemap.BadLoc || kind == sitemap.NotEscaped || kind == sitemap.BadExtension && f.Error != "" { // the text is not a URL
		f.Text = secret.RedactInvalidURL(f.Text)
	}
	f.Sitemap, f.Text, f.Error = secret.RedactText(f.Sitemap), secret.RedactText(f.Text), secret.RedactText(f.Error)
	if !l.check {
		return nil
	}
	l.code = cli.Worse(l.code, cli.ExitFindings)
	switch l.format {
	case cli.JSON:
		return l.out.PrintJSON(f)
	case cli.CSV:
		return l.writeRow([]string{f.Sitemap, strconv.Itoa(f.Line), strconv.Itoa(f.Column), f.Kind, f.Text, f.Error, f.Fix, f.ID})
	}
	return l.out.Print(f.String() + "\n")
}

// String is the finding as a line for a person, file, line and column first as compilers
// write them.
func (f sitemapFinding) String() string {
	var b strings.Builder
	b.WriteString(cli.InputName(f.Sitemap))
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
	}
	if f.Column > 0 {
		fmt.Fprintf(&b, ":%d", f.Column)
	}
	b.WriteString(": " + f.Kind)
	if f.Text != "" {
		fmt.Fprintf(&b, ": %q", f.Text)
	}
	if f.Error != "" {
		b.WriteString(": " + f.Error)
	}
	if f.Fix != "" {
		b.WriteString("; " + f.Fix)
	}
	if f.ID != "" {
		b.WriteString(" [" + f.ID + "]")
	}
	return cli.Escape(b.String())
}

// unread reports a sitemap that was not read completely. With --check it is a finding if the
// site is the cause; otherwise it is an error on standard error.
func (l *listing) unread(f robotsext.SitemapFile) error {
	end, within := errors.AsType[*sitemap.Finding](f.Err)
	if within && end.Kind == sitemap.Unreadable {
		within, f.Err = false, end.Err
	}
	if l.check {
		if within || errors.Is(f.Err, robotsext.ErrSitemapRefused) {
			return nil // has been reported
		}
		if about, ok := faultOf(f); ok {
			return l.report(about)
		}
	}
	if !f.RetryAt.IsZero() {
		f.Err = fmt.Errorf("%w; retry after %s", f.Err, humanize.Time(f.RetryAt))
	}
	l.fail(f.URL, f.Err)
	return nil
}

// faultOf returns why a sitemap was not read, if the site made a mistake. A temporary failure
// of the site or the network is no mistake.
func faultOf(f robotsext.SitemapFile) (about sitemapFinding, ok bool) {
	about = sitemapFinding{Sitemap: f.URL, Error: cli.ErrorText(f.Err)}
	blocked, isBlocked := errors.AsType[*robotsext.BlockedError](f.Err)
	switch {
	case isBlocked && blocked.Reason == robotsext.Disallowed:
		about.Kind, about.ID = "disallowed", "ROB-SMP-04"
	case errors.Is(f.Err, robotsext.ErrSitemapDepth):
		about.Kind, about.ID = "not followed", "ROB-SMP-20"
	case f.Status >= 400 && f.Status <= 499 && f.Status != 408 && f.Status != 429:
		about.Kind, about.ID = "missing", "ROB-SMP-24"
	default:
		return sitemapFinding{}, false
	}
	return about, true
}

// fail reports an error and continues.
func (l *listing) fail(name string, err error) {
	code, text := cli.ExitFailed, cli.InputName(name)+": "+cli.ErrorText(err)
	blocked, isBlocked := errors.AsType[*robotsext.BlockedError](err)
	switch {
	case errors.Is(err, guard.ErrRefused):
		text = cli.InputName(name) + ": " + site.RefusedAddress(err, "")
	case isBlocked && blocked.Reason == robotsext.Later:
		code = cli.ExitLater
		text = fmt.Sprintf("cannot request %s yet: %s is unreachable: %s; retry after %s",
			cli.InputName(blocked.URL), cli.InputName(blocked.RobotsURL), cli.ErrorText(blocked.Err), humanize.Time(againAt(blocked)))
	case isBlocked:
		code, text = cli.ExitFindings, cli.ErrorText(err)
	case l.isRejected(err):
		code = cli.ExitFindings
	}
	l.code = cli.Worse(l.code, code)
	if errors.Is(err, robotsext.ErrSitemapBudget) {
		text += " (--max-files)"
	}
	l.Complain(errors.New("sitemap: " + text))
}

// isRejected reports whether an error is why a sitemap lists no URL, although it was received. If reading
// stops after some URLs, the list is only incomplete.
func (l *listing) isRejected(err error) bool {
	_, isFinding := errors.AsType[*sitemap.Finding](err)
	return isFinding && l.totals.Entries == 0 || errors.Is(err, robotsext.ErrSitemapRefused) || errors.Is(err, robotsext.ErrSitemapUseless) || errors.Is(err, errNoURL)
}

// againAt returns when to run the command again if the robots.txt of a site is unreachable: when
// the site says, but not before a crawler would retry.
func againAt(blocked *robotsext.BlockedError) time.Time {
	soon := time.Now().Add(crawler.Default().Robots.Retry)
	if blocked.RetryAt.After(soon) {
		return blocked.RetryAt
	}
	return soon
}

// requirement returns the id of the requirement that a sitemap with this finding violates.
func (l *listing) requirement(kind sitemap.Kind) string {
	if kind == sitemap.NotAuthorized && l.policy == policyDirectory {
		return "ROB-SMP-19"
	}
	return kind.SpecID()
}
