package flags

import (
	"regexp"
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
		{strings.Repeat("p", 40), "redis://127.0.0.1", strings.Repeat("w", 99) + "x", "^p{40}-w{58}x$"},
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

// A WARC file can be published: its settings have no secrets, names of files or addresses.
func TestSettingsInWARC(t *testing.T) {
	cfg := crawler.Default()
	const own = "s3cret"
	cfg.URLs, cfg.Output.Dir, cfg.Fetch.AllowAddr, cfg.Fetch.Identity = []string{"http://a/?key=" + own}, own, []string{own}, own
	cfg.Fetch.Proxies = []string{"http://" + own + ":" + own + "@" + own}
	cfg.Credentials = crawler.Credentials{Header: []string{own + ": " + own}, HeaderFor: []string{own}, BasicAuth: []string{own}, CookieFile: own}
	cfg.Sharing.Frontier, cfg.Sharing.Prefix, cfg.Sharing.PasswordFile = own, own, own
	if got := publicSettings(&cfg); strings.Contains(got, own) || !strings.Contains(got, `"delay":"1s"`) {
		t.Errorf("settings %s", got)
	}
}
