package warc

import (
	"cmp"
	"fmt"
	"io"
	"net/netip"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
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

// A capture is the last response of a URL.
type capture struct {
	id   string
	date time.Time
}

// describe writes a warcinfo record for the following records.
func (s *sink) describe() error {
	var text []byte
	for field := range slices.Chunk([]string{
		"software", s.opts.Software,
		"format", "WARC File Format " + edition,
		"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-" + edition + "/",
		"robots", s.opts.Robots,
		"operator", s.opts.Operator,
		"http-header-user-agent", s.opts.UserAgent,
		"settings", s.opts.Settings,
	}, 2) {
		if value := oneLine(field[1]); value != "" {
			text = fmt.Appendf(text, "%s: %s\r\n", field[0], value)
		}
	}
	s.info = newID()
	s.begin("warcinfo", s.info, time.Now())
	s.add("WARC-Filename", fileName(s.files.Name, s.files.File))
	return s.put(typeFields, text)
}

// exchange writes a request and its response.
func (s *sink) exchange(x *output.Exchange) error {
	if err := s.ready(); err != nil {
		return err
	}
	responseID := newID()
	s.begin("request", newID(), x.StartedAt)
	s.origin(x)
	s.add("WARC-Concurrent-To", responseID)
	if err := s.put(typeRequest, x.Request); err != nil {
		return err
	}
	return s.response(x, responseID)
}

// response writes a response record, or a revisit if the payload is archived.
func (s *sink) response(x *output.Exchange, id string) error {
	block, payload := s.newHash(), s.newHash()
	block.Write(x.Response)
	if err := s.files.copyBody(io.MultiWriter(block, payload), x.Body); err != nil {
		return err
	}
	r := &reply{
		kind: "response", head: x.Response, body: x.Body, truncated: string(x.Truncated),
		blockDigest: digest(block), payloadDigest: digest(payload),
	}
	if x.Withheld != "" {
		r.truncated = "unspecified"
	}
	url := escapeURI(x.URL)
	s.refer(r, x, url)
	s.begin(r.kind, id, x.StartedAt)
	s.origin(x)
	s.addAll("WARC-Profile", r.profile, "WARC-Refers-To", r.original.Get("WARC-Record-ID"),
		"WARC-Refers-To-Target-URI", r.original.Get("WARC-Target-URI"), "WARC-Refers-To-Date", r.original.Get("WARC-Date"),
		"WARC-Payload-Digest", r.payloadDigest, "WARC-Truncated", r.truncated)
	size := int64(len(r.head))
	if r.body != nil {
		size += r.body.Size()
	}
	offset, length, err := s.files.add(s.end(typeResponse, r.blockDigest, size), r.head, r.body)
	if err != nil {
		return err
	}
	s.latest[url] = capture{id: id, date: x.StartedAt}
	if cdxj.IsProbe(x.Request) {
		return nil
	}
	l := &cdxj.Line{
		URL: url, Time: x.StartedAt.Truncate(time.Microsecond), Digest: r.payloadDigest,
		File: fileName(s.files.Name, s.files.File), Offset: offset, Length: length,
	}
	if l.Status, l.MIME = cdxj.Head(r.head); r.kind == "revisit" {
		l.MIME = cdxj.MIMERevisit
	}
	s.files.addLine(l)
	s.index.add(l)
	return nil
}

// A reply is a response or revisit record. Its fields with text may be empty.
type reply struct {
	kind, profile, payloadDigest, blockDigest, truncated string

	original textproto.MIMEHeader // of the record that a revisit refers to, if known
	head     []byte               // header of the HTTP message
	body     output.Body          // may be nil
}

// refer turns a response into a revisit if its payload is archived, or is not sent again.
func (s *sink) refer(r *reply, x *output.Exchange, url string) {
	const profiles = "http://netpreserve.org/warc/" + edition + "/revisit/"
	if x.Status == 304 {
		r.kind, r.profile, r.original = "revisit", profiles+"server-not-modified", s.index.current(url, x.Request)
		r.payloadDigest = r.original.Get("WARC-Payload-Digest") // of the payload that it is about
		return
	}
	if r.body == nil || r.body.Size() == 0 || r.truncated != "" {
		return
	}
	if r.original = s.index.identical(r.payloadDigest, r.body); r.original != nil {
		r.kind, r.profile, r.truncated, r.body = "revisit", profiles+"identical-payload-digest", "length", nil
		r.blockDigest = s.digestOf(r.head)
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
	s.add("WARC-Warcinfo-ID", s.info)
}

// page writes the metadata record of a page.
func (s *sink) page(p *output.Page, links *output.Links) error {
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
	return s.metadata(typeFields, p.URL, p.FetchedAt)
}

// permission writes the metadata record of a page about its use: the line of permissions.jsonl. A
// line that says nothing has no record.
func (s *sink) permission(p *output.Permission) (err error) {
	if len(p.Statements) == 0 && p.Withheld == "" && p.TDMRepProblem == "" {
		return nil
	}
	if s.text, err = jsonlines.Line(s.text[:0], p); err != nil {
		return err
	}
	return s.metadata(typeJSON, p.URL, p.FetchedAt)
}

// metadata writes a metadata record about a page, with the current text.
func (s *sink) metadata(contentType, url string, fetchedAt time.Time) error {
	if err := s.ready(); err != nil {
		return err
	}
	url = escapeURI(url)
	last := s.latest[url]
	s.begin("metadata", newID(), cmp.Or(last.date, fetchedAt))
	s.addAll("WARC-Target-URI", url, "WARC-Concurrent-To", last.id, "WARC-Warcinfo-ID", s.info)
	return s.put(contentType, s.text)
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
