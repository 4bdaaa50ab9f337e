// Package jsonlines reads and appends to files of one JSON value a line.
//
// An incomplete line, after a kill or a power cut, has no end and does not count. Damaged
// lines are skipped and reported; all others can be read.
package jsonlines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/crawler/output/safejson"
)

// Line appends v as one line of JSON.
func Line(dst []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false) // a URL with & should read like one
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	text := buf.Bytes()
	if tame := safejson.Escape(text[len(dst):]); len(tame) > len(text)-len(dst) {
		return append(text[:len(dst)], tame...), nil
	}
	return text, nil
}

// Read returns the lines of a file in the order in which they were written. An error ends
// them; a [*DamagedError] comes after all lines that can be read.
func Read[T any](name string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		err := Each(name, func(_ int64, v *T) error {
			if !yield(v, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

var errStop = errors.New("stop")

// Each calls f for each complete line of a file of JSON lines, with its offset, until f
// fails. It skips lines that cannot be read. After the last line it returns a
// [*DamagedError] that names them.
func Each[T any](name string, f func(at int64, v *T) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(io.LimitReader(file, info.Size()), 1<<16)
	damage := &DamagedError{File: name}
	var line []byte
	for at, number := int64(0), 1; err == nil; at, number = at+int64(len(line)), number+1 {
		line, err = readLine(r, line[:0])
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		v := new(T)
		found, why := decode(line, err == nil, v)
		if found {
			failed := f(at, v)
			if bad, ok := errors.AsType[*badLine](failed); ok {
				why = bad.error
			} else if failed != nil {
				return failed
			}
		}
		if why != nil {
			damage.add(number, why)
		}
	}
	if len(damage.Lines) > 0 {
		return damage
	}
	return nil
}

// readLine appends the next line to buf, with its end.
func readLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		buf = append(buf, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// decode decodes a line, and reports whether it has a value. An empty line has none, nor an
// incomplete one that is being written.
func decode(line []byte, ended bool, v any) (found bool, err error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return false, nil
	}
	if ended {
		err = Unmarshal(line, v)
		return err == nil, err
	}
	var value json.RawMessage
	if err = json.NewDecoder(bytes.NewReader(line)).Decode(&value); errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	if err == nil {
		err = Unmarshal(value, v)
	}
	return err == nil, err
}

// ErrNotUTF8 says that a JSON text is damaged: all that a crawl writes is UTF-8.
var ErrNotUTF8 = errors.New("not UTF-8")

// Unmarshal is json.Unmarshal for UTF-8 only. json.Unmarshal reads other bytes as U+FFFD,
// so a damaged line could name another URL unnoticed.
func Unmarshal(text []byte, v any) error {
	if !utf8.Valid(text) {
		return ErrNotUTF8
	}
	return json.Unmarshal(text, v)
}
