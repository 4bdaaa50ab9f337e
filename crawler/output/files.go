package output

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
)

// The names in the directory of a crawl.
const (
	PagesFile    = "pages.jsonl"
	RejectedFile = "rejected.jsonl"
	SitemapsFile = "sitemaps.jsonl"
	LinksFile    = "links.jsonl"
	EntriesFile  = "entries.jsonl"
	RobotsFile   = "robots.jsonl"
	RobotsDir    = "robots"
	StateFile    = "crawl.json"
)

var (
	// ErrExists says that a directory holds a crawl already.
	ErrExists = errors.New("directory holds a crawl already")

	// ErrNone says that a directory holds no crawl.
	ErrNone = errors.New("directory holds no crawl")

	// ErrNotUTF8 says that a JSON text is damaged: all that a crawl writes is UTF-8.
	ErrNotUTF8 = jsonlines.ErrNotUTF8
)

// A DamagedError says which lines of a file of JSON lines cannot be read: File is its name,
// Lines are their numbers, from 1, and Err is what is wrong with the first of them. It comes
// after all lines that can be read.
type DamagedError = jsonlines.DamagedError

// Pages reads the lines of pages.jsonl in a directory of a crawl, in the order in
// which they were written. An error ends it; a [*DamagedError] comes after all lines that
// can be read.
func Pages(path string) iter.Seq2[*Page, error] {
	return jsonlines.Read[Page](filepath.Join(path, PagesFile))
}

// Rejections reads the lines of rejected.jsonl like Pages.
func Rejections(path string) iter.Seq2[*Rejection, error] {
	return jsonlines.Read[Rejection](filepath.Join(path, RejectedFile))
}

// Sitemaps reads the lines of sitemaps.jsonl like Pages.
func Sitemaps(path string) iter.Seq2[*Sitemap, error] {
	return jsonlines.Read[Sitemap](filepath.Join(path, SitemapsFile))
}

// AllLinks reads the lines of links.jsonl like Pages.
func AllLinks(path string) iter.Seq2[*Links, error] {
	return jsonlines.Read[Links](filepath.Join(path, LinksFile))
}

// Entries reads the lines of entries.jsonl like Pages.
func Entries(path string) iter.Seq2[*Entry, error] {
	return jsonlines.Read[Entry](filepath.Join(path, EntriesFile))
}

// Read reads a file of JSON lines like Pages: robots.jsonl, or one that a recrawl has renamed.
func Read[T any](name string) iter.Seq2[*T, error] { return jsonlines.Read[T](name) }

// RobotsPath returns the name of the robots.txt of an origin, scheme://host:port, as it was
// last, in a directory of a crawl.
func RobotsPath(dir, origin string) string {
	return filepath.Join(dir, RobotsDir, fileName(origin)+".txt")
}

// fileName makes an origin a name that every file system takes, and no two the
// same one: http://example.com:8080 is http_example.com,8080.
func fileName(origin string) string {
	const longest = 200
	scheme, rest, _ := strings.Cut(origin, "://")
	name := scheme + "_" + strings.ReplaceAll(rest, ":", ",")
	if len(name) > longest {
		sum := sha256.Sum256([]byte(origin))
		name = fmt.Sprintf("%s-%x", name[:longest-65], sum)
	}
	return name
}
