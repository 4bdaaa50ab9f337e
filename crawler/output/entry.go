package output

import (
	"iter"
	"path/filepath"
	"time"
)

// EntriesFile is the name of the file of sitemap entries in the directory of a
// crawl.
const EntriesFile = "entries.jsonl"

// Entry is a page that a sitemap lists: one line of entries.jsonl. A page that is
// listed twice has two.
type Entry struct {
	URL     string    `json:"url"`     // in the form in which pages.jsonl would have it
	Sitemap string    `json:"sitemap"` // the file that lists it
	LastMod time.Time `json:"lastmod,omitzero"`
}

// Entries reads the lines of entries.jsonl like Pages.
func Entries(path string) iter.Seq2[*Entry, error] {
	return Read[Entry](filepath.Join(path, EntriesFile))
}
