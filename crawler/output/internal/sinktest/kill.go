package sinktest

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A Writer writes to a sink until its process is killed.
type Writer struct {
	Format  output.Format
	Results func(n int) *output.Results // returns the nth results, from 0 on
	Most    int                         // maximum number of results in a commit
}

// The environment of a process that writes: the directory, and the last line that an earlier
// process printed, with the number of committed results and their checkpoint.
const (
	dirEnv  = "POLITECRAWL_TEST_SINK"
	markEnv = "POLITECRAWL_TEST_MARK"
)

// Main is for TestMain. It runs the tests, or writes if [Writer.Kill] has started this process.
func (w Writer) Main(m *testing.M) {
	if dir, ok := os.LookupEnv(dirEnv); ok {
		fmt.Fprintln(os.Stderr, w.write(dir, os.Getenv(markEnv)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// write resumes at the last checkpoint, and prints each new one.
func (w Writer) write(dir, last string) error {
	n, checkpoint := 0, []byte(nil)
	if number, rest, ok := strings.Cut(last, " "); ok {
		checkpoint = []byte(rest)
		if _, err := fmt.Sscan(number, &n); err != nil {
			return err
		}
	}
	s, err := w.Format.Open(dir, checkpoint)
	if err != nil {
		return err
	}
	for { // the first commit is before anything is written, as in a crawl
		checkpoint, err := s.Commit(n%7 == 0)
		if err != nil {
			return err
		}
		fmt.Printf("%d %s\n", n, checkpoint)
		for range 1 + rand.IntN(w.Most) {
			if err := s.Write(w.Results(n)); err != nil {
				return err
			}
			n++
		}
	}
}

// Kill kills processes that write, one after the other. Each resumes at the last checkpoint
// that was received. Kill returns the number of committed results: the directory has these and
// no others.
func (w Writer) Kill(t *testing.T, dir string) (count int) {
	t.Helper()
	var last string
	for i := range 6 {
		cmd := exec.Command(os.Args[0])
		said := new(strings.Builder)
		cmd.Env, cmd.Stderr = append(os.Environ(), dirEnv+"="+dir, markEnv+"="+last), said
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// One kill at any moment, on a busy machine before the first commit; the next kill after a
		// commit.
		due := time.Duration(50+rand.IntN(200)) * time.Millisecond
		timer := time.AfterFunc(due, func() { _ = cmd.Process.Kill() })
		if i%2 == 1 {
			timer.Stop()
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if n == 0 && i%2 == 1 {
				timer.Reset(due)
			}
			if last == "" || rand.IntN(10) > 0 { // otherwise the line is lost, and the previous one is valid
				last = lines.Text()
			}
		}
		timer.Stop()
		_ = cmd.Wait()
		if said.Len() > 0 {
			t.Fatal(said)
		}
	}
	if _, err := fmt.Sscan(last, &count); err != nil || count == 0 {
		t.Fatalf("nothing was committed: %q", last)
	}
	_, checkpoint, _ := strings.Cut(last, " ")
	Close(t, Open(t, w.Format, dir, []byte(checkpoint)))
	t.Logf("%d count", count)
	return count
}
