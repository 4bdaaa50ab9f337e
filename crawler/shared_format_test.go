package crawler

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore/redistest"
)

// A shared crawl that another version has begun is refused with what to do, and neither its
// directory nor what is on the server changes.
func TestSharedCrawlOfAnotherFormatIsLeftAsItIs(t *testing.T) {
	server := redistest.Start(t)
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	cfg := workerConfig(t, sharedConfig(t, server.URL(), s.url+"/"), "w1")
	cfg.Limits.MaxPages = 1
	run(t, cfg, nil)
	server.Do(t, "HSET", "politecrawl:"+cfg.Cluster.Join+":{all}:meta", "format", "1")
	if err := os.WriteFile(filepath.Join(cfg.Output.Dir, frontierDir, "OWNER"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before, keys := contents(t, cfg.Output.Dir), server.Do(t, "DBSIZE")
	for name, opts := range map[string]*Options{"resume": {Resume: true}, "recrawl": {Recrawl: true}} {
		c, err := New(cfg, opts)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context()); !errors.Is(err, redisstore.ErrFormat) || !strings.Contains(err.Error(), "finish the crawl with the version of the program that began it") {
			t.Errorf("%s: %v, want %v and what to do", name, err, redisstore.ErrFormat)
		}
	}
	if diff := cmp.Diff(before, contents(t, cfg.Output.Dir)); diff != "" {
		t.Errorf("the directory has changed (-before +after):\n%s", diff)
	}
	if after := server.Do(t, "DBSIZE"); after != keys {
		t.Errorf("the server has %s keys, before %s", after, keys)
	}
}

// contents returns the files below a directory by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
