package faultsite_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/warc"
)

// crawlEnv makes this test binary start the crawl of the configuration in it, or resume the one in
// its directory. It writes a line about itself now and then.
const crawlEnv = "FAULTSITE_TEST_CRAWL"

// vitals describe a process that crawls.
type vitals struct {
	Pages, Left int
	Heap        int64 // bytes that the last garbage collection found in use
	RSS, Peak   int64 // of the process, in bytes
	Goroutines  int
	Descriptors int
	End         crawler.End // once it is known
}

// pulse is the time between two lines.
const pulse = 500 * time.Millisecond

// crawlAsChild is the process that crawls.
func crawlAsChild(config string) error {
	var cfg crawler.Config
	if err := json.Unmarshal([]byte(config), &cfg); err != nil {
		return err
	}
	begun := make(chan struct{})
	opts := &crawler.Options{OnStart: func() { close(begun) }, Formats: []output.Format{warc.Format(nil)}}
	saved, err := crawler.LoadConfig(cfg.Output.Dir)
	switch {
	case err == nil:
		cfg, opts.Resume = saved, true
	case !errors.Is(err, output.ErrNoCrawl):
		return err
	}
	c, err := crawler.New(cfg, opts)
	if err != nil {
		return err
	}
	say := json.NewEncoder(os.Stdout)
	ended := make(chan struct{})
	var saying sync.WaitGroup
	saying.Go(func() {
		ticks := time.NewTicker(pulse)
		defer ticks.Stop()
		for {
			select {
			case <-ended:
				return
			case <-ticks.C:
			}
			select {
			case <-begun:
			default:
				continue
			}
			v := examine()
			if s, err := c.Status(); err == nil {
				v.Pages, v.Left = s.Pages, s.Remaining
			}
			_ = say.Encode(v)
		}
	})
	sum, err := c.Run(context.Background())
	close(ended)
	saying.Wait()
	if err != nil {
		return err
	}
	// The goroutines of closed connections take a moment to end, on a busy machine a long one.
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > maxLeft && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	v := examine()
	v.Pages, v.Left, v.End = sum.Pages, sum.Remaining, sum.End
	return say.Encode(v)
}

// maxLeft is the maximum number of goroutines, and of descriptors, of a process whose crawl has ended.
const maxLeft = 100

// examine looks at this process.
func examine() *vitals {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	v := &vitals{Heap: int64(live[0].Value.Uint64()), Goroutines: runtime.NumGoroutine()}
	status, _ := os.ReadFile("/proc/self/status") // on Linux
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			v.RSS = kib << 10
		case "VmHWM":
			v.Peak = kib << 10
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		v.Descriptors = len(open) - 1 // the directory itself
	}
	return v
}

// life is a process that crawls, as its parent sees it.
type life struct {
	cmd  *exec.Cmd
	said bytes.Buffer // to standard error
	done chan struct{}
	err  error // how it ended; to be read after done

	mu    sync.Mutex // guards last
	last  vitals
	heard func(*vitals) // called with each line
}

// live starts a process that crawls.
func live(t *testing.T, cfg crawler.Config, heard func(*vitals)) *life {
	t.Helper()
	config, err := json.Marshal(cfg)
	must(t, err)
	l := &life{cmd: exec.Command(os.Args[0]), done: make(chan struct{}), heard: heard}
	l.cmd.Env = append(os.Environ(), crawlEnv+"="+string(config))
	l.cmd.Stderr = &l.said
	out, err := l.cmd.StdoutPipe()
	must(t, err)
	must(t, l.cmd.Start())
	go func() {
		l.listen(out)
		l.err = l.cmd.Wait()
		close(l.done)
	}()
	return l
}

func (l *life) listen(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var v vitals
		if json.Unmarshal(lines.Bytes(), &v) != nil {
			continue // killed in the middle
		}
		l.mu.Lock()
		l.last = v
		l.mu.Unlock()
		if l.heard != nil {
			l.heard(&v)
		}
	}
}

func (l *life) vitals() vitals {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// ended waits for the process and says how it ended.
func (l *life) ended() error {
	<-l.done
	if l.err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", l.err, lastLines(l.said.String()))
}

func lastLines(text string) string {
	const most = 2000
	return text[max(len(text)-most, 0):]
}
