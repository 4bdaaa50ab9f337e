package warc

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// A sink writes records into the files of a crawl.
type sink struct {
	*encoder
	files  *files
	index  *index
	opts   *Options
	info   string             // ID of the current warcinfo record; empty if one must be written first
	latest map[string]capture // responses of this Write, by their URLs
	text   []byte             // block of the current metadata record
	lost   []output.Loss      // found when the sink was opened
}

// open implements output.Format.Open. Without a checkpoint it changes nothing: the files in the directory are those of
// earlier crawls.
func open(dir string, checkpoint []byte, opts *Options) (output.Sink, error) {
	names, err := archives(dir)
	if err != nil {
		return nil, err
	}
	at := position{Name: newName(names, opts.Prefix)}
	if checkpoint != nil {
		if at, err = parsePosition(checkpoint); err != nil {
			return nil, err
		}
	}
	files := newFiles(dir)
	s := &sink{encoder: newEncoder(opts.Digest), files: files, opts: opts, latest: make(map[string]capture)}
	for number := range at.File {
		if name := fileName(at.Name, number); !slices.Contains(names, name) {
			s.lost = append(s.lost, output.Loss{File: name})
		}
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
	s.info = info
	_, undone := s.files.truncate(before)
	return errors.Join(err, undone)
}

func (s *sink) write(f *output.Results) error {
	clear(s.latest)
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

// ready starts a file if necessary, and writes a warcinfo record if one is due.
func (s *sink) ready() error {
	if s.files.file == nil || s.files.Length >= s.opts.MaxBytes {
		if err := s.files.next(); err != nil {
			return err
		}
		s.info = ""
	}
	if s.info != "" {
		return nil
	}
	return s.describe()
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
