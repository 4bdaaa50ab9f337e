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
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/shown"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// maxTop is how many of a few URLs are seen before one asks for more.
const maxTop = 3

// page is what the template is filled with.
type page struct {
	*Report

	Site   string // whose crawl it is, in a few words
	Policy string
	Style  template.CSS
	Script template.JS
	Cards  []card
	Charts map[string]chart
	Doubts []string // that hold for most kinds of discrepancy
}

// A card is one of the four answers at the top.
type card struct {
	Anchor   string
	Question string
	Figure   string
	Says     string
	Level    Level
	Findings []Finding
}

// WriteHTML writes the report as a page that needs nothing but itself.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"number": thousands[int], "size": size[int64], "bytes": size[int], "millis": millis, "duration": duration,
		"moment": moment, "clock": clockTime, "date": date, "shown": shown.Text, "web": web, "host": originOf, "zero": time.Time.IsZero,
		"list": func(values ...any) []any { return values }, "quantity": quantity,
		"top":    func(all []string) []string { return all[:min(len(all), maxTop)] },
		"below":  func(all []string) []string { return all[min(len(all), maxTop):] },
		"beyond": func(some, all int) int { return all - some },
		"hops":   func(chain []string) int { return len(chain) - 1 },
		"last":   func(chain []string) string { return chain[len(chain)-1] },
		"own":    without,
		"rest":   func(url string) string { return strings.TrimPrefix(url, originOf(url)) },
	}).Parse(pageText)
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

// policy is what the page allows itself: its own style and its own script, known by
// their hashes, and nothing from anywhere. Were something that a site wrote taken
// for markup, it still could not run or load anything.
func policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageStyle) + "; script-src " + hash(pageScript) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

// commonDoubts returns what makes most kinds of discrepancy doubtful, so that it is
// said once.
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

// without returns the doubts that are not common ones.
func without(common, doubts []string) []string {
	return slices.DeleteFunc(slices.Clone(doubts), func(doubt string) bool { return slices.Contains(common, doubt) })
}

// siteOf names the host of the first start URL, and says how many others there are.
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
	list := []card{
		{Anchor: string(OnPages), Question: "What is there?", Figure: thousands(s.Pages), Says: fmt.Sprintf("pages on %s, %s", quantity(s.Hosts, "host"), size(s.Bytes))},
		{Anchor: string(OnBroken), Question: "What is broken?", Figure: thousands(r.Broken.Total), Says: "broken URLs"},
		{Anchor: string(OnRobots), Question: "What did robots.txt keep us from?", Figure: thousands(s.Disallowed), Says: fmt.Sprintf("URLs disallowed, of %s found", thousands(s.Pages+s.Rejected))},
		{Anchor: string(OnSitemaps), Question: "Do the sitemaps tell the truth?", Figure: fmt.Sprintf("%s of %s", thousands(m.Fine), thousands(m.URLs)), Says: "listed URLs are as they should be"},
	}
	if m.URLs == 0 {
		list[3].Figure, list[3].Says = "–", "no sitemap lists a page"
	}
	for i := range list {
		c := &list[i]
		c.Level = Good
		if s.Pages == 0 || m.URLs == 0 && c.Anchor == string(OnSitemaps) {
			c.Level = Note // there is nothing to be content with
		}
		for _, f := range r.Findings {
			if string(f.Topic) != c.Anchor {
				continue
			}
			c.Findings = append(c.Findings, f)
			if worse(f.Level, c.Level) {
				c.Level = f.Level
			}
		}
	}
	return list
}

// worse tells whether one level is worse than another.
func worse(a, b Level) bool {
	rank := map[Level]int{Bad: 2, Warn: 1}
	return rank[a] > rank[b]
}

// size writes a number of bytes for a person.
func size[T int | int64](bytes T) string {
	n := float64(bytes)
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if n < 1000 {
			return strconv.FormatFloat(n, 'f', digits(n, unit), 64) + " " + unit
		}
		n /= 1000
	}
	return fmt.Sprintf("%.1f TB", n)
}

func digits(n float64, unit string) int {
	if unit == "B" || n >= 100 {
		return 0
	}
	return 1
}

func millis(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}

// duration writes seconds in their two largest units.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return millis(d.Milliseconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", d/time.Minute, d%time.Minute/time.Second)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%d days %d h", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}

// moment writes a time. It is in UTC, as in the files of the crawl: whoever reads a
// report may be elsewhere.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05") + " UTC"
}

// date writes a time, and one at midnight as the day that was probably meant.
func date(t time.Time) string {
	if utc := t.UTC(); !t.IsZero() && utc.Equal(utc.Truncate(24*time.Hour)) {
		return utc.Format(time.DateOnly)
	}
	return moment(t)
}

func clockTime(t time.Time) string { return t.UTC().Format("15:04:05") }

// web tells whether a text is a URL that a browser may be sent to.
func web(text string) bool { return shown.Link(text, maxAddress) }
