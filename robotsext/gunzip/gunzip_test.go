package gunzip

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func zip(text string, header gzip.Header) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Header = header
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

func TestReader(t *testing.T) {
	text := strings.Repeat("some text, ", 1000)
	whole := zip(text, gzip.Header{})
	for name, tt := range map[string]struct {
		stream, want string
		err          error
	}{
		"one member":              {whole, text, nil},
		"all fields":              {zip(text, gzip.Header{Name: "a.html", Comment: "c", Extra: []byte("extra")}), text, nil},
		"empty":                   {zip("", gzip.Header{}), "", nil},
		"two members":             {whole + zip("more", gzip.Header{}), text + "more", nil},
		"then a line end":         {whole + "\r\n", text, nil},
		"then zeros":              {whole + strings.Repeat("\x00", 64), text, nil},
		"then a comment":          {whole + "<!-- cached -->", text, nil},
		"members, then a comment": {whole + whole + "<!-- cached -->", text + text, nil},
		"then half a magic":       {whole + "\x1f", text, nil},
		"no trailer":              {whole[:len(whole)-8], text, ErrTrailer},
		"half a trailer":          {whole[:len(whole)-3], text, ErrTrailer},
		"another checksum":        {whole[:len(whole)-8] + "12345678", text, ErrTrailer},
		"cut content":             {whole[:len(whole)-20], "", io.ErrUnexpectedEOF},
		"a second one is cut":     {whole + whole[:30], text, io.ErrUnexpectedEOF},
		"a cut header":            {whole[:5], "", io.ErrUnexpectedEOF},
		"no gzip":                 {"<!doctype html><title>a</title>", "", gzip.ErrHeader},
		"nothing":                 {"", "", io.EOF},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.stream), iotest.OneByteReader(strings.NewReader(tt.stream)), iotest.DataErrReader(strings.NewReader(tt.stream))} {
				var got []byte
				z, err := NewReader(r)
				if err == nil {
					got, err = io.ReadAll(z)
				}
				if !errors.Is(err, tt.err) || (err == nil || errors.Is(err, ErrTrailer)) && string(got) != tt.want {
					t.Errorf("%d bytes, %v; want %d, %v", len(got), err, len(tt.want), tt.err)
				}
			}
		})
	}
	t.Run("error of the reader", func(t *testing.T) {
		failed := errors.New("the connection was reset")
		z, err := NewReader(io.MultiReader(strings.NewReader(whole), iotest.ErrReader(failed)))
		if err == nil {
			_, err = io.ReadAll(z)
		}
		if !errors.Is(err, failed) {
			t.Error(err)
		}
	})
}

// FuzzReader: what compress/gzip reads is read as well, and what follows it changes nothing.
func FuzzReader(f *testing.F) {
	f.Add([]byte(zip("text", gzip.Header{Name: "n", Extra: []byte("e")})), []byte("\n"))
	f.Fuzz(func(t *testing.T, stream, rest []byte) {
		read := func(open func(io.Reader) (io.Reader, error), stream []byte) ([]byte, error) {
			z, err := open(bytes.NewReader(stream))
			if err != nil {
				return nil, err
			}
			return io.ReadAll(io.LimitReader(z, 1<<20))
		}
		own := func(r io.Reader) (io.Reader, error) { return NewReader(r) }
		want, err := read(func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }, stream)
		got, err2 := read(own, stream)
		if err == nil && (err2 != nil || !bytes.Equal(got, want)) {
			t.Errorf("%d bytes, %v; want %d", len(got), err2, len(want))
		}
		if err2 != nil {
			return
		}
		if again, err := read(own, append(append(bytes.Clone(stream), '\n'), rest...)); err != nil || !bytes.Equal(again, got) {
			t.Errorf("with %q after it: %d bytes, %v", rest, len(again), err)
		}
	})
}
