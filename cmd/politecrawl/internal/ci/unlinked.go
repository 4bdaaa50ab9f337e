package ci

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/crawldir"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/runner"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// unlinkedRule finds pages of a folder that the crawl did not find. The report of a server cannot
// know them.
var unlinkedRule = report.Rule{
	ID: "page-not-linked", Severity: report.SeverityNotice, Topic: "pages", Title: "Files to which no crawled page links",
	Fix: "Link to the page, or remove the file.",
}

// addUnlinked adds the findings of unlinkedRule to the report, and writes it again. Note names the first
// of them. It adds none if the crawl left out pages or links: one of them may lead to a page.
func (g *gate) addUnlinked(ctx context.Context, sum *runner.Summary, f *folder) (note string, err error) {
	if sum.End != crawler.EndFinished || sum.RejectedIncomplete || sum.Truncated.Pages > 0 || len(sum.Lost) > 0 || g.settings.Config.Sitemaps.Only {
		return "", nil
	}
	if starts, _, err := unfetchedStarts(sum.Output); err != nil || len(starts) > 0 {
		return "", err
	}
	found, skipped, err := f.found(sum.Output)
	if err != nil {
		return "", cli.Failed("cannot read the crawl: %w", cli.QuotePath(err))
	}
	if skipped {
		return "", nil
	}
	rows, names := []report.Finding{}, []string{}
	for _, inside := range f.pages() {
		if !found[inside] {
			rows = append(rows, report.Finding{URL: f.urlOf(inside)})
			names = append(names, filepath.Join(f.dir, filepath.FromSlash(inside)))
		}
	}
	sum.Found.Findings = append(sum.Found.Findings, report.Findings{Rule: unlinkedRule, Caveats: []string{}, Total: len(rows), Rows: rows})
	if err := sum.Found.WriteFiles(ctx, sum.Output); err != nil {
		return "", cli.Failed("cannot write the report: %w", cli.QuotePath(err))
	}
	if len(names) == 0 {
		return "", nil
	}
	return "no crawled page links to " + humanize.List(names, 3), nil
}

// found returns the files whose URLs a crawl found, whether it requested them or not. Skipped says
// that limits or expressions left out one that may have links.
func (f *folder) found(dir string) (files map[string]bool, skipped bool, err error) {
	files = make(map[string]bool)
	fetched, unread := make(map[string]bool), make(map[string]bool)
	add := func(u string) (inside string) {
		inside, _, ok := f.fileOf(u)
		if ok {
			files[inside] = true
		}
		return inside
	}
	err = errors.Join(
		eachLine(dir, func(p *output.Page) { fetched[add(p.URL)] = true }),
		eachLine(dir, func(r *output.Rejection) {
			inside := add(r.URL)
			unread[inside] = unread[inside] || r.Reason != output.Disallowed && r.Reason != output.Nofollow
		}),
		eachLine(dir, func(c *output.Check) { _ = add(c.URL) }),
	)
	for inside := range files {
		skipped = skipped || unread[inside] && !fetched[inside] && f.has(inside) && slices.Contains(htmlTypes, mediaType(inside))
	}
	return files, skipped, err
}

// htmlTypes are the types of files that have links.
var htmlTypes = []string{"text/html", "application/xhtml+xml"}

// eachLine calls use for each line of a file of a crawl. A missing file has none.
func eachLine[T any](dir string, use func(*T)) error {
	for line, err := range output.Read[T](dir) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			use(line)
		}
	}
	return nil
}

// pages returns the files that people read: HTML and PDF. Hidden files, directories of crawls, error
// pages and the files that prove the ownership of a site need no link.
func (f *folder) pages() []string {
	var list []string
	_ = fs.WalkDir(f.root.FS(), ".", func(inside string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && inside != "."
		switch {
		case err != nil || hidden && !entry.IsDir():
			return nil // as for a crawl, what cannot be read is not there
		case entry.IsDir():
			if hidden || crawldir.HoldsCrawl(filepath.Join(f.root.Name(), filepath.FromSlash(inside))) {
				return fs.SkipDir
			}
			return nil
		}
		mime := mediaType(inside)
		isPage := slices.Contains(htmlTypes, mime) || mime == "application/pdf"
		if isPage && !needsNoLink.MatchString(strings.TrimSuffix(inside, "/"+indexFile)) && f.has(inside) {
			list = append(list, inside)
		}
		return nil
	})
	return list
}

// needsNoLink matches error pages, such as 404.html or 50x.html, and the files by which search
// engines and others verify who owns a site.
var needsNoLink = regexp.MustCompile(`(?i)(^|/)([45][0-9x]{2}|google[0-9a-f]{16}|yandex_[0-9a-f]{16}|naver[0-9a-f]{32}|baidu_verify_[^/]+|pinterest-[0-9a-z]+)(\.x?html?)?$`)

// urlOf returns the URL of a file in the folder.
func (f *folder) urlOf(inside string) string {
	if path.Base(inside) == indexFile {
		inside = strings.TrimSuffix(inside, indexFile)
	}
	return f.origin + (&url.URL{Path: f.base + inside}).EscapedPath()
}
