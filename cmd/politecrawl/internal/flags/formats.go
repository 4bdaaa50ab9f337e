package flags

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/csvout"
	"github.com/politecrawl/politecrawl/crawler/output/sqlite"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
)

// Formats returns the formats that --also-write may name.
func Formats(cfg *crawler.Config) []output.Format {
	software := "politecrawl/" + cli.ReadBuild().Version
	return []output.Format{
		csvout.Format(nil),
		sqlite.Format(&sqlite.Options{Software: software}),
		warc.Format(&warc.Options{
			Prefix: warcPrefix(cfg), MaxBytes: cfg.Output.WARCSize, Digest: cfg.Output.WARCDigest,
			Software: software, UserAgent: cfg.Fetch.UserAgent, Operator: cfg.Fetch.Contact, Settings: settingsText(cfg),
		}),
	}
}

// warcPrefix returns the prefix of WARC files. Each worker of a shared crawl has its own, and random letters if it
// has no name yet.
func warcPrefix(cfg *crawler.Config) string {
	if cfg.Sharing.Frontier == "" {
		return cfg.Output.WARCPrefix
	}
	worker := cmp.Or(cfg.Sharing.WorkerName, rand.Text())
	return cfg.Output.WARCPrefix + "-" + worker[max(0, len(worker)-52):] // at most 100 bytes with the longest prefix and random letters
}

// publicSettings are the settings that WARC files name. None is a secret, an address or the name of a file.
var publicSettings = strings.Fields(`archive check clean-param delay drop-params exclude include max-body max-bytes
max-crawl-delay max-depth max-host-pages max-hosts max-links max-pages max-sitemaps max-time obey-nofollow obey-noindex
only-sitemaps per-host permissions purpose response-factor retries scope since stall-timeout timeout trap-pages types
unknown user-agent warc-max`)

// settingsText returns the publicSettings of a crawl as JSON.
func settingsText(cfg *crawler.Config) string {
	var values map[string]any
	text, _ := json.Marshal(cfg.WithoutSecrets())
	_ = json.Unmarshal(text, &values) // which is an object
	maps.DeleteFunc(values, func(key string, _ any) bool { return !slices.Contains(publicSettings, key) })
	text, _ = json.Marshal(values)
	return string(text)
}

// formatNames returns the names of the formats.
var formatNames = sync.OnceValue(func() string {
	var names []string
	for _, f := range Formats(new(crawler.Config)) {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
})
