package csvout

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// killEnv has this test binary write to the directory in it, from the mark in markEnv
// on, and say each mark that it gets.
const (
	killEnv = "POLITECRAWL_TEST_CSV"
	markEnv = "POLITECRAWL_TEST_MARK"
)

func TestMain(m *testing.M) {
	if dir, ok := os.LookupEnv(killEnv); ok {
		fmt.Fprintln(os.Stderr, writeForEver(dir, []byte(os.Getenv(markEnv))))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForEver writes pages, each with two links, and numbers them on from what the
// mark counts.
func writeForEver(dir string, mark []byte) error {
	var from int
	if _, err := fmt.Sscanf(string(mark), "%d ", &from); err != nil {
		mark = nil
	} else {
		_, mark, _ = bytes.Cut(mark, []byte(" "))
	}
	s, err := Format(nil).Open(dir, mark)
	if err != nil {
		return err
	}
	for n := from; ; {
		for range 1 + rand.IntN(200) {
			url := fmt.Sprintf("http://a.test/%d", n)
			n++
			err := s.Write(&output.Found{
				Pages: []*output.Page{{URL: url}},
				Links: []*output.Links{{URL: url, To: []string{url + "/1", url + "/2"}}},
			})
			if err != nil {
				return err
			}
		}
		mark, err := s.Commit(false)
		if err != nil {
			return err
		}
		fmt.Printf("%d %s\n", n, mark)
	}
}

// A process that writes is killed many times. Whatever mark was heard of last, the
// next goes on there, and at the end every page stands there once.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	var mark string
	for range 10 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killEnv+"="+dir, markEnv+"="+mark)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(30+rand.IntN(60))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			mark = lines.Text()
		}
		timer.Stop()
		_ = cmd.Wait()
	}
	var pages int
	if _, err := fmt.Sscanf(mark, "%d ", &pages); err != nil || pages == 0 {
		t.Fatalf("nothing was committed: %q", mark)
	}
	_, last, _ := strings.Cut(mark, " ")
	closeSink(t, openSink(t, dir, []byte(last), nil))
	got := records(t, dir, PagesFile)[1:]
	if len(got) != pages || len(records(t, dir, LinksFile)) != 1+2*pages {
		t.Fatalf("%d pages, %d of which count", len(got), pages)
	}
	for n, row := range got {
		if row[0] != fmt.Sprintf("http://a.test/%d", n) {
			t.Fatalf("page %d is %s", n, row[0])
		}
	}
	t.Logf("%d pages", pages)
}
