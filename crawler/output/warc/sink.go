package warc

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/recent"
)

// remembered is how many payloads, and how many URLs, are remembered at the least;
// at the most twice as many.
const remembered = 32 << 10

// A sink writes records into the files of a crawl.
type sink struct {
	*encoder
	files    *files
	opts     *Options
	info     recordID // of the warcinfo record in force; zero: one is due
	payloads *recent.Map[payloadKey, captured]
	urls     *recent.Map[string, capture]
	links    map[string]*output.Links // of the pages that are being written
	text     []byte                   // of a block in the making
	lost     []output.Loss            // as it was found when the sink was opened
}

// open implements output.Format.Open.
func open(dir string, mark []byte, opts *Options) (*sink, error) {
	var at place
	if mark != nil {
		if err := json.Unmarshal(mark, &at); err != nil {
			return nil, fmt.Errorf("%q is no mark: %w", mark, err)
		}
		if at.File < 0 || at.File >= mostFiles || at.Length < 0 {
			return nil, fmt.Errorf("%q is no mark", mark)
		}
	}
	files, err := newFiles(dir, opts.MaxBytes, opts.Level)
	if err != nil {
		return nil, err
	}
	lost, err := files.missingBefore(at)
	if err != nil {
		return nil, err
	}
	missing, err := files.goTo(at)
	if err != nil {
		return nil, err
	}
	if missing > 0 {
		lost = append(lost, output.Loss{File: fileName(at.File), Bytes: missing, Had: at.Length})
	}
	return &sink{
		lost: lost, encoder: new(encoder), files: files, opts: opts,
		payloads: recent.New[payloadKey, captured](remembered), urls: recent.New[string, capture](remembered),
		links: make(map[string]*output.Links),
	}, nil
}

// Write implements output.Sink. When it fails, for a full disk or another reason,
// the files are as they were before it was called.
func (s *sink) Write(f *output.Found) error {
	before, info := s.files.place, s.info
	err := s.write(f)
	if err == nil {
		return nil
	}
	// Whatever refers to the records that go must be forgotten; all is simpler.
	s.payloads.Clear()
	s.urls.Clear()
	s.info = info
	if _, undone := s.files.goTo(before); undone != nil {
		return errors.Join(err, undone)
	}
	return err
}

func (s *sink) write(f *output.Found) error {
	for _, x := range f.Exchanges {
		if err := s.ready(); err != nil {
			return err
		}
		if err := s.exchange(x); err != nil {
			return err
		}
	}
	clear(s.links)
	for _, l := range f.Links {
		s.links[l.URL] = l
	}
	for _, p := range f.Pages {
		if err := s.ready(); err != nil {
			return err
		}
		if err := s.page(p, s.links[p.URL]); err != nil {
			return err
		}
	}
	clear(s.links)
	return s.files.flush()
}

// ready begins a file where none can be added to, and describes what follows where
// that was not done.
func (s *sink) ready() error {
	if !s.files.begun() {
		if err := s.files.next(); err != nil {
			return err
		}
		s.info = recordID{}
	}
	if s.info != (recordID{}) {
		return nil
	}
	return s.describe()
}

// put adds the record that was begun.
func (s *sink) put(contentType string, block ...[]byte) error {
	return s.files.add(append([][]byte{s.end(contentType, block...)}, block...)...)
}

// Commit implements output.Sink.
func (s *sink) Commit(power bool) (mark []byte, err error) {
	if power {
		if err := s.files.sync(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(s.files.place)
}

// Lost implements output.Lossy.
func (s *sink) Lost() []output.Loss { return s.lost }

// Close implements output.Sink.
func (s *sink) Close() error { return s.files.close() }
