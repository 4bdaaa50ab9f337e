package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
)

//go:embed page
var pageFiles embed.FS

// pageScript is one script, so that the policy of the page can allow it by its hash.
var (
	pageText   = pageFile("page.html")
	pageStyle  = pageFile("page.css")
	pageScript = pageFile("data.js", "cells.js", "source.js", "table.js", "panel.js", "tree.js", "main.js")
)

func pageFile(names ...string) string {
	var all []byte
	for _, name := range names {
		text, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			panic(err) // the program was built without it
		}
		all = append(all, text...)
	}
	return string(all)
}

// A page is the data of the template.
type page struct {
	*Report

	Site   string // the crawled site, in a few words
	Policy string
	Style  template.CSS
	Cards  []card
	Charts map[string]chart
	Topics []topic
	Tables map[string]*table // by ID
}

// A card sums up one topic at the top.
type card struct {
	Topic      string
	Title      string
	Figure     string
	Unit       string // of the figure
	Level      Level
	Highlights []Highlight
}

// Anchor returns the topic that has the details.
func (c card) Anchor() string {
	if c.Topic == topicBroken {
		return topicLinks
	}
	return c.Topic
}

// A topic is a tab of the page.
type topic struct {
	ID       string
	Title    string
	Counts   []severityCount // of its findings, the most severe first
	Caveats  []string        // of most rules; the page shows them once
	Findings []Findings
}

type severityCount struct {
	Severity Severity
	Count    int
}

// maxTop limits the URLs of a cell that are visible at first. maxAddress is the maximum length
// of a link, in bytes.
const (
	maxTop     = 3
	maxAddress = 8 << 10
)

// functions are the functions of the template.
var functions = template.FuncMap{
	"number": thousands[int], "figure": thousands[int64], "size": size[int64], "millis": millis, "duration": duration, "quantity": quantity,
	"moment": moment, "zero": time.Time.IsZero, "shown": escape.Text, "host": originOf,
	"web":     func(text string) bool { return escape.IsWebLink(text, maxAddress) }, // a browser may be sent there
	"top":     func(all []string) []string { return all[:min(len(all), maxTop)] },
	"below":   func(all []string) []string { return all[min(len(all), maxTop):] },
	"beyond":  func(some int, all int64) int { return int(all) - some },
	"long":    func(n int) int64 { return int64(n) },
	"rest":    func(url string) string { return strings.TrimPrefix(url, originOf(url)) },
	"skipped": skippedID,
	"without": func(common, reasons []string) []string {
		return slices.DeleteFunc(slices.Clone(reasons), func(reason string) bool { return slices.Contains(common, reason) })
	},
}

// WriteHTML writes the report as a page that needs no other file.
func (r *Report) WriteHTML(w io.Writer) error { return r.writePage(w, false) }

// writePage writes the page. If it is served, it asks the server for the rows of URLs, and for links.
func (r *Report) writePage(w io.Writer, served bool) error {
	t, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return err
	}
	tables := tablesOf(r)
	p := &page{
		Report: r, Site: siteOf(r), Policy: policy(served), Charts: charts(r), Cards: cards(r), Topics: topics(r), Tables: make(map[string]*table),
		Style: template.CSS(pageStyle), //nolint:gosec // a file of this package, nothing of a site is in it
	}
	for _, t := range tables {
		t.Served = served && t.ID == topicURLs
		p.Tables[t.ID] = t
	}
	buffer := bufio.NewWriter(w)
	if err := t.Execute(buffer, p); err != nil {
		return err
	}
	// The data may be large, so no template has it in memory.
	links := cmp.Or(r.links, newLinkGraph())
	if err := writeBlock(buffer, "data", func(w io.Writer) error { return writeData(w, tables, links, served) }); err != nil {
		return err
	}
	if links.count > 0 && !served {
		if err := writeBlock(buffer, "links", func(w io.Writer) error { _, err := w.Write(links.pages); return err }); err != nil {
			return err
		}
	}
	if r.urls != nil && !served {
		if err := r.urls.writeDetails(buffer); err != nil {
			return err
		}
	}
	_, _ = buffer.WriteString("<script>" + pageScript + "</script>\n</body>\n</html>\n") // Flush returns the error of an earlier call
	return buffer.Flush()
}

// The tabs without rules of the report.
const (
	topicURLs    = "urls"
	topicTree    = "tree"
	topicChanges = "changes" // since a baseline
)

