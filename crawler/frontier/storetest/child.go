package storetest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
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
		_, err = fmt.Fprintln(out, "opened")
	case "lease":
		err = leaseOne(f, out)
	case "ask", "hold":
		err = ask(f, task, name, out)
	case "load":
		return load(f, name, out)
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// leaseOne leases a URL and says at which attempt.
func leaseOne(f frontier.Frontier, out io.Writer) error {
	got, err := f.Lease(context.Background(), frontier.LeaseRequest{})
	if err != nil || len(got) != 1 {
		return fmt.Errorf("storetest: leased %v: %w", urlsOf(got), err)
	}
	// A store may count the attempt without making Lease wait for it, but
	// before whatever it acknowledges next.
	if err := f.UpdateHost(context.Background(), "elsewhere.test", frontier.HostUpdate{MaxInFlight: 1}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "attempt", got[0].Attempt)
	return err
}

// ask begins a request to a, which has that delay, and says so at once.
func ask(f frontier.Frontier, how, delay string, out io.Writer) error {
	ctx := context.Background()
	d, err := time.ParseDuration(delay)
	if err == nil {
		err = f.UpdateHost(ctx, a, frontier.HostUpdate{Delay: &d})
	}
	switch {
	case err != nil:
	case how == "hold":
		_, err = f.Hold(ctx, a)
	default:
		if _, err = f.Add(ctx, items(one)); err == nil {
			_, err = f.Lease(ctx, frontier.LeaseRequest{})
		}
	}
	if err == nil {
		_, err = fmt.Fprintln(out, "asked")
	}
	return err
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
