package output

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
)

var (
	// ErrExists says that a directory holds a crawl already.
	ErrExists = errors.New("directory holds a crawl already")

	// ErrNone says that a directory holds no crawl.
	ErrNone = errors.New("directory holds no crawl")
)

// A DamagedError says that a file of a crawl cannot be read. Of one of JSON lines, Lines are
// the numbers of those that cannot be, from 1, and all others can. File is its name, and Err
// what is wrong, with the first of these lines.
type DamagedError = jsonlines.DamagedError

// Read reads the lines of a file, in the order in which they were written. Where path is the
// directory of a crawl it is the file that has lines of this type: a [Page], [Rejection],
// [Links], [Sitemap] or [Entry]. An error ends it; a [*DamagedError] comes after all lines that
// can be read.
func Read[T any](path string) iter.Seq2[*T, error] {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, fileOf(new(T)))
	}
	return jsonlines.Read[T](path)
}

// fileOf returns the file that has such lines.
func fileOf(line any) string {
	switch line.(type) {
	case *Page:
		return "pages.jsonl"
	case *Rejection:
		return "rejected.jsonl"
	case *Links:
		return "links.jsonl"
	case *Sitemap:
		return "sitemaps.jsonl"
	case *Entry:
		return "entries.jsonl"
	}
	return ""
}

// RobotsPath returns the name of the robots.txt of an origin, scheme://host:port, as it was
// last, in a directory of a crawl.
func RobotsPath(dir, origin string) string {
	return filepath.Join(dir, "robots", fileName(origin)+".txt")
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
