package pebblestore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/loadtest"
)

func TestInUse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	s := open(t, dir, nil)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, dir + "/.", link} {
		for name, open := range map[string]func() error{
			"Open":         func() error { _, err := Open(path, nil); return err },
			"OpenReadOnly": func() error { _, err := OpenReadOnly(path); return err },
		} {
			err := open()
			if !errors.Is(err, ErrInUse) {
				t.Fatalf("%s(%s) = %v, want %v", name, path, err, ErrInUse)
			}
			if use, ok := errors.AsType[*InUseError](err); !ok || use.Dir != path || use.PID != os.Getpid() {
				t.Errorf("%s(%s) = %#v", name, path, err)
			}
			if text := err.Error(); !strings.Contains(text, path) || !strings.Contains(text, fmt.Sprint(os.Getpid())) {
				t.Errorf("%s(%s) = %q, which does not say where or who", name, path, text)
			}
		}
	}
	addURLs(t, s, "http://a.test/1") // the first store still works
	closeStore(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	v, err := OpenReadOnly(link)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, nil); !errors.Is(err, ErrInUse) {
		t.Errorf("Open beside a View = %v, want %v", err, ErrInUse)
	}
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	closeStore(t, open(t, dir, nil))
}

func TestOpenRejectsOtherFiles(t *testing.T) {
	other := t.TempDir()
	db, err := pebble.Open(other, &pebble.Options{Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Set([]byte("k"), nil, pebble.Sync), db.Close()); err != nil {
		t.Fatal(err)
	}
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "pages.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"another database": other, "files": files} {
		before := list(t, dir)
		if _, err := Open(dir, nil); !errors.Is(err, ErrNotFrontier) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: Open = %v, want %v with its name", name, err, ErrNotFrontier)
		}
		if _, err := OpenReadOnly(dir); !errors.Is(err, ErrNotFrontier) {
			t.Errorf("%s: OpenReadOnly = %v, want %v", name, err, ErrNotFrontier)
		}
		if dir == files && list(t, dir) != before {
			t.Errorf("%s: what is not ours was changed: %s", name, list(t, dir))
		}
	}
	empty := t.TempDir()
	if _, err := OpenReadOnly(empty); !errors.Is(err, ErrNotFrontier) || list(t, empty) != "" {
		t.Errorf("OpenReadOnly of an empty directory = %v, and leaves %s", err, list(t, empty))
	}
	if _, err := OpenReadOnly(filepath.Join(empty, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("OpenReadOnly of nothing = %v", err)
	}
}

func silent() pebble.Logger { return logger{log: slog.New(slog.DiscardHandler)} }

func list(t *testing.T, dir string) (names string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names += f.Name() + " "
	}
	return names
}

// edit changes the database of a closed store.
func edit(t *testing.T, dir string, change func(*pebble.DB) error) {
	t.Helper()
	db, err := pebble.Open(dir, &pebble.Options{FormatMajorVersion: databaseFormat, Logger: silent()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(change(db), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// An empty database whose log is lost is a damaged store, not a database of another program.
func TestOpenReadOnlyWithoutLog(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	addURLs(t, s, "http://a.test/")
	closeStore(t, s)
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	inspect := func(log string) {
		t.Helper()
		if _, err := OpenReadOnly(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "its records are lost") {
			t.Errorf("OpenReadOnly with an %s log = %v, want %v", log, err, ErrDamaged)
		}
	}
	if err := os.Truncate(logs[0], 0); err != nil {
		t.Fatal(err)
	}
	inspect("empty")
	if err := os.Remove(logs[0]); err != nil {
		t.Fatal(err)
	}
	inspect("absent")
}

// TestRefusesOtherFormats opens stores of an earlier and a later version of this package. Nothing
// in them may change, so that their version can still use them.
func TestRefusesOtherFormats(t *testing.T) {
	for name, version := range map[string]uint64{"earlier": format - 1, "later": format + 1} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, nil)
			addURLs(t, s, "http://a.test/1")
			closeStore(t, s)
			edit(t, dir, func(db *pebble.DB) error {
				return db.Set(metaKey(metaFormat), binary.AppendUvarint(nil, version), pebble.Sync)
			})
			if err := os.WriteFile(filepath.Join(dir, ownerName), []byte("1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			before := contents(t, dir)
			_, openErr := Open(dir, nil)
			_, inspectErr := OpenReadOnly(dir)
			for call, err := range map[string]error{"Open": openErr, "OpenReadOnly": inspectErr} {
				if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), dir) ||
					!strings.Contains(err.Error(), "finish the crawl with the version of the program that began it, or begin anew in another directory") {
					t.Errorf("%s = %v, want %v and what to do", call, err, ErrFormat)
				}
			}
			if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
				t.Errorf("the refused directory has changed (-before +after):\n%s", diff)
			}
		})
	}
}

// contents returns the files of a directory by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name()] = string(data)
	}
	return all
}

