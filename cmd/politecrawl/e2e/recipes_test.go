package e2e

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

// recipe matches a block of shell commands and what they print.
var recipe = regexp.MustCompile("(?s)```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?")

// TestRecipes runs each block of RECIPES.md, in a directory of its own, and compares what it prints.
func TestRecipes(t *testing.T) {
	clitest.Need(t, lookUp("jq", "curl"))
	page := document(t, "cmd/politecrawl/RECIPES.md")
	titles := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(page, -1)
	sections := regexp.MustCompile(`(?m)^## .*$`).Split(page, -1)[1:]
	for i, section := range sections {
		t.Run(titles[i][1], func(t *testing.T) {
			t.Parallel()
			site, dir := recipeSite(t), t.TempDir()
			port := freePort(t)
			here := strings.NewReplacer("https://example.com", site, "8000", port)
			environ := append(asCommand(t), "POLITECRAWL_DELAY=0s", "POLITECRAWL_ALLOW_ADDR=127.0.0.0/8", "PASSWORD=a b")
			scraper := "scraper() { printf '%s\\n' \"$1\" \"$1private/minutes\"; }\n"
			blocks := recipe.FindAllStringSubmatch(section, -1)
			if len(blocks) == 0 {
				t.Fatal("no commands")
			}
			for _, block := range blocks {
				cmd := exec.CommandContext(t.Context(), "/bin/sh", "-e", "-c", scraper+here.Replace(block[1]))
				cmd.Dir, cmd.Env = dir, environ
				var stderr strings.Builder
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if diff := cmp.Diff(here.Replace(block[2]), string(out)); err != nil || diff != "" {
					t.Errorf("%v (-page +printed):\n%s\n%s", err, diff, stderr.String())
				}
			}
		})
	}
}

// recipeSite starts the site of the recipes: pages, some of them behind a login.
func recipeSite(t *testing.T) string {
	pages := map[string]string{
		"/":              `<a href="/docs/">Docs</a> <a href="/gone">Gone</a>`,
		"/docs/":         `<a href="install">Install</a> <a href="/">Home</a> <a href="/gone">Gone</a>`,
		"/docs/install":  `Install`,
		"/members/":      `<a href="files">Files</a> <a href="/logout">Log out</a>`,
		"/members/files": `Files`,
	}
	return clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		session, err := r.Cookie("session")
		text, ok := pages[r.URL.Path]
		switch {
		case r.URL.Path == "/login" && r.PostFormValue("password") == "a b":
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "secret", Path: "/"})
		case strings.HasPrefix(r.URL.Path, "/members/") && (err != nil || session.Value != "secret"):
			http.Redirect(w, r, "/login", http.StatusSeeOther)
		case !ok:
			http.NotFound(w, r)
		case r.Header.Get("If-None-Match") != "":
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("ETag", `"1"`)
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, text)
		}
	}).URL
}

// lookUp returns the error of the first program that is missing.
func lookUp(names ...string) error {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return err
		}
	}
	return nil
}

// freePort returns a port that no server listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener := clitest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
