package sitemap

import (
	"bytes"
	"errors"
	"io"
	"iter"
)

// Limits of the sitemaps.org protocol for one file.
const (
	MaxEntries = 50_000
	MaxBytes   = 52_428_800
)

// defaultMaxRatio accepts lists of URLs, which compress to about a hundredth. It
// rejects runs of one byte, which deflate compresses to a thousandth.
const defaultMaxRatio = 500

// Options limits reading. The zero value and nil use the limits of the protocol.
type Options struct {
	// URL is the URL of the file, after redirects. Relative links of Atom feeds are resolved
	// against it and xml:base (RFC 4287, 2). Empty means that it is unknown.
	URL string

	// Strict also reports what an XML parser, sitemaps.org or Google's documentation of the
	// extensions rejects. What follows a document type is not checked, because it may declare
	// entities. Read yields the same entries, holds the file in memory, and calls OnFinding at its end. The default reports only what affects the entries.
	Strict bool

	// MaxEntries limits the entries read from one file, skipped entries included. Zero
	// means 50,000.
	MaxEntries int

	// MaxBytes limits the bytes read from one file, compressed or decompressed. Zero means
	// 52,428,800.
	MaxBytes int64

	// MaxRatio limits the compression ratio of a gzip file after its first MiB. Zero means
	// 500.
	MaxRatio int

	// OnFinding is called for each finding in file order, at most about 1,000 times,
	// including the one that stops reading. Nil means no call.
	OnFinding func(Finding)

	// OnEnd is called once when reading ends, even if the caller ends the loop early. Nil
	// means no call.
	OnEnd func(Summary)
}

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.MaxEntries <= 0 {
		c.MaxEntries = MaxEntries
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = MaxBytes
	}
	if c.MaxRatio <= 0 {
		c.MaxRatio = defaultMaxRatio
	}
	return c
}

// Format is the detected format of a body.
type Format string

// The supported formats.
const (
	URLSet Format = "urlset"       // sitemaps.org XML listing pages
	Index  Format = "sitemapindex" // sitemaps.org XML listing sitemaps
	Text   Format = "text"         // one URL per line
	RSS    Format = "rss"          // RSS 2.0
	Atom   Format = "atom"         // Atom 1.0 or 0.3
)

// Summary describes a body after reading.
type Summary struct {
	Format            Format // "" if unknown
	GzipLayers        int    // layers of gzip compression
	Charset           string // declared or detected, in lower case; default "utf-8"
	ReceivedBytes     int64  // bytes received, including read-ahead
	DecompressedBytes int64  // bytes decompressed, including read-ahead
	Entries           int    // yielded
	Skipped           int    // invalid entries, not yielded
	Findings          int    // including those not reported
	Complete          bool   // the end of the document was reached
}

// Read yields the entries of one sitemap as they arrive. It detects format and
// compression by the content. Its memory does not grow with the file.
//
// If reading stops early, the last element is a *Finding with a zero Entry. The
// entries before it are valid. MaxBytes limits a reader that never ends. Read itself has
// no timeout: use a reader with one, such as the body of a request with a context.
//
// The sequence reads r on demand, so range over it only once. The caller closes r.
func Read(r io.Reader, opts *Options) iter.Seq2[Entry, error] {
	o := opts.withDefaults()
	return func(yield func(Entry, error) bool) {
		rd := &reading{opts: o, yield: yield}
		err := rd.run(r)
		if err == nil {
			rd.finish()
		}
		var end *Finding
		stopped := errors.Is(err, errStopped)
		if err != nil && !stopped {
			end = rd.last(err)
		}
		rd.deliver(end, stopped)
		rd.summary.Complete = err == nil
		if o.OnEnd != nil {
			o.OnEnd(rd.summary)
		}
		if end != nil {
			yield(Entry{}, end)
		}
	}
}

var errStopped = errors.New("the caller left the loop")

// reading is the state of one call of Read.
type reading struct {
	*window // nil until the body is unpacked
	opts    Options
	yield   func(Entry, error) bool
	summary Summary
	started int

	// Of a strict check:
	body bytes.Buffer // decoded
	held []Finding    // of the scanner

	dropped int // findings beyond the limit
}

