package logstore

import (
	"errors"
	"io"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fields"
)

// A stored record is a record of a log with its place.
type stored struct {
	at   int64
	body []byte // with the kind; valid until the next record
	file *file
}

// fields returns a reader of the fields.
func (s *stored) fields() *fields.Reader { return &fields.Reader{Rest: s.body[1:]} }

// hash returns the hash of the key. It is false for a record without one.
func (s *stored) hash() (hash uint64, ok bool) {
	r, seed := s.fields(), &s.file.seed
	switch s.body[0] {
	case kindURL:
		r.Rest = r.Rest[min(2, len(r.Rest)):]
		hash = urlHash(seed, r.String())
	case kindHost:
		hash = hostHash(seed, frontier.Host(r.String()))
	case kindRobots:
		h := frontier.Host(r.String())
		hash = robotsHash(seed, h, r.String())
	default:
		return 0, false
	}
	return hash, !r.Bad
}

// each calls do for each record of the commits of a log up to an offset. It returns the end of the
// last whole frame, and errTorn or ErrDamaged if more follows.
func (f *file) each(to int64, do func(s *stored) error) (end int64, err error) {
	scan := f.scan(f.start, to)
	for {
		frame, err := scan.next(typeCommit)
		if errors.Is(err, io.EOF) {
			return scan.at, nil
		}
		if err != nil {
			return scan.at, err
		}
		for at, body := range f.records(scan.at-int64(len(frame)), frame) {
			err := do(&stored{at, body, f})
			if errors.Is(err, fields.ErrCut) { // its checksum is right
				err = damaged(f.path, at, "the fields of a record are not valid")
			}
			if err != nil {
				return scan.at, err
			}
		}
	}
}

// A replaying reads a log into an index.
type replaying struct {
	*index
	open    map[int64]attempt         // of leases that did not end, by the offset of the URL
	written map[*host]frontier.Counts // in the records of hosts
}

// replay reads the whole log into an empty index: first where the records are, then, of each
// key, the last one. It returns the end of the last whole frame, and errTorn or ErrDamaged if the
// log has more. A host is changed if its record has other counts.
func (x *index) replay() (end int64, broken error) {
	r := &replaying{x, make(map[int64]attempt), make(map[*host]frontier.Counts)}
	end, broken = x.file.each(x.file.size, r.locate)
	if _, err := x.file.each(end, r.place); err != nil {
		return end, err
	}
	r.compareCounts()
	return end, broken
}

// compareCounts marks the hosts whose records have other counts as changed.
func (r *replaying) compareCounts() {
	for _, h := range r.hosts {
		h.changed = h.counts != r.written[h]
	}
}

// locate notes where a record is.
func (r *replaying) locate(s *stored) error {
	if s.body[0] == kindAttempt {
		f := s.fields()
		a := readAttempt(f)
		r.open[a.of] = a
		return f.Err()
	}
	if hash, ok := s.hash(); ok {
		delete(r.open, r.records.Set(hash, s.at))
	} else if s.body[0] != kindNote {
		return fields.ErrCut
	}
	return nil
}

// place puts what a record says into the index, if it is the last one of its key.
func (r *replaying) place(s *stored) error {
	f := s.fields()
	hash, keyed := s.hash()
	if keyed && r.records.Get(hash) == s.at {
		r.live += int64(len(s.body))
	}
	switch kind := s.body[0]; {
	case kind == kindNote:
		r.note = append([]byte{}, f.Rest...)
	case !keyed || r.records.Get(hash) != s.at:
		return nil // another one follows
	case kind == kindHost:
		rec := readHost(f)
		h := r.host(rec.name)
		r.written[h] = rec.counts
		r.restore(h, rec)
	case kind == kindURL:
		u := readURL(f)
		h := r.host(u.host)
		if a, ok := r.open[s.at]; ok {
			u.state, u.attempts, u.seq = Pending, a.attempts, a.seq
		}
		r.seq = max(r.seq, u.seq)
		r.add(h, &u, s.at)
	}
	return f.Err()
}
