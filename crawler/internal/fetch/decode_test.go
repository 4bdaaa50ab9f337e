package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// An encoder compresses a text.
type encoder interface {
	io.WriteCloser
	Flush() error
}

// newEncoder returns an encoder for a content coding.
func newEncoder(t testing.TB, coding string, w io.Writer) encoder {
	t.Helper()
	switch coding {
	case "gzip":
		return gzip.NewWriter(w)
	case "br":
		return brotli.NewWriter(w)
	case "zstd":
		z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		must(t, err)
		return z
	}
	t.Fatalf("no encoder for %q", coding)
	return nil
}

// encode compresses a text.
func encode(t testing.TB, coding string, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := newEncoder(t, coding, &b)
	_, err := z.Write(text)
	must(t, errors.Join(err, z.Close()))
	return b.Bytes()
}

// encodeBlocks compresses a text as the beginning of a stream, and again as a block that may be
// repeated without end.
func encodeBlocks(t *testing.T, coding string, text []byte) (front, block []byte) {
	t.Helper()
	var b bytes.Buffer
	z := newEncoder(t, coding, &b)
	write := func() []byte {
		b.Reset()
		_, err := z.Write(text)
		must(t, errors.Join(err, z.Flush()))
		return bytes.Clone(b.Bytes())
	}
	return write(), write()
}

// endless is a front and then a block again and again, up to 64 MiB. It counts what was read.
type endless struct {
	front, block []byte
	read         int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 64<<20 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) {
		from := e.front[min(e.read, len(e.front)):]
		if len(from) == 0 {
			from = e.block[(e.read-len(e.front))%len(e.block):]
		}
		piece := copy(p[n:], from)
		n, e.read = n+piece, e.read+piece
	}
	return n, nil
}

// encoded returns a response with a content coding.
func encoded(coding string, body io.Reader) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Encoding": {coding}}, Body: io.NopCloser(body)}
}

// readAndClose reads a response to its end.
func readAndClose(t *testing.T, resp *http.Response) ([]byte, error) {
	t.Helper()
	text, err := io.ReadAll(resp.Body)
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return text, err
}

