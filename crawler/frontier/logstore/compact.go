package logstore

import (
	"errors"
	"os"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

// isMostlyDead reports whether more than half of the log are records that others have replaced.
func (x *index) isMostlyDead() bool {
	return x.file.size >= x.opts.compactFrom && x.file.size > 2*x.live
}

// A compaction writes a new log with the last record of each key, in the same order, and makes the index
// that of the new log.
type compaction struct {
	replaying
	to       *file
	returned map[int64]returned // URLs whose attempts are newer than their records
	frame    []byte
	body     []byte
}

// compact writes a log without the records that others have replaced, and returns its path. After an
// error the index is not valid.
func (x *index) compact() (path string, err error) {
	path = x.file.path + newSuffix
	to, err := createFile(path, x.seed)
	if err != nil {
		return "", err
	}
	c := &compaction{
		replaying: replaying{index: x, written: make(map[*host]frontier.Counts)},
		to:        to, returned: make(map[int64]returned), frame: make([]byte, headSize),
	}
	for _, h := range x.hosts {
		for _, r := range h.queue.Again {
			c.returned[r.At] = r
		}
		h.counts, h.queue = frontier.Counts{}, queue{}
	}
	x.timed, x.counts, x.sites, x.live = nil, frontier.Counts{}, 0, 0
	if _, err = x.file.each(x.file.size, c.copy); err == nil {
		err = c.finish()
	}
	if err == nil {
		err = durable.File(to.File)
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, nil
}

// copy copies a record that is the last one of its key.
func (c *compaction) copy(s *stored) error {
	hash, keyed := s.hash()
	if !keyed || c.records.Get(hash) != s.at {
		return nil
	}
	body := s.body
	if r, ok := c.returned[s.at]; ok {
		u := readURL(&fields.Reader{Rest: body[1:]})
		u.state, u.attempts, u.seq = Pending, int(r.Attempts), r.Seq
		c.body = appendURL(c.body[:0], &u)
		body = c.body
	}
	at := c.to.size + int64(len(c.frame))
	c.frame = appendRecord(c.frame, c.to.salt, body)
	c.records.Set(hash, at)
	if err := c.place(&stored{at, body, c.to}); err != nil {
		return err
	}
	return c.flush(1 << 20)
}

// flush writes what has been collected if it is longer than that.
func (c *compaction) flush(size int) error {
	if len(c.frame) <= size {
		return nil
	}
	err := c.to.append(c.frame)
	c.frame = c.frame[:headSize]
	return err
}

func (c *compaction) finish() error {
	if c.note != nil {
		c.frame = appendRecord(c.frame, c.to.salt, append([]byte{kindNote}, c.note...))
	}
	c.compareCounts()
	return c.flush(headSize)
}
