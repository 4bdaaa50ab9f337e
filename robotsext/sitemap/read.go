package sitemap

import (
	"errors"
	"io"
	"iter"
)

// Limits of the sitemaps.org protocol for one file.
const (
	MaxEntries = 50_000
	MaxBytes   = 52_428_800
)

// defaultMaxRatio lets pass what a list of URLs can be packed to, a hundredth
// or so, but not a run of one byte, which deflate packs to a thousandth.
const defaultMaxRatio = 500

// Options change how a sitemap is read. The zero value, and nil, is the
// protocol.
type Options struct {
	// MaxEntries is how many entries are read from one file; those that
	// have to be skipped count. 0 means 50,000.
	MaxEntries int

	// MaxBytes is how many bytes are read from one file, packed or
	// unpacked. 0 means 52,428,800.
	MaxBytes int64

	// MaxRatio is how many bytes of a gzip file, beyond its first MiB, may
	// come out of each one that goes in. 0 means 500.
	MaxRatio int

	// CharsetReader turns a charset other than UTF-8, UTF-16, ISO-8859-1,
	// ISO-8859-15 and windows-1252 into UTF-8, given its name as declared,
	// in lower case. It has the signature of xml.Decoder.CharsetReader.
	// With nil, or when it returns an error, the file is read as ASCII.
	CharsetReader func(charset string, input io.Reader) (io.Reader, error)

	// OnFinding is called for whatever is wrong with the file, in file
	// order, the finding that ends the reading included, but not more than
	// about 1,000 times. nil discards.
	OnFinding func(Finding)

	// OnEnd is called once when the reading ends, also when it was
	// stopped by leaving the loop. nil discards.
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

// A Format is what a body was recognised as.
type Format string

// The formats that can be read.
const (
	URLSet Format = "urlset"       // sitemaps.org XML listing pages
	Index  Format = "sitemapindex" // sitemaps.org XML listing sitemaps
	Text   Format = "text"         // one URL a line
	RSS    Format = "rss"          // RSS 2.0
	Atom   Format = "atom"         // Atom 1.0 or 0.3
)

// Summary is what is known of a body when its reading has ended.
type Summary struct {
	Format   Format // "" if not recognised
	Gzip     int    // how many times it was gzipped
	Charset  string // as declared or recognised, in lower case; "utf-8" if nothing says otherwise
	Packed   int64  // bytes as they arrived; some may have been read ahead
	Bytes    int64  // bytes unpacked; some may have been read ahead
	Entries  int    // yielded
	Skipped  int    // found, but not fit to be yielded
	Findings int    // also those not reported
	Complete bool   // the end of the document was reached
}

// Read yields the entries of one sitemap as they arrive, in memory that does
// not grow with the file. The format, and whether it is gzipped, is told by
// the content.
//
// What ends the reading early is yielded last, as a *Finding with a zero
// Entry; the entries before it stand. A reader that never ends is
// stopped by MaxBytes, one that hangs by its own error: a request's body
// returns that of its context.
//
// The sequence reads r as it goes, so it can be ranged over once. It leaves
// closing r to the caller.
func Read(r io.Reader, opts *Options) iter.Seq2[Entry, error] {
	o := opts.withDefaults()
	return func(yield func(Entry, error) bool) {
		rd := &reading{opts: o, yield: yield}
		err := rd.run(r)
		var end *Finding
		if err != nil && !errors.Is(err, errStopped) {
			end = rd.last(err)
		}
		rd.summary.Complete = err == nil
		if o.OnEnd != nil {
			o.OnEnd(rd.summary)
		}
		if end != nil {
			yield(Entry{}, end)
		}
	}
}

var errStopped = errors.New("left by the caller")

// A reading is one sitemap on its way from bytes to entries.
type reading struct {
	*window // nil until the body is unpacked
	opts    Options
	yield   func(Entry, error) bool
	summary Summary
	begun   int
}

func (rd *reading) run(r io.Reader) error {
	b, err := unpack(r, &rd.opts)
	defer func() {
		rd.summary.Gzip, rd.summary.Packed, rd.summary.Bytes = b.layers, b.packed.n, b.unpacked.n
	}()
	if err != nil {
		return err
	}
	rd.window = newWindow(rd.decode(b.Reader))
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

// begin counts an entry that the file has.
func (rd *reading) begin() (Entry, error) {
	if rd.begun == rd.opts.MaxEntries {
		return Entry{}, &Finding{Kind: TooManyEntries}
	}
	rd.begun++
	return Entry{Index: rd.begun - 1, Line: rd.lineHere(), Priority: DefaultPriority}, nil
}

// emit hands an entry over.
func (rd *reading) emit(e Entry) error {
	rd.summary.Entries++
	if !rd.yield(e, nil) {
		return errStopped
	}
	return nil
}

// report tells of something wrong at the current position.
func (rd *reading) report(kind Kind, text []byte, err error) {
	rd.summary.Findings++
	if rd.opts.OnFinding == nil || rd.summary.Findings > maxFindings+1 {
		return
	}
	f := Finding{Kind: kind, Text: cut(text), Err: err}
	if rd.summary.Findings > maxFindings {
		f = Finding{Kind: FindingsDropped}
	}
	rd.place(&f)
	rd.opts.OnFinding(f)
}

// last makes a finding of the error that ended the reading, and reports it.
func (rd *reading) last(err error) *Finding {
	var f *Finding
	if !errors.As(err, &f) {
		f = &Finding{Kind: Unreadable, Err: err}
	}
	rd.place(f)
	rd.summary.Findings++
	if rd.opts.OnFinding != nil {
		rd.opts.OnFinding(*f)
	}
	return f
}

// place writes the current position into f.
func (rd *reading) place(f *Finding) {
	if rd.window != nil {
		f.Line, f.Offset = rd.lineHere(), rd.offset()
	}
}