func (rd *reading) run(r io.Reader) error {
	b, err := unpack(r, &rd.opts)
	defer func() {
		rd.summary.GzipLayers, rd.summary.ReceivedBytes, rd.summary.DecompressedBytes = b.layers, b.packed.n, b.unpacked.n
	}()
	if err != nil {
		return err
	}
	rd.window = newWindow(nil)
	rd.r = rd.decode(b.Reader)
	if rd.opts.Strict {
		rd.r = io.TeeReader(rd.r, &rd.body)
	}
	rd.skipBOM()
	switch {
	case !rd.skipBlank():
		if rd.err == io.EOF {
			return &Finding{Kind: Empty}
		}
		return rd.err
	case rd.buf[rd.pos] == '<':
		return newDecoder(rd).run()
	default:
		return rd.readLines()
	}
}

// finish reports what is known only at the end of a complete body.
func (rd *reading) finish() {
	rd.mark()
	feed := rd.summary.Format == RSS || rd.summary.Format == Atom // which may be empty
	if rd.summary.Entries == 0 && rd.summary.Skipped == 0 && !feed {
		rd.report(NoEntries, nil, nil)
	}
}

// begin counts an entry and returns it empty.
func (rd *reading) begin() (Entry, error) {
	if rd.started == rd.opts.MaxEntries {
		return Entry{}, &Finding{Kind: TooManyEntries}
	}
	rd.started++
	at := rd.markPlace()
	return Entry{Index: rd.started - 1, Line: at.line, Column: at.column, Priority: DefaultPriority}, nil
}

// emit yields an entry.
func (rd *reading) emit(e Entry) error {
	rd.summary.Entries++
	if !rd.yield(e, nil) {
		return errStopped
	}
	return nil
}

// report reports a finding about the text since the mark.
func (rd *reading) report(kind Kind, text []byte, err error) {
	if rd.opts.OnFinding == nil || rd.summary.Findings+len(rd.held) > maxFindings {
		rd.dropped++
		return
	}
	f := Finding{Kind: kind, Text: cut(text), Err: err}
	f.setPlace(rd.markPlace())
	f.Offset = rd.here().offset
	if rd.opts.Strict {
		rd.held = append(rd.held, f)
	} else {
		rd.publish(f)
	}
}

// publish passes a finding to the caller.
func (rd *reading) publish(f Finding) {
	rd.summary.Findings++
	if rd.opts.OnFinding == nil || rd.summary.Findings > maxFindings+1 {
		return
	}
	if rd.summary.Findings > maxFindings {
		f = Finding{Kind: FindingsDropped, Line: f.Line, Column: f.Column, Offset: f.Offset}
	}
	f.addFix()
	rd.opts.OnFinding(f)
}

// last converts the error that stopped reading to a finding.
func (rd *reading) last(err error) *Finding {
	var f *Finding
	if !errors.As(err, &f) {
		f = &Finding{Kind: Unreadable, Err: err}
	}
	if rd.window != nil {
		at, here := rd.markPlace(), rd.here()
		switch f.Kind {
		case BadXML, NotASitemap, NestedTooDeep, TagTooLong: // the tag is wrong
		default:
			at = here
		}
		f.setPlace(at)
		f.Offset = here.offset
	}
	f.addFix()
	return f
}

// deliver reports the held findings, the findings of a strict check unless the caller has stopped, and the
// one that stopped reading, unless it is nil.
func (rd *reading) deliver(end *Finding, stopped bool) {
	if rd.opts.Strict && rd.opts.OnFinding != nil {
		found := rd.held
		if !stopped {
			found = rd.checkStrictly(end)
		}
		for _, f := range found {
			rd.publish(f)
		}
	}
	rd.summary.Findings += rd.dropped
	if end == nil {
		return
	}
	rd.summary.Findings++
	if rd.opts.OnFinding != nil {
		rd.opts.OnFinding(*end)
	}
}
