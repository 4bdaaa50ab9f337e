// Package sitemap reads sitemaps: the lists of pages that a web site
// publishes for crawlers.
package sitemap

import (
	"bufio"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// Limits of the sitemaps.org protocol for one file.
const (
	MaxEntries = 50_000
	MaxBytes   = 52_428_800
)

// Options change how a sitemap is read. The zero value, and nil, is the
// protocol.
type Options struct {
	MaxEntries int   // entries read from one file; 0 = 50,000
	MaxBytes   int64 // bytes read from one file, uncompressed; 0 = 52,428,800
}

// Read yields the entries of one sitemap as they arrive. What ends the
// reading early is yielded last, as an error with a zero Entry; the entries
// before it stand. The sequence can be ranged over once.
func Read(r io.Reader, opts *Options) iter.Seq2[Entry, error] {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.MaxEntries == 0 {
		o.MaxEntries = MaxEntries
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = MaxBytes
	}
	return func(yield func(Entry, error) bool) {
		if err := read(r, o, yield); err != nil && !errors.Is(err, errStopped) {
			yield(Entry{}, fmt.Errorf("sitemap: %w", err))
		}
	}
}

var errStopped = errors.New("stopped by the caller")

func read(r io.Reader, o Options, yield func(Entry, error) bool) error {
	br := bufio.NewReader(io.LimitReader(r, o.MaxBytes))
	if magic, _ := br.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(br)
		if err != nil {
			return err
		}
		br = bufio.NewReader(io.LimitReader(z, o.MaxBytes))
	}
	d := xml.NewDecoder(br)
	for n := 0; ; {
		tok, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := tok.(xml.StartElement)
		if !ok || start.Name.Local != "url" && start.Name.Local != "sitemap" {
			continue
		}
		if n++; n > o.MaxEntries {
			return fmt.Errorf("more than %d entries", o.MaxEntries)
		}
		line, _ := d.InputPos()
		var v struct {
			Loc        string  `xml:"loc"`
			LastMod    string  `xml:"lastmod"`
			ChangeFreq string  `xml:"changefreq"`
			Priority   float32 `xml:"priority"`
		}
		v.Priority = DefaultPriority
		if err := d.DecodeElement(&v, &start); err != nil {
			return err
		}
		e := Entry{Loc: strings.TrimSpace(v.Loc), Sitemap: start.Name.Local == "sitemap",
			ChangeFreq: strings.TrimSpace(v.ChangeFreq), Priority: v.Priority, Line: line}
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"} {
			if t, err := time.Parse(layout, strings.TrimSpace(v.LastMod)); err == nil {
				e.LastMod = t.UTC()
				break
			}
		}
		if !yield(e, nil) {
			return errStopped
		}
	}
}
