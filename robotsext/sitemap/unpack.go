package sitemap

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
)

const (
	// maxLayers is how often a body may be gzipped: once as a file, and
	// once more by a server that compresses what is compressed already.
	maxLayers = 2

	// ratioGrace is what of an unpacked body does not count for its ratio: a
	// small file proves nothing.
	ratioGrace = 1 << 20

	// idleGrace is how many bytes may arrive beyond twice what they unpack to. gzip
	// adds a few to what it cannot shorten; a stream of empty blocks has no other end.
	idleGrace = 1 << 20
)

// errIdle is what is wrong with gzip data that goes on and on.
var errIdle = errors.New("it unpacks to nothing")

// A meter counts the bytes of one layer of a body and stops it at max.
type meter struct {
	r   io.Reader
	n   int64
	max int64
	err error // of r, or why it was stopped; stays

	packed *meter // the body as it arrived; nil for that one itself
	ratio  int64

	// What the body is unpacked to, in the innermost layer; nil: it is not packed.
	unpacked *meter
}

func (m *meter) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	room := m.max - m.n
	if int64(len(p)) > room {
		p = p[:room+1] // one byte more tells "exactly max" from "too many"
	}
	n, err := m.r.Read(p)
	m.n += int64(n)
	switch {
	case int64(n) > room:
		m.n, n = m.max, int(room)
		err = &Finding{Kind: TooManyBytes}
	case m.packed != nil && (m.n-ratioGrace)/m.ratio > m.packed.n:
		err = &Finding{Kind: RatioTooHigh}
	case m.unpacked != nil && m.n > 2*m.unpacked.n+idleGrace:
		n, err = 0, &Finding{Kind: BadGzip, Err: errIdle}
	case m.packed == nil && err != nil && err != io.EOF:
		err = &Finding{Kind: Unreadable, Err: err}
	}
	m.err = err
	return n, err
}

// A gunzip is a gzip layer whose own faults are told from those below it.
type gunzip struct{ z *gzip.Reader }

func (g gunzip) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	return n, gzipError(err)
}

// errCut stands for io.ErrUnexpectedEOF, which tells nobody what ended where.
var errCut = errors.New("it is incomplete")

func gzipError(err error) error {
	var below *Finding
	if errors.As(err, &below) {
		return below // has more to say
	}
	if err == io.ErrUnexpectedEOF { //nolint:errorlint // one that is wrapped comes from below
		return &Finding{Kind: BadGzip, Err: errCut}
	}
	var corrupt flate.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return &Finding{Kind: BadGzip, Err: err}
	}
	return err
}

// A body is what Read was given, unpacked.
type body struct {
	*bufio.Reader
	packed   *meter // as it arrived
	unpacked *meter // the innermost layer; packed itself if there is only that
	layers   int    // of gzip
}

// unpack takes off the gzip layers of r, which it knows by their first bytes
// (ROB-SMP-11). Every layer has the limit of the whole: what is not a sitemap
// when it has cost that much will not become one.
func unpack(r io.Reader, o *Options) (*body, error) {
	packed := &meter{r: r, max: o.MaxBytes}
	b := &body{Reader: bufio.NewReader(packed), packed: packed, unpacked: packed}
	for {
		magic, _ := b.Peek(2) // an error will come again
		if string(magic) != "\x1f\x8b" {
			return b, nil
		}
		if b.layers == maxLayers {
			return b, &Finding{Kind: BadGzip, Err: errors.New("gzip in gzip in gzip")}
		}
		z, err := gzip.NewReader(b.Reader)
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return b, gzipError(err)
		}
		b.layers++
		b.unpacked = &meter{r: gunzip{z}, max: o.MaxBytes, packed: packed, ratio: int64(o.MaxRatio)}
		packed.unpacked = b.unpacked
		b.Reader = bufio.NewReader(b.unpacked)
	}
}
