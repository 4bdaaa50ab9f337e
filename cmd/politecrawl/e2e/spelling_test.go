package e2e

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler"
)

// TestSpellings shows that a crawl requests the links that "robots check" says are allowed and no
// others, however links and rules are spelt, and that a rule binds all spellings of a link.
// Package robotsext tests the same of colly.
func TestSpellings(t *testing.T) {
	robots, front := "User-agent: *\n", ""
	var bound, others []string // links that a rule spells in its own way, and links of which rules bind a part
	for i, octet := range strings.Split("\"<>^`{|}[]ab~-_é\\:/?@'$ \x01\x7f", "") {
		escape := fmt.Sprintf("%%%02X", octet[0])
		if len(octet) > 1 {
			escape = url.PathEscape(octet)
		}
		for j, inRule := range []string{octet, escape, strings.ToLower(escape)} {
			for k, part := range []string{"?", ""} {
				if part == "" && strings.ContainsAny(octet, `\:/?@'`) || j == 0 && strings.ContainsAny(octet, "$ \x01\x7f") {
					continue // these differ from their escapes: in a path, and in a rule
				}
				dir := fmt.Sprintf("/%d-%d-%d/%s", i, j, k, part)
				robots += "Disallow: " + dir + inRule + "\n"
				for _, inLink := range []string{octet, escape, strings.ToLower(escape)} {
					bound = append(bound, dir+inLink+"z")
				}
			}
		}
	}
	for i, part := range []string{
		"%", "%2", "%zz", "/", "/../", "/.", "//", "\\", "\t", "\x01", "\x7f", "ツ", "\u00a0", "\ufffd", "%00", "%23", "%2F", "%25", "$", "%24", "*", "!", "%21", "&", "%26", "+", "%2b", "=", "%3D", ";", "'", "%27", ":", "@",
	} {
		for j, place := range []string{"a" + part + "z", "?a" + part + "z"} {
			link := fmt.Sprintf("/%d+%d/%s", i, j, place)
			others = append(others, link, strings.Replace(link, "z", "y", 1))
			robots += "Disallow: " + strings.NewReplacer("\t", "", "\x01", "").Replace(link) + "$\n"
		}
	}
	links := slices.Concat(bound, others)
	var mu sync.Mutex
	requested := map[string]bool{} // request targets as they were sent
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.RequestURI {
		case "/robots.txt":
			_, _ = w.Write([]byte(robots))
			return
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte(front))
			return
		}
		mu.Lock()
		requested[r.RequestURI] = true
		mu.Unlock()
	})
	args := []string{"robots", "check", "--robots", clitest.WriteFile(t, "robots.txt", robots), "--format", "json"}
	for _, link := range links {
		front += `<a href="` + html.EscapeString(site.URL+link) + `">x</a>` + "\n"
		args = append(args, site.URL+link)
	}
	done(t, "crawl", site.URL, "--output", filepath.Join(t.TempDir(), "out"), "--delay", "0s", "--quiet")
	type answer struct{ URL, Verdict string }
	answers := clitest.JSONLines[answer](t, run(t, args...).Out)
	if len(answers) != len(links) {
		t.Fatalf("%d answers for %d links", len(answers), len(links))
	}
	want := map[string]bool{}
	for i, a := range answers {
		switch {
		case a.Verdict != "allowed":
		case i < len(bound):
			t.Errorf("ROB-MAT-28: no rule binds %q", links[i])
		default:
			want[strings.TrimPrefix(clitest.Must(crawler.Canonical(a.URL))(t), site.URL)] = true
		}
	}
	if diff := cmp.Diff(want, requested); diff != "" || len(want) < len(others)/4 || len(want) > len(others)*3/4 {
		t.Errorf("%d of %d links are allowed; requested by the crawl (-want +got):\n%s", len(want), len(others), diff)
	}
}
