package robotslint

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// text is what is found, for a golden file.
func text(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "line %d: %s %s %s", f.Line, f.Severity, f.Kind, f.SpecID)
		if f.Omitted > 0 {
			fmt.Fprintf(&b, " and %d more", f.Omitted)
		}
		fmt.Fprintf(&b, "\n\t%q\n\t%s\n\tfix: %s\n", f.Text, f.Message, f.Fix)
	}
	return b.String()
}

// TestFaults holds that each fault is found in the file that is named by it, and
// what is said about it.
func TestFaults(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "faults", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[Kind]bool{Kind(robotstxt.KindTooLarge): true, Kind(robotstxt.KindLongLine): true, Kind(robotstxt.KindManyFields): true} // see TestLargeFaults
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		kind := Kind(strings.TrimSuffix(name, "-utf16"))
		shown[kind] = true
		t.Run(kind.SpecID()+"/"+name, func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			findings := Lint(body, nil)
			found := false
			for _, f := range findings {
				found = found || f.Kind == kind
			}
			if !found {
				t.Errorf("%s is not found", kind)
			}
			golden := strings.TrimSuffix(file, ".txt") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(text(findings)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text(findings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for kind := range kinds {
		if !shown[kind] {
			t.Errorf("no file shows %s", kind)
		}
	}
}

// TestClean holds that nothing is said of files with which nothing is wrong.
func TestClean(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "clean", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if findings := Lint(body, nil); len(findings) > 0 {
			t.Errorf("%s:\n%s", file, text(findings))
		}
	}
}

// TestLargeFaults holds what takes large files to show.
func TestLargeFaults(t *testing.T) {
	const head = "User-agent: *\n"
	line := "Disallow: /" + strings.Repeat("a", 88) + "\n" // 100 bytes
	full := head + strings.Repeat("#"+strings.Repeat("x", 98)+"\n", 5119) + "Disallow: /a\n"
	for _, tt := range []struct {
		name, body string
		want       string
	}{
		{"ROB-FMT-14/a line that the limit cuts", full + strings.Repeat("#", 512000-len(full)-10) + "\n" + line + line, "5123 error too-large"},
		{"ROB-FMT-14/a line that begins where reading ends", full + strings.Repeat("#", 512000-len(full)-1) + "\n" + line, "5123 error too-large"},
		{"ROB-FMT-14/a line that ends where reading does", full + strings.Repeat("#", 512000-len(full)) + "\n" + line, "5123 error too-large"},
		{"ROB-FMT-14/longer by the end of the last line", full + strings.Repeat("#", 512000-len(full)) + "\n", "5122 error too-large"},
		{"ROB-FMT-14/longer by an empty line", full + strings.Repeat("#", 512000-len(full)) + "\n\n", "5123 error too-large"},
		{"ROB-FMT-14/as long as may be", full + strings.Repeat("#", 512000-len(full)), ""},
		{"ROB-FMT-18/long lines", head + "Disallow: /" + strings.Repeat("a", 17000) + "\n#" + strings.Repeat("a", 17000) + "\n" +
			"Sitemap: https://h/" + strings.Repeat("s", 17000), "2 warning long-line⏎4 warning long-line"},
		{"ROB-EXT-07/fields", head + "Disallow: /\n" + strings.Repeat("Content-Signal: search=yes\n", 10001), "10003 warning too-many-fields"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Lint([]byte(tt.body), nil) {
				got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Severity, f.Kind))
			}
			if text := strings.Join(got, "⏎"); text != tt.want {
				t.Errorf("got %q, want %q", text, tt.want)
			}
		})
	}
}

// TestCut holds that the beginning of a file is known for one.
func TestCut(t *testing.T) {
	for body, want := range map[string]int{
		"":                               1,
		"User-agent: *\nDisallow: /a/\n": 3,
		"User-agent: *\nDisallow: /a/":   3,
	} {
		found := Lint([]byte(body), &Options{Truncated: true})
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Kind == Kind(robotstxt.KindTooLarge) })
		if i < 0 || found[i].Line != want {
			t.Errorf("ROB-FMT-14: %q: %+v, want line %d", body, found, want)
		}
	}
}

// TestMaxPerKind holds that what is not listed is counted, and that no error
// hides behind notes.
func TestMaxPerKind(t *testing.T) {
	body := []byte(strings.Repeat("User-agent: b1\nDisallow: x\n", 30) + "User-agent: b 1\nDisallow: /\n")
	count := func(limit int) map[string]int {
		counts := map[string]int{}
		for _, f := range Lint(body, &Options{MaxPerKind: limit}) {
			counts[fmt.Sprintf("%s %s listed", f.Severity, f.Kind)]++
			counts[fmt.Sprintf("%s %s", f.Severity, f.Kind)] += 1 + f.Omitted
		}
		return counts
	}
	all, some := count(-1), count(5)
	for what, n := range all {
		if strings.HasSuffix(what, " listed") {
			n = min(n, 5)
		}
		if some[what] != n {
			t.Errorf("%s: %d, want %d", what, some[what], n)
		}
	}
	if all["error no-slash"] != 30 || all["note agent-cut"] != 30 || all["warning agent-cut"] != 1 {
		t.Errorf("%v", all)
	}
}

// TestBase holds that a fix is complete where the address of the file is known.
func TestBase(t *testing.T) {
	for _, field := range []string{"Sitemap", "License"} {
		findings := Lint([]byte(field+": /a/x.xml"), &Options{URL: "https://example.com:8443/robots.txt"})
		if want := `write "` + field + `: https://example.com:8443/a/x.xml"`; len(findings) != 1 || findings[0].Fix != want {
			t.Errorf("%+v, want the fix %s", findings, want)
		}
	}
}

// TestWithColon holds that what is put right keeps the value as it is.
func TestWithColon(t *testing.T) {
	for text, want := range map[string]string{
		"Disallow .gif$":        "Disallow: .gif$",
		"Disallow -x":           "Disallow: -x",
		"Disallow.gif":          "Disallow: .gif",
		"Disallow =x":           "Disallow: =x",
		"Disallow. /x":          "Disallow: /x",
		"Disallow; /x":          "Disallow: /x",
		"Disallow=/x":           "Disallow: /x",
		"Disallow -> /x":        "Disallow: /x",
		"Disallow \uff1a*.gif":  "Disallow: *.gif",
		"Allow - ":              "Allow: ",
		"Allow":                 "Allow: ",
		"User-agent = *":        "User-agent: *",
		"User-agent=Foo":        "User-agent: Foo",
		"Crawl-delay .5":        "Crawl-delay: .5",
		"Crawl-delay = 5":       "Crawl-delay: 5",
		"Sitemap => http://h/x": "Sitemap: http://h/x",
	} {
		if got, ok := withColon(text); got != want || !ok {
			t.Errorf("ROB-FMT-13: %q: %q, %v; want %q", text, got, ok, want)
		}
	}
}

// The white space after the path of Content-Usage does not hide the faults of its preferences.
func TestUsageAfterWhiteSpace(t *testing.T) {
	for _, between := range []string{" ", "\t", " \t", "\t\t "} {
		found := Lint([]byte("User-agent: *\nContent-Usage: /"+between+"bogus=n\nAllow: /\n"), nil)
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == KindUnknownUsage && f.Line == 2 }) {
			t.Errorf("%q: %+v", between, found)
		}
	}
}
