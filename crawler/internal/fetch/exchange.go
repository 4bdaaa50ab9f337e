package fetch

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A recording is an exchange in progress. Its response is what a recordedConn receives or, over other connections,
// what net/http makes of it. It is nil if exchanges are not recorded.
type recording struct {
	transport *Transport
	page      *Response // that gets the exchange instead of the archive; nil if no page is requested
	ex        output.Exchange
	raw       bool  // a recordedConn records the body
	size      int64 // of the body as the header says; -1 if it does not

	proxied            bool            // the address is that of a proxy
	omit, omitResponse map[string]bool // fields that the archive omits

	mu     sync.Mutex // guards the fields below: other goroutines open the connection
	in     *received  // over the last connection
	fields []byte     // header fields of the request as they were sent
	addr   string
}

// record returns a recording of a request, and the request to send instead. The exchanges of a page are in its
// Response. The crawl archives them later, since the page may forbid archiving.
func (t *Transport) record(req *http.Request, page *Response) (*recording, *http.Request) {
	if t.crawl.Archive == nil {
		return nil, req
	}
	r := &recording{
		transport: t, page: page, proxied: t.proxyOf(req) != nil, in: t.recordFrom(nil),
		ex: output.Exchange{URL: req.URL.String(), StartedAt: time.Now()},
	}
	r.omit, r.omitResponse = t.credentials.Omit(req.URL)
	return r, req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.in, r.fields = t.recordFrom(info.Conn), nil // an attempt on a connection that was closed does not count
			if host, _, err := net.SplitHostPort(info.Conn.RemoteAddr().String()); err == nil {
				r.addr = host
			}
		},
		WroteHeaderField: func(key string, values []string) {
			r.mu.Lock()
			defer r.mu.Unlock()
			switch {
			case key == ":authority":
				key = "Host"
			case strings.EqualFold(key, "Proxy-Authorization"), r.omit[http.CanonicalHeaderKey(key)]: // the former is for the proxy
				return
			}
			for _, value := range values {
				if !strings.HasPrefix(key, ":") { // not a pseudo-header field of HTTP/2
					r.fields = fmt.Appendf(r.fields, "%s: %s\r\n", http.CanonicalHeaderKey(key), value)
				}
			}
		},
	}))
}

// responded records the header of the response. The body is recorded while it is received. Call it
// before the response is changed. With no-store it withholds the body, except that of a page: the
// crawl decides about pages.
func (r *recording) responded(req *http.Request, resp *http.Response) {
	if r == nil {
		return
	}
	r.ex.Request = r.request(req)
	in := r.in
	in.mu.Lock()
	if r.raw = in.whole; r.raw {
		r.ex.Response = omitFields(in.head, r.omitResponse)
	} else {
		r.ex.Response = headerOf(resp, r.omitResponse)
		in.whole, in.body.max = true, 0 // nothing is recorded there, if it began before the request
		r.in = r.transport.recordFrom(nil)
		r.in.whole = true
	}
	in.mu.Unlock()
	r.ex.Status, r.ex.Proto, r.size = resp.StatusCode, resp.Proto, resp.ContentLength
	if resp.Body == http.NoBody || req.Method == http.MethodHead || resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified {
		r.size = 0
	}
	if r.page == nil && robotsext.NoStore(resp.Header) {
		r.ex.Withheld = "no-store" // ROB-CAC-06
	}
	resp.Body = &recordedBody{ReadCloser: resp.Body, r: r}
}

// headerOf returns the header of a response that net/http has read, such as one of HTTP/2, as one of HTTP/1.1.
func headerOf(resp *http.Response, omit map[string]bool) []byte {
	proto := "HTTP/1.1"
	if resp.ProtoMajor == 1 {
		proto = resp.Proto
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s\r\n", proto, cmp.Or(strings.TrimSpace(resp.Status), fmt.Sprint(resp.StatusCode)))
	_ = resp.Header.WriteSubset(&head, omit) // a buffer does not fail
	head.WriteString("\r\n")
	return head.Bytes()
}

// request returns the header of the request as it was sent or, if the transport does not report
// that, as it was passed to the transport.
func (r *recording) request(req *http.Request) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.proxied {
		r.ex.Addr = r.addr
	}
	head := fmt.Appendf(nil, "%s %s HTTP/1.1\r\n", req.Method, req.URL.RequestURI())
	if r.fields != nil {
		return append(append(head, r.fields...), "\r\n"...)
	}
	b := bytes.NewBuffer(head)
	fmt.Fprintf(b, "Host: %s\r\n", cmp.Or(req.Host, req.URL.Host))
	_ = req.Header.WriteSubset(b, r.omit)
	b.WriteString("\r\n")
	return b.Bytes()
}

// finish ends the recording. Err is the error of the last read of the body.
func (r *recording) finish(err error) {
	r.ex.Duration = time.Since(r.ex.StartedAt)
	r.in.mu.Lock()
	body := &r.in.body
	size, cut := body.size, body.cut
	if r.size >= 0 {
		size = min(size, r.size) // what follows is not part of the response
	}
	r.ex.Truncated = r.truncated(size, cut, err)
	r.ex.Body, r.in.head = body.end(size), nil
	err = body.err
	r.in.mu.Unlock()
	switch {
	case err != nil:
		r.transport.crawl.Lifecycle.Fail(fmt.Errorf("record the body of %s: %w", secret.RedactText(r.ex.URL), err))
	case r.ex.Withheld != "" && r.ex.Body != nil:
		_ = r.ex.Body.Close()
		r.ex.Body = nil
	case cut && r.ex.Truncated != "":
		r.transport.reportCut(&r.ex)
	}
	if r.page != nil {
		r.page.Exchanges = append(r.page.Exchanges, &r.ex)
		return
	}
	r.transport.crawl.Archive.Exchange(&r.ex)
}

// truncated returns why a body of some size is incomplete. Err is the error of the last read.
func (r *recording) truncated(size int64, cut bool, err error) output.Truncated {
	switch {
	case size == r.size:
		return ""
	case cut, err == nil: // a reader had enough
		return output.TruncatedLength
	case err == io.EOF:
		return ""
	case isTimeout(err), errors.Is(err, errStalled):
		return output.TruncatedTime
	}
	return output.TruncatedDisconnect
}

// reportCut tells the operator, once, that the archive has only a part of a body.
func (t *Transport) reportCut(e *output.Exchange) {
	t.cut.Do(func() {
		url := secret.RedactText(e.URL)
		t.crawl.Lifecycle.Notice("archived body truncated", fmt.Sprintf(
			"the archive has only the first %d bytes of %s, and of other bodies that are larger; see warc-max", t.maxRecorded, url), "url", url, "max", t.maxRecorded)
	})
}

// recordedBody is the body of a recorded response.
type recordedBody struct {
	io.ReadCloser
	r    *recording
	err  error // of the last Read
	once sync.Once
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if !b.r.raw {
		b.r.in.write(p[:n])
	}
	b.err = err
	return n, err
}

// Close closes the body and ends the recording.
func (b *recordedBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(func() { b.r.finish(b.err) })
	return err
}

// drain reads the rest of a recorded body, which its decoder does not need, up to the limit of the archive.
func drain(body io.Reader) {
	switch b := body.(type) {
	case *decodedBody:
		drain(b.encoded)
	case *recordedBody:
		if b.r.ex.Withheld == "" {
			_, _ = io.Copy(io.Discard, io.LimitReader(b, b.r.transport.maxRecorded)) // the error is in b
		}
	}
}
