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
)

// maxRecorded is the maximum size of a recorded body. Sitemaps and robots.txt are not read
// further, nor are pages unless max-body is larger.
const maxRecorded = 64 << 20

// A recording is an exchange in progress.
type recording struct {
	archive Archive
	page    *Response // that gets the exchange instead; nil if no page is requested
	ex      output.Exchange
	body    bytes.Buffer
	end     bool // the end of the body was read

	proxied            bool            // the address is that of a proxy
	omit, omitResponse map[string]bool // fields that the archive omits

	mu     sync.Mutex // guards the fields below: other goroutines open the connection
	fields []byte     // header fields of the request as they were sent
	addr   string
}

// record returns a recording of a request and the request to send instead. The recording is nil if
// exchanges are not recorded. The exchange of a page is in its Response. The crawl archives it
// later, since the page may forbid archiving. Checks are not recorded.
func (t *Transport) record(req *http.Request, page *Response) (*recording, *http.Request) {
	if t.crawl.Archive == nil || page != nil && page.check {
		return nil, req
	}
	r := &recording{archive: t.crawl.Archive, page: page, proxied: t.proxyOf(req) != nil, ex: output.Exchange{URL: req.URL.String(), StartedAt: time.Now()}}
	r.omit, r.omitResponse = t.credentials.Omit(req.URL)
	return r, req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.fields = nil // an attempt on a connection that was closed does not count
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

// responded records the header of the response. The body is recorded while it is read. Call it
// before the response is changed. With no-store it withholds the body, except that of a page: the
// crawl decides about pages.
func (r *recording) responded(req *http.Request, resp *http.Response) {
	var head bytes.Buffer
	proto := "HTTP/1.1"
	if resp.ProtoMajor == 1 {
		proto = resp.Proto
	}
	fmt.Fprintf(&head, "%s %s\r\n", proto, cmp.Or(strings.TrimSpace(resp.Status), fmt.Sprint(resp.StatusCode)))
	_ = resp.Header.WriteSubset(&head, r.omitResponse) // a buffer does not fail
	head.WriteString("\r\n")
	r.ex.Response, r.ex.Status, r.ex.Proto = head.Bytes(), resp.StatusCode, resp.Proto
	r.ex.Request = r.request(req)
	if r.page == nil && robotsext.NoStore(resp.Header) {
		r.ex.Withheld = "no-store" // ROB-CAC-06
	}
	resp.Body = &recordedBody{ReadCloser: resp.Body, r: r}
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

// recordedBody records a body while it is read.
type recordedBody struct {
	io.ReadCloser
	r    *recording
	once sync.Once
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	keep := min(n, maxRecorded-b.r.body.Len())
	b.r.body.Write(p[:keep])
	if keep < n {
		b.r.ex.Truncated = output.TruncatedLength
	}
	b.r.end = b.r.end || errors.Is(err, io.EOF)
	return n, err
}

// Close closes the body and ends the recording.
func (b *recordedBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(func() {
		r := b.r
		if r.ex.Duration = time.Since(r.ex.StartedAt); r.ex.Withheld == "" {
			r.ex.Body = output.BytesBody(r.body.Bytes())
		}
		if !r.end {
			r.ex.Truncated = output.TruncatedLength
		}
		if r.page != nil {
			r.page.Exchange = &r.ex
			return
		}
		r.archive.Exchange(&r.ex)
	})
	return err
}
