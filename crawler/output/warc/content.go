package warc

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// The media types of blocks.
const (
	typeRequest  = "application/http;msgtype=request"
	typeResponse = "application/http;msgtype=response"
	typeFields   = "application/warc-fields"
	typeJSON     = "application/json"
)

// longestURL is the maximum length of a remembered URL, in bytes.
const longestURL = 2 << 10

// captured identifies a record with a payload. The zero value means no record.
type captured struct {
	id   recordID
	url  string
	date time.Time
}

// A capture is the last response of a URL.
type capture struct {
	id    recordID // zero if it was written before a recrawl
	date  time.Time
	whole captured // the record with the payload of the last 2xx response
}

// A payloadKey identifies a payload. It is not the SHA-1 digest of the record: a site can make
// two bodies with the same SHA-1, and the second would be lost.
type payloadKey [sha256.Size]byte

// describe writes a warcinfo record for the following records.
func (s *sink) describe() error {
	id, err := newID(s.opts.Rand)
	if err != nil {
		return err
	}
	s.text = s.text[:0]
	s.line("software", s.opts.Software)
	s.line("format", "WARC File Format "+edition)
	s.line("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-"+edition+"/")
	s.line("robots", s.opts.Robots)
	s.line("operator", s.opts.Operator)
	s.line("http-header-user-agent", s.opts.UserAgent)
	s.begin("warcinfo", id, time.Now())
	s.add("WARC-Filename", fileName(s.files.File))
	s.info = id
	return s.put(typeFields, s.text)
}

// line adds a field to the current block, unless its value is empty.
func (s *sink) line(name, value string) {
	if value = oneLine(value); value != "" {
		s.text = fmt.Appendf(s.text, "%s: %s\r\n", name, value)
	}
}

// exchange writes a request and its response.
func (s *sink) exchange(x *output.Exchange) error {
	request, err := s.newRecord()
	answer, err2 := newID(s.opts.Rand)
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	head := httpHead(x.Request)
	s.begin("request", request, x.StartedAt)
	s.origin(x)
	s.add("WARC-Concurrent-To", answer.String())
	if err := s.put(typeRequest, head); err != nil {
		return err
	}
	return s.response(x, answer)
}

// response writes a response record, or a revisit if the payload is known.
func (s *sink) response(x *output.Exchange, id recordID) error {
	last, _ := s.urls.Get(x.URL)
	url := strings.Clone(x.URL) // to keep
	this := capture{id: id, date: x.StartedAt, whole: captured{id: id, url: url, date: x.StartedAt}}
	var key payloadKey
	known, original := false, captured{}
	var body []byte
	if x.Body != nil {
		body = make([]byte, x.Body.Size())
		if _, err := x.Body.ReadAt(body, 0); err != nil && err != io.EOF {
			return err
		}
	}
	whole := len(body) > 0 && x.Truncated == "" && x.Withheld == ""
	if whole {
		key = sha256.Sum256(body)
		original, known = s.payloads.Get(key)
	}

	head := httpHead(x.Response)
	switch {
	case x.Status == 304:
		this.whole = last.whole
		s.revisit(x, id, "server-not-modified", last.whole)
	case known:
		this.whole = original
		s.revisit(x, id, "identical-payload-digest", original)
		s.add("WARC-Payload-Digest", digest(body))
		s.add("WARC-Truncated", "length")
		body = nil
	default:
		s.begin("response", id, x.StartedAt)
		s.origin(x)
		s.add("WARC-Payload-Digest", digest(body))
		switch {
		case x.Withheld != "":
			s.add("WARC-Truncated", "unspecified")
		case x.Truncated != "":
			s.add("WARC-Truncated", string(x.Truncated))
		}
	}
	if err := s.put(typeResponse, head, body); err != nil {
		return err
	}
	if len(x.URL) > longestURL {
		return nil
	}
	if x.Status != 304 && whole {
		s.payloads.Put(key, this.whole)
	}
	if x.Status/100 != 2 { // a later 304 is about the response before it
		this.whole = last.whole
	}
	s.urls.Put(url, this)
	return nil
}

