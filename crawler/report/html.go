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

// A page is what the template is filled with.
type page struct {
	*Report

	Site   string // what was crawled, in a few words
	Policy string
	Style  template.CSS
	Script template.JS
	Cards  []card
	Charts map[string]chart
	Doubts []string // that hold for most discrepancies
}

// A card is one of the four answers at the top.
type card struct {
	Anchor   string // a topic
	Question string
	Figure   string
	Says     string
	Level    Level
	Findings []Finding
}

// maxTop limits the URLs of a cell that are visible at first, maxAddress those that are links,
// in bytes.
const (
	maxTop     = 3
	maxAddress = 8 << 10
)

// functions are what the template calls.
var functions = template.FuncMap{
	"number": thousands[int], "size": size[int64], "bytes": size[int], "millis": millis, "duration": duration, "quantity": quantity,
	"moment": moment, "clock": clockTime, "date": date, "zero": time.Time.IsZero,
	"shown": escape.Text, "host": originOf,
	"web":    func(text string) bool { return escape.IsWebLink(text, maxAddress) }, // a browser may be sent there
	"list":   func(values ...any) []any { return values },
	"top":    func(all []string) []string { return all[:min(len(all), maxTop)] },
	"below":  func(all []string) []string { return all[min(len(all), maxTop):] },
	"beyond": func(some, all int) int { return all - some },
	"hops":   func(chain []string) int { return len(chain) - 1 },
	"last":   func(chain []string) string { return chain[len(chain)-1] },
	"rest":   func(url string) string { return strings.TrimPrefix(url, originOf(url)) },
	"own": func(common, doubts []string) []string {
		return slices.DeleteFunc(slices.Clone(doubts), func(doubt string) bool { return slices.Contains(common, doubt) })
	},
}

// WriteHTML writes the report as a page that needs no other file.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(w)
	err = t.Execute(buffer, &page{
		Report: r, Site: siteOf(r), Policy: policy(), Charts: charts(r), Cards: cards(r), Doubts: commonDoubts(r.Sitemaps.Kinds),
		Style:  template.CSS(pageStyle), //nolint:gosec // a file of this package, nothing of a site is in it
		Script: template.JS(pageScript), //nolint:gosec // as above
	})
	if err != nil {
		return err
	}
	return buffer.Flush()
}

// policy allows the page its own style and script, by their hashes, and nothing else. Were
// something that a site wrote taken for markup, it could neither run nor load anything.
func policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// commonDoubts returns what makes most discrepancies inconclusive, to be said once.
func commonDoubts(kinds []Discrepancy) []string {
	var common []string
	count := make(map[string]int)
	for _, k := range kinds {
		for _, doubt := range k.Inconclusive {
			if count[doubt]++; count[doubt] == len(kinds)/2+1 {
				common = append(common, doubt)
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
	truth, says := fmt.Sprintf("%s of %s", thousands(m.Fine), thousands(m.URLs)), "listed URLs are as they should be"
	if m.URLs == 0 {
		truth, says = "–", "no sitemap lists a page"
	}
	found := thousands(s.Pages+s.Rejected) + " found"
	if len(r.Rejected.Inconclusive) > 0 {
		found = "at least " + found
	}
	list := []card{
		{Anchor: topicPages, Question: "What is there?", Figure: thousands(s.Pages), Says: fmt.Sprintf("pages on %s, %s", quantity(s.Hosts, "host"), size(s.Bytes))},
		{Anchor: topicBroken, Question: "What is broken?", Figure: thousands(r.Broken.Total), Says: "broken URLs"},
		{Anchor: topicRobots, Question: "What did robots.txt keep us from?", Figure: thousands(s.Disallowed), Says: "URLs disallowed, of " + found},
		{Anchor: topicSitemaps, Question: "Do the sitemaps tell the truth?", Figure: truth, Says: says},
	}
	severity := map[Level]int{Bad: 2, Warn: 1}
	for i := range list {
		c := &list[i]
		c.Level = Good
		if s.Pages == 0 || m.URLs == 0 && c.Anchor == topicSitemaps {
			c.Level = Note // nothing was checked
		}
		for _, f := range r.Findings {
			if f.Topic != c.Anchor {
				continue
			}
			c.Findings = append(c.Findings, f)
			if severity[f.Level] > severity[c.Level] {
				c.Level = f.Level
			}
		}
	}
	return list
}
