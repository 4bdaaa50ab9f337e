package storetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Child does the part of a check that happens in another process, the one that
// Store.Command starts. It reads what to do from in, writes to out what it has
// done, and returns when in ends, unless it is killed before. A test binary can
// be its own child:
//
//	func TestMain(m *testing.M) {
//		place := os.Getenv("MYSTORE_PLACE") // set by Store.Command
//		if place == "" {
//			os.Exit(m.Run())
//		}
//		if err := storetest.Child(store, place, os.Stdin, os.Stdout); err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//	}
func Child(s Store, place string, in io.Reader, out io.Writer) error {
	var task, name string
	if _, err := fmt.Fscanln(in, &task, &name); err != nil {
		return fmt.Errorf("storetest: no task: %w", err)
	}
	f, err := s.Open(place)
	if err != nil {
		_, err = fmt.Fprintf(out, "refused: %v\n", err)
		return err
	}
	defer f.Close()
	switch task {
	case "open":
		if _, err := fmt.Fprintln(out, "opened"); err != nil {
			return err
		}
	case "lease":
		got, err := f.Lease(context.Background(), frontier.LeaseRequest{})
		if err != nil || len(got) != 1 {
			return fmt.Errorf("storetest: leased %v: %w", urlsOf(got), err)
		}
		// A store may count the attempt without making Lease wait for it, but
		// before whatever it acknowledges next.
		if err := f.UpdateHost(context.Background(), "http://elsewhere.test", frontier.HostUpdate{MaxInFlight: 1}); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, "attempt", got[0].Attempt); err != nil {
			return err
		}
	case "load":
		return load(f, name, out)
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

const (
	loaders   = 4
	loadHosts = 20
)

// load adds, leases and finishes URLs that nobody has seen, and writes a line
// for each call that has returned, and one before it finishes a URL.
func load(f frontier.Frontier, name string, out io.Writer) error {
	var mu sync.Mutex // of out
	say := func(verb string, urls ...string) error {
		mu.Lock()
		defer mu.Unlock()
		_, err := fmt.Fprintln(out, verb, strings.Join(urls, " "))
		return err
	}
	errs := make(chan error, loaders)
	for w := range loaders {
		go func() { errs <- loader(f, fmt.Sprintf("%s-%d", name, w), say) }()
	}
	return <-errs
}

func loader(f frontier.Frontier, name string, say func(verb string, urls ...string) error) error {
	ctx := context.Background()
	count := 0
	fresh := func() string {
		count++
		return fmt.Sprintf("http://h%d.test/%s-%d", count%loadHosts, name, count)
	}
	for {
		urls := []string{fresh(), fresh()}
		if _, err := f.Add(ctx, items(urls...)); err != nil {
			return err
		}
		if err := say("add", urls...); err != nil {
			return err
		}
		got, err := f.Lease(ctx, frontier.LeaseRequest{Max: 2})
		if err != nil {
			return err
		}
		for _, l := range got {
			if err := say("finish", l.URL); err != nil {
				return err
			}
			links := []string{fresh(), fresh()}
			errs, err := f.Finish(ctx, []frontier.Outcome{{Lease: l.ID, Result: frontier.Done, Links: items(links...)}})
			if err != nil || errs[0] != nil {
				return fmt.Errorf("storetest: Finish = %v, %w", errs, err)
			}
			if err := say("done", append([]string{l.URL}, links...)...); err != nil {
				return err
			}
		}
		time.Sleep(time.Millisecond) // so that there is not too much to verify
	}
}

// A child is such a process, seen from the test.
type child struct {
	s   *subject
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// start starts a child on a task.
func (s *subject) start(task ...string) *child {
	s.Helper()
	c := &child{s: s, cmd: s.store.Command(s.place)}
	var out io.ReadCloser
	var err error
	if c.in, err = c.cmd.StdinPipe(); err == nil {
		if out, err = c.cmd.StdoutPipe(); err == nil {
			err = c.cmd.Start()
		}
	}
	if err != nil {
		s.Fatalf("starting a child: %v", err)
	}
	c.out = bufio.NewScanner(out)
	s.Cleanup(c.kill)
	if len(task) == 1 {
		task = append(task, "-")
	}
	if _, err := fmt.Fprintln(c.in, strings.Join(task, " ")); err != nil {
		s.Fatalf("starting a child: %v", err)
	}
	return c
}

// line returns the next line that c writes, "" when there is none.
func (c *child) line() string {
	c.out.Scan()
	return c.out.Text()
}

// kill ends c with SIGKILL, if it still runs, and waits for that.
func (c *child) kill() {
	if c.cmd.ProcessState == nil {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait() // says that it was killed
	}
}
