package csvout

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// No cell with text from a site is a formula or has control characters, with commas or semicolons
// as separators.
func TestNoCellIsAFormula(t *testing.T) {
	const bad = "=1+1;=2\r\n\u009b\t;@SUM(1)"
	now := time.Now()
	dir := t.TempDir()
	s := sinktest.Open(t, Format(nil), dir, nil)
	sinktest.Put(t, s, &output.Results{
		Pages: []*output.Page{{
			URL: bad, Title: bad, FoundOn: bad, Source: bad, Location: bad, ContentType: bad, Canonical: bad,
			Directives: []output.Directive{{Rule: bad, Source: bad}}, Withheld: bad,
			Hash: bad, DuplicateOf: bad, Truncated: bad, LimitsReached: []string{bad}, Fields: map[string]any{bad: bad}, FetchedAt: now,
			H1: bad, Description: bad, Lang: bad, Hreflang: []output.Hreflang{{Lang: bad, URL: bad}}, Headers: map[string]string{bad: bad}, Redirects: []string{bad},
		}},
		Rejected: []*output.Rejection{{
			URL: bad, Reason: output.Reason(bad), Rule: bad, RobotsURL: bad, Group: bad, FoundOn: bad, Source: bad, Detail: bad,
		}},
		Links:    []*output.Links{{URL: bad, To: []output.Link{{URL: bad, Text: bad, Rel: bad, Kind: bad}}, Resources: []output.Link{{URL: bad, Kind: bad}}}},
		Sitemaps: []*output.Sitemap{{URL: bad, Origin: bad, FoundOn: bad, Detail: bad, FetchedAt: now}},
		Entries:  []*output.Entry{{URL: bad, Sitemap: bad, LastMod: now}},
		Checks: []*output.Check{{
			URL: bad, Result: output.CheckResult(bad), Kind: bad, FoundOn: bad, Location: bad, Reason: output.Reason(bad), Detail: bad, ContentType: bad,
			Noindex: bad, Canonical: bad, Hreflang: []output.Hreflang{{Lang: bad, URL: bad}},
		}},
		Permissions: []*output.Permission{{
			URL: bad, Robots: bad, TDMRep: bad, Withheld: bad, TDMRepProblem: bad, Statements: []usage.Statement{{Kind: usage.Kind(bad), Source: usage.Source{Name: bad}, Raw: bad, Labels: map[string]string{bad: bad}}},
		}},
	})
	sinktest.Close(t, s)
	for file, texts := range map[string]int{PagesFile: 20, RejectedFile: 8, LinksFile: 5, ResourcesFile: 2, SitemapsFile: 4, EntriesFile: 2, ChecksFile: 11, PermissionsFile: 6} {
		rows, err := csv.NewReader(bytes.NewReader(readFile(t, filepath.Join(dir, file)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i, cell := range rows[1] {
			if rows[0][i] == "directives" { // which is made tame so that it still says the same
				var list []output.Directive
				if err := json.Unmarshal([]byte(cell), &list); err != nil || len(list) != 1 || list[0].Rule != bad {
					t.Errorf("%q is read as %q, %v", cell, list, err)
				}
			}
			if strings.Contains(cell, "1+1") {
				found++
			}
			for part := range strings.SplitSeq(cell, ";") {
				if strings.IndexAny(strings.TrimLeft(part, ` "`), "=+-@") == 0 || strings.ContainsFunc(part, unicode.IsControl) {
					t.Errorf("%s: %s holds %q", file, rows[0][i], cell)
				}
			}
		}
		if found != texts {
			t.Errorf("%s has %d cells of the site, want %d", file, found, texts)
		}
	}
}
