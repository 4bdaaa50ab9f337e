package compare

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // of the parts of the page
	"encoding/base64"
	"html/template"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/report"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
)

// maxRows is the number of rows that a table of the page has. maxAddress is the maximum length
// of a link, in bytes.
const (
	maxRows    = 1000
	maxAddress = 8 << 10
)

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"shown":  escape.Text,
	"web":    func(text string) bool { return escape.IsWebLink(text, maxAddress) },
	"moment": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 MST") },
	"first":  func(rows []report.Finding) []report.Finding { return rows[:min(len(rows), maxRows)] },
	"beyond": func(rows []report.Finding) int { return max(len(rows)-maxRows, 0) },
}).Parse(pageText))

// WriteHTML writes the comparison as a page that needs no other file. It runs no script.
func (c *Comparison) WriteHTML(w io.Writer) error {
	type table struct {
		report.Rule

		Rows                   []report.Finding
		Detail, Related, Pages bool // whether a row has these
	}
	tableOf := func(rule report.Rule, rows []report.Finding) table {
		t := table{Rule: rule, Rows: rows}
		for _, row := range rows[:min(len(rows), maxRows)] {
			t.Detail, t.Related, t.Pages = t.Detail || row.Detail != "", t.Related || row.Related != "", t.Pages || len(row.FoundOn) > 0
		}
		return t
	}
	var worse, fixed []table
	for _, f := range c.Findings {
		if len(f.New) > 0 {
			worse = append(worse, tableOf(f.Rule, f.New))
		}
		if len(f.Fixed) > 0 {
			fixed = append(fixed, tableOf(f.Rule, f.Fixed))
		}
	}
	var changed []table
	for _, f := range c.Changes {
		changed = append(changed, tableOf(f.Rule, f.Rows))
	}
	none := "No other change was found."
	if text := c.Unchanged(); text != "" {
		none = strings.ToUpper(text[:1]) + text[1:] + "."
	}
	bodies := ""
	if c.BodiesChanged > 0 {
		bodies = "Pages with another body: " + strconv.Itoa(c.BodiesChanged)
	}
	type section struct {
		Title, None, Text string
		Tables            []table
	}
	sum := sha256.Sum256([]byte(pageStyle))
	buffer := bufio.NewWriter(w)
	err := pageTemplate.Execute(buffer, map[string]any{
		"Comparison": c,
		"Sides":      []map[string]any{{"Name": "Old", "Side": c.Old}, {"Name": "New", "Side": c.New}},
		"Policy":     "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'",
		"Style":      template.CSS(pageStyle), //nolint:gosec // a file of this package, nothing of a site is in it
		"Sections": []section{
			{"New findings", "No finding is new.", "", worse},
			{"Changes", none, bodies, changed},
			{"Fixed findings", "No finding was fixed.", "", fixed},
		},
	})
	if err != nil {
		return err
	}
	return buffer.Flush()
}