// A body that decodes to too much, or to nothing, ends.
func TestEndlessEncodedBodyEnds(t *testing.T) {
	noise := make([]byte, 64<<10)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(noise)
	zeros := make([]byte, 1<<20)
	const (
		emptyBlock    = "\x00\x00\x00" // of zstd
		skippedFrame  = "\x50\x2a\x4d\x18" + "\x00\x00\x00\x00"
		skippedByGiga = "\x50\x2a\x4d\x18" + "\x00\x00\x00\x40"
		frameHeader   = "\x28\xb5\x2f\xfd\x00\x58" // with a window of 2 MiB
	)
	blocks := func(coding string, text []byte) func(t *testing.T) *endless {
		return func(t *testing.T) *endless {
			front, block := encodeBlocks(t, coding, text)
			return &endless{front: front, block: block}
		}
	}
	repeated := func(coding string, text []byte) func(t *testing.T) *endless {
		return func(t *testing.T) *endless { return &endless{block: encode(t, coding, text)} }
	}
	given := func(front, block string) func(t *testing.T) *endless {
		return func(*testing.T) *endless { return &endless{front: []byte(front), block: []byte(block)} }
	}
	for _, test := range []struct {
		name, coding string
		body         func(t *testing.T) *endless
		most         int // bytes decoded
		read         int // bytes read at the most
		truncated    string
		err          error
	}{
		{"zeros", "gzip", blocks("gzip", zeros), 3 << 20, 64 << 10, truncatedByRatio, nil},
		{"zeros in members", "gzip", repeated("gzip", zeros), 3 << 20, 64 << 10, truncatedByRatio, nil},
		{"zeros", "br", blocks("br", zeros), 4 << 20, 8 << 10, truncatedByRatio, nil},
		{"zeros", "zstd", blocks("zstd", zeros), 4 << 20, 8 << 10, truncatedByRatio, nil},
		{"zeros in frames", "zstd", repeated("zstd", zeros), 4 << 20, 8 << 10, truncatedByRatio, nil},
		{"empty members", "gzip", repeated("gzip", nil), 0, 2 << 20, "", errNoContent},
		{"empty blocks", "gzip", blocks("gzip", nil), 0, 2 << 20, "", errNoContent},
		{"metadata", "br", given("\x0c", "\x06"), 0, 2 << 20, "", errNoContent},
		{"empty frames", "zstd", repeated("zstd", nil), 0, 2 << 20, "", errNoContent},
		{"empty blocks", "zstd", given(frameHeader, emptyBlock), 0, 2 << 20, "", errNoContent},
		{"skipped frames", "zstd", given(skippedFrame, skippedFrame), 0, 2 << 20, "", errNoContent},
		{"a skipped frame of 1 GiB", "zstd", given(skippedByGiga, "x"), 0, 2 << 20, "", errNoContent},
		{"noise, up to max-body", "gzip", blocks("gzip", noise), 10 << 20, 11 << 20, "", nil},
		{"noise, up to max-body", "br", blocks("br", noise), 10 << 20, 11 << 20, "", nil},
		{"noise, up to max-body", "zstd", repeated("zstd", noise), 10 << 20, 11 << 20, "", nil},
	} {
		t.Run(test.coding+" "+test.name, func(t *testing.T) {
			body := test.body(t)
			page := new(Response)
			resp := encoded(test.coding, body)
			decode(resp, page)
			n, err := io.Copy(io.Discard, io.LimitReader(resp.Body, 10<<20))
			if !errors.Is(err, test.err) || page.Truncated != test.truncated {
				t.Errorf("error %v, truncated by %q", err, page.Truncated)
			}
			if int(n) > test.most || body.read > test.read || test.most > 0 && n == 0 {
				t.Errorf("%d bytes decoded from %d", n, body.read)
			}
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A body that ends too early is an error wherever it ends, except in the checksum of gzip, which
// browsers do not need. An empty body is no error.
func TestTruncatedEncodedBody(t *testing.T) {
	text := []byte(strings.Repeat("<p>a page with some text\n", 100))
	for _, coding := range []string{"gzip", "br", "zstd"} {
		t.Run(coding, func(t *testing.T) {
			whole := encode(t, coding, text)
			for n := range len(whole) + 1 {
				resp := encoded(coding, bytes.NewReader(whole[:n]))
				decode(resp, nil)
				got, err := readAndClose(t, resp)
				switch {
				case n == 0:
					if len(got) > 0 || err != nil {
						t.Errorf("empty body: %q, %v", got, err)
					}
				case n == len(whole), coding == "gzip" && n >= len(whole)-8:
					if !bytes.Equal(got, text) || err != nil {
						t.Errorf("whole body: %q, %v", got, err)
					}
				default:
					if _, invalid := errors.AsType[*codingError](err); invalid || !errors.Is(err, io.ErrUnexpectedEOF) {
						t.Errorf("%d of %d bytes: %d bytes decoded, %v", n, len(whole), len(got), err)
					}
				}
			}
		})
	}
}

// An error of the connection is reported as it is, and not as one of the coding.
func TestConnectionErrorInEncodedBody(t *testing.T) {
	lost := errors.New("connection lost")
	for _, coding := range []string{"gzip", "br", "zstd"} {
		whole := encode(t, coding, []byte(strings.Repeat("text ", 1000)))
		for _, n := range []int{0, 1, 3, len(whole) / 2, len(whole) - 1} {
			resp := encoded(coding, io.MultiReader(bytes.NewReader(whole[:n]), failing{lost}))
			decode(resp, nil)
			if _, err := readAndClose(t, resp); !errors.Is(err, lost) {
				t.Errorf("%s: after %d bytes %v", coding, n, err)
			}
		}
	}
}

// failing is a reader with an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A body that is not in its coding is invalid.
func TestInvalidEncodedBody(t *testing.T) {
	page := []byte("<title>a page</title>")
	for _, test := range []struct {
		name, coding, want string
		body               []byte
	}{
		{"plain text", "gzip", "gzip", page},
		{"plain text", "br", "brotli", bytes.Repeat([]byte("\xff"), 100)},
		{"plain text", "zstd", "zstd", page},
		{"text after the end", "zstd", "zstd", append(encode(t, "zstd", page), page...)},
		{"another coding", "zstd", "zstd", encode(t, "gzip", page)},
		{"dictionary", "zstd", "zstd", []byte("\x28\xb5\x2f\xfd\x21\x07\x01\x01\x00\x00")},
		{"large window", "br", "brotli", []byte("\x11\x1e\x06\x03")},
	} {
		t.Run(test.coding+" "+test.name, func(t *testing.T) {
			resp := encoded(test.coding, bytes.NewReader(test.body))
			decode(resp, nil)
			_, err := readAndClose(t, resp)
			if bad, ok := errors.AsType[*codingError](err); !ok || string(bad.coding) != test.want {
				t.Errorf("%v", err)
			}
		})
	}
}

// A zstd window of more than 8 MiB is refused before it takes memory (RFC 9659), whatever size the
// body declares.
func TestZstdWindowIsBounded(t *testing.T) {
	const zeros = "\x03\x00\x08\x00" // a block of 64 KiB, the last
	for _, test := range []struct {
		name, header string
		ok           bool
	}{
		{"window of 8 MiB", "\x28\xb5\x2f\xfd\x00\x68", true},
		{"window of 9 MiB", "\x28\xb5\x2f\xfd\x00\x69", false},
		{"window of 2 GiB", "\x28\xb5\x2f\xfd\x00\xa8", false},
		{"one segment of 1 GiB", "\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x40", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			resp := encoded("zstd", strings.NewReader(test.header+zeros))
			decode(resp, nil)
			n, err := io.Copy(io.Discard, resp.Body)
			runtime.ReadMemStats(&after)
			if test.ok != (err == nil) || test.ok != (n == 64<<10) {
				t.Errorf("%d bytes, %v", n, err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 12<<20 {
				t.Errorf("%d MiB of memory taken", took>>20)
			}
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Codings are decoded as browsers do: one after the other, without what follows the end of a stream.
func TestDecodeAsBrowsers(t *testing.T) {
	page := []byte(strings.Repeat("<p>a page with some text\n", 100))
	zip := func(text []byte) []byte { return encode(t, "gzip", text) }
	var zlibbed, raw bytes.Buffer
	z := zlib.NewWriter(&zlibbed)
	f, _ := flate.NewWriter(&raw, 9)
	for _, w := range []io.WriteCloser{z, f} {
		if _, err := w.Write(page); err != nil {
			t.Fatal(err)
		}
		must(t, w.Close())
	}
	whole := zip(page)
	for _, test := range []struct {
		name, coding string
		body         []byte
	}{
		{"line end after it", "gzip", append(zip(page), "\r\n"...)},
		{"zeros after it", "gzip", append(zip(page), make([]byte, 64)...)},
		{"comment after it", "x-gzip", append(zip(page), "<!-- cached -->"...)},
		{"two members", "gzip", append(zip(page[:100]), zip(page[100:])...)},
		{"no checksum", "gzip", whole[:len(whole)-8]},
		{"another checksum", "gzip", append(whole[:len(whole)-8:len(whole)-8], "12345678"...)},
		{"comment after it", "br", append(encode(t, "br", page), "<!-- cached -->"...)},
		{"twice", "gzip, gzip", zip(zip(page))},
		{"both", "br, gzip", zip(encode(t, "br", page))},
		{"both", "identity, gzip", zip(page)},
		{"zlib", "deflate", zlibbed.Bytes()},
		{"zlib, another checksum", "deflate", append(bytes.Clone(zlibbed.Bytes()[:zlibbed.Len()-4]), 1, 2, 3, 4)},
		{"zlib, no checksum", "deflate", zlibbed.Bytes()[:zlibbed.Len()-4]},
		{"zlib, half a checksum", "deflate", zlibbed.Bytes()[:zlibbed.Len()-2]},
		{"zlib, comment after it", "deflate", append(bytes.Clone(zlibbed.Bytes()), "<!-- cached -->"...)},
		{"raw", "deflate", raw.Bytes()},
	} {
		t.Run(test.coding+" "+test.name, func(t *testing.T) {
			resp := encoded(test.coding, bytes.NewReader(test.body))
			decode(resp, nil)
			if got, err := readAndClose(t, resp); err != nil || !bytes.Equal(got, page) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

// A body with many codings, or with an unknown one, is not read.
func TestUnrequestedCodings(t *testing.T) {
	for _, coding := range []string{"gzip, gzip, gzip, gzip", "compress", "gzip, compress"} {
		body := &endless{block: []byte("x")}
		resp := encoded(coding, body)
		decode(resp, nil)
		if n, err := io.Copy(io.Discard, resp.Body); n > 0 || err == nil || !strings.Contains(err.Error(), `"`+coding+`" was not requested`) || body.read > 64<<10 {
			t.Errorf("%s: %d bytes decoded from %d, %v", coding, n, body.read, err)
		}
	}
}

// Any body decodes to at most the ratio.
func FuzzDecode(f *testing.F) {
	for i, coding := range []string{"gzip", "br", "zstd"} {
		f.Add(uint8(i), encode(f, coding, []byte("text")))
		f.Add(uint8(i), encode(f, coding, make([]byte, 4<<20)))
	}
	f.Fuzz(func(t *testing.T, coding uint8, body []byte) {
		page := new(Response)
		resp := encoded([]string{"gzip", "br", "zstd"}[coding%3], bytes.NewReader(body))
		decode(resp, page)
		n, err := io.Copy(io.Discard, resp.Body)
		if most := int64(len(body))*maxRatio + ratioGrace + 64<<10; n > most {
			t.Errorf("%d bytes decoded from %d, %v", n, len(body), err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	})
}
