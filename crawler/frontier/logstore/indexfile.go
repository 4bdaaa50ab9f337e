package logstore

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/frontier/internal/heap"
	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

const indexMagic = "politecrawl index\n"

// save writes the index of a store that is being closed, so that the next Open need not read the log.
// Without room on the disk, it writes none.
func (s *Store) save(now instant) error {
	if err := durable.File(s.file.File); err != nil { // an index must not outlive its log
		return err
	}
	for _, h := range s.hosts {
		for _, slot := range h.Slots() {
			if e := slot.Entry; e != nil {
				s.count(h, frontier.Counts{InFlight: -1, Pending: 1})
				h.queue.Again.Push(e.returned)
			}
		}
	}
	path := filepath.Join(s.dir.path, indexName)
	err := s.index.write(path+newSuffix, now)
	if err == nil {
		err = os.Rename(path+newSuffix, path)
	}
	if err != nil {
		s.opts.Logger.Warn("index of the frontier not written", "error", err)
		_ = os.Remove(path + newSuffix)
	}
	return nil
}

// A savedIndex is the part of an index that follows the offsets of its records.
type savedIndex struct {
	Note   []byte
	Noted  bool // there is a note
	Counts frontier.Counts
	Sites  int
	Seq    uint64
	Live   int64
	Timed  heap.Heap[timed]
	Hosts  []savedHost
}

// A savedHost is a host in memory.
type savedHost struct {
	Record  []byte // as in the log
	Changed bool
	Queue   queue
}

func (x *index) write(path string, now instant) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := crc32.New(castagnoli)
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<16)
	if _, err := w.Write(x.head()); err != nil {
		return err
	}
	if _, err := x.records.WriteTo(w); err != nil {
		return err
	}
	saved := savedIndex{x.note, x.note != nil, x.counts, x.sites, x.seq, x.live, x.timed, nil}
	for _, h := range x.hosts {
		saved.Hosts = append(saved.Hosts, savedHost{encodeHost(x.record(h, now)), h.changed, h.queue})
	}
	if err := gob.NewEncoder(w).Encode(saved); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = f.Write(sum.Sum(nil))
	return err
}

// head returns the beginning of an index file, which names its log.
func (x *index) head() []byte {
	head := append(binary.AppendUvarint([]byte(indexMagic), version), x.file.id[:]...)
	return binary.AppendUvarint(head, uint64(x.file.size))
}

// errIndex means that an index is not that of its log, or damaged.
var errIndex = errors.New("not the index of the log")

// load reads an index file into an empty index, which stays empty after an error.
func (x *index) load(path string) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			x.records.Clear()
			err = fmt.Errorf("%s: %w", path, err)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size() - crc32.Size
	sum := crc32.New(castagnoli)
	r := bufio.NewReaderSize(io.TeeReader(io.LimitReader(f, size), sum), 1<<16)
	head := make([]byte, len(x.head()))
	if _, err := io.ReadFull(r, head); err != nil || !bytes.Equal(head, x.head()) {
		return errIndex
	}
	if err := x.records.ReadFrom(r, size); err != nil {
		return err
	}
	var saved savedIndex
	if err := gob.NewDecoder(r).Decode(&saved); err != nil {
		return err
	}
	var found [crc32.Size]byte
	if _, err := f.ReadAt(found[:], size); err != nil || binary.BigEndian.Uint32(found[:]) != sum.Sum32() {
		return errIndex
	}
	if saved.Noted {
		x.note = append([]byte{}, saved.Note...)
	}
	x.counts, x.sites, x.seq, x.live, x.timed = saved.Counts, saved.Sites, saved.Seq, saved.Live, saved.Timed
	for _, h := range saved.Hosts {
		record := readHost(&fields.Reader{Rest: h.Record[1:]})
		in := x.host(record.name)
		x.restore(in, record)
		in.counts, in.changed, in.queue = record.counts, h.Changed, h.Queue
	}
	return nil
}
