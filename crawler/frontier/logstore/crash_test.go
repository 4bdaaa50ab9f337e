//go:build unix

package logstore

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const loadEnv = "LOGSTORE_TEST_LOAD" // set in the child processes that TestKill kills

// startLoad starts a process that uses the store of a directory.
func startLoad(t *testing.T, dir string) (cmd *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	cmd = exec.Command(os.Args[0], "-test.run=^TestLoad$")
	cmd.Env = append(os.Environ(), loadEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return cmd, bufio.NewScanner(out)
}

// TestKill kills processes at random moments while they use all methods of a store, open, compact and
// close it. All calls that returned are stored, and the one that was running is stored as a whole or not at
// all. TestStore kills processes with concurrent calls.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills 20 processes, as TestStore kills some")
	}
	dir := t.TempDir()
	states := make(map[string]State)
	calls, opened := 0, 0
	for range kills() {
		cmd, lines := startLoad(t, dir)
		lines.Scan() // the load has started
		var killing sync.WaitGroup
		killing.Go(func() {
			time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
			_ = cmd.Process.Kill()
		})
		change := make(map[string]State) // by the call that runs
		for lines.Scan() {
			maps.Copy(states, change)
			change = nil
			if lines.Text() == "opened" {
				opened++
			} else if json.Unmarshal(lines.Bytes(), &change) != nil {
				break // an incomplete line: the call did not begin
			}
			calls++
		}
		killing.Wait()
		_ = cmd.Wait() // returns that it was killed
		got := statesOf(check(t, dir))
		if maps.Equal(got, states) {
			continue
		}
		if maps.Copy(states, change); !maps.Equal(got, states) {
			t.Fatalf("after call %d (-want +got):\n%s", calls, cmp.Diff(states, got))
		}
	}
	t.Logf("%d kills, %d calls, %d compactions, %d URLs", kills(), calls, opened, len(states))
}

// TestLoad runs in the processes that TestKill kills. Before each call it prints what the call changes. Every
// few hundred commits it compacts the log.
func TestLoad(t *testing.T) {
	dir := os.Getenv(loadEnv)
	if dir == "" {
		return // TestKill runs it
	}
	fmt.Println("begin")
	w := newWorker(t, open(t, dir, nil), rand.Uint64())
	w.name = fmt.Sprint(os.Getpid(), "-")
	w.calling = func(change map[string]State) {
		line, err := json.Marshal(change)
		must(t, err)
		fmt.Println(string(line))
	}
	for n := 0; ; n++ {
		if n%200 == 0 {
			must(t, compactNow(w.s))
			urls, err := readOnly(t, dir)
			must(t, err)
			w.states, w.leases = statesOf(urls), nil
			w.s, _ = openLogged(t, dir, &Options{compactFrom: 1})
			fmt.Println("opened")
		}
		w.step()
	}
}

// TestKillCreating kills processes while they create a store.
func TestKillCreating(t *testing.T) {
	for range kills() {
		dir := filepath.Join(t.TempDir(), "new")
		cmd, _ := startLoad(t, dir)
		for _, err := os.Stat(dir); err != nil; _, err = os.Stat(dir) {
			time.Sleep(100 * time.Microsecond)
		}
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // returns that it was killed
		s, _ := openLogged(t, dir, nil)
		addURLs(t, s, "http://new.test/1")
		closeStore(t, s)
		check(t, dir)
	}
}
