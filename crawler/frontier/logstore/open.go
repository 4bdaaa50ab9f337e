package logstore

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/frontier/internal/siphash"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
)

// open opens the log of a locked directory, and reads it into the index.
func (s *Store) open() error {
	f, err := openLog(s.dir.path, os.O_RDWR)
	if err != nil {
		return err
	}
	if err := s.dir.writeOwner(); err != nil {
		return err
	}
	if f == nil {
		if f, err = s.create(); err != nil {
			return err
		}
	}
	s.setLog(f)
	if err := s.read(); err != nil {
		return err
	}
	if s.isMostlyDead() {
		if err := s.replace(); err != nil {
			return err
		}
	}
	s.opened = s.file.size
	var token [8]byte // lease IDs of an earlier opening must not be valid
	if _, err := rand.Read(token[:]); err != nil {
		return err
	}
	s.sched.Token = binary.LittleEndian.Uint64(token[:]) / 2
	return s.placeHosts()
}

// openLog opens the log of a directory. It returns nil if there is none, or one whose creation did not end.
func openLog(dir string, flag int) (*file, error) {
	f, err := openFile(filepath.Join(dir, logName), flag)
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return f, err
	}
	if _, err := os.Stat(filepath.Join(dir, indexName)); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, damaged(filepath.Join(dir, logName), 0, "the log is lost, and its index is there"))
	}
	return nil, nil
}

func (s *Store) create() (*file, error) {
	var seed siphash.Key
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, err
	}
	f, err := createFile(filepath.Join(s.dir.path, logName), seed)
	if err == nil && s.opts.Durability == Power {
		if err = errors.Join(durable.File(f.File), durable.Dir(s.dir.path)); err != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return f, err
}

// replace replaces the log with a compact one. If that cannot be written, the old one stays.
func (s *Store) replace() error {
	path := s.file.path
	compact, err := s.compact()
	if errors.Is(err, ErrDamaged) {
		return err
	}
	if err != nil {
		s.opts.Logger.Warn("frontier not compacted", "file", path, "error", err)
		s.setLog(s.file)
		return s.read()
	}
	// Some systems cannot rename a file that is open, or one whose name another process has open.
	if err := s.file.Close(); err != nil {
		return err
	}
	renamed := durable.Rename(compact, path)
	f, err := openFile(path, os.O_RDWR)
	if err != nil {
		return errors.Join(renamed, err)
	}
	if renamed == nil {
		s.file = f
		return nil
	}
	s.opts.Logger.Warn("frontier not compacted", "file", path, "error", renamed)
	s.setLog(f)
	return s.read()
}

// read reads the index of a store that was closed, or else the log. It cuts off a frame at its end that
// was not written whole.
func (s *Store) read() error {
	if !s.opts.CheckLog {
		err := s.load(filepath.Join(s.dir.path, indexName))
		if err == nil {
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			s.opts.Logger.Debug("index of the frontier not used", "error", err)
		}
	}
	end, err := s.replay()
	if errors.Is(err, errTorn) {
		s.opts.Logger.Warn("end of the frontier cut off",
			"file", s.file.path, "bytes", s.file.size-end, "at", end)
		return s.file.cut(end)
	}
	return err
}

// placeHosts brings the hosts of the index into the schedule, in the order of their first URLs. A host
// without pending URLs is dropped from memory; if its record has other counts, it is written.
func (s *Store) placeHosts() error {
	r := newRequest()
	now := s.sched.Lock()
	for _, h := range s.hosts {
		h.waitDelay()
		switch {
		case h.counts.Pending > 0:
		case h.changed:
			r.changes = append(r.changes, s.recordChange(h, now))
		default:
			delete(s.hosts, h.name)
		}
	}
	for _, h := range s.byFirstURL() {
		s.sched.Place(&h.Host, now)
	}
	return s.submit(r, now, nil)
}
