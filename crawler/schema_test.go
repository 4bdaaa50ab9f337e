package crawler

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/record"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// TestSchema holds that SCHEMA.md of package output has every field of the files that
// are made from types of others.
func TestSchema(t *testing.T) {
	schema := contentOf(t, "output/SCHEMA.md")
	dir, now := t.TempDir(), time.Unix(1e9, 0)
	rec := record.New(record.Config{Dir: dir})
	must(t, rec.Create(&state{stateVersion, Config{}, true, 1, now, true, "ab12", &ending{EndFinished, 1, nil, true}, []output.Loss{{}}, true, true}))
	must(t, rec.Robots(&robotsext.Record{
		Origin: "http://h", Outcome: robotsext.Unreachable, Status: 503, Err: os.ErrNotExist, Body: []byte("x"), Truncated: true, Chain: []string{"u"},
		FetchedAt: now, ExpiresAt: now, FailingSince: now, RetryAt: now, Failures: 1, Outage: 1, CopyLost: true,
	}))
	must(t, rec.Close())
	for name, least := range map[string]int{"robots.jsonl": 14, "crawl.json": 11} {
		_, section, _ := strings.Cut(string(schema), "\n## "+name+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		text := contentOf(t, filepath.Join(dir, name))
		var fields map[string]any
		must(t, json.Unmarshal(text, &fields))
		if len(fields) < least {
			t.Errorf("%s has only %d fields", name, len(fields))
		}
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			if !strings.Contains(section, "\n| `"+field+"` | ") {
				t.Errorf("SCHEMA.md does not explain %q of %s", field, name)
			}
		}
		if described := strings.Count(section, "\n| `"); described != len(fields) {
			t.Errorf("SCHEMA.md has %d fields of %s, which has %d", described, name, len(fields))
		}
	}
}
