package robotsext

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// fileCache keeps records in a directory, one file for each origin.
type fileCache struct{ dir string }

// fileRecord is the content of one file. The sum is over the bytes of Record: a
// file that was half written, or changed by hand, says nothing.
type fileRecord struct {
	SHA256 string          `json:"sha256"`
	Record json.RawMessage `json:"record"`
}

// errDamaged is the class of files that cannot be believed.
var errDamaged = errors.New("damaged cache file")

// NewFileCache returns a Cache in dir, for one process at a time.
func NewFileCache(dir string) (Cache, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("file cache: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("file cache: %w", err)
	}
	for _, e := range entries {
		// A young one may still be written.
		if info, err := e.Info(); err == nil && filepath.Ext(e.Name()) == ".tmp" && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return &fileCache{dir: dir}, nil
}

// staleAfter is more than it takes to write a file.
const staleAfter = time.Hour

// Load reads what is known of o. A file that cannot be read or believed is an
// error, never an absence.
func (c *fileCache) Load(_ context.Context, o Origin) (*Record, error) {
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
	if f.SHA256 != sum(f.Record) {
		return nil, fmt.Errorf("%w %s: wrong sum", errDamaged, name)
	}
	rec := new(Record)
	if err := json.Unmarshal(f.Record, rec); err != nil {
		return nil, fmt.Errorf("%w %s: %w", errDamaged, name, err)
	}
	return rec, nil
}

// Store writes what is known of rec.Origin, whole or not at all. If it cannot, it
// empties the file that was there, or leaves an empty one: so Load knows that a
// record was lost, where the old one would go on allowing what rec disallows.
// That takes no room on a disk that is full.
func (c *fileCache) Store(_ context.Context, rec *Record) error {
	name := c.name(rec.Origin)
	data, err := encodeFile(rec)
	if err == nil {
		err = c.replace(name, data)
	}
	if err != nil {
		return fmt.Errorf("file cache: %w", errors.Join(err, spoil(name)))
	}
	return nil
}

// spoil leaves an empty file at name.
func spoil(name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, nil, 0o600)
}

func encodeFile(rec *Record) ([]byte, error) {
	record, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	return json.Marshal(fileRecord{SHA256: sum(record), Record: record})
}

// replace puts a file in the place of another in one step. A crash leaves the
// old one or the new one.
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

// syncDir makes what was renamed in dir last through a loss of power. There are
// systems that cannot do this for a directory, so its error says nothing.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = errors.Join(d.Sync(), d.Close())
	}
}

// name is the file of o. It is hashed, since an origin may be longer than a file
// name and holds characters that some file systems do not take.
func (c *fileCache) name(o Origin) string {
	h := sum([]byte(o))
	return filepath.Join(c.dir, h[:2], h[2:]+".json")
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
