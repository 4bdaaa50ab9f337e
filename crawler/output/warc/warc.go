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

// What a configuration calls the format: Name11 is that of Edition11.
const (
	Name   = "warc"
	Name11 = "warc-1.1"
)

// Edition is the edition of the standard that the first line of each record names.
type Edition string

// The editions.
const (
	// Edition10 is ISO 28500:2009, WARC/1.0. Every reader takes it, bsdtar among
	// them: records are laid out so that libarchive finds each. Times are of whole
	// seconds.
	Edition10 Edition = "1.0"

	// Edition11 is ISO 28500:2017, WARC/1.1. Times are of microseconds. libarchive
	// refuses it, up to now in all its versions.
	Edition11 Edition = "1.1"
)

// date formats a time as the edition wants it.
func (e Edition) date(t time.Time) string {
	if e == Edition11 {
		return t.UTC().Format("2006-01-02T15:04:05.000000Z")
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// Options change how files are written. Nil stands for the zero value.
type Options struct {
	// Edition of the standard; empty: Edition10.
	Edition Edition

	// MaxBytes ends a file: when it has as many, the next one is begun. 0:
	// 1,000,000,000, as the standard recommends.
	MaxBytes int64

	// Level of compression, from gzip.BestSpeed to gzip.BestCompression. 0:
	// gzip.BestSpeed.
	Level int

	// What the warcinfo record at the head of each file says of the crawl. Empty
	// fields are left out.
	Software  string  // the program and its version: "politecrawl/1.2.3"
	UserAgent string  // that requests are sent with
	Operator  string  // who is responsible, and how to reach them
	Robots    string  // the policy; empty: "RFC 9309"
	Settings  []Field // more fields, in this order. Nothing secret belongs here

	// Rand is where identifiers of records come from; nil: crypto/rand.
	Rand io.Reader
}

// Field is a field of the warcinfo record.
type Field struct {
	Name  string // of visible ASCII characters but ()<>@,;:\"/[]?={}
	Value string // one line; control characters become spaces
}

// Format returns the format, to be given to a crawl.
func Format(opts *Options) output.Format {
	if opts == nil {
		opts = &Options{}
	}
	o := *opts
	o.Edition = cmp.Or(o.Edition, Edition10)
	o.MaxBytes = cmp.Or(o.MaxBytes, 1_000_000_000)
	o.Level = cmp.Or(o.Level, gzip.BestSpeed)
	o.Robots = cmp.Or(o.Robots, "RFC 9309")
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	name := Name
	if o.Edition == Edition11 {
		name = Name11
	}
	return output.Format{
		Name:      name,
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
var ErrOptions = errors.New("warc: wrong option")

func (o *Options) validate() error {
	switch {
	case o.Edition != Edition10 && o.Edition != Edition11:
		return fmt.Errorf("%w: edition %q; there are %s and %s", ErrOptions, o.Edition, Edition10, Edition11)
	case o.MaxBytes < 0:
		return fmt.Errorf("%w: files of %d bytes", ErrOptions, o.MaxBytes)
	case o.Level < gzip.BestSpeed || o.Level > gzip.BestCompression:
		return fmt.Errorf("%w: level %d of compression; they go from %d to %d",
			ErrOptions, o.Level, gzip.BestSpeed, gzip.BestCompression)
	}
	for _, field := range o.Settings {
		if !isToken(field.Name) {
			return fmt.Errorf("%w: a field cannot be called %q", ErrOptions, field.Name)
		}
	}
	return nil
}
