package structure

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asksForSharing matches what a line of package crawler says when it asks whether several
// processes share the crawl, instead of asking cluster.Member what is different then.
var asksForSharing = regexp.MustCompile(`\.shared\b|\bset\.Shared [!=]= nil|\b(cfg|c|saved)\.Sharing\.(Frontier|CrawlName) [!=]= ""|[Mm]ember(\.ID\(\)|\.Peers\(\))? [!=]= |\.\(\*?cluster\.`)

// choosesMember is the one line that asks: it chooses the implementation.
const choosesMember = `open.go: case c.set.Shared != nil:`

// Nothing in the crawler but the line that opens the frontier asks whether the crawl is
// shared: package cluster answers what is different then.
func TestOnlyClusterKnowsThatACrawlIsShared(t *testing.T) {
	var found []string
	folders := []string{"crawler", "crawler/internal/discover", "crawler/internal/run", "crawler/internal/visit"}
	for _, folder := range folders {
		if len(filesIn(t, folder)) < 5 {
			t.Errorf("%s has few files", folder)
		}
	}
	for _, file := range sources(t) {
		if !file.test && slices.Contains(folders, path.Dir(file.name)) {
			for _, line := range asking(file.text) {
				found = append(found, fmt.Sprintf("%s: %s", path.Base(file.name), line))
			}
		}
	}
	// The first makes the options of a shared crawl. In a directory that is resumed the same question finds out
	// that it holds no shared crawl.
	want := []string{`cluster.go: if c.cfg.Sharing.Frontier == "" || c.opts.Frontier != nil {`, `cluster.go: case saved.Sharing.Frontier == "":`, choosesMember}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("places that ask whether the crawl is shared (-want +got):\n%s", diff)
	}
}

// asking returns the lines of a program that ask whether the crawl is shared.
func asking(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "//") && asksForSharing.MatchString(line) {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestAskingForSharingIsNoticed(t *testing.T) {
	asks := []string{
		`if c.shared != nil {`, `if cfg.Sharing.Frontier != "" {`, `if c.opts.Frontier != nil || c.shared != nil {`,
		`if s.Ended != nil && c.shared == nil {`, `if p.spared[host] || p.resumed && !p.shared {`, `case l.shared() && !b.dry:`,
		`if l.perHost == 0 && !l.shared() {`, `if c.member.ID() != "" {`, `if _, ok := c.member.(*cluster.Redis); ok {`,
		`if c.member.Peers() == nil {`,
	}
	fine := []string{`if over, err := c.member.Finished(c.books); !over || err != nil {`, `// c.shared != nil`, `Shared: c.member.ID()}`, `expired && !shared && conn != nil`}
	if got := asking(strings.Join(slices.Concat(asks, fine), "\n")); !slices.Equal(got, asks) {
		t.Errorf("noticed %q", got)
	}
}
