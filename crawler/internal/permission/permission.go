// Package permission decides what a page may be used for, by the statements of its site and of its
// response (see package usage).
package permission

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/secret"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Statements returns what a response says about the use of its content. Doc is nil if it is not HTML.
func Statements(header http.Header, doc *extract.Document, token string, at time.Time) []usage.Statement {
	own := usage.FromHeader(header, []string{token}, at)
	if doc != nil {
		own = append(own, usage.FromMeta(doc.Meta, []string{token}, at)...)
	}
	return own
}

// Reread reads a statement of a response again, from its raw text. It returns false if the text was
// cut, and a statement without values if the text does not say what the statement does.
func Reread(s *usage.Statement, token string, at time.Time) (usage.Statement, bool) {
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
	for _, found := range Statements(header, doc, token, at) { // a Link header may name several licenses
		if found.URL = secret.RedactText(found.URL); found.Kind == s.Kind && (again.URL == "" || found.URL == s.URL) {
			found.Source.Line, found.Raw = s.Source.Line, secret.RedactText(found.Raw)
			again = found
		}
	}
	return again, true
}

// Refused returns why statements do not allow one of the purposes, and the deciding statement. With unknown, that is
// nil for a purpose about which they say nothing. Without a reason, all are allowed.
func Refused(purposes []usage.Purpose, statements []usage.Statement, unknown bool) (why string, by *usage.Statement) {
	verdicts := usage.Merge(statements)
	for _, p := range purposes {
		switch v := verdicts[p]; {
		case v.Value == usage.Disallowed:
			by = &statements[v.Statement-1]
			return fmt.Sprintf("%s: disallowed by %q, %s", p, secret.RedactText(by.Raw), by.Source), by
		case v.Value == usage.Unknown && unknown:
			return fmt.Sprintf("%s: nothing is said about it (unknown refuse)", p), nil
		}
	}
	return "", nil
}

// SetVerdicts sets the fields of a line that follow from its statements, for a crawl with these
// purposes. RefuseUnknown says that a page must not be used for a purpose about which nothing is said.
func SetVerdicts(line *output.Permission, purposes []usage.Purpose, refuseUnknown bool) {
	line.Purposes = usage.Merge(line.Statements)
	line.Withheld, _ = Refused(purposes, line.Statements, refuseUnknown)
}
