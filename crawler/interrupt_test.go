package crawler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

func TestInterruptFinishesWhatIsInFlight(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/next": "next"})
	asked, proceed := make(chan struct{}), make(chan struct{})
	s.handle("/", func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-proceed
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<a href="/next">next</a>`)
	})
	cfg := testConfig(t, s.url)
	c, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
		close(proceed)
	}()
	sum, err := c.Run(ctx)
	if err != nil || sum.End != EndInterrupted || sum.Pages != 1 || sum.Left != 1 {
		t.Errorf("Run = %+v, %v", sum, err)
	}
	if s.count("/next") != 0 {
		t.Error("a new request was sent after the interrupt")
	}
}

func TestAbortBreaksOff(t *testing.T) {
	s := newSite(t, "127.0.0.1", nil)
	asked := make(chan struct{})
	s.handle("/", func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	})
	c, err := New(testConfig(t, s.url), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
		c.Abort()
	}()
	sum, err := c.Run(ctx)
	if err != nil || sum.End != EndInterrupted || sum.Pages != 0 || sum.Left != 1 || len(sum.Rejected) != 0 {
		t.Errorf("Run = %+v, %v", sum, err)
	}
}

func TestRunRefusesADirectoryInUse(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": "x"})
	cfg := testConfig(t, s.url)
	run(t, cfg, nil)
	c, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); !errors.Is(err, output.ErrExists) {
		t.Errorf("a second crawl into %s: %v", cfg.Output.Dir, err)
	}
}

func TestDiskThatFailsEndsTheCrawl(t *testing.T) {
	s := newSite(t, "127.0.0.1", map[string]string{"/": `<a href="/a">a</a>`, "/a": ""})
	cfg := testConfig(t, s.url)
	s.handle("/robots.txt", func(w http.ResponseWriter, r *http.Request) {
		if err := os.RemoveAll(cfg.Output.Dir + "/robots"); err != nil {
			t.Error(err)
		}
		http.NotFound(w, r)
	})
	c, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := c.Run(t.Context())
	if err == nil || sum == nil || sum.End != EndFailed || !strings.Contains(err.Error(), "robots") {
		t.Errorf("Run = %+v, %v; want an error that names what could not be written", sum, err)
	}
}
