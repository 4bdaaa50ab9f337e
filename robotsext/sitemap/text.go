package sitemap

import (
	"bytes"
	"errors"
	"io"
)

// readLines reads a text sitemap: one URL per line, blank lines between them
// (ROB-SMP-21). A line may end in LF, CR LF or CR.
func (rd *reading) readLines() error {
	for rd.end-rd.pos < looked && rd.fill() {
	}
	if !looksLikeText(rd.rest()) {
		return &Finding{Kind: NotASitemap, Err: errors.New("binary data")}
	}
	rd.summary.Format = Text
	var bad string // the last invalid line
	for rd.skipBlank() {
		rd.mark()
		e, err := rd.begin()
		if err != nil {
			return err
		}
		line, tooLong, err := rd.scanLine()
		if err != nil {
			return err // the line may have been cut
		}
		if tooLong {
			line, err = nil, errLong
		} else {
			e.Loc, err = location(bytes.TrimSpace(line))
		}
		if err != nil {
			rd.summary.Skipped++
			bad = cut(line)
			rd.report(BadLoc, line, err)
			continue
		}
		if rd.opts.Strict && !isEscaped(bytes.TrimSpace(line)) {
			rd.report(NotEscaped, line, nil)
		}
		if err := rd.emit(e); err != nil {
			return err
		}
	}
	if rd.err != io.EOF {
		return rd.err
	}
	if rd.summary.Entries == 0 {
		rd.summary.Format = ""
		return &Finding{Kind: NotASitemap, Text: bad}
	}
	return nil
}

// scanLine reads the rest of the line. It skips a line that is longer than any URL.
func (rd *reading) scanLine() (line []byte, tooLong bool, err error) {
	n := 0
	for {
		rest := rd.rest()
		if i := bytes.IndexAny(rest[n:], "\r\n"); i >= 0 {
			n += i
			break
		}
		if n = len(rest); n > maxText {
			rd.pos += n - maxText // the line is too long anyway
			n, tooLong = maxText, true
		}
		if !rd.fill() {
			if rd.err != io.EOF {
				return nil, false, rd.err
			}
			break
		}
	}
	line = rd.rest()[:n]
	rd.pos += n
	return line, tooLong || n > maxText, nil
}

// looked is the number of bytes that are checked for binary data.
const looked = 512

// looksLikeText reports whether a body has no control characters at its start.
func looksLikeText(b []byte) bool {
	for _, c := range b[:min(len(b), looked)] {
		if c < ' ' && !isSpace(c) {
			return false
		}
	}
	return true
}
