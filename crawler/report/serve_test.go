package report

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/internal/pageserver"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// serve serves a report on loopback until the test ends.
func serve(t *testing.T, r *Report) (address string) {
	t.Helper()
	server := httptest.NewServer(r.Handler())
	t.Cleanup(server.Close)
	return server.URL
}

// ask requests a page with headers, given as names and values; "Host" is the host.
func ask(t *testing.T, address string, fields ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
		if fields[i] == "Host" {
			req.Host = fields[i+1]
		}
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// askJSON requests JSON.
func askJSON[T any](t *testing.T, address string) (v T) {
	t.Helper()
	resp, body := ask(t, address)
	if err := json.Unmarshal([]byte(body), &v); err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s: status %d, %v, %s", address, resp.StatusCode, err, body)
	}
	return v
}

// generateAll makes a report with all URLs.
func generateAll(t *testing.T, c *crawl) (r *Report, dir string) {
	t.Helper()
	dir = c.write(t)
	r, err := Generate(t.Context(), []string{dir}, &Options{Rows: 1, AllURLs: true})
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func TestOtherPagesCannotReadTheServedReport(t *testing.T) {
	r, _ := generateAll(t, everything())
	address := serve(t, r)
	for _, tt := range []struct {
		name   string
		fields []string
		status int
	}{
		{"a person", []string{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"a program", nil, 200},
		{"the page", []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, 200},
		{"led here by another site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"by name", []string{"Host", "localhost:1"}, 200},
		{"by a name that was made to point here", []string{"Host", "evil.example"}, 403},
		{"without a name", []string{"Host", ":80"}, 403},
		{"by an address of another network", []string{"Host", "192.0.2.1"}, 403},
		{"framed by another site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"a script of another site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}, 403},
	} {
		for _, path := range []string{"/", "/urls?rows=1", "/url?url=" + url.QueryEscape(example+"/")} {
			resp, body := ask(t, address+path, tt.fields...)
			if resp.StatusCode != tt.status {
				t.Errorf("%s, %s: status %d, %.200s", tt.name, path, resp.StatusCode, body)
			}
			for name, want := range map[string]string{
				"Content-Security-Policy": policy(true) + "; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
				"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin", "Access-Control-Allow-Origin": "",
			} {
				if got := resp.Header.Get(name); got != want {
					t.Errorf("%s, %s: %s is %q, want %q", tt.name, path, name, got, want)
				}
			}
		}
	}
	for path, want := range map[string]int{"/report.json": 404, "/urls/": 404, "/url?url=": 404, "/url?url=https%3A%2F%2Fno.example%2F": 404, "/url?url=%zz": 404} {
		if resp, body := ask(t, address+path); resp.StatusCode != want {
			t.Errorf("%s: status %d, %s", path, resp.StatusCode, body)
		}
	}
}

// The page of a served report has no rows of URLs and no links, and may ask for them.
func TestServedPageAsksForURLs(t *testing.T) {
	r, _ := generateAll(t, everything())
	var file strings.Builder
	if err := r.WriteHTML(&file); err != nil {
		t.Fatal(err)
	}
	_, body := ask(t, serve(t, r)+"/")
	if policies := strings.Count(body, "connect-src &#39;self&#39;"); policies != 1 || strings.Contains(file.String(), "connect-src") {
		t.Errorf("%d policies of the served page allow requests", policies)
	}
	if strings.Contains(body, `id="block-links"`) || !strings.Contains(file.String(), `id="block-links"`) {
		t.Error("links are in the served page, or not in the file")
	}
}

// The rows of a served report have all findings, though the tables of findings have only the first.
func TestServedRowsHaveAllFindings(t *testing.T) {
	r, _ := generateAll(t, everything())
	address := serve(t, r)
	checked := 0
	for _, f := range r.Findings {
		if f.Total < 2 || f.ID != "broken-link" && f.ID != "title-missing" {
			continue
		}
		checked++
		if got := askJSON[servedRows](t, address+"/urls?finding="+f.ID).Total; got != f.Total || len(f.Rows) != 1 {
			t.Errorf("%s: %d URLs, want %d; %d rows", f.ID, got, f.Total, len(f.Rows))
		}
	}
	if checked != 2 {
		t.Errorf("%d rules were checked", checked)
	}
}

func TestServedURL(t *testing.T) {
	c := everything()
	c.links[1].To[1] = output.Link{URL: example + "/gone", Text: "<b>\u202e", Rel: "nofollow", Kind: "a"}
	const unchecked = "https://unchecked.example/"
	c.links[2].To = append(c.links[2].To, output.Link{URL: unchecked})
	r, dir := generateAll(t, c)
	address := serve(t, r)
	type found struct {
		Row               []any // only its first cell
		Page, Rejection   *struct{ URL string }
		Entries           []struct{ URL string }
		Inlinks, Outlinks [][4]string
		InlinkCount       int `json:"inlink_count"`
	}
	type line = struct{ URL string }
	home, self := [4]string{example + "/"}, [4]string{example + "/self"}
	for at, want := range map[string]found{
		example + "/gone": {Row: []any{example + "/gone"}, Page: &line{example + "/gone"}, Entries: []line{{example + "/gone"}}, Inlinks: [][4]string{home, {example + "/fine", "<b>\u202e", "nofollow", "a"}}, InlinkCount: 2},
		example + "/self": {Row: []any{example + "/self"}, Page: &line{example + "/self"}, Entries: []line{{example + "/self"}}, Inlinks: [][4]string{self}, InlinkCount: 1, Outlinks: [][4]string{self, {unchecked}}},
		example + "/down": {Row: []any{example + "/down"}, Rejection: &line{example + "/down"}, Entries: []line{{example + "/down"}}, Inlinks: [][4]string{home}, InlinkCount: 1},
		unchecked:         {Inlinks: [][4]string{self}, InlinkCount: 1},
	} {
		got := askJSON[found](t, address+"/url?url="+url.QueryEscape(at))
		got.Row = got.Row[:min(1, len(got.Row))]
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", at, diff)
		}
	}
	gone := address + "/url?url=" + url.QueryEscape(example+"/gone")
	if got := askJSON[found](t, gone+"&links=0"); got.Page == nil || got.Row == nil || got.Inlinks != nil || got.InlinkCount != 0 {
		t.Errorf("without links: %+v", got)
	}
	if _, body := ask(t, gone); strings.ContainsAny(body, "<\u202e") {
		t.Errorf("characters that do harm are not escaped: %s", body)
	}
	pages := filepath.Join(dir, "pages.jsonl")
	text, err := os.ReadFile(pages)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ text, want string }{
		"written by a later crawl": {strings.ReplaceAll(string(text), "/gone", "/GONE"), "they are of a later crawl"}, "shorter": {"{}\n", "unexpected EOF"},
	} {
		if err := os.WriteFile(pages, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if resp, body := ask(t, gone); resp.StatusCode != 500 || !strings.Contains(body, "cannot read the files of the crawl: "+tt.want) {
			t.Errorf("%s: status %d, %s", name, resp.StatusCode, body)
		}
	}
}

func TestServe(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:80", ":80", "[::]:80", "192.0.2.1:80"} {
		if _, err := Listen(addr); err == nil || !strings.Contains(err.Error(), "can be reached from other machines; listen on 127.0.0.1:80") {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if _, err := Listen("8080"); !errors.Is(err, pageserver.ErrAddress) {
		t.Error(err)
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- new(Report).Serve(ctx, l) }()
	if got := askJSON[servedRows](t, "http://"+l.Addr().String()+"/urls"); got.Total != 0 || len(got.Rows) != 0 {
		t.Errorf("%+v of an empty report", got)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if err := new(Report).Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) {
		t.Errorf("with a closed listener: %v", err)
	}
}
