package warc

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// writer writes small and large bodies into small files.
var writer = sinktest.Writer{Format: Format(&Options{MaxBytes: 100_000}), Most: 20, Results: func(n int) *output.Results {
	r := some(n)
	if n%5 == 0 {
		body := make([]byte, 50_000)
		_, _ = rand.NewChaCha8([32]byte{1}).Read(body) // never fails
		r.Exchanges = append(r.Exchanges, answered(fmt.Sprintf("http://a.test/large/%d", n), 200, fmt.Sprint(n, string(body))))
	}
	r.Exchanges = append(r.Exchanges, answered(fmt.Sprintf("http://a.test/%d", n), 304, ""))
	return r
}}

func TestMain(m *testing.M) { writer.Main(m) }

// After kills no record is missing, torn or there twice, and each index has the records of its file.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	count := writer.Kill(t, dir)
	large := 0
	var small []string
	for _, url := range urlsOf(readDir(t, dir)) {
		if strings.HasPrefix(url, "large/") {
			large++
		} else {
			small = append(small, url)
		}
	}
	if len(small) != count || large != (count+4)/5 {
		t.Errorf("%d and %d responses, want %d", len(small), large, count)
	}
	for n, url := range small {
		if url != fmt.Sprint(n) {
			t.Fatalf("response %d is that of %s", n, url)
		}
	}
}
