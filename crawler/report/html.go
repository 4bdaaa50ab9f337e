package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // of the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// A page is the data of the template.
type page struct {
	*Report

	Site    string // the crawled site, in a few words
	Policy  string
	Style   template.CSS
	Script  template.JS
	Cards   []card
	Charts  map[string]chart
	Reasons []string // caveats of most findings
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

// maxTop limits the URLs of a cell that are visible at first. maxAddress is the maximum length
// of a link, in bytes.
const (
	maxTop     = 3
	maxAddress = 8 << 10
)

// functions are the functions of the template.
var functions = template.FuncMap{
	"number": thousands[int], "size": size[int64], "bytes": size[int], "millis": millis, "duration": duration, "quantity": quantity,
	"moment": moment, "clock": clockTime, "date": date, "zero": time.Time.IsZero,
	"shown": escape.Text, "host": originOf, "found": sourceLabel,
	"web":    func(text string) bool { return escape.IsWebLink(text, maxAddress) }, // a browser may be sent there
	"list":   func(values ...any) []any { return values },
	"top":    func(all []string) []string { return all[:min(len(all), maxTop)] },
	"below":  func(all []string) []string { return all[min(len(all), maxTop):] },
	"beyond": func(some, all int) int { return all - some },
	"hops":   func(chain []string) int { return len(chain) - 1 },
	"last":   func(chain []string) string { return chain[len(chain)-1] },
	"rest":   func(url string) string { return strings.TrimPrefix(url, originOf(url)) },
	"without": func(common, reasons []string) []string {
		return slices.DeleteFunc(slices.Clone(reasons), func(reason string) bool { return slices.Contains(common, reason) })
	},
}

// sourceLabel says how a URL was found; the URL on which it was found follows.
func sourceLabel(source, foundOn string) string {
	switch {
	case foundOn == "":
		return escape.Text(source)
	case source == "redirect":
		return "redirect from"
	case source == "sitemap" && foundOn == originOf(foundOn)+"/robots.txt":
		return "Sitemap line in"
	case source == "sitemap":
		return "entry in"
	default:
		return escape.Text(source) + " in"
	}
}

// WriteHTML writes the report as a page that needs no other file.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(w)
	err = t.Execute(buffer, &page{
		Report: r, Site: siteOf(r), Policy: policy(), Charts: charts(r), Cards: cards(r), Reasons: commonReasons(r.Findings),
		Style:  template.CSS(pageStyle), //nolint:gosec // a file of this package, nothing of a site is in it
		Script: template.JS(pageScript), //nolint:gosec // as above
	})
	if err != nil {
		return err
	}
	return buffer.Flush()
}

// policy allows the page its own style and script, by their hashes, and nothing else. Even if
// text from a site became markup, it could neither run nor load anything.
func policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// commonReasons returns the caveats of most findings. The page shows them once.
func commonReasons(kinds []Findings) []string {
	var common []string
	count := make(map[string]int)
	for _, k := range kinds {
		for _, reason := range k.Caveats {
			if count[reason]++; count[reason] == len(kinds)/2+1 {
				common = append(common, reason)
			}
		}
	}
	return common
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
		{Topic: topicPages, Title: "Pages", Figure: thousands(s.Pages), Unit: fmt.Sprintf("pages, %s; %s found", size(s.Bytes), quantity(s.Hosts, "origin"))},
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
