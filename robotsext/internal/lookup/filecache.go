package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/record"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// fileCache stores records in a directory, one file for each origin.
type fileCache struct{ dir string }

// fileRecord is the content of one file. The checksum of Record detects incomplete and
// edited files.
type fileRecord struct {
	SHA256 string          `json:"sha256"`
	Record json.RawMessage `json:"record"`
}

// errDamaged is the error of invalid files.
var errDamaged = errors.New("damaged cache file")

// NewFileCache implements robotsext.NewFileCache.
func NewFileCache(dir string) (record.Cache, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("file cache: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("file cache: %w", err)
	}
	for _, e := range entries {
		// Another cache may still be writing a recent one.
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".tmp" && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return &fileCache{dir: dir}, nil
}

// staleAfter is longer than writing a file takes.
const staleAfter = time.Hour

// Load returns the record of o. An unreadable or invalid file is an error, never "no
// record".
func (c *fileCache) Load(_ context.Context, o record.Origin) (*record.Record, error) {
	name := c.name(o)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("file cache: %w", err)
	}
	var f fileRecord
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%w %s: %w", errDamaged, name, err)
	}
	if f.SHA256 != usage.Hash(f.Record) {
		return nil, fmt.Errorf("%w %s: wrong checksum", errDamaged, name)
	}
	rec := new(record.Record)
	if err := json.Unmarshal(f.Record, rec); err != nil {
		return nil, fmt.Errorf("%w %s: %w", errDamaged, name, err)
	}
	return rec, nil
}

// Store writes the record of rec.Origin atomically. If that fails, it leaves an empty
// file, so that Load reports a lost record. The old record might allow what rec
// disallows. An empty file fits on a full disk.
func (c *fileCache) Store(_ context.Context, rec *record.Record) error {
	name := c.name(rec.Origin)
	text, err := json.Marshal(rec)
	if err == nil {
		text, err = json.Marshal(fileRecord{SHA256: usage.Hash(text), Record: text})
	}
	if err == nil {
		err = c.replace(name, text)
	}
	if err != nil {
		_ = os.MkdirAll(filepath.Dir(name), 0o755)
		return fmt.Errorf("file cache: %w", errors.Join(err, os.WriteFile(name, nil, 0o600)))
	}
	return nil
}

// replace writes a file atomically: after a crash either the old or the new file
// exists.
func (c *fileCache) replace(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(c.dir, "*.tmp")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return err
	}
	syncDir(filepath.Dir(name))
	return nil
}

// syncDir makes a rename in dir durable. Some systems do not support it, so errors are
// ignored.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = errors.Join(d.Sync(), d.Close())
	}
}

// name returns the file of o. It is a hash, because an origin may be too long for a
// file name or have illegal characters.
func (c *fileCache) name(o record.Origin) string {
	h := usage.Hash([]byte(o))
	return filepath.Join(c.dir, h[:2], h[2:]+".json")
}
