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
	type stream struct {
		segment *segment
		next    func() (*robotsLine, error, bool)
		line    *robotsLine
	}
	var streams []*stream
	advance := func(s *stream) (more bool, err error) {
		s.line, err, more = s.next()
		return more && err == nil, err
	}
	for _, s := range all {
		next, stop := iter.Pull2(fetches(s))
		defer stop()
		stream := &stream{segment: s, next: next}
		if more, err := advance(stream); err != nil {
			return err
		} else if more {
			streams = append(streams, stream)
		}
	}
	for len(streams) > 0 {
		first := 0
		for i, s := range streams {
			if s.line.FetchedAt.Before(streams[first].line.FetchedAt) {
				first = i
			}
		}
		s := streams[first]
		f(s.segment, s.line)
		more, err := advance(s)
		if err != nil {
			return err
		}
		if !more {
			streams = slices.Delete(streams, first, first+1)
		}
	}
	return nil
}