// topics returns the topics that have findings or other tables.
func topics(r *Report) []topic {
	list := []topic{
		{ID: topicURLs, Title: "URLs"}, {ID: topicTree, Title: "Tree"},
		{ID: topicLinks, Title: "Links"}, {ID: topicExternal, Title: "External links"}, {ID: topicAssets, Title: "Assets"}, {ID: topicPages, Title: "Pages"},
		{ID: topicRedirects, Title: "Redirects"}, {ID: topicCanonical, Title: "Canonical"}, {ID: topicHreflang, Title: "hreflang"},
		{ID: topicSitemaps, Title: "Sitemaps"}, {ID: topicRobots, Title: "robots.txt"},
		{ID: topicPermissions, Title: "Permissions"},
	}
	if r.Changes != nil {
		list = slices.Insert(list, 2, topic{ID: topicChanges, Title: "Changes", Findings: r.Changes.Findings})
	}
	for i := range list {
		t := &list[i]
		for _, f := range r.Findings {
			if f.Topic == t.ID {
				t.Findings = append(t.Findings, f)
			}
		}
		for _, severity := range []Severity{SeverityError, SeverityWarning, SeverityNotice} {
			n := 0
			for _, f := range t.Findings {
				if f.Severity == severity {
					n += f.Total
				}
			}
			if n > 0 {
				t.Counts = append(t.Counts, severityCount{severity, n})
			}
		}
		t.Caveats = commonCaveats(t.Findings)
	}
	return slices.DeleteFunc(list, func(t topic) bool {
		return len(t.Findings) == 0 && slices.Contains([]string{topicExternal, topicAssets, topicCanonical, topicHreflang}, t.ID)
	})
}

// commonCaveats returns the caveats of more than one rule that most rules of a topic have.
func commonCaveats(all []Findings) []string {
	var common []string
	count := make(map[string]int)
	for _, f := range all {
		for _, caveat := range f.Caveats {
			if count[caveat]++; count[caveat] == max(len(all)/2+1, 2) {
				common = append(common, caveat)
			}
		}
	}
	return common
}

// policy allows the page its own style and script, by their hashes, and nothing else. Even if
// text from a site became markup, it could neither run nor load anything.
func policy(served bool) string {
	connect := ""
	if served {
		connect = "; connect-src 'self'"
	}
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) +
		connect + "; img-src data:; base-uri 'none'; form-action 'none'"
}

// siteOf names the host of the first start URL and counts the others.
func siteOf(r *Report) string {
	urls := r.Summary.URLs
	if urls.Total == 0 {
		return "an unknown site"
	}
	hosts := make(map[string]bool)
	for _, u := range urls.Rows {
		hosts[originOf(u)] = true
	}
	_, name, _ := strings.Cut(originOf(urls.Rows[0]), "://")
	if more := len(hosts) - 1; more > 0 {
		name += " and " + quantity(more, "other host")
	}
	return name
}

func cards(r *Report) []card {
	s, m := r.Summary, r.Sitemaps
	figure, unit := fmt.Sprintf("%s of %s", thousands(m.OK), thousands(m.URLs)), "listed URLs without problems"
	if m.URLs == 0 {
		figure, unit = "–", "no sitemap lists a page"
	}
	found := thousands(s.Pages+s.Rejected) + " found"
	if len(r.Rejected.Caveats) > 0 {
		found = "at least " + found
	}
	list := []card{
		{Topic: topicPages, Title: "Pages", Figure: thousands(s.Pages), Unit: fmt.Sprintf("pages, %s; %s found", size(s.Bytes), quantity(s.Origins, "origin"))},
		{Topic: topicBroken, Title: "Broken URLs", Figure: thousands(s.Broken), Unit: noun(s.Broken, "URL")},
		{Topic: topicRobots, Title: "robots.txt", Figure: thousands(s.Disallowed), Unit: noun(s.Disallowed, "URL") + " disallowed, of " + found},
		{Topic: topicSitemaps, Title: "Sitemaps", Figure: figure, Unit: unit},
	}
	severity := map[Level]int{Error: 2, Warning: 1}
	for i := range list {
		c := &list[i]
		c.Level = OK
		if s.Pages == 0 || m.URLs == 0 && c.Topic == topicSitemaps {
			c.Level = Info // nothing was checked
		}
		for _, f := range r.Highlights {
			if f.Topic != c.Topic {
				continue
			}
			c.Highlights = append(c.Highlights, f)
			if severity[f.Level] > severity[c.Level] {
				c.Level = f.Level
			}
		}
	}
	return list
}
