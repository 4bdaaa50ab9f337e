package visit

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// maxHreflangBytes limits the URLs of hreflang links in the line of a page. With a base URL of 8 KB,
// a page of 46 KB could need 8 MB.
const maxHreflangBytes = 64 << 10

const limitHreflang = "hreflang-bytes" // as limits_reached of pages.jsonl names it

// addFacts adds what an HTML page says about itself to its record.
func addFacts(page *output.Page, doc *extract.Document) {
	page.Title, page.H1, page.Description = doc.Title, doc.H1, doc.Description
	page.Lang, page.Words, page.Encoding = doc.Lang, doc.Words, doc.Encoding
	if doc.Malformed != nil {
		page.Malformed = escape.Detail(doc.Malformed.Error())
	}
	page.ImagesWithoutAlt, page.NeedsJavaScript = doc.ImagesWithoutAlt, doc.NeedsScripts
	if doc.H1Count > 1 {
		page.H1Count = doc.H1Count
	}
	if len(doc.Hreflang) == 0 {
		return
	}
	size := 0
	for _, t := range doc.Hreflang {
		if size += len(t.URL); size > maxHreflangBytes {
			page.LimitsReached = append(page.LimitsReached, limitHreflang)
			return
		}
		page.Hreflang = append(page.Hreflang, output.Hreflang(t))
	}
}

// keptHeaders returns the headers that keep-header names, by name in lower case.
func (v *Visitor) keptHeaders(header http.Header) map[string]string {
	var kept map[string]string
	for _, name := range v.set.Headers {
		values := header[name]
		if len(values) == 0 {
			continue
		}
		if kept == nil {
			kept = make(map[string]string)
		}
		kept[strings.ToLower(name)] = escape.Detail(strings.Join(values, ", "))
	}
	return kept
}

// addFields adds the fields that the user has defined. They are missing if a limit cut them off.
func (v *Visitor) addFields(page *output.Page, doc *extract.Document) {
	fields, err := v.set.Fields.Fields(doc)
	if page.Fields = fields; err != nil {
		page.LimitsReached = append(page.LimitsReached, fieldLimit(err))
		v.Lifecycle.Notice("fields not read", fmt.Sprintf("%s: fields are missing: %v", page.URL, err), "url", page.URL, "error", err)
	}
}

// fieldLimit returns the limit that cut off fields of a page, as limits_reached of pages.jsonl
// names it.
func fieldLimit(err error) string {
	for limit, class := range map[string]error{"field-size": extract.ErrTooLarge, "field-tags": extract.ErrTooManyTags, "field-time": extract.ErrTooSlow} {
		if errors.Is(err, class) {
			return limit
		}
	}
	return "field-nesting"
}
