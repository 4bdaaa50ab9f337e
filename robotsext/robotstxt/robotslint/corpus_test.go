package robotslint

import (
	"os"
	"path/filepath"
	"testing"
)

// realFiles are robots.txt files of real sites, which lie beside the repository
// and are no part of it.
func realFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "robots-corpus", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		if os.Getenv("CI") != "" {
			t.Fatal("the real robots.txt files are missing: ../shared/robots-corpus")
		}
		t.Skip("the real robots.txt files are not here: ../shared/robots-corpus")
	}
	return files
}
