package warc

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/recent"
)

// remembered is the minimum number of remembered payloads and URLs; the maximum is twice that.
const remembered = 32 << 10

// A sink writes records into the files of a crawl.
type sink struct {
	*encoder
	files    *files
	opts     *Options
	info     recordID // of the current warcinfo record; zero if one must be written first
	payloads *recent.Map[payloadKey, captured]
	urls     *recent.Map[string, capture]
	text     []byte        // the current block
	lost     []output.Loss // found when the sink was opened
}

// open implements output.Format.Open.
func open(dir string, checkpoint []byte, opts *Options) (output.Sink, error) {
	var at position
	if checkpoint != nil {
		if err := json.Unmarshal(checkpoint, &at); err != nil {
			return nil, fmt.Errorf("%q is not a checkpoint: %w", checkpoint, err)
		}
		if at.File < 0 || at.File >= maxFiles || at.Length < 0 {
			return nil, fmt.Errorf("%q is not a checkpoint", checkpoint)
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
	missing, err := files.truncate(at)
	if err != nil {
		return nil, err
	}
	if missing > 0 {
		lost = append(lost, output.Loss{File: fileName(at.File), Bytes: missing, SizeBefore: at.Length})
	}
	s := &sink{
		lost: lost, encoder: new(encoder), files: files, opts: opts,
		payloads: recent.New[payloadKey, captured](remembered), urls: recent.New[string, capture](remembered),
	}
	if err := s.recall(); err != nil {
		return nil, errors.Join(err, files.close())
	}
	return s, nil
}

// Write implements output.Sink. If it fails, the files are unchanged.
func (s *sink) Write(f *output.Results) error {
	before, info := s.files.position, s.info
	err := s.write(f)
	if err == nil {
		return nil
	}
	// Nothing may refer to the removed records.
	s.payloads.Clear()
	s.urls.Clear()
	s.info = info
	if _, undone := s.files.truncate(before); undone != nil {
		return errors.Join(err, undone)
	}
	return err
}

func (s *sink) write(f *output.Results) error {
	for _, x := range f.Exchanges {
		if err := s.exchange(x); err != nil {
			return err
		}
	}
	links := make(map[string]*output.Links, len(f.Links))
	for _, l := range f.Links {
		links[l.URL] = l
	}
	for _, p := range f.Pages {
		if err := s.page(p, links[p.URL]); err != nil {
			return err
		}
	}
	for _, p := range f.Permissions {
		if err := s.permission(p); err != nil {
			return err
		}
	}
	return s.files.flush()
}

// newRecord returns the ID of a record. It starts a file if necessary, and writes a warcinfo record if
// one is due.
func (s *sink) newRecord() (recordID, error) {
	if !s.files.writable() {
		if err := s.files.next(); err != nil {
			return recordID{}, err
		}
		s.info = recordID{}
	}
	if s.info == (recordID{}) {
		if err := s.describe(); err != nil {
			return recordID{}, err
		}
	}
	return newID(s.opts.Rand)
}

// put adds the current record.
func (s *sink) put(contentType string, block ...[]byte) error {
	return s.files.add(append([][]byte{s.end(contentType, block...)}, block...)...)
}

// Commit implements output.Sink.
func (s *sink) Commit(power bool) (checkpoint []byte, err error) {
	if power {
		if err := s.files.sync(); err != nil {
			return nil, err
		}
	}
	return json.Marshal(s.files.position)
}

// Lost implements output.LossReporter.
func (s *sink) Lost() []output.Loss { return s.lost }

// Close implements output.Sink.
func (s *sink) Close() error { return s.files.close() }
