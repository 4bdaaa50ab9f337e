package storetest

import (
	"context"
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

// load adds, leases and finishes URLs that nobody has seen. It says which were
// added, and of each call of Finish, before and after it, what is in it: these
// are made one after the other, each for all that is there, and with its number
// as the note.
func load(f frontier.Frontier, name string, out io.Writer) error {
	l := &loading{f: f, name: name, out: out, ends: make(chan end)}
	errs := make(chan error, loaders+1)
	for w := range loaders {
		go func() { errs <- l.work(w) }()
	}
	go func() { errs <- l.finish() }()
	return <-errs
}

type loading struct {
	f    frontier.Frontier
	name string
	ends chan end

	mu  sync.Mutex // guards out
	out io.Writer
}

// An end is a lease on its way to Finish.
type end struct {
	url   string
	lease frontier.LeaseID
	links []string
	done  chan struct{}
}

func (l *loading) say(words ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := fmt.Fprintln(l.out, strings.Join(words, " "))
	return err
}

// work is one of those who add and lease.
func (l *loading) work(number int) error {
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
		if err := l.say("add", strings.Join(urls, " ")); err != nil {
			return err
		}
		got, err := l.f.Lease(ctx, frontier.LeaseRequest{Max: 2})
		if err != nil {
			return err
		}
		for _, lease := range got {
			e := end{lease.URL, lease.ID, fresh(), make(chan struct{})}
			l.ends <- e
			<-e.done
		}
		time.Sleep(time.Millisecond) // so that there is not too much to verify
	}
}

func (l *loading) url(worker, n int) string {
	return spelt(n, frontier.Host(fmt.Sprintf("h%d.test", n/2%loadHosts)), fmt.Sprintf("/%s-%d-%d", l.name, worker, n))
}

// finish finishes what there is.
func (l *loading) finish() error {
	for n := 1; ; n++ {
		ends := []end{<-l.ends}
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
		if err := l.say("finish", note, strings.Join(urls, " "), "links", strings.Join(links, " ")); err != nil {
			return err
		}
		errs, err := l.f.Finish(context.Background(), outcomes, []byte(note))
		if err != nil {
			return err
		}
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		if err := l.say("finished", note); err != nil {
			return err
		}
		for _, e := range ends {
			close(e.done)
		}
	}
}
