//go:build unix

package warc

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/durable/disktest"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/sinktest"
)

// alone runs the test in its own process, since its limits apply to the process. In that process
// it returns false.
func alone(t *testing.T) bool {
	t.Helper()
	const env = "WARC_TEST_ALONE"
	if os.Getenv(env) != "" {
		return false
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	return true
}

// A Write without disk space leaves the files unchanged, also if it started new ones. The next
// Write succeeds.
func TestFailedWriteLeavesFilesUnchanged(t *testing.T) {
	if alone(t) {
		return
	}
	random := rand.NewChaCha8([32]byte{3}) // bytes that do not get smaller
	large := &output.Results{}
	for n := range 30 { // more than is bufferSize back, and the last one alone more than a file has
		body := make([]byte, 10_000+n/29*400_000)
		if _, err := random.Read(body); err != nil {
			t.Fatal(err)
		}
		large.Exchanges = append(large.Exchanges, answered(fmt.Sprintf("http://a.test/large/%d", n), 200, string(body)))
	}
	for _, limit := range []int64{0, 50_000} {
		for _, room := range []int64{0, 2000, 10_000, 300_000, 600_000} {
			t.Run(fmt.Sprintf("files of %d, room of %d", limit, room), func(t *testing.T) {
				dir := t.TempDir()
				s := openSink(t, dir, &Options{MaxBytes: limit})
				if room > 0 {
					sinktest.Write(t, s, some(1))
				}
				before := contents(t, dir)
				checkpoint := sinktest.Commit(t, s, true)
				var err error
				disktest.Full(t, uint64(room), func() { err = s.Write(large) })
				if enough := limit > 0 && room > 500_000; (err == nil) != enough {
					t.Fatalf("Write = %v", err)
				} else if enough {
					sinktest.Close(t, s)
					return
				}
				if !errors.Is(err, syscall.EFBIG) || !maps.Equal(contents(t, dir), before) {
					t.Fatalf("Write = %v, files %s; want %s", err, sizes(contents(t, dir)), sizes(before))
				}
				if again := sinktest.Commit(t, s, true); !bytes.Equal(again, checkpoint) {
					t.Errorf("checkpoint %s, want %s", again, checkpoint)
				}
				sinktest.Write(t, s, large) // there is room again
				sinktest.Close(t, s)
				urls := urlsOf(readDir(t, dir))
				if room > 0 {
					urls = urls[1:]
				}
				if len(urls) != len(large.Exchanges) || slices.Contains(urls, "1") {
					t.Errorf("%d responses", len(urls))
				}
			})
		}
	}
}
