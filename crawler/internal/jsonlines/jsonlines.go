// Package jsonlines reads JSON lines files (one JSON value per line) and appends to them.
//
// An incomplete last line, after a kill or a power cut, is ignored. Damaged lines are skipped and
// reported; all others can be read.
package jsonlines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"sync"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/politecrawl/politecrawl/crawler/output/safejson"
)

// Line appends v to dst as one line of JSON.
func Line(dst []byte, v any) ([]byte, error) {
	text, err := encode(dst, v)
	if err != nil {
		return nil, err
	}
	if tame := safejson.Escape(text[len(dst):]); len(tame) > len(text)-len(dst) {
		return append(text[:len(dst)], tame...), nil
	}
	return text, nil
}

// An appender appends its JSON itself, faster than encoding/json.
type appender interface{ AppendJSON(dst []byte) []byte }

// encode appends v as JSON and a line end to dst.
func encode(dst []byte, v any) ([]byte, error) {
	if a, ok := v.(appender); ok {
		return append(a.AppendJSON(dst), '\n'), nil
	}
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false) // keeps & in URLs readable
	err := enc.Encode(v)
	return buf.Bytes(), err
}

// AppendString appends a text as JSON to dst.
func AppendString(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return AppendValue(dst, text)
		}
	}
	return append(append(append(dst, '"'), text...), '"')
}

// AppendValue appends a value that encoding/json cannot reject as JSON to dst.
func AppendValue(dst []byte, v any) []byte {
	text, _ := encode(dst, v)
	return bytes.TrimSuffix(text, []byte("\n"))
}

// Read returns the lines of a file in order. The sequence ends after an error. A [*DamagedError]
// comes after all readable lines.
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
// returns an error. It skips lines that cannot be read. After the last line it returns a
// [*DamagedError] that names them.
func Each[T any](name string, f func(at int64, v *T) error) error {
	return each(name, func(at int64, _ int, v *T) error { return f(at, v) })
}

// EachNumbered is like Each, but passes the number of the line, from 1.
func EachNumbered[T any](name string, f func(number int, v *T) error) error {
	return each(name, func(_ int64, number int, v *T) error { return f(number, v) })
}

func each[T any](name string, f func(at int64, number int, v *T) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	batches, stop := make(chan []decoded[T], waitingBatches), make(chan struct{})
	var failed error
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(batches)
		failed = decodeLines(io.LimitReader(file, info.Size()), batches, stop)
	})
	defer reader.Wait()
	defer close(stop)
	damage := &DamagedError{File: name}
	for batch := range batches {
		for i := range batch {
			line := &batch[i]
			if line.v != nil {
				err := f(line.at, line.number, line.v)
				if bad, ok := errors.AsType[*badLine](err); ok {
					line.err = bad.error
				} else if err != nil {
					return err
				}
			}
			if line.err != nil {
				damage.add(line.number, line.err)
			}
		}
	}
	if failed != nil {
		return failed
	}
	if len(damage.Lines) > 0 {
		return damage
	}
	return nil
}

// decoded is a line with a value or an error.
type decoded[T any] struct {
	at     int64
	number int
	v      *T // nil if it cannot be read
	err    error
}

// A batch ends at the first of its limits.
const (
	maxBatchBytes = 1 << 16
	maxBatchLines = 256
)

// waitingBatches is how many decoded batches may wait for the receiver. With none, it and the
// decoder often wait for each other.
const waitingBatches = 2

// decodeLines sends the lines of a file in batches, until stop is closed. It decodes a batch while
// the receiver works on an earlier one, since both take long.
func decodeLines[T any](file io.Reader, batches chan<- []decoded[T], stop <-chan struct{}) (err error) {
	r := bufio.NewReaderSize(file, 1<<16)
	var line []byte
	var batch []decoded[T]
	size := 0
	for at, number := int64(0), 1; err == nil; at, number = at+int64(len(line)), number+1 {
		line, err = readLine(r, line[:0])
		if err != nil && !errors.Is(err, io.EOF) {
			break
		}
		if v, why := decode[T](line, err == nil); v != nil || why != nil {
			batch = append(batch, decoded[T]{at, number, v, why})
		}
		if size += len(line); err == nil && size < maxBatchBytes && len(batch) < maxBatchLines {
			continue
		}
		select {
		case batches <- batch:
			batch, size = make([]decoded[T], 0, len(batch)), 0
		case <-stop:
			return nil
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// readLine appends the next line to buf, including its newline.
func readLine(r *bufio.Reader, buf []byte) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		buf = append(buf, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return buf, err
		}
	}
}

// decode returns the value of a line, or nil for an empty line and an incomplete last one.
func decode[T any](line []byte, ended bool) (v *T, err error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, nil
	}
	if ended {
		return unmarshal[T](line)
	}
	var value json.RawMessage
	if err = json.NewDecoder(bytes.NewReader(line)).Decode(&value); errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return unmarshal[T](value)
}

// ErrNotUTF8 means that a JSON text is damaged, since a crawl writes only UTF-8.
var ErrNotUTF8 = errors.New("not UTF-8")

// likeStd are options to match names as encoding/json does, and to accept a name that comes twice.
// Whatever else the two decoders read in different ways, the fast one rejects.
var likeStd = jsonv2.JoinOptions(
	jsonv2.MatchCaseInsensitiveNames(true), jsonv1.MatchCaseSensitiveDelimiter(true),
	jsontext.AllowDuplicateNames(true), jsonv1.MergeWithLegacySemantics(true), // faster than a search for such names
)

// unmarshal returns the value of a JSON text, as Unmarshal reads it. If the fast decoder rejects the
// text, encoding/json decides, so that its errors stay the same.
func unmarshal[T any](text []byte) (*T, error) {
	v := new(T)
	if jsonv2.Unmarshal(text, v, likeStd) == nil {
		return v, nil
	}
	v = new(T) // the fast decoder may have filled a part
	if err := Unmarshal(text, v); err != nil {
		return nil, err
	}
	return v, nil
}

// Unmarshal is json.Unmarshal for UTF-8 only. json.Unmarshal reads other bytes as U+FFFD,
// so a damaged line could silently name another URL.
func Unmarshal(text []byte, v any) error {
	if !utf8.Valid(text) {
		return ErrNotUTF8
	}
	return json.Unmarshal(text, v)
}
