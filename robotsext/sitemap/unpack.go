package sitemap

import (
	"bufio"
	"errors"
	"io"

	"github.com/politecrawl/politecrawl/robotsext/gunzip"
)

const (
	// maxLayers limits the layers of gzip: one of the file, and one of a server that
	// compresses compressed files again.
	maxLayers = 2

	// ratioGrace is the size up to which the ratio is not checked.
	ratioGrace = 1 << 20

	// idleGrace is the number of compressed bytes allowed in addition to twice the decompressed
	// bytes. It stops an endless stream of empty blocks.
	idleGrace = 1 << 20
)

// errIdle is the error of gzip data that is much longer than its content.
var errIdle = errors.New("it unpacks to nothing")

// meter counts the bytes of one layer of a body and fails after max.
type meter struct {
	r   io.Reader
	n   int64
	max int64
	err error // of r, or of the limit; permanent

	packed *meter // the received body; nil for the meter of the received body
	ratio  int64

	// The decompressed body, the innermost layer, or nil if it is not compressed.
	unpacked *meter
}

func (m *meter) Read(p []byte) (int, error) {
	if m.err != nil {
		return 0, m.err
	}
	room := m.max - m.n
	if int64(len(p)) > room {
		p = p[:room+1] // one byte more, to distinguish max bytes from too many
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

// layer marks the errors of a gzip layer, to distinguish them from errors of its reader.
type layer struct{ z *gunzip.Reader }

func (g layer) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	return n, gzipError(err)
}

func gzipError(err error) error {
	var below *Finding
	if errors.As(err, &below) {
		return below // the cause
	}
	if fault := gunzip.Fault(err); fault != nil {
		return &Finding{Kind: BadGzip, Err: fault}
	}
	return err
}

// body is the decompressed reader of Read.
type body struct {
	*bufio.Reader
	packed   *meter // the received body
	unpacked *meter // the innermost layer; packed if there is no gzip
	layers   int    // of gzip
}

// unpack removes the gzip layers of r, which it detects by their first bytes (ROB-SMP-11).
// Each layer has the limit of the whole body.
func unpack(r io.Reader, o *Options) (*body, error) {
	packed := &meter{r: r, max: o.MaxBytes}
	b := &body{Reader: bufio.NewReader(packed), packed: packed, unpacked: packed}
	for {
		magic, _ := b.Peek(2) // later reads return the error again
		if string(magic) != "\x1f\x8b" {
			return b, nil
		}
		if b.layers == maxLayers {
			return b, &Finding{Kind: BadGzip, Err: errors.New("gzip in gzip in gzip")}
		}
		z, err := gunzip.NewReader(b.Reader)
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return b, gzipError(err)
		}
		b.layers++
		b.unpacked = &meter{r: layer{z}, max: o.MaxBytes, packed: packed, ratio: int64(o.MaxRatio)}
		packed.unpacked = b.unpacked
		b.Reader = bufio.NewReader(b.unpacked)
	}
}
