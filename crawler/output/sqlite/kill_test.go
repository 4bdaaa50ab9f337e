package sqlite

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// killEnv has this test binary write to the directory in it, from the mark in markEnv
// on, and say each mark that it gets.
const (
	killEnv = "POLITECRAWL_TEST_SQLITE"
	markEnv = "POLITECRAWL_TEST_MARK"
)

func TestMain(m *testing.M) {
	if dir, ok := os.LookupEnv(killEnv); ok {
		fmt.Fprintln(os.Stderr, writeForEver(dir, os.Getenv(markEnv)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeForEver writes pages, and numbers them on from what the mark counts.
func writeForEver(dir, last string) error {
	n, mark := 0, []byte(nil)
	if number, rest, ok := strings.Cut(last, " "); ok {
		mark = []byte(rest)
		if _, err := fmt.Sscan(number, &n); err != nil {
			return err
		}
	}
	s, err := Format(nil).Open(dir, mark)
	if err != nil {
		return err
	}
	for {
		for range 1 + rand.IntN(20) {
			if err := s.Write(page(fmt.Sprintf("http://a.test/%d", n))); err != nil {
				return err
			}
			n++
		}
		mark, err := s.Commit(n%7 == 0)
		if err != nil {
			return err
		}
		fmt.Printf("%d %s\n", n, mark)
	}
}

// A process that writes is killed many times. Whatever mark was heard of last, the
// next goes on there, and at the end every page and link stands there once.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	var mark string
	for range 10 {
		cmd := exec.Command(os.Args[0])
		said := new(strings.Builder)
		cmd.Env, cmd.Stderr = append(os.Environ(), killEnv+"="+dir, markEnv+"="+mark), said
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(50+rand.IntN(200))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if rand.IntN(10) > 0 { // and if it is not heard of, the one before holds
				mark = lines.Text()
			}
		}
		timer.Stop()
		_ = cmd.Wait()
		if said.Len() > 0 {
			t.Fatal(said)
		}
	}
	count, last, _ := strings.Cut(mark, " ")
	if count == "" {
		t.Fatal("nothing was committed")
	}
	closeSink(t, openSink(t, dir, []byte(last), nil))
	for query, want := range map[string]string{
		"PRAGMA integrity_check":     "ok",
		"PRAGMA foreign_key_check":   "",
		"SELECT count(*) FROM pages": count,
		"SELECT count(*) FROM pages WHERE url = 'http://a.test/' || (id - 1)":                                         count,
		"SELECT count(*) FROM links WHERE to_url = 'http://a.test/all'":                                               count,
		"SELECT count(DISTINCT from_url) FROM links WHERE to_url = from_url || '/1'":                                  count,
		"SELECT count(*) FROM urls WHERE id NOT IN (SELECT from_id FROM link) AND id NOT IN (SELECT to_id FROM link)": "0",
	} {
		if got := strings.Join(askDir(t, dir, query), ","); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	t.Logf("%s pages", count)
}
