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

// Child runs the part of a check that needs another process. The process that Store.Command
// starts must call it with its standard input and output. It reads a task from in, writes the
// results to out, and returns when in ends. The check may kill the process at any time.
// The command can start the test binary again:
//
//	func TestMain(m *testing.M) {
//		location := os.Getenv("MYSTORE_LOCATION") // set by Store.Command
//		if location == "" {
//			os.Exit(m.Run())
//		}
//		if err := storetest.Child(store, location, os.Stdin, os.Stdout); err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(1)
//		}
//	}
func Child(s Store, location string, in io.Reader, out io.Writer) error {
	var task, name string
	if _, err := fmt.Fscanln(in, &task, &name); err != nil {
		return fmt.Errorf("storetest: no task: %w", err)
	}
	f, err := s.Open(location)
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
	case "request", "hold":
		err = beginRequest(f, task, name, out)
	case "load":
		return load(f, name, out)
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// leaseOne leases a URL and prints its attempt.
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

// beginRequest sets the delay of a, acquires a lease or hold of it, and prints that at once.
func beginRequest(f frontier.Frontier, how, delay string, out io.Writer) error {
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
		_, err = fmt.Fprintln(out, "started")
	}
	return err
}

// A child is a process that runs Child.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

// start starts a child on a task.
func (s *subject) start(task ...string) *child {
	s.Helper()
	c := &child{cmd: s.store.Command(s.location)}
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

// line returns the next line of c's output, or "".
func (c *child) line() string {
	c.out.Scan()
	return c.out.Text()
}

// kill kills c, if it is running, and waits for its end.
func (c *child) kill() {
	if c.cmd.ProcessState == nil {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait() // returns that it was killed
	}
}
