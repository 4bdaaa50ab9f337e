package flags

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler"
)

// The names of the WARC files of all workers of a crawl differ, and are valid.
func TestWARCPrefix(t *testing.T) {
	for _, tt := range []struct{ prefix, frontier, worker, want string }{
		{"crawl", "", "", "^crawl$"},
		{"crawl", "", "not used", "^crawl$"},
		{"site-1", "redis://127.0.0.1", "host.example-3f2", "^site-1-host.example-3f2$"},
		{"crawl", "redis://127.0.0.1", "", "^crawl-[A-Z2-7]{26}$"},
		{strings.Repeat("p", 40), "redis://127.0.0.1", strings.Repeat("w", 99) + "x", "^p{40}-w{51}x$"},
	} {
		cfg := crawler.Default()
		cfg.Output.WARCPrefix, cfg.Sharing.Frontier, cfg.Sharing.WorkerName = tt.prefix, tt.frontier, tt.worker
		if got := warcPrefix(&cfg); !regexp.MustCompile(tt.want).MatchString(got) {
			t.Errorf("%v: %s", tt, got)
		}
		dir := t.TempDir()
		for _, f := range Formats(&cfg) {
			s, err := f.Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			if checkpoint, err := s.Commit(false); err != nil || f.Exchanges && len(checkpoint) > 160 { // the lengths get longer
				t.Errorf("%v: %s, %v", tt, checkpoint, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// publicTexts are the settings with texts that everyone may know.
var publicTexts = strings.Fields("check drop-params exclude include purpose scope since types unknown user-agent")

// A WARC file can be published: texts of settings are not in it, except those that are listed.
func TestSettingsInWARC(t *testing.T) {
	const own = "s3cret"
	v := New()
	for _, r := range v.Rows() {
		switch field := r.Field.(type) {
		case *string:
			*field = own
		case *[]string:
			*field = []string{own}
		}
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(settingsText(&v.Config)), &got); err != nil {
		t.Fatal(err)
	}
	if got["delay"] != "1s" || got["max-depth"] != -1.0 || got["archive"] != false || got["scope"] != "host" {
		t.Errorf("settings %v", got)
	}
	for key, value := range got {
		if strings.Contains(fmt.Sprint(value), own) && !slices.Contains(publicTexts, key) {
			t.Errorf("%s: %v", key, value)
		}
	}
	for _, key := range publicSettings {
		if got[key] == nil {
			t.Errorf("no %s", key)
		}
	}
}
