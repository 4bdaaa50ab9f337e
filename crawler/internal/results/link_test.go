package results

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// A symbolic link in the directory leads no write out of it.
func TestSymlinksAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("not everybody may make links there")
	}
	const text = "of somebody else\nwith half a line"
	for _, name := range []string{"pages.jsonl", "robots.jsonl", "robots", "crawl.json~"} {
		t.Run(name, func(t *testing.T) {
			dir, other := filepath.Join(t.TempDir(), "crawl"), t.TempDir()
			victim := filepath.Join(other, "victim")
			must(t, os.WriteFile(victim, []byte(text), 0o600))
			to := victim
			if name == "robots" {
				to = other
			}
			must(t, os.Mkdir(dir, 0o755))
			must(t, os.Symlink(to, filepath.Join(dir, name)))
			d, err := Create(dir, map[string]string{"secret": "x"})
			if err == nil {
				_, err = d.Robots("http://a.test", []byte("x"), struct{}{}, false)
				_ = d.Close()
			}
			if refused := err != nil; refused != (name != "crawl.json~") {
				t.Errorf("error %v", err)
			}
			if got, _ := os.ReadFile(victim); string(got) != text {
				t.Errorf("the other file has become %q", got)
			}
			if inside, _ := os.ReadDir(other); len(inside) != 1 {
				t.Errorf("the other directory has %v", inside)
			}
		})
	}
}
