package robotsext

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// readBody reads the body of an answer, decoded, up to limit bytes
// (ROB-FET-13 to ROB-FET-16).
func readBody(resp *http.Response, limit int) (body []byte, truncated bool, err error) {
	raw := &countingReader{r: resp.Body, limit: maxRaw(limit)}
	decoded, err := decode(resp, raw)
	if err != nil {
		return nil, false, err
	}
	body, truncated, err = readLimited(decoded, limit)
	if err != nil {
		return nil, false, err
	}
	if resp.StatusCode == http.StatusPartialContent {
		whole, err := wholeLength(resp.Header.Get("Content-Range"))
		if err != nil {
			return nil, false, err
		}
		if !truncated && !resp.Uncompressed && raw.n != whole {
			return nil, false, fmt.Errorf("%d of %d bytes received", raw.n, whole)
		}
	}
	return body, truncated, nil
}

// readLimited reads r to its end or to limit bytes, whichever is first. An
// error counts only before the limit: a file that goes on behind it was received
// as far as it matters (ROB-FET-14, ROB-FET-16).
func readLimited(r io.Reader, limit int) (body []byte, truncated bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(body) < limit || len(body) == limit && err == nil {
		if err != nil {
			return nil, false, fmt.Errorf("reading robots.txt: %w", err)
		}
		return bytes.Clone(body), false, nil // without ReadAll's reserve: it is kept for long
	}
	return bytes.Clone(cutLine(body, limit)), true, nil
}

// cutLine cuts body at limit, and at the end of a line: half a rule means
// something else (ROB-FMT-15).
func cutLine(body []byte, limit int) []byte {
	if len(body) > limit && isLineEnd(body[limit]) {
		return body[:limit]
	}
	return body[:bytes.LastIndexAny(body[:limit], "\r\n")+1]
}

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// decode undoes the one content coding that was offered. A coding that was not
// makes the answer invalid.
func decode(resp *http.Response, raw io.Reader) (io.Reader, error) {
	if resp.Uncompressed { // by a transport of the caller's
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
		unzipped, err := gzip.NewReader(raw)
		if errors.Is(err, io.EOF) {
			return raw, nil // a body without a byte, not one that breaks off
		}
		if err != nil {
			return nil, fmt.Errorf("reading robots.txt: %w", damaged(err))
		}
		return gunzip{unzipped}, nil
	}
	return nil, fmt.Errorf("content coding %q was not offered", coding)
}

// gunzip is a gzip layer whose own faults are told from those below it.
type gunzip struct{ z *gzip.Reader }

func (g gunzip) Read(p []byte) (int, error) {
	n, err := g.z.Read(p)
	return n, damaged(err)
}

// errCutGzip stands for io.ErrUnexpectedEOF, which tells nobody what ended where.
var errCutGzip = errors.New("the gzip data is incomplete")

// damaged says of an error that it is the gzip data's, if it is.
func damaged(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == io.ErrUnexpectedEOF: //nolint:errorlint // one that is wrapped comes from below
		return errCutGzip
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("invalid gzip data: %w", err)
	}
	return err
}

// maxRaw bounds what is received for limit decoded bytes. No honest encoder
// makes a file larger than this; a stream of empty blocks has no other end.
func maxRaw(limit int) int64 { return 2*int64(limit) + 64<<10 }

var errRaw = errors.New("encoded body without end")

type countingReader struct {
	r     io.Reader
	n     int64
	limit int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	if c.n > c.limit {
		return 0, errRaw
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// wholeLength is the length that a Content-Range gives if it covers all of it.
// Nobody asked for a part, so any other range is incomplete data.
func wholeLength(contentRange string) (int64, error) {
	invalid := fmt.Errorf("status 206 with Content-Range %q", contentRange)
	unit, spec, ok := strings.Cut(strings.TrimSpace(contentRange), " ")
	if !ok || !strings.EqualFold(unit, "bytes") {
		return 0, invalid
	}
	span, total, ok := strings.Cut(spec, "/")
	if !ok {
		return 0, invalid
	}
	first, last, ok := strings.Cut(span, "-")
	if !ok || first != "0" {
		return 0, invalid
	}
	end, err1 := strconv.ParseInt(last, 10, 64)
	length, err2 := strconv.ParseInt(total, 10, 64)
	if err1 != nil || err2 != nil || end < 0 || end+1 != length {
		return 0, invalid
	}
	return length, nil
}

// complete returns what a transport of the caller's has returned, with the body that the
// response may lack. net/http's client does so too.
func complete(resp *http.Response, err error) (*http.Response, error) {
	switch {
	case err != nil:
		return nil, err
	case resp == nil:
		return nil, errors.New("the transport returned neither a response nor an error: it has to return one of them")
	case resp.Body == nil:
		resp.Body = http.NoBody
	}
	return resp, nil
}

// drain reads what is left of a short body, so that the connection can carry the
// next request. What is lost by not doing so is a connection, so it is only done
// when the end is known to be near.
func drain(resp *http.Response) {
	const near = 16 << 10
	if 0 < resp.ContentLength && resp.ContentLength <= near {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, near))
	}
}
