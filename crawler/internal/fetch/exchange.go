package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A recording is an exchange in progress, and the body of its response. A recordedConn has both as they are sent. For
// other connections they are what net/http gets and returns. It is nil if exchanges are not recorded.
type recording struct {
	io.ReadCloser // the body without decoding

	sender  *sender
	page    *Response // that gets the exchange instead of the archive; nil if no page is requested
	ex      output.Exchange
	body    spool
	raw     bool  // a recordedConn records the body
	chunked bool  // and its chunks
	size    int64 // of the body as the header says; -1 if it does not
	read    int64 // bytes that were read of the body
	err     error // of the last Read
	once    sync.Once

	addr    net.Addr // of the last connection; guarded by sender.mu until the response, as capture
	capture *capture // from the last connection
}

// record begins the recording of a request. The exchanges of a page are in its Response. The crawl archives them later,
// since the page may forbid archiving.
func (s *sender) record(req *http.Request) {
	if s.transport.crawl.Archive == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recording = &recording{sender: s, page: pageOf(req), capture: captureFrom(nil), ex: output.Exchange{URL: req.URL.String(), StartedAt: time.Now()}}
}

// responded records the headers of request and response. The body is recorded while it is received. Call it
// before the response is changed. With no-store it withholds the body, except that of a page: the
// crawl decides about pages.
func (r *recording) responded(req *http.Request, resp *http.Response) {
	if r == nil {
		return
	}
	r.sender.mu.Lock()
	defer r.sender.mu.Unlock()
	t := r.sender.transport
	if r.addr != nil && t.proxyOf(req) == nil {
		r.ex.Addr, _, _ = net.SplitHostPort(r.addr.String()) // without a port, as of a pipe, it is not known
	}
	r.body = spool{transport: t, max: t.cfg.MaxRecorded}
	if r.page == nil && robotsext.NoStore(resp.Header) {
		r.ex.Withheld, r.body.max = "no-store", 0 // ROB-CAC-06
	}
	omit, omitResponse := t.cfg.Credentials.Omit(req.URL)
	if sent, head := r.capture.begin(&r.body); head != nil {
		r.raw, r.ex.Request, r.ex.Response = true, omitFields(sent, omit), omitFields(head, omitResponse)
	} else {
		proto := "HTTP/1.1"
		if resp.ProtoMajor == 1 {
			proto = resp.Proto
		}
		r.ex.Request = headerOf(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s", req.Method, req.URL.RequestURI(), cmp.Or(req.Host, req.URL.Host)), req.Header, omit)
		r.ex.Response = headerOf(proto+" "+cmp.Or(strings.TrimSpace(resp.Status), fmt.Sprint(resp.StatusCode)), resp.Header, omitResponse)
	}
	r.ex.Status, r.ex.Proto, r.size = resp.StatusCode, resp.Proto, resp.ContentLength
	if req.Method == http.MethodHead || resp.StatusCode == http.StatusNotModified { // the length is that of another response
		r.size = 0
	}
	r.chunked = r.raw && len(resp.TransferEncoding) > 0
	r.ReadCloser, resp.Body = resp.Body, r
}

// headerOf returns a header with its first lines.
func headerOf(first string, fields http.Header, omit map[string]bool) []byte {
	head := bytes.NewBufferString(first + "\r\n")
	_ = fields.WriteSubset(head, omit) // a buffer does not fail
	head.WriteString("\r\n")
	return head.Bytes()
}

// omitFields returns a header without the fields of some names.
func omitFields(head []byte, omit map[string]bool) []byte {
	var kept []byte
	drop := false
	for line := range bytes.Lines(head) {
		if line[0] != ' ' && line[0] != '\t' { // otherwise the line continues a field
			name, _, _ := strings.Cut(string(line), ":")
			drop = omit[http.CanonicalHeaderKey(strings.Join(strings.Fields(name), ""))]
		}
		if !drop {
			kept = append(kept, line...)
		}
	}
	return kept
}

// Read implements io.Reader.
func (r *recording) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if !r.raw {
		r.body.write(p[:n])
	}
	r.read += int64(n)
	r.err = err
	return n, err
}

// drain receives the rest of a body that its reader or decoder did not need or could not decode: of a page as much as its
// limit and its rest allow, and little of another file. It does nothing if the body was read to its end, or decodes to
// too much: whoever replays the archive decodes it too.
func (r *recording) drain() {
	if r == nil || r.err != nil || r.page != nil && r.page.Truncated == truncatedByRatio {
		return
	}
	left := int64(maxDropped)
	if r.page != nil {
		left = int64(r.page.limit) + r.page.rest - r.read
	}
	n, _ := io.Copy(io.Discard, io.LimitReader(r, min(left, r.sender.transport.cfg.MaxRecorded))) // the error is in r
	if r.page != nil {
		r.page.Dropped += n
	}
}

// Close closes the body and ends the recording.
func (r *recording) Close() error {
	err := r.ReadCloser.Close()
	r.once.Do(r.finish)
	return err
}

// finish ends the recording.
func (r *recording) finish() {
	r.ex.Duration = time.Since(r.ex.StartedAt)
	r.capture.end()
	if r.chunked && r.err == io.EOF && !r.body.truncated && r.body.err == nil {
		r.size = r.body.chunkedSize()
	}
	size := r.body.size
	if r.size >= 0 {
		size = min(size, r.size) // what follows is not part of the response
	}
	r.ex.Body, r.ex.Truncated = r.body.first(size), r.truncated(size)
	url, t := secret.RedactText(r.ex.URL), r.sender.transport
	switch {
	case r.body.err != nil:
		t.crawl.Lifecycle.Fail(fmt.Errorf("record the body of %s: %w", url, r.body.err))
	case r.body.truncated && r.ex.Truncated != "" && r.ex.Withheld == "":
		t.noticed.Do(func() {
			t.crawl.Lifecycle.Notice("archived body truncated", fmt.Sprintf(
				"the archive has only the first %d bytes of %s, and of other bodies that are larger; see warc-max", r.body.max, url), "url", url, "max", r.body.max)
		})
	}
	if r.page != nil {
		r.page.Exchanges = append(r.page.Exchanges, &r.ex)
		return
	}
	t.crawl.Archive.Exchange(&r.ex)
}

// truncated returns why the body is incomplete, if so many bytes of it are kept.
func (r *recording) truncated(size int64) output.Truncated {
	cause := context.Cause(r.sender.ctx)
	ended := errors.Is(r.err, context.Canceled) || errors.Is(r.err, cause) // by the crawl
	switch {
	case size == r.size, r.err == io.EOF && !r.body.truncated:
		return ""
	case r.err == nil, r.body.truncated: // a reader had enough, or the archive
		return output.TruncatedLength
	case ended && (cause == nil || errors.Is(cause, context.Canceled)):
		return output.TruncatedUnspecified
	case ended, isTimeout(r.err), errors.Is(r.err, errStalled): // the limit of a robots.txt has a cause of its own
		return output.TruncatedTime
	}
	return output.TruncatedDisconnect
}
