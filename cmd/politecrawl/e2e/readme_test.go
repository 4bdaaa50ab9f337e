package e2e

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
	"github.com/politecrawl/politecrawl/robotsext"
)

// guide is the user guide.
const guide = "cmd/politecrawl/README.md"

// document returns a document of the project, by its path.
func document(t *testing.T, name string) string {
	t.Helper()
	return readText(t, filepath.Join("..", "..", "..", filepath.FromSlash(name)))
}

// wantInReadme holds the sample of the demo against what the demo printed. Only
// the time that it took and the directory are its own.
func wantInReadme(t *testing.T, printed string) {
	t.Helper()
	var sample string
	for block := range strings.SplitSeq(document(t, "README.md"), "```") {
		if text, ok := strings.CutPrefix(block, "text\nfinished after "); ok {
			sample = "finished after " + text
		}
	}
	own := regexp.MustCompile(`(finished after |robots/ in |report      )\S+`)
	clitest.WantEqual(t, "the sample in README.md against what the demo prints", own.ReplaceAllString(printed, "$1…"), own.ReplaceAllString(sample, "$1…"))
}

// TestReadmeQuotesTheRefusal holds that the error in README.md is the real one.
func TestReadmeQuotesTheRefusal(t *testing.T) {
	site := roundTripper(func(*http.Request) *http.Response {
		answer := httptest.NewRecorder()
		_, _ = answer.WriteString("User-agent: *\nDisallow: /private/\n")
		return answer.Result()
	})
	robots := clitest.Must(robotsext.New("examplebot/1.0 (+https://example.com/bot)", &robotsext.Options{Transport: site}))(t)
	u := clitest.Must(url.Parse("https://example.com/private/x"))(t)
	refusal := robots.Check(t.Context(), u)
	if refusal == nil || !strings.Contains(document(t, "README.md"), "\n"+refusal.Error()+"\n") {
		t.Errorf("README.md does not hold the line %v", refusal)
	}
}

// A roundTripper answers by a function.
type roundTripper func(*http.Request) *http.Response

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// TestReadmeSamples holds the samples of "robots lint", "robots diff" and "permit".
func TestReadmeSamples(t *testing.T) {
	text := document(t, guide)
	t.Chdir(t.TempDir())
	writeInputs(t, "https://example.com")
	for _, args := range [][]string{{"lint", "robots.txt"}, {"diff", "robots.txt", "robots-new.txt"}} {
		got := run(t, append([]string{"robots"}, args...)...)
		if got.Code != cli.ExitFindings || !strings.Contains(text, "```text\n"+got.Out+"```\n") {
			t.Errorf("%v: exit code %d, and the user guide does not hold what it prints:\n%s", args, got.Code, got.Out)
		}
	}
	site := clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			_, _ = w.Write([]byte("User-agent: *\nContent-Signal: search=yes, ai-train=no\n"))
		case "/":
			w.Header().Set("X-Robots-Tag", "noai")
		default:
			http.NotFound(w, r)
		}
	})
	got := run(t, "permit", site.URL+"/", "--delay", "0s")
	if !strings.Contains(text, "```text\n"+strings.ReplaceAll(got.Out, site.URL, "https://example.com")+"```\n") {
		t.Errorf("exit code %d, and the user guide does not hold what it prints:\n%s", got.Code, got.Out)
	}
}

// TestReadmeCommands runs each politecrawl command of the documents for users, in their order, in
// a directory with the files that they name. The sites and the Redis server are on loopback.
func TestReadmeCommands(t *testing.T) {
	for doc, least := range map[string]int{"README.md": 5, "cmd/politecrawl/README.md": 25, "crawler/SHARED.md": 4} {
		t.Run(doc, func(t *testing.T) {
			text := document(t, doc)
			org, com := smallSite(t), newTestSite(t, map[string]string{
				"/robots.txt": "User-agent: *\nDisallow: /private/\nSitemap: {site}/sitemap.xml\n",
				"/":           "<title>Front</title>", "/sitemap.xml": "<urlset><url><loc>{site}/</loc></url></urlset>",
			})
			redis := redistest.Start(t).URL()
			places := strings.NewReplacer("https://example.com", com.url, "https://example.org", org.url, "http://127.0.0.1:8000", com.url,
				"--host example.com", "--host 127.0.0.1", "127.0.0.1:8080", "127.0.0.1:0", "redis://127.0.0.1", redis, "redis://10.0.0.5", redis)
			t.Chdir(t.TempDir())
			writeInputs(t, com.url)
			t.Setenv("POLITECRAWL_DELAY", "0s")
			t.Setenv("POLITECRAWL_ALLOW_ADDR", "127.0.0.0/8")
			found := 0
			for line := range strings.Lines(text) {
				line, ok := strings.CutPrefix(strings.TrimSpace(line), "$ politecrawl ")
				if !ok {
					continue
				}
				found++
				args := strings.Fields(places.Replace(line))
				stdin := ""
				for i, word := range args {
					if word == "<" {
						stdin = readText(t, args[i+1])
					}
					if word == "<" || word == ">" {
						args = args[:i]
						break
					}
				}
				if args[0] == "robots" || args[0] == "permit" || args[0] == "sitemap" && args[1] != "write" || args[0] == "plan" {
					args = append(args, "--allow-addr", "127.0.0.0/8")
				}
				if args[0] == "permit" || args[0] == "sitemap" && args[1] != "write" { // which do not read the environment
					args = append(args, "--delay", "0s")
				}
				if got := runWith(t, stdin, args...); got.Code != cli.ExitDone && got.Code != cli.ExitFindings {
					t.Errorf("politecrawl %s: %+v", line, got)
				}
			}
			if found < least {
				t.Errorf("only %d command lines were found", found)
			}
		})
	}
}

// writeInputs writes the files that commands of the user guide read.
func writeInputs(t *testing.T, site string) {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := fmt.Fprintf(w, `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>%s/a</loc></url></urlset>`, site)
	clitest.OK(t, errors.Join(err, w.Close()))
	clitest.OK(t, os.Mkdir("public", 0o755))
	for name, text := range map[string]string{
		"public/index.html": "<title>Home</title>\n",
		"robots.txt":        "User-agent: *\nDisallow: /private/\nDisalow: /old/\nDisallow: /private/a\n",
		"robots-new.txt":    "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n",
		"robots.json":       `{"GPTBot": {"operator": "[OpenAI](https://openai.com)", "function": "Scrapes data to train OpenAI's products."}}`,
		"urls.txt":          site + "/a\n" + site + "/private/a\n",
		"sitemap.xml.gz":    packed.String(),
		"cookies.txt":       "example.com\tFALSE\t/\tTRUE\t0\tsession\t0123\n",
	} {
		clitest.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
}
