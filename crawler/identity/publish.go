package identity

import (
	"bytes"
	_ "embed" // of the page
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// Paths of the published files on the host of the identity.
const (
	CardPath   = "/signature-agent-card.json"
	RangesPath = "/ip-ranges.json"
)

// directoryFields are the header fields of the key directory, in the order of _headers.
var directoryFields = []string{"Content-Type", "Content-Digest", "Signature-Input", "Signature", "Cache-Control"}

// Ranges are the IP ranges of a crawler, as in draft-illyes-webbotauth-jafar.
type Ranges struct {
	SyncToken    string        `json:"synctoken,omitempty"`
	CreationTime time.Time     `json:"creationTime"`
	Prefixes     []RangePrefix `json:"prefixes"`
}

// RangePrefix has one of the two forms of a network.
type RangePrefix struct {
	IPv4 string `json:"ipv4Prefix,omitempty"`
	IPv6 string `json:"ipv6Prefix,omitempty"`
}

// ParseRanges parses a file of IP ranges and returns its networks.
func ParseRanges(body []byte) ([]netip.Prefix, error) {
	var r Ranges
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("the IP ranges are not JSON: %w", err)
	}
	if r.CreationTime.IsZero() || r.Prefixes == nil {
		return nil, errors.New("the IP ranges lack creationTime or prefixes")
	}
	var list []netip.Prefix
	for i, p := range r.Prefixes {
		prefix, err := netip.ParsePrefix(p.IPv4 + p.IPv6)
		if err != nil || (p.IPv4 == "") == (p.IPv6 == "") || prefix.Addr().Is4() != (p.IPv4 != "") {
			return nil, fmt.Errorf("entry %d of the IP ranges is neither an ipv4Prefix nor an ipv6Prefix", i+1)
		}
		list = append(list, prefix)
	}
	return list, nil
}

// ranges returns the file of IP ranges.
func (s *Settings) ranges(now time.Time) Ranges {
	r := Ranges{SyncToken: strconv.FormatInt(now.Unix(), 10), CreationTime: now}
	for _, text := range s.IPRanges {
		if strings.Contains(text, ":") {
			r.Prefixes = append(r.Prefixes, RangePrefix{IPv6: text})
		} else {
			r.Prefixes = append(r.Prefixes, RangePrefix{IPv4: text})
		}
	}
	return r
}

// card returns the signature agent card.
func (s *Settings) card() botauth.Card {
	c := botauth.Card{
		ClientID: s.Agent + CardPath, ClientName: s.Name, ClientURI: s.Agent + "/", JWKSURI: DirectoryURL(s.Agent),
		WebBotAuth: &botauth.Crawler{UserAgent: s.UserAgent, ProductToken: s.Name, Compliance: true, Trigger: "crawler", Purpose: s.Purpose},
	}
	if s.Contact != "" {
		c.Contacts = []string{"mailto:" + s.Contact}
	}
	if len(s.IPRanges) > 0 {
		c.WebBotAuth.IPsURI = s.Agent + RangesPath
	}
	return c
}

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// pageData is the data of the page for site owners.
type pageData struct {
	Settings

	Card, Directory, Ranges string
}

// publish writes the files to upload, and nginx.conf. It returns the key directory.
func (f *Folder) publish(now, until time.Time, keys []botauth.PrivateKey) (directory []byte, err error) {
	s := &f.content.Settings
	directory, header, err := botauth.SignDirectory(s.host(), now, until, keys...)
	if err != nil {
		return nil, err
	}
	header.Set("Cache-Control", "max-age=3600")
	card, err := indented(s.card())
	if err != nil {
		return nil, err
	}
	ranges, err := indented(s.ranges(now))
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := page.Execute(&html, pageData{*s, CardPath, botauth.DirectoryPath, RangesPath}); err != nil {
		return nil, err
	}
	files := map[string][]byte{
		f.public(botauth.DirectoryPath):    directory,
		f.public(CardPath):                 card,
		f.public("index.html"):             html.Bytes(),
		f.public("_headers"):               s.headers(header),
		filepath.Join(f.dir, "nginx.conf"): nginx(header),
	}
	if len(s.IPRanges) > 0 {
		files[f.public(RangesPath)] = ranges
	} else if err := os.Remove(f.public(RangesPath)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for name, text := range files {
		if err := replace(name, text, 0o644); err != nil {
			return nil, err
		}
	}
	return directory, nil
}

func indented(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}

// headers returns the header fields in the format of static hosts.
func (s *Settings) headers(h http.Header) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, botauth.DirectoryPath)
	for _, name := range directoryFields {
		fmt.Fprintf(&b, "  %s: %s\n", name, h.Get(name))
	}
	if len(s.IPRanges) > 0 {
		fmt.Fprintf(&b, "/\n  Link: <%s>; rel=\"client-ranges\"\n", RangesPath)
	}
	return b.Bytes()
}

// nginx returns the same for nginx. The digest is that of the body without compression.
func nginx(h http.Header) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Include this file in the server block of the host.\nlocation = %s {\n    gzip off;\n    types { }\n    default_type %s;\n", botauth.DirectoryPath, h.Get("Content-Type"))
	for _, name := range directoryFields[1:] {
		fmt.Fprintf(&b, "    add_header %s '%s';\n", name, h.Get(name))
	}
	fmt.Fprintln(&b, "}")
	return b.Bytes()
}