// TestDatabaseFormat opens a store whose database was written by a later version of pebble.
func TestDatabaseFormat(t *testing.T) {
	dir := t.TempDir()
	closeStore(t, open(t, dir, nil))
	markers, err := filepath.Glob(filepath.Join(dir, "marker.format-version.*"))
	if err != nil || len(markers) != 1 {
		t.Fatalf("%q, %v", markers, err)
	}
	later := strings.TrimSuffix(markers[0], filepath.Ext(markers[0])) + fmt.Sprintf(".%03d", databaseFormat+1)
	if err := os.Rename(markers[0], later); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, nil); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), dir) {
		t.Errorf("Open = %v, want %v", err, ErrFormat)
	}
	if _, err := OpenReadOnly(dir); !errors.Is(err, ErrFormat) {
		t.Errorf("OpenReadOnly = %v, want %v", err, ErrFormat)
	}
}

// TestOpenReadOnlyWithoutOwnerFile has no room for the OWNER file. A reader does not need it.
func TestOpenReadOnlyWithoutOwnerFile(t *testing.T) {
	dir := t.TempDir()
	closeStore(t, open(t, dir, nil))
	owner := filepath.Join(dir, ownerName)
	if err := errors.Join(os.Remove(owner), os.Symlink(filepath.Join(dir, "missing", "file"), owner)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open = %v", err)
	}
	v, err := OpenReadOnly(dir) // it is not locked
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// TestDamaged damages files of a store. Opening or reading it must return an error or the
// complete data.
func TestDamaged(t *testing.T) {
	if alone(t) {
		return
	}
	original := t.TempDir()
	s := open(t, original, &Options{memTable: 256 << 10})
	var urls []string
	for i := range 4000 {
		urls = append(urls, fmt.Sprintf("http://h%d.test/%d", i%7, i))
	}
	addURLs(t, s, urls...)
	closeStore(t, s)
	files, err := os.ReadDir(original)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		for _, damage := range []string{"cut", "flipped", "gone"} {
			t.Run(f.Name()+" "+damage, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "copy")
				if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
					t.Fatal(err)
				}
				spoil(t, filepath.Join(dir, f.Name()), damage)
				if err := use(dir, urls); err != nil {
					found++
					if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotFrontier) && !errors.Is(err, ErrFormat) {
						t.Errorf("%v, want %v", err, ErrDamaged)
					}
				}
			})
		}
	}
	if found < len(files)/2 {
		t.Errorf("only %d damages were found", found)
	}
	t.Run("records", func(t *testing.T) {
		for _, key := range []string{metaSeed} {
			dir := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
				t.Fatal(err)
			}
			edit(t, dir, func(db *pebble.DB) error { return db.Delete(metaKey(key), pebble.Sync) })
			if _, err := Open(dir, nil); !errors.Is(err, ErrDamaged) {
				t.Errorf("Open without %s = %v, want %v", key, err, ErrDamaged)
			}
		}
		for _, c := range []struct {
			kind byte
			cut  []byte // nil: deleted
		}{{kindHost, []byte{3}}, {kindQueue, []byte{0}}, {kindQueue, nil}} {
			dir := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(dir, os.DirFS(original)); err != nil {
				t.Fatal(err)
			}
			edit(t, dir, func(db *pebble.DB) error {
				it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{c.kind}, UpperBound: []byte{c.kind + 1}})
				if err != nil {
					return err
				}
				if it.First(); c.cut == nil {
					return errors.Join(db.Delete(it.Key(), pebble.Sync), it.Close())
				}
				return errors.Join(db.Set(it.Key(), c.cut, pebble.Sync), it.Close())
			})
			if err := use(dir, urls); !errors.Is(err, ErrDamaged) {
				t.Errorf("a record of %c cut to %v: %v, want %v", c.kind, c.cut, err, ErrDamaged)
			}
		}
	})
}

func spoil(t *testing.T, name, damage string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	switch damage {
	case "gone":
		err = os.Remove(name)
	case "cut":
		err = os.WriteFile(name, data[:len(data)/2], 0o600)
	case "flipped":
		for i := 0; i < len(data); i += max(len(data)/20, 1) {
			data[i] ^= 0x55
		}
		err = os.WriteFile(name, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// keysOf returns the keys of pages.
func keysOf(urls ...string) []frontier.Key {
	keys := make([]frontier.Key, len(urls))
	for i, url := range urls {
		keys[i].URL = url
	}
	return keys
}

// use leases all URLs of a store and returns the first error.
func use(dir string, urls []string) error {
	ctx := context.Background()
	s, err := Open(dir, nil)
	if err != nil {
		return err
	}
	if _, err := s.Known(ctx, keysOf(urls...)); err != nil {
		return errors.Join(err, s.Close())
	}
	_, err = loadtest.Drain(ctx, s, 10, 0)
	return errors.Join(err, s.Close())
}
