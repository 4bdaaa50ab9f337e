package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// The names in the directory of a crawl.
const (
	PagesFile    = "pages.jsonl"
	RejectedFile = "rejected.jsonl"
	RobotsDir    = "robots"
)

// ErrExists says that a directory holds a crawl already.
var ErrExists = errors.New("output: directory holds a crawl already")

// Dir is the directory of one crawl. It is safe for concurrent use.
type Dir struct {
	path     string
	pages    *lines
	rejected *lines
}

// Create makes the directory where it is missing, and the files in it. A
// directory with a crawl in it is refused with [ErrExists] and left as it is; so
// is one in which not all can be made.
func Create(path string) (*Dir, error) {
	for _, name := range []string{PagesFile, RejectedFile, RobotsDir} {
		if _, err := os.Lstat(filepath.Join(path, name)); err == nil {
			return nil, fmt.Errorf("%w: %q has %s in it; name another or remove it", ErrExists, path, name)
		}
	}
	if err := os.MkdirAll(filepath.Join(path, RobotsDir), 0o755); err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	d := &Dir{path: path}
	var err error
	if d.pages, err = createLines(filepath.Join(path, PagesFile)); err != nil {
		return nil, errors.Join(err, os.Remove(filepath.Join(path, RobotsDir)))
	}
	if d.rejected, err = createLines(filepath.Join(path, RejectedFile)); err != nil {
		return nil, errors.Join(err, d.pages.close(),
			os.Remove(filepath.Join(path, PagesFile)), os.Remove(filepath.Join(path, RobotsDir)))
	}
	return d, nil
}

// Path returns the directory's path as it was given.
func (d *Dir) Path() string { return d.path }

// Page appends a line to pages.jsonl. When it returns, the line has left the
// process: killing it tears no line.
func (d *Dir) Page(p *Page) error { return d.pages.append(p) }

// Reject appends a line to rejected.jsonl, like Page.
func (d *Dir) Reject(r *Rejection) error { return d.rejected.append(r) }

// Robots writes what an origin's robots.txt was: the body as it came, and the
// record about it as JSON. A later fetch of the same origin replaces both. They
// are for people to read; the crawl itself never reads them back.
func (d *Dir) Robots(origin string, body []byte, record any) error {
	about, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return fmt.Errorf("output: record of %s: %w", origin, err)
	}
	base := filepath.Join(d.path, RobotsDir, fileName(origin))
	if err := replace(base+".txt", body); err != nil {
		return err
	}
	return replace(base+".json", append(about, '\n'))
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

// replace writes a file so that a reader finds the old content or the new one,
// never half of it.
func replace(path string, content []byte) error {
	if err := os.WriteFile(path+"~", content, 0o644); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

// Close closes the files. It is called once, after the last line.
func (d *Dir) Close() error {
	return errors.Join(d.pages.close(), d.rejected.close())
}

// lines is a file of JSON lines, each written by one call so that none is torn
// by another or by the end of the process.
type lines struct {
	mu   sync.Mutex // serialises writes
	file *os.File
}

func createLines(path string) (*lines, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	return &lines{file: file}, nil
}

func (l *lines) append(v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // a URL with & should read like one
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.file.Write(line.Bytes()); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}

func (l *lines) close() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("output: %w", err)
	}
	return nil
}
