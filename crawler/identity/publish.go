package identity

import (
	"bytes"
	_ "embed" // of the page
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
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

// ranges are the IP ranges of a crawler, as in draft-illyes-webbotauth-jafar.
type ranges struct {
	SyncToken    string        `json:"synctoken"`
	CreationTime time.Time     `json:"creationTime"`
	Prefixes     []rangePrefix `json:"prefixes"`
}

// rangePrefix has one of the two forms of a network.
type rangePrefix struct {
	IPv4 string `json:"ipv4Prefix,omitempty"`
	IPv6 string `json:"ipv6Prefix,omitempty"`
}

// ranges returns the file of IP ranges.
func (s *Settings) ranges(now time.Time) ranges {
	r := ranges{SyncToken: strconv.FormatInt(now.Unix(), 10), CreationTime: now}
	for _, text := range s.IPRanges {
		if strings.Contains(text, ":") {
			r.Prefixes = append(r.Prefixes, rangePrefix{IPv6: text})
		} else {
			r.Prefixes = append(r.Prefixes, rangePrefix{IPv4: text})
		}
	}
	return r
}

// card returns the signature agent card.
func (s *Settings) card() botauth.Card {
	c := botauth.Card{
		ClientID: s.Agent + CardPath, ClientName: s.Name, ClientURI: s.Agent + "/", JWKSURI: DirectoryURL(s.Agent),
		WebBotAuth: &botauth.Crawler{UserAgent: s.UserAgent, ProductToken: s.Name, Trigger: "crawler", Purpose: s.Purpose},
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

	Host, Card, Directory, Ranges string
}

// files returns the files to upload, and nginx.conf. A nil text means that there must be no file. The same
// content gives the same files.
func (d *Identity) files(c *content, private map[string]botauth.PrivateKey) (map[string][]byte, error) {
	s, created := &c.Settings, c.SignedUntil.Add(-directoryLife)
	var keys []botauth.PrivateKey
	for _, k := range c.Keys {
		keys = append(keys, private[k.ID].Until(k.Expires))
	}
	directory, header, err := botauth.SignDirectory(s.host(), created, c.SignedUntil, keys...)
	if err != nil {
		return nil, err
	}
	header.Set("Cache-Control", fmt.Sprintf("max-age=%.0f", publishTime.Seconds()))
	card, err := indented(s.card())
	if err != nil {
		return nil, err
	}
	var networks []byte
	if len(s.IPRanges) > 0 {
		if networks, err = indented(s.ranges(created)); err != nil {
			return nil, err
		}
	}
	var html bytes.Buffer
	if err := page.Execute(&html, pageData{*s, s.host(), CardPath, botauth.DirectoryPath, RangesPath}); err != nil {
		return nil, err
	}
	return map[string][]byte{
		d.public(botauth.DirectoryPath):    directory,
		d.public(CardPath):                 card,
		d.public(RangesPath):               networks,
		d.public("index.html"):             html.Bytes(),
		d.public("_headers"):               s.headers(header),
		filepath.Join(d.dir, "nginx.conf"): nginx(header),
	}, nil
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

// nginx returns the settings for nginx. The digest is that of the body without compression.
func nginx(h http.Header) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Include this file in the server block of the host.\nlocation = %s {\n    gzip off;\n    types { }\n    default_type %s;\n", botauth.DirectoryPath, h.Get("Content-Type"))
	for _, name := range directoryFields[1:] {
		fmt.Fprintf(&b, "    add_header %s '%s';\n", name, h.Get(name))
	}
	fmt.Fprintln(&b, "}")
	return b.Bytes()
}
