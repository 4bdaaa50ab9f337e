package flags

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

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
			Software: software, UserAgent: cfg.Fetch.UserAgent, Operator: cfg.Fetch.Contact, Settings: publicSettings(cfg),
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
	return cfg.Output.WARCPrefix + "-" + worker[max(0, len(worker)-59):] // at most 100 bytes with the longest prefix
}

// publicTexts are the settings whose texts are no secrets, addresses or names of files.
var publicTexts = []string{
	"scope", "include", "exclude", "check", "drop-params", "types", "links", "purpose", "unknown", "since", "user-agent",
}

// publicSettings returns the settings of a crawl as JSON, for everyone: numbers, durations, and publicTexts.
func publicSettings(cfg *crawler.Config) string {
	var values map[string]any
	text, err := json.Marshal(cfg.WithoutSecrets())
	if err = cmp.Or(err, json.Unmarshal(text, &values)); err != nil {
		panic(err) // of settings
	}
	maps.DeleteFunc(values, func(key string, value any) bool {
		switch value := value.(type) {
		case bool, float64:
			return false
		case string:
			if _, err := time.ParseDuration(value); err == nil {
				return false
			}
		}
		return !slices.Contains(publicTexts, key)
	})
	text, _ = json.Marshal(values) // which were JSON
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
