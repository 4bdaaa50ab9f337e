package warc

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// remembered is how many payloads, and how many URLs, are remembered at the least;
// at the most twice as many.
const remembered = 32 << 10

// A sink writes records into the files of a crawl.
type sink struct {
	*encoder
	files    *files
	opts     *Options
	filler   int64    // the size of the least filler
	info     recordID // of the warcinfo record in force; zero: one is due
	payloads *memory[payloadKey, captured]
	urls     *memory[string, capture]
	links    map[string]*output.Links // of the pages that are being written
	text     []byte                   // of a block in the making
	lost     []output.Loss            // as it was found when the sink was opened
}

// open implements output.Format.Open.
func open(dir string, mark []byte, opts *Options) (*sink, error) {
	var at place
	if mark != nil {
		if err := json.Unmarshal(mark, &at); err != nil {
			return nil, fmt.Errorf("warc: %q is no mark: %w", mark, err)
		}
		if at.File < 0 || at.File >= mostFiles || at.Length < 0 || at.Plain < 0 {
			return nil, fmt.Errorf("warc: %q is no mark", mark)
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
		lost: lost, encoder: newEncoder(opts.Edition), files: files, opts: opts, filler: leastFiller(opts.Edition),
		payloads: newMemory[payloadKey, captured](remembered), urls: newMemory[string, capture](remembered),
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
	s.payloads.forget()
	s.urls.forget()
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

// put adds the record that was begun, and fillers before and behind it where they are
// needed.
func (s *sink) put(contentType string, block ...[]byte) error {
	head := s.end(contentType, block...)
	if s.edition == Edition11 {
		return s.files.add(head, block...)
	}
	before, behind, last := room(s.files.Plain, int64(len(head)), int64(size(block)), s.filler)
	if err := s.fill(before); err != nil {
		return err
	}
	if err := s.files.add(head, block...); err != nil {
		return err
	}
	s.files.full = last
	return s.fill(behind)
}

// fill adds a filler of so many bytes, if any.
func (s *sink) fill(total int64) error {
	if total == 0 {
		return nil
	}
	id, err := newID(s.opts.Rand)
	if err != nil {
		return err
	}
	f := fill(s.edition, id, time.Now(), total)
	return s.files.add(f.head, f.block...)
}

// Commit implements output.Sink.
func (s *sink) Commit(power bool) (mark []byte, err error) {
	if power {
		if err := s.files.sync(); err != nil {
			return nil, err
		}
	}
	mark, err = json.Marshal(s.files.place)
	if err != nil {
		return nil, fmt.Errorf("warc: %w", err)
	}
	return mark, nil
}

// Lost implements output.Lossy.
func (s *sink) Lost() []output.Loss { return s.lost }

// Close implements output.Sink.
func (s *sink) Close() error { return s.files.close() }
