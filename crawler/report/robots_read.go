package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// robotsLine is a line of robots.jsonl: robotsext.Record as JSON, and a hash of the
// text where the crawl has written one.
type robotsLine struct {
	Origin       string    `json:"origin"`
	Outcome      string    `json:"outcome"`
	Status       int       `json:"status"`
	Error        string    `json:"error"`
	Hash         string    `json:"hash"`
	Chain        []string  `json:"chain"`
	FetchedAt    time.Time `json:"fetched_at"`
	FailingSince time.Time `json:"failing_since"`
}

// refused tells whether the robots.txt redirects to where the crawl may not go: it came to
// no conclusion, and nobody waits for one.
func (l *robotsLine) refused() bool {
	return l.Outcome == "unreachable" && l.FailingSince.IsZero() && len(l.Chain) > 1
}

// earlierRobots is the name that robots.jsonl has once a recrawl was begun.
const earlierRobots = "robots.%d.jsonl"

// robotsBefore returns the fetches of the crawl before this one.
func robotsBefore(s *segment) iter.Seq2[*robotsLine, error] {
	name := filepath.Join(s.dir, fmt.Sprintf(earlierRobots, s.state.Round))
	if s.state.Round == 0 || missing(name) {
		return func(func(*robotsLine, error) bool) {}
	}
	return output.Read[robotsLine](name)
}

// robotsFetches returns the fetches of a crawl in the order of time.
func robotsFetches(s *segment) iter.Seq2[*robotsLine, error] {
	if name := filepath.Join(s.dir, output.RobotsFile); !missing(name) {
		return output.Read[robotsLine](name)
	}
	return func(yield func(*robotsLine, error) bool) {
		lines, err := lastRobots(s.dir)
		if err != nil {
			yield(nil, err)
			return
		}
		for i := range lines {
			if !yield(&lines[i], nil) {
				return
			}
		}
	}
}

// lastRobots returns the last fetch of each robots.txt, where they were not written down
// one by one.
func lastRobots(dir string) ([]robotsLine, error) {
	names, err := filepath.Glob(filepath.Join(dir, output.RobotsDir, "*.json"))
	if err != nil {
		return nil, err
	}
	var lines []robotsLine
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var l robotsLine
		if err := json.Unmarshal(body, &l); err == nil { // else it is none of the crawl's
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(a, b robotsLine) int { return a.FetchedAt.Compare(b.FetchedAt) })
	return lines, nil
}

func missing(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// inOrder calls f for the fetches in all directories in the order of time: what becomes
// of a robots.txt is told by fetches of several workers.
func inOrder(all segments, fetches func(*segment) iter.Seq2[*robotsLine, error], f func(*segment, *robotsLine)) error {
	streams := make([]*stream, len(all))
	for i, s := range all {
		streams[i] = &stream{segment: s}
		streams[i].next, streams[i].stop = iter.Pull2(fetches(s))
	}
	defer func() {
		for _, s := range streams {
			s.stop()
		}
	}()
	for _, s := range streams {
		if err := s.advance(); err != nil {
			return err
		}
	}
	for s := earliest(streams); s != nil; s = earliest(streams) {
		f(s.segment, s.line)
		if err := s.advance(); err != nil {
			return err
		}
	}
	return nil
}

// A stream is the fetches in one directory.
type stream struct {
	segment *segment
	line    *robotsLine // the one that is next; nil: there is none
	next    func() (*robotsLine, error, bool)
	stop    func()
}

func (s *stream) advance() (err error) {
	s.line, err, _ = s.next() // at the end it gives nil
	return s.segment.passOver(err)
}

// earliest returns the stream with the earliest fetch; nil: none has one.
func earliest(streams []*stream) *stream {
	var first *stream
	for _, s := range streams {
		if s.line != nil && (first == nil || s.line.FetchedAt.Before(first.line.FetchedAt)) {
			first = s
		}
	}
	return first
}