// revisit starts a revisit record, which refers to the record with the payload if known.
func (s *sink) revisit(x *output.Exchange, id recordID, profile string, original captured) {
	s.begin("revisit", id, x.StartedAt)
	s.origin(x)
	s.add("WARC-Profile", "http://netpreserve.org/warc/"+edition+"/revisit/"+profile)
	if original.id != (recordID{}) {
		s.add("WARC-Refers-To", original.id.String())
		s.add("WARC-Refers-To-Target-URI", escapeURI(original.url))
		s.add("WARC-Refers-To-Date", formatDate(original.date))
	}
}

// origin adds the fields of URL and address, which both records of an exchange have.
func (s *sink) origin(x *output.Exchange) {
	s.add("WARC-Target-URI", escapeURI(x.URL))
	if addr, err := netip.ParseAddr(x.Addr); err == nil {
		s.add("WARC-IP-Address", addr.Unmap().WithZone("").String())
	}
	switch secure := strings.HasPrefix(x.URL, "https:"); {
	case strings.HasPrefix(x.Proto, "HTTP/2") && secure:
		s.add("WARC-Protocol", "h2")
	case strings.HasPrefix(x.Proto, "HTTP/2"):
		s.add("WARC-Protocol", "h2c")
	}
	s.add("WARC-Warcinfo-ID", s.info.String())
}

// page writes the metadata record of a page.
func (s *sink) page(p *output.Page, links *output.Links) error {
	id, err := s.newRecord()
	if err != nil {
		return err
	}
	s.text = s.text[:0]
	if p.FoundOn != "" {
		s.text = fmt.Appendf(s.text, "via: %s\r\n", escapeURI(p.FoundOn))
	}
	s.text = fmt.Appendf(s.text, "hopsFromSeed: %s\r\nfetchTimeMs: %d\r\n", hops(p), p.DurationMS)
	if links != nil {
		for _, to := range links.To {
			s.text = fmt.Appendf(s.text, "outlink: %s L\r\n", escapeURI(to.URL))
		}
	}
	s.metadata(id, p.URL, p.FetchedAt)
	return s.put(typeFields, s.text)
}

// metadata starts a metadata record about a page.
func (s *sink) metadata(id recordID, url string, fetchedAt time.Time) {
	last, known := s.urls.Get(url)
	if known = known && last.id != (recordID{}); !known {
		last.date = fetchedAt
	}
	s.begin("metadata", id, last.date)
	s.add("WARC-Target-URI", escapeURI(url))
	if known {
		s.add("WARC-Concurrent-To", last.id.String())
	}
	s.add("WARC-Warcinfo-ID", s.info.String())
}

// permission writes the metadata record of a page about its use: the line of permissions.jsonl. A
// line that says nothing has no record.
func (s *sink) permission(p *output.Permission) error {
	if len(p.Statements) == 0 && p.Withheld == "" && p.TDMRepProblem == "" {
		return nil
	}
	id, err := s.newRecord()
	if err != nil {
		return err
	}
	if s.text, err = jsonlines.Line(s.text[:0], p); err != nil {
		return err
	}
	s.metadata(id, p.URL, p.FetchedAt)
	return s.put(typeJSON, s.text)
}

// maxHops limits the letters of hopsFromSeed.
const maxHops = 100

// hops returns hopsFromSeed: L for a link, R for a redirect, M for a sitemap. Only the number of
// links before the last hop is known. Long paths, such as through a calendar, lack the first
// links: with all of them the archive would grow with the square of the path.
func hops(p *output.Page) string {
	way := strings.Repeat("L", min(max(p.Depth, 0), maxHops))
	switch p.Source {
	case "redirect":
		return way + "R"
	case "sitemap":
		return way + "M"
	}
	return way
}
