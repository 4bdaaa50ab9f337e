package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestRedirectsAstray holds that redirects which lead nowhere are told from a
// robots.txt that is not there.
func TestRedirectsAstray(t *testing.T) {
	hops := 0
	far := robotsServer(t, func(w http.ResponseWriter, r *http.Request) {
		hops++
		http.Redirect(w, r, fmt.Sprint("/", hops), http.StatusFound)
	}).URL
	loop := robotsServer(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/robots.txt", http.StatusFound) }).URL
	for name, tt := range map[string]struct {
		command []string
		code    int
	}{
		"check":   {[]string{"check"}, exitDone},
		"json":    {[]string{"check", "--format", "json"}, exitDone},
		"explain": {[]string{"check", "--explain"}, exitDone},
		"lint":    {[]string{"lint"}, exitFindings},
		"show":    {[]string{"show"}, exitDone},
		"agents":  {[]string{"agents"}, exitDone},
		"diff":    {[]string{"diff", diffNew}, exitFindings},
	} {
		for site, words := range map[string]string{far: "more than 5 redirects", loop: "redirects in a loop"} {
			t.Run("ROB-FET-07/"+name, func(t *testing.T) {
				got := run(t, append(append([]string{"robots"}, tt.command...), site)...)
				if text := got.out + got.stderr; got.code != tt.code || !strings.Contains(text, words) || strings.Contains(text, "there is no http") {
					t.Errorf("exit code %d, want %d and %q:\n%s", got.code, tt.code, words, text)
				}
			})
		}
	}
}
