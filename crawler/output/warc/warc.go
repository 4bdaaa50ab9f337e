package warc

import (
	"cmp"
	"compress/gzip"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// edition is that of the standard, ISO 28500:2017, which the first line of each record
// names.
const edition = "1.1"

// formatDate formats a time with microseconds, as WARC/1.1 allows.
func formatDate(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}

// Options change how files are written. Nil stands for the zero value.
type Options struct {
	// MaxBytes ends a file: when it has as many, the next one is begun. 0:
	// 1,000,000,000, as the standard recommends.
	MaxBytes int64

	// Level of compression, from gzip.BestSpeed to gzip.BestCompression. 0:
	// gzip.BestSpeed.
	Level int

	// What the warcinfo record at the head of each file says of the crawl. Empty
	// fields are left out.
	Software  string // the program and its version: "politecrawl/1.2.3"
	UserAgent string // that requests are sent with
	Operator  string // who is responsible, and how to reach them
	Robots    string // the policy; empty: "RFC 9309"

	// Rand is where identifiers of records come from; nil: crypto/rand.
	Rand io.Reader
}

// Format returns the format, to be given to a crawl.
func Format(opts *Options) output.Format {
	if opts == nil {
		opts = &Options{}
	}
	o := *opts
	o.MaxBytes = cmp.Or(o.MaxBytes, 1_000_000_000)
	o.Level = cmp.Or(o.Level, gzip.BestSpeed)
	o.Robots = cmp.Or(o.Robots, "RFC 9309")
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	return output.Format{
		Name:      "warc",
		Files:     []string{filePattern},
		Exchanges: true,
		Open: func(dir string, mark []byte) (output.Sink, error) {
			if err := o.validate(); err != nil {
				return nil, err
			}
			return open(dir, mark, &o)
		},
	}
}

// ErrOptions says that options are not what they may be.
var ErrOptions = errors.New("wrong option")

func (o *Options) validate() error {
	switch {
	case o.MaxBytes < 0:
		return fmt.Errorf("%w: files of %d bytes", ErrOptions, o.MaxBytes)
	case o.Level < gzip.BestSpeed || o.Level > gzip.BestCompression:
		return fmt.Errorf("%w: level %d of compression; they go from %d to %d",
			ErrOptions, o.Level, gzip.BestSpeed, gzip.BestCompression)
	}
	return nil
}
