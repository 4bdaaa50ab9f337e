package visit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/redirection"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/sitemap"
)

// SitemapTime limits the time for one sitemap file, which may be 50 MiB.
const SitemapTime = 5 * time.Minute

// A sitemapFile is what was read of a sitemap. It has not been applied yet.
type sitemapFile struct {
	line    *output.Sitemap
	scope   sitemap.Scope
	entries []sitemap.Entry
}

// sitemap visits a file of a sitemap. After a kill it is read again from the start; the frontier ignores entries
// that it knows.
func (v *Visitor) sitemap(it *item, adm *admitted) (outcome, error) {
	if it.prov.FoundOn == "" && v.Discovery.IsLocalSitemap(it.url) { // it exists, unlike a probed one; robots.txt may disallow both
		it.prov.FoundOn = it.url[:strings.LastIndex(it.url, "/")+1] // the report names its faults
	}
	origin := it.prov.SitemapOf
	if v.Discovery.Sitemaps.Exhausted(origin) {
		return skipWith(output.MaxSitemapEntries, v.Discovery.Sitemaps.ExceededText(origin)), nil
	}
	// The listing in robots.txt authorizes the sitemap for its host, on whatever host it is.
	// Without it, a sitemap could send the crawl anywhere. Other origins may list it too.
	scope, err := sitemap.NewScope(sitemap.Listed, it.url, string(origin))
	if err != nil {
		return skipFor(output.InvalidURL, err), nil
	}
	ctx, cancel := context.WithTimeout(v.Lifecycle.Working, SitemapTime)
	defer cancel()
	began := time.Now()
	resp, err := v.request(ctx, http.MethodGet, it.url)
	if err != nil {
		return v.failed(it, time.Since(began), err)
	}
	defer func() { _ = resp.Body.Close() }()
	out, failure, err := v.readSitemap(it, adm, resp, scope, began)
	took := time.Since(began)
	if failure != nil {
		file := out.entries // those read so far are queued also if the file is read again
		out, err = v.failed(it, took, failure)
		out.entries = file
	} else {
		out.host = hostOutcome{delay: v.Delays.After(took), status: resp.StatusCode}
	}
	return out, err
}

// request sends a request without a body that is neither for a page nor for a check. It follows no redirects.
func (v *Visitor) request(ctx context.Context, method, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(fetch.ForSitemap(ctx, url), method, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", v.set.Requests.UserAgent)
	if method == http.MethodGet {
		req.Header.Set("Accept-Encoding", "gzip") // which package sitemap decodes, within limits
	}
	return v.Client.Do(req)
}

// readSitemap decides about a sitemap by its response. Failure is the error of reading it.
func (v *Visitor) readSitemap(it *item, adm *admitted, resp *http.Response, scope sitemap.Scope, began time.Time) (out outcome, failure, err error) {
	line := it.sitemapLine(resp.StatusCode, began)
	out.verdict = done
	if location := redirection.Location(resp.StatusCode, resp.Header); location != "" {
		out.found = v.Discovery.Redirect(it.document(adm), location)
		err = results.Sitemaps.Add(&out.lines, line)
		return out, nil, err
	}
	if again := v.retryStatus(it, resp.StatusCode); again.verdict == retry {
		return again, nil, nil
	}
	if resp.StatusCode/100 != 2 {
		if it.prov.FoundOn != "" { // robots.txt or an index lists it
			v.Lifecycle.Notice("sitemap missing", fmt.Sprintf("sitemap %s: status %d", it.u, resp.StatusCode), "url", it.url, "host", line.Origin, "status", resp.StatusCode)
		}
	} else {
		out.entries = &sitemapFile{line: line, scope: scope}
		failure = v.readEntries(it, resp, out.entries)
	}
	if failure == nil {
		err = results.Sitemaps.Add(&out.lines, line)
	}
	return out, failure, err
}

// readEntries reads the entries of a sitemap, and counts them in its line. Errors in the file are reported;
// entries before them count. The error comes from reading the response.
func (v *Visitor) readEntries(it *item, resp *http.Response, file *sitemapFile) error {
	line, origin := file.line, it.prov.SitemapOf
	for entry, err := range sitemap.Read(resp.Body, &sitemap.Options{URL: it.url}) {
		if errors.Is(err, sitemap.Unreadable) {
			return err
		}
		if err != nil {
			err = secret.RedactError(err)
			line.Detail = err.Error()
			v.Lifecycle.Notice("sitemap error", fmt.Sprintf("sitemap %s: %s", it.u, line.Detail), "url", it.url, "host", origin, "error", err)
			break
		}
		if !entry.Sitemap && !v.Discovery.Sitemaps.TakePage(origin) {
			line.Reason, line.Detail = output.MaxSitemapEntries, v.Discovery.Sitemaps.ExceededText(origin)
			v.Lifecycle.Notice("too many sitemap entries", fmt.Sprintf("sitemap %s, line %d: %s; what follows is not read", it.u, entry.Line, line.Detail),
				"url", it.url, "host", origin, "limit", v.set.Discover.MaxEntries)
			break
		}
		if entry.Sitemap {
			line.Sitemaps++
		} else {
			line.Pages++
		}
		entry.Alternates, entry.Images, entry.Videos, entry.News = nil, nil, nil, nil // they take memory
		file.entries = append(file.entries, entry)
	}
	return nil
}

// seedSitemap adds the entries of a sitemap to the frontier, while it is committed.
func (v *Visitor) seedSitemap(it *item, adm *admitted, out *outcome) error {
	file := out.entries
	lines, unread, refusal, err := v.Discovery.SeedEntries(it.document(adm), file.scope, file.entries)
	file.entries = nil // they take memory
	if err != nil {
		return err
	}
	for _, line := range lines {
		if err := results.Entries.Add(&out.lines, line); err != nil {
			return err
		}
	}
	if out.verdict == wait || out.verdict == retry {
		return nil
	}
	out.found = unread
	if refusal != nil { // sitemaps have notices of their own
		v.Board.Showf("sitemap %s: no entry counts: %v", it.u, refusal)
	}
	if line := file.line; out.verdict == done {
		v.Log.Info("sitemap read", "url", line.URL, "host", line.Origin, "pages", line.Pages, "sitemaps", line.Sitemaps, "duration", time.Since(line.FetchedAt))
	}
	return nil
}

// sitemapLine returns the line of sitemaps.jsonl about a file.
func (it *item) sitemapLine(status int, began time.Time) *output.Sitemap {
	return &output.Sitemap{
		URL: it.url, Status: status, Origin: string(it.prov.SitemapOf),
		FoundOn: it.prov.FoundOn, IndexDepth: it.prov.IndexDepth, FetchedAt: began.UTC(),
	}
}
