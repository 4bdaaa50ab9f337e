package warc

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// edition is the WARC version of ISO 28500:2017, in the first line of each record.
const edition = "1.1"

// dateLayout has microseconds, as WARC/1.1 allows.
const dateLayout = "2006-01-02T15:04:05.000000Z"

// formatDate formats a time.
func formatDate(t time.Time) string { return t.UTC().Format(dateLayout) }

// Options configure [Format]. Nil means the zero value.
type Options struct {
	// Prefix starts the names of the files (default "crawl"). It has letters, digits, '.', '_' and '-', at most 100. A
	// resumed crawl keeps the names that it has.
	Prefix string

	// MaxBytes is the size in bytes at which a new file is started (default 1,000,000,000, as
	// the standard recommends).
	MaxBytes int64

	// Digest is the algorithm of the digests of records: SHA1 (default), as common tools expect, or SHA256.
	Digest string

	// Fields of the warcinfo record. Empty fields are omitted.
	Software  string // program and version: "politecrawl/1.2.3"
	UserAgent string // of the requests
	Operator  string // name and contact of the operator
	Robots    string // robots.txt policy (default "RFC 9309")
	Settings  string // of the crawl, as JSON
}

// The algorithms of digests.
const (
	SHA1   = "sha1"
	SHA256 = "sha256"
)

// Format returns the format "warc".
func Format(opts *Options) output.Format {
	if opts == nil {
		opts = &Options{}
	}
	o := *opts
	o.Prefix = cmp.Or(o.Prefix, "crawl")
	o.Digest = cmp.Or(o.Digest, SHA1)
	o.MaxBytes = cmp.Or(o.MaxBytes, 1_000_000_000)
	o.Robots = cmp.Or(o.Robots, "RFC 9309")
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
	case !validName.MatchString(newName(nil, o.Prefix)):
		return fmt.Errorf("%w: prefix %q: only letters, digits, '.', '_' and '-', at most 100, the first a letter or digit", ErrOptions, o.Prefix)
	case o.Digest != SHA1 && o.Digest != SHA256:
		return fmt.Errorf("%w: digest %q; use sha1 or sha256", ErrOptions, o.Digest)
	case o.MaxBytes < 0:
		return fmt.Errorf("%w: MaxBytes is %d", ErrOptions, o.MaxBytes)
	}
	return nil
}
