package robots

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// Redirects without an end differ from a missing robots.txt in the output.
func TestRobotsRedirectLoops(t *testing.T) {
	hops := 0
	far := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		hops++
		http.Redirect(w, r, fmt.Sprint("/", hops), http.StatusFound)
	}).URL
	loop := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/robots.txt", http.StatusFound) }).URL
	for name, tt := range map[string]struct {
		command []string
		code    int
	}{
		"check":   {[]string{"check"}, cli.ExitDone},
		"json":    {[]string{"check", "--format", "json"}, cli.ExitDone},
		"explain": {[]string{"check", "--explain"}, cli.ExitDone},
		"lint":    {[]string{"lint"}, cli.ExitFindings},
		"show":    {[]string{"show"}, cli.ExitDone},
		"agents":  {[]string{"agents"}, cli.ExitDone},
		"diff":    {[]string{"diff", diffNew}, cli.ExitFindings},
	} {
		for site, words := range map[string]string{far: "more than 5 redirects", loop: "redirect loop"} {
			t.Run("ROB-FET-07/"+name, func(t *testing.T) {
				got := run(t, append(append([]string{"robots"}, tt.command...), site)...)
				if text := got.Out + got.Stderr; got.Code != tt.code || !strings.Contains(text, words) || strings.Contains(text, "there is no http") {
					t.Errorf("exit code %d, want %d and %q:\n%s", got.Code, tt.code, words, text)
				}
			})
		}
	}
}
