package crawler

import (
	"net/http"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// PageUsage returns what a response says about the use of its content: its header and, for HTML, its
// meta elements. Token is the product token of the crawler. At is the time of the request.
func PageUsage(header http.Header, body []byte, token string, at time.Time) []usage.Statement {
	if !extract.IsPage(header, body) {
		return pageUsage(header, nil, token, at)
	}
	return pageUsage(header, extract.Read(extract.Page{Header: header, Body: body}, nil), token, at)
}

// pageUsage returns what a response says about the use of its content. Doc is nil if it is not HTML.
func pageUsage(header http.Header, doc *extract.Document, token string, at time.Time) []usage.Statement {
	own := usage.FromHeader(header, []string{token}, at)
	if doc != nil {
		own = append(own, usage.FromMeta(doc.Meta, []string{token}, at)...)
	}
	return own
}

// reread reads a statement of a response again, from its raw text. It returns false if the text was
// cut, and a statement without values if the text does not say what the statement does.
func reread(s *usage.Statement, token string, at time.Time) (usage.Statement, bool) {
	if strings.HasSuffix(s.Raw, "…") && (len(s.Raw) >= usage.MaxRaw || strings.Contains(s.Raw, secret.Mask)) {
		return *s, false
	}
	header, doc := http.Header{}, &extract.Document{}
	if s.Source.Kind == usage.InMeta {
		doc.Meta = []extract.Meta{{Name: s.Source.Name, Content: s.Raw}, {Name: "tdm-policy", Content: s.URL}}
	} else {
		header.Set(s.Source.Name, s.Raw)
		header.Set("TDM-Policy", s.URL)
	}
	again := usage.Statement{Kind: s.Kind, Source: s.Source, Raw: s.Raw}
	for _, found := range pageUsage(header, doc, token, at) { // a Link header may name several licenses
		if found.URL = secret.RedactText(found.URL); found.Kind == s.Kind && (again.URL == "" || found.URL == s.URL) {
			found.Source.Line, found.Raw = s.Source.Line, secret.RedactText(found.Raw)
			again = found
		}
	}
	return again, true
}
