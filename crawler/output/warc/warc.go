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

// edition is the WARC version of ISO 28500:2017, in the first line of each record.
const edition = "1.1"

// formatDate formats a time with microseconds, as WARC/1.1 allows.
func formatDate(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}

// Options configure [Format]. Nil means the zero value.
type Options struct {
	// MaxBytes is the size in bytes at which a new file is started (default 1,000,000,000, as
	// the standard recommends).
	MaxBytes int64

	// Level is the compression level, from gzip.BestSpeed (default) to gzip.BestCompression.
	Level int

	// Fields of the warcinfo record. Empty fields are omitted.
	Software  string // program and version: "politecrawl/1.2.3"
	UserAgent string // of the requests
	Operator  string // name and contact of the operator
	Robots    string // robots.txt policy (default "RFC 9309")

	// Rand is the source of record IDs (default crypto/rand).
	Rand io.Reader
}

// Format returns the format "warc".
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
		Open: func(dir string, checkpoint []byte) (output.Sink, error) {
			if err := o.validate(); err != nil {
				return nil, err
			}
			return open(dir, checkpoint, &o)
		},
	}
}

// ErrOptions says that Options are invalid.
var ErrOptions = errors.New("invalid option")

func (o *Options) validate() error {
	switch {
	case o.MaxBytes < 0:
		return fmt.Errorf("%w: MaxBytes is %d", ErrOptions, o.MaxBytes)
	case o.Level < gzip.BestSpeed || o.Level > gzip.BestCompression:
		return fmt.Errorf("%w: level %d of compression; they go from %d to %d",
			ErrOptions, o.Level, gzip.BestSpeed, gzip.BestCompression)
	}
	return nil
}
