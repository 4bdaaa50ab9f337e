package warc

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/crawler/output/internal/recent"
)

// latest is the minimum number of URLs whose last exchange is remembered, for the metadata of its page; the maximum is
// twice that.
const latest = 16 << 10

// A sink writes records into the files of a crawl.
type sink struct {
	*encoder
	files  *files
	index  *index
	opts   *Options
	info   recordID                     // of the current warcinfo record; zero if one must be written first
	latest *recent.Map[uint64, capture] // responses by the hash of their URLs
	text   []byte                       // the current block
	lost   []output.Loss                // found when the sink was opened
}

// open implements output.Format.Open. Without a checkpoint it changes nothing: the files in the directory are those of
// earlier crawls.
func open(dir string, checkpoint []byte, opts *Options) (output.Sink, error) {
	var at position
	var err error
	if checkpoint == nil {
		at.Name, err = newName(dir, opts.Prefix)
	} else if err = json.Unmarshal(checkpoint, &at); err != nil || !validName.MatchString(at.Name) ||
		at.File < 0 || at.File >= maxFiles || at.Length < 0 || at.Index < 0 {
		err = fmt.Errorf("%q is not a checkpoint: %w", checkpoint, cmp.Or(err, errors.New("invalid values")))
	}
	if err != nil {
		return nil, err
	}
	files, err := newFiles(dir, opts.MaxBytes, opts.Level)
	if err != nil {
		return nil, err
	}
	s := &sink{encoder: newEncoder(opts.Digest), files: files, opts: opts, latest: recent.New[uint64, capture](latest)}
	if s.lost, err = files.missingBefore(at); err != nil {
		return nil, err
	}
	missing, err := files.truncate(at)
	if err == nil {
		s.index, err = openIndex(files)
	}
	if err != nil {
		return nil, errors.Join(err, files.close())
	}
	if missing > 0 {
		s.lost = append(s.lost, output.Loss{File: fileName(at.Name, at.File), Bytes: missing, SizeBefore: at.Length})
	}
	if len(s.lost) > 0 {
		s.index.urls.Clear() // the lost records may have a later response of any URL
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
	s.latest.Clear() // nothing may refer to the removed records
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

// put adds the current record, whose block is in memory.
func (s *sink) put(contentType string, block []byte) error {
	_, _, err := s.files.add(s.end(contentType, s.digestOf(block), int64(len(block))), block, nil)
	return err
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
