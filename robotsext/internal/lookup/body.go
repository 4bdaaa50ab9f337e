package lookup

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/gunzip"
)

// readBody reads and decodes raw, the body of a response, up to limit bytes (ROB-FET-13 to
// ROB-FET-16).
func readBody(resp *http.Response, raw *countingReader, limit int) (body []byte, truncated bool, err error) {
	decoded, err := decode(resp, raw)
	if err != nil {
		return nil, false, err
	}
	body, truncated, err = readLimited(decoded, limit)
	if err != nil {
		return nil, false, err
	}
	if resp.StatusCode == http.StatusPartialContent {
		whole, err := completeLength(resp.Header.Get("Content-Range"))
		if err != nil {
			return nil, false, err
		}
		if !truncated && !resp.Uncompressed && raw.n != whole {
			return nil, false, fmt.Errorf("%d of %d bytes received", raw.n, whole)
		}
	}
	return body, truncated, nil
}

// readLimited reads r to its end, at most limit bytes. It ignores an error after the
// limit, because the rest of the file is not used (ROB-FET-14, ROB-FET-16).
func readLimited(r io.Reader, limit int) (body []byte, truncated bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(body) < limit || len(body) == limit && err == nil {
		if err != nil {
			return nil, false, fmt.Errorf("reading robots.txt: %w", err)
		}
		return bytes.Clone(body), false, nil // without the spare capacity of ReadAll
	}
	return bytes.Clone(cutLine(body, limit)), true, nil
}

// cutLine cuts body to at most limit bytes, at the end of a line. Half a rule would have
// another meaning (ROB-FMT-15).
func cutLine(body []byte, limit int) []byte {
	if len(body) > limit && (body[limit] == '\n' || body[limit] == '\r') {
		return body[:limit]
	}
	return body[:bytes.LastIndexAny(body[:limit], "\r\n")+1]
}

// decode decodes the body if it is gzipped. Any other content coding was not requested
// and makes the response invalid.
func decode(resp *http.Response, raw io.Reader) (io.Reader, error) {
	if resp.Uncompressed { // by the transport
		return raw, nil
	}
	coding := "identity"
	for item := range strings.SplitSeq(strings.Join(resp.Header.Values("Content-Encoding"), ","), ",") {
		item = strings.ToLower(strings.TrimSpace(item))
		switch {
		case item == "" || item == "identity":
		case coding != "identity":
			return nil, fmt.Errorf("content coding %q on top of %q", item, coding)
		default:
			coding = item
		}
	}
	switch coding {
	case "identity":
		return raw, nil
	case "gzip", "x-gzip":
		unzipped, err := gunzip.NewReader(raw)
		if errors.Is(err, io.EOF) {
			return raw, nil // an empty body, not an incomplete one
		}
		if err != nil {
			return nil, fmt.Errorf("reading robots.txt: %w", wrapGzipError(err))
		}
		return unzippedBody{unzipped}, nil
	}
	return nil, fmt.Errorf("content coding %q was not offered", coding)
}

// unzippedBody marks the errors of the gzip data, to distinguish them from errors of the
// connection.
type unzippedBody struct{ z *gunzip.Reader }

func (g unzippedBody) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	return n, wrapGzipError(err)
}

// wrapGzipError marks err if the gzip data caused it.
func wrapGzipError(err error) error {
	if fault := gunzip.Fault(err); fault != nil {
		return fmt.Errorf("invalid gzip data: %w", fault)
	}
	return err
}

// maxEncoded limits the encoded bytes that are received for limit decoded bytes. Ordinary
// encoders never need as many, but a hostile stream of empty blocks never ends.
func maxEncoded(limit int) int64 { return 2*int64(limit) + 64<<10 }

var errTooMuchEncoded = errors.New("encoded body too long")

type countingReader struct {
	r     io.Reader
	n     int64
	limit int64
	err   error // of r, except io.EOF
}

func (c *countingReader) Read(p []byte) (int, error) {
	if c.n > c.limit {
		return 0, errTooMuchEncoded
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != io.EOF {
		c.err = err
	}
	return n, err
}

// wholeFile matches a Content-Range that begins at the first byte, with its last byte and the length.
var wholeFile = regexp.MustCompile(`^(?i:bytes) 0-([0-9]+)/([0-9]+)$`)

// completeLength returns the length in a Content-Range that covers the complete file. No
// part was requested, so any other range is an error.
func completeLength(contentRange string) (int64, error) {
	if m := wholeFile.FindStringSubmatch(strings.TrimSpace(contentRange)); m != nil {
		last, err1 := strconv.ParseInt(m[1], 10, 64)
		length, err2 := strconv.ParseInt(m[2], 10, 64)
		if err1 == nil && err2 == nil && last+1 == length {
			return length, nil
		}
	}
	return 0, fmt.Errorf("status 206 with Content-Range %q", contentRange)
}
