package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

const (
	loaders   = 4
	loadHosts = 20
)

// load adds, leases and finishes new URLs until it is killed. It prints the URLs that were added,
// and the contents of each call of Finish before and after the call. These calls do not overlap,
// and have their numbers as notes.
func load(f frontier.Frontier, name string, out io.Writer) error {
	l := &loadRun{f: f, name: name, out: out, ends: make(chan openLease)}
	errs := make(chan error, loaders+1)
	for w := range loaders {
		go func() { errs <- l.work(w) }()
	}
	go func() { errs <- l.finish() }()
	return <-errs
}

type loadRun struct {
	f    frontier.Frontier
	name string
	ends chan openLease

	mu  sync.Mutex // guards out
	out io.Writer
}

// An openLease is a lease to be finished.
type openLease struct {
	url   string
	lease frontier.LeaseID
	links []string
	done  chan struct{}
}

func (l *loadRun) print(words ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := fmt.Fprintln(l.out, strings.Join(words, " "))
	return err
}

// work adds and leases URLs in a loop.
func (l *loadRun) work(number int) error {
	ctx := context.Background()
	count := 0
	fresh := func() []string {
		count += 2
		return []string{l.url(number, count), l.url(number, count+1)}
	}
	for {
		urls := fresh()
		if _, err := l.f.Add(ctx, items(urls...)); err != nil {
			return err
		}
		if err := l.print("add", strings.Join(urls, " ")); err != nil {
			return err
		}
		got, err := l.f.Lease(ctx, frontier.LeaseRequest{Max: 2})
		if err != nil {
			return err
		}
		for _, lease := range got {
			e := openLease{lease.URL, lease.ID, fresh(), make(chan struct{})}
			l.ends <- e
			<-e.done
		}
		time.Sleep(time.Millisecond) // limits the number of URLs to verify
	}
}

func (l *loadRun) url(worker, n int) string {
	return spelledURL(n, frontier.Host(fmt.Sprintf("h%d.test", n/2%loadHosts)), fmt.Sprintf("/%s-%d-%d", l.name, worker, n))
}

// finish finishes all open leases, in a loop.
func (l *loadRun) finish() error {
	for n := 1; ; n++ {
		ends := []openLease{<-l.ends}
		for more := true; more; {
			select {
			case e := <-l.ends:
				ends = append(ends, e)
			default:
				more = false
			}
		}
		outcomes := make([]frontier.Outcome, len(ends))
		var urls, links []string
		for i, e := range ends {
			outcomes[i] = frontier.Outcome{Lease: e.lease, Result: frontier.Done, Links: items(e.links...)}
			urls, links = append(urls, e.url), append(links, e.links...)
		}
		note := fmt.Sprintf("%s-%d", l.name, n)
		if err := l.print("finish", note, strings.Join(urls, " "), "links", strings.Join(links, " ")); err != nil {
			return err
		}
		errs, err := l.f.Finish(context.Background(), outcomes, []byte(note))
		if err := errors.Join(append(errs, err)...); err != nil {
			return err
		}
		if err := l.print("finished", note); err != nil {
			return err
		}
		for _, e := range ends {
			close(e.done)
		}
	}
}
