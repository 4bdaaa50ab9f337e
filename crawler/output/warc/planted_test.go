package warc

import (
	"os"
	"path/filepath"
	"testing"
)

// A file, or a link, that somebody has put where the next file goes is not written into.
func TestPlanted(t *testing.T) {
	for _, plant := range []func(own, at string) error{os.Symlink, os.Link} {
		dir := t.TempDir()
		own := filepath.Join(t.TempDir(), "own")
		if err := os.WriteFile(own, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := newFiles(dir, 1<<20, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := plant(own, f.path()); err != nil {
			t.Fatal(err)
		}
		if err := f.next(); err == nil {
			t.Error("it was opened")
			_ = f.close()
		}
		if text, err := os.ReadFile(own); string(text) != "mine" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
}
