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
	// ErrExists says that a directory already holds a crawl.
	ErrExists = errors.New("directory already holds a crawl")

	// ErrNoCrawl says that a directory holds no crawl.
	ErrNoCrawl = errors.New("directory holds no crawl")

	// ErrVersion says that another version of the program wrote a crawl, in a format that this
	// one does not read.
	ErrVersion = errors.New("crawl of another version")
)

// A DamagedError says that a JSON Lines file of a crawl is damaged. File is its name. Lines are
// the numbers of its unreadable lines, from 1; all others can be read. Err describes the first
// unreadable line.
type DamagedError = jsonlines.DamagedError

// Read yields the lines of a file in the order of writing. If path is the directory of a crawl,
// Read reads the file for T: [Page], [Rejection], [Links], [Sitemap],
// [Entry], [Check], [Anchors] or [Permission]. The error is [io/fs.ErrNotExist] if the settings of
// the crawl do not need the file, such as checks.jsonl.
//
// Read stops after the first error. If lines are damaged, it yields all others first, and a
// [*DamagedError] at the end.
func Read[T any](path string) iter.Seq2[*T, error] {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		if line, ok := any(new(T)).(interface{ file() string }); ok {
			path = filepath.Join(path, line.file())
		}
	}
	return jsonlines.Read[T](path)
}

// file returns the name of the file with lines of the type, here and below.
func (*Page) file() string       { return "pages.jsonl" }
func (*Rejection) file() string  { return "rejected.jsonl" }
func (*Links) file() string      { return "links.jsonl" }
func (*Sitemap) file() string    { return "sitemaps.jsonl" }
func (*Entry) file() string      { return "entries.jsonl" }
func (*Check) file() string      { return "checks.jsonl" }
func (*Anchors) file() string    { return "anchors.jsonl" }
func (*Permission) file() string { return "permissions.jsonl" }

// RobotsPath returns the path of the latest robots.txt of an origin, scheme://host:port, in the
// directory of a crawl.
func RobotsPath(dir, origin string) string {
	return filepath.Join(dir, "robots", fileName(origin)+".txt")
}

// VersionPath returns the path of a version of a robots.txt or tdmrep.json in the directory of a
// crawl. Hash is the SHA-256 of its text, in hexadecimal. If the site sent no-store, there is an
// empty file with the ending [NoStore] instead.
func VersionPath(dir, hash string) string {
	return filepath.Join(dir, "robots", "versions", filepath.Base(hash)) // no line of a file leads out of the folder
}

// NoStore is the ending of a file that stands for one that was not kept; see [VersionPath].
const NoStore = ".no-store"

// fileName returns a unique file name for an origin that every file system allows:
// http_example.com,8080 for http://example.com:8080.
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
