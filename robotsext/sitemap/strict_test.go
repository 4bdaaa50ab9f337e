package sitemap

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

const (
	xmlDecl   = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	coreNS    = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`
	imageNS   = ` xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`
	xhtmlNS   = ` xmlns:xhtml="http://www.w3.org/1999/xhtml"`
	moreNS    = ` xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"`
	fullRoot  = "<urlset" + coreNS + imageNS + xhtmlNS + moreNS + ">\n"
	loc1      = "<loc>https://example.com/1</loc>"
	page1     = "<url>" + loc1 + "</url>"
	imageLoc1 = "<image:image><image:loc>https://example.com/1.jpg</image:loc></image:image>"
)

// wf returns a urlset that declares all namespaces.
func wf(content string) string { return xmlDecl + fullRoot + content + "\n</urlset>\n" }

// rooted returns a urlset with a root of these attributes.
func rooted(attrs, content string) string {
	return xmlDecl + "<urlset" + attrs + ">\n" + content + "\n</urlset>\n"
}

// places returns findings as "line:column kind".
func places(findings []Finding) (out []string) {
	for _, f := range findings {
		out = append(out, fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Kind))
	}
	return out
}

// at returns what places returns for one finding.
func at(line, column int, kind Kind) string { return fmt.Sprintf("%d:%d %s", line, column, kind) }

// The files of ../shared/cases/sitemaps/wf, what expat says of them, and the findings of the
// strict check.
var wfFiles = map[string]struct {
	in       string
	rejected bool // by expat, with namespaces
	want     []string
}{
	"attr-amp.xml":         {wf(`<url>` + loc1 + `<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de?a=1&b=2"/></url>`), true, []string{at(3, 114, Malformed)}},
	"attr-dup.xml":         {wf(`<url>` + loc1 + `<xhtml:link rel="alternate" hreflang="de" hreflang="fr" href="https://example.com/de"/></url>`), true, []string{at(3, 38, Malformed)}},
	"attr-lt.xml":          {wf(`<url>` + loc1 + `<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de?x=<b>"/></url>`), true, []string{at(3, 112, BadXML)}},
	"attr-nospace.xml":     {wf(`<url>` + loc1 + `<xhtml:link rel="alternate"hreflang="de" href="https://example.com/de"/></url>`), true, []string{at(3, 38, Malformed)}},
	"attr-unquoted.xml":    {wf(`<url>` + loc1 + `<xhtml:link rel=alternate hreflang=de href="https://example.com/de"/></url>`), true, []string{at(3, 55, Malformed)}},
	"bad-name.xml":         {wf(page1 + `<1x/>`), true, []string{at(3, 47, BadXML)}},
	"caption-amp.xml":      {wf(`<url>` + loc1 + `<image:image><image:loc>https://example.com/1.jpg</image:loc><image:caption>A & B</image:caption></image:image></url>`), true, []string{at(3, 117, BadReference)}},
	"caption-latin1.xml":   {wf(`<url>` + loc1 + `<image:image><image:loc>https://example.com/1.jpg</image:loc><image:caption>caf` + "\xe9" + `</image:caption></image:image></url>`), true, []string{at(3, 118, Malformed)}},
	"caption-nbsp.xml":     {wf(`<url>` + loc1 + `<image:image><image:loc>https://example.com/1.jpg</image:loc><image:caption>A&nbsp;B</image:caption></image:image></url>`), true, []string{at(3, 121, BadReference)}},
	"case-close.xml":       {wf(`<url><loc>https://example.com/1</Loc></url>`), true, []string{at(3, 38, BadXML)}},
	"case-elems.xml":       {wf(`<URL><LOC>https://example.com/1</LOC></URL>`), false, []string{at(3, 1, WrongCase), at(3, 6, WrongCase)}},
	"cdata-end-text.xml":   {wf(`<url><loc>https://example.com/1]]></loc></url>`), true, []string{at(3, 35, Malformed)}},
	"comment-dashes.xml":   {wf(page1 + `<!-- a -- b -->`), true, []string{at(3, 54, Malformed)}},
	"decl-twice.xml":       {xmlDecl + wf(page1), true, []string{at(2, 1, Malformed)}},
	"empty-urlset.xml":     {wf(""), false, []string{at(5, 1, NoEntries)}},
	"hreflang-empty.xml":   {wf(`<url>` + loc1 + `<xhtml:link rel="alternate" hreflang="" href="https://example.com/de"/></url>`), false, []string{at(3, 38, BadLanguage)}},
	"hreflang-missing.xml": {wf(`<url>` + loc1 + `<xhtml:link rel="alternate" href="https://example.com/de"/></url>`), false, []string{at(3, 38, BadLanguage)}},
	"hreflang-us.xml":      {wf(`<url>` + loc1 + `<xhtml:link rel="alternate" hreflang="en_US" href="https://example.com/de"/></url>`), false, []string{at(3, 38, BadLanguage)}},
	"https-ns.xml":         {rooted(` xmlns="https://www.sitemaps.org/schemas/sitemap/0.9"`, page1), false, []string{at(2, 1, BadNamespace)}},
	"image-ns-https.xml":   {rooted(coreNS+` xmlns:image="https://www.google.com/schemas/sitemap-image/1.1"`, `<url>`+loc1+imageLoc1+`</url>`), false, []string{at(3, 38, BadNamespace)}},
	"img-loc-amp.xml":      {wf(`<url>` + loc1 + `<image:image><image:loc>https://example.com/1.jpg?a=1&w=2</image:loc></image:image></url>`), true, []string{at(3, 93, BadReference)}},
	"loc-child.xml":        {wf(`<url><loc>https://example.com/<b>10</b></loc></url>`), false, []string{at(3, 11, Markup)}},
	"loc-in-a.xml":         {wf(`<url><loc><a href="https://example.com/1">https://example.com/1</a></loc></url>`), false, []string{at(3, 11, Markup)}},
	"loc-space.xml":        {wf(`<url><loc>https://example.com/a b</loc></url>`), false, []string{at(3, 11, NotEscaped)}},
	"no-ns.xml":            {rooted(` `, page1), false, []string{at(2, 1, NoNamespace)}},
	"nover-decl.xml":       {strings.Replace(wf(page1), ` version="1.0"`, "", 1), true, []string{at(1, 1, Malformed)}},
	"ns-084.xml":           {rooted(` xmlns="http://www.google.com/schemas/sitemap/0.84"`, page1), false, []string{at(2, 1, BadNamespace)}},
	"ok.xml":               {wf(page1), false, nil},
	"other-ns.xml":         {rooted(` xmlns="http://example.com/"`, page1), false, []string{at(2, 1, BadNamespace)}},
	"pi-xml-mid.xml":       {wf(page1 + `<?xml version="1.0"?>`), true, []string{at(3, 44, Malformed)}},
	"quote-decl.xml":       {strings.Replace(wf(page1), `"1.0" encoding="UTF-8"`, `'1.0' encoding='utf8'`, 1), false, nil},
	"stray-text-amp.xml":   {wf(page1 + ` & `), true, []string{at(3, 46, Malformed)}},
	"trailing-nul.xml":     {wf(page1) + "\x00\x00\x00", true, []string{at(5, 1, TrailingContent)}},
	"trailing-script.xml":  {wf(page1) + "<script>x</script>", true, []string{at(5, 1, TrailingContent)}},
	"trailing-text.xml":    {wf(page1) + "<!-- c -->\ntrailing", true, []string{at(6, 1, TrailingContent)}},
	"two-url-dup.xml":      {wf(page1 + page1), false, nil},
	"undeclared-image.xml": {rooted(coreNS, `<url>`+loc1+imageLoc1+`</url>`), true, []string{at(3, 38, Malformed)}},
	"undeclared-news.xml": {rooted(coreNS, `<url>`+loc1+`<news:news><news:publication><news:name>N</news:name><news:language>en</news:language></news:publication>`+
		`<news:publication_date>2024-01-01</news:publication_date><news:title>t</news:title></news:news></url>`), true, []string{at(3, 38, Malformed)}},
	"undeclared-xhtml.xml": {rooted(coreNS, `<url>`+loc1+`<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/></url>`), true, []string{at(3, 38, Malformed)}},
	"unknown-elem-amp.xml": {wf(`<url>` + loc1 + imageLoc1 + `<video:video><video:uploader info="https://example.com/?a=1&b=2">A & B</video:uploader></video:video></url>`), true,
		[]string{at(3, 174, BadReference), at(3, 200, BadExtension)}},
	"url-in-url.xml":     {wf(`<url>` + loc1 + `<url><loc>https://example.com/2</loc></url></url>`), false, []string{at(3, 38, UnknownElement)}},
	"ws-before-decl.xml": {"\n" + wf(page1), true, []string{at(2, 1, Malformed)}},
}

// rejects reports whether a finding says that the document is not well-formed.
func rejects(f Finding) bool {
	return slices.Contains([]Kind{Malformed, BadXML, Truncated, BadReference, TrailingContent}, f.Kind)
}

func TestStrictAgreesWithExpat(t *testing.T) {
	for file, tt := range wfFiles {
		t.Run("ROB-SMP-26/"+file, func(t *testing.T) {
			_, findings, _ := readAll(strings.NewReader(tt.in), Options{Strict: true})
			if diff := cmp.Diff(tt.want, places(findings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := slices.ContainsFunc(findings, rejects); got != tt.rejected {
				t.Errorf("rejected: %t, by expat: %t", got, tt.rejected)
			}
			for _, f := range findings {
				if f.Fix == "" {
					t.Errorf("%v does not say what to write", f)
				}
			}
		})
	}
}

// sharedCase reads a file of ../shared/cases/sitemaps.
func sharedCase(t *testing.T, name string) string {
	t.Helper()
	in, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "cases", "sitemaps", name))
	if errors.Is(err, os.ErrNotExist) {
		if os.Getenv("CI") != "" {
			t.Fatal("the test cases are missing: ../shared/cases/sitemaps")
		}
		t.Skip("the test cases are not here: ../shared/cases/sitemaps")
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(in)
}

// TestSharedFiles holds the table equal to the shared files.
func TestSharedFiles(t *testing.T) {
	sharedCase(t, "wf/ok.xml")
	files, err := filepath.Glob("../../../shared/cases/sitemaps/wf/*")
	if err != nil || len(files) < len(wfFiles) {
		t.Errorf("%d files, want %d: %v", len(files), len(wfFiles), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		if diff := cmp.Diff(wfFiles[name].in, sharedCase(t, "wf/"+name)); diff != "" {
			t.Errorf("%s (-table +file):\n%s", name, diff)
		}
	}
	for _, name := range []string{"loc-child.xml", "nested-urlset.xml"} {
		entries, findings, err := readAll(strings.NewReader(sharedCase(t, name)), Options{})
		want := map[string][]Kind{"loc-child.xml": {Markup}, "nested-urlset.xml": {UnknownElement, NoEntries}}[name]
		if len(entries) > 0 || err != nil || !slices.Equal(kinds(findings), want) {
			t.Errorf("%s: %v, %v, %v", name, entries, findings, err)
		}
	}
}

// in16 encodes a document as UTF-16 with a byte order mark.
func in16(t *testing.T, s string) string {
	t.Helper()
	out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestStrict(t *testing.T) {
	latin, err := charmap.ISO8859_1.NewEncoder().String(`<?xml version="1.0" encoding="ISO-8859-1"?>` + "<urlset" + coreNS + "><url><loc>https://example.com/ä</loc></url></urlset>")
	if err != nil {
		t.Fatal(err)
	}
	utf16 := func(s string) string { return in16(t, s) }
	noDecl := "<urlset" + coreNS + ">" + page1 + "</urlset>"
	entry := func(s string) string { return wf("<url>" + loc1 + s + "</url>") }
	for name, tt := range map[string]struct {
		in   string
		want []string
	}{
		"sound: a byte order mark":                      {"\uFEFF" + wf(page1), nil},
		"sound: CR LF":                                  {strings.ReplaceAll(wf(page1), "\n", "\r\n"), nil},
		"sound: standalone, comment and instruction":    {`<?xml version='1.0' encoding="utf-8" standalone = 'yes' ?><!-- a - b --><?xml-stylesheet href="x"?>` + noDecl + "<!-- c -->\n<?x?>\n", nil},
		"sound: no declaration":                         {noDecl, nil},
		"sound: ISO-8859-1":                             {latin, nil},
		"sound: UTF-16":                                 {utf16(`<?xml version="1.0" encoding="UTF-16"?>` + noDecl), nil},
		"sound: a prefix for the core namespace":        {`<sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9"><sm:url><sm:loc>https://example.com/1</sm:loc></sm:url></sm:urlset>`, nil},
		"sound: a namespace declared where it is used":  {rooted(coreNS, "<url>"+loc1+strings.Replace(imageLoc1, ">", imageNS+">", 1)+"</url>"), nil},
		"sound: a default namespace for an extension":   {rooted(coreNS, `<url>`+loc1+`<image xmlns="http://www.google.com/schemas/sitemap-image/1.1"><loc>https://example.com/1.jpg</loc></image></url>`), nil},
		"sound: a wrong namespace that is not used":     {rooted(coreNS+` xmlns:image="https://www.google.com/schemas/sitemap-image/1.1"`, page1), nil},
		"sound: an unknown extension":                   {rooted(coreNS+` xmlns:geo="http://www.google.com/geo/schemas/sitemap/1.0"`, "<url>"+loc1+"<geo:geo><geo:format>kml</geo:format></geo:geo></url>"), nil},
		"sound: an attribute of the schema":             {rooted(coreNS+` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b"`, page1), nil},
		"sound: CDATA and comments in loc":              {wf("<url><loc><!-- a --><![CDATA[https://example.com/?a&b]]></loc></url>"), nil},
		"sound: hreflang":                               {entry(`<xhtml:link rel="alternate" hreflang="zh-Hant-TW" href="https://example.com/a"/><xhtml:link rel="alternate" hreflang="x-default" href="https://example.com/b"/>`), nil},
		"sound: a version for other devices":            {entry(`<xhtml:link rel="alternate" media="handheld" href="https://example.com/a"/>`), nil},
		"sound: an IRI":                                 {wf("<url><loc>https://example.com/ä%20?é=[1]</loc></url>"), nil},
		"sound: a text sitemap with an ampersand":       {"https://example.com/?a&b\n", nil},
		"a text sitemap with a space":                   {"https://example.com/\nhttps://example.com/a b\n", []string{at(2, 1, NotEscaped)}},
		"UTF-16 declared as UTF-8":                      {utf16(xmlDecl + noDecl), []string{at(1, 1, Malformed)}},
		"UTF-8 with a mark, declared as ISO-8859-1":     {"\uFEFF" + `<?xml version="1.0" encoding="ISO-8859-1"?>` + noDecl, []string{at(1, 1, Malformed)}},
		"UTF-8 declared as ASCII":                       {`<?xml version="1.0" encoding="us-ascii"?>` + "\n<urlset" + coreNS + "><url><loc>https://example.com/ä</loc></url></urlset>", []string{at(2, 91, Malformed)}},
		"UTF-8 with a mark, declared as ASCII":          {"\uFEFF" + `<?xml version="1.0" encoding="ascii"?>` + "\n<urlset" + coreNS + "><!-- ä --></urlset>", []string{at(2, 66, Malformed), at(2, 81, NoEntries)}},
		"half a character of UTF-16":                    {utf16("<urlset"+coreNS+"><url><loc>https://example.com/</loc></url>") + "\x00\xd8" + utf16("</urlset>")[2:], []string{at(1, 103, Malformed)}},
		"a surrogate in UTF-8":                          {wf(page1 + "<!-- \xed\xa0\x80 -->"), []string{at(3, 49, Malformed)}},
		"an unknown encoding":                           {`<?xml version="1.0" encoding="klingon"?>` + noDecl, []string{at(1, 1, BadCharset)}},
		"a control character in a caption":              {entry("<image:image><image:loc>https://example.com/1.jpg</image:loc><image:caption>\x01</image:caption></image:image>"), []string{at(3, 115, Malformed)}},
		"a control character in a location is one":      {wf("<url><loc>https://example.com/\x01</loc></url>" + page1), []string{at(3, 32, BadLoc)}},
		"a reference to a control character":            {entry("<image:image><image:loc>https://example.com/1.jpg</image:loc><image:caption>&#1;</image:caption></image:image>"), []string{at(3, 118, Malformed)}},
		"a declaration in another order":                {`<?xml version="1.0" standalone="yes" encoding="UTF-8"?>` + noDecl, []string{at(1, 1, Malformed)}},
		"a declaration behind a comment":                {"<!-- a -->" + xmlDecl + noDecl, []string{at(1, 11, Malformed)}},
		"an instruction named XML":                      {wf(page1 + "<?XML x?>"), []string{at(3, 44, Malformed)}},
		"two prefixes of the same attribute":            {rooted(coreNS+` xmlns:p="u" xmlns:q="u" p:x="1" q:x="2"`, page1), []string{at(2, 1, Malformed)}},
		"an undeclared prefix of an attribute":          {wf(`<url a:b="1">` + loc1 + "</url>"), []string{at(3, 1, Malformed)}},
		"an empty namespace of a prefix":                {rooted(coreNS+` xmlns:image=""`, page1), []string{at(2, 1, Malformed)}},
		"a name with two colons":                        {wf(page1 + "<a:b:c/>"), []string{at(3, 50, Malformed)}},
		"an attribute without a value":                  {wf("<url a>" + loc1 + "</url>"), []string{at(3, 8, Malformed)}},
		"CDATA after the root":                          {wf(page1) + "<![CDATA[x]]>", []string{at(5, 1, TrailingContent)}},
		"a second root":                                 {noDecl + "\n" + noDecl, []string{at(2, 1, TrailingContent)}},
		"a document type":                               {"<!DOCTYPE urlset>" + noDecl, []string{at(1, 1, Doctype)}},
		"a document type after the root":                {noDecl + "<!DOCTYPE urlset>", []string{at(1, len(noDecl)+1, Doctype)}},
		"a cut file is one":                             {noDecl[:len(noDecl)-3], []string{at(1, len(noDecl)-8, Truncated)}},
		"no namespace of the entries":                   {rooted(coreNS, `<url xmlns="">`+loc1+"</url>"), []string{at(3, 1, NoNamespace)}},
		"a foreign namespace of the entries":            {rooted(coreNS, `<url xmlns="http://example.com/">`+loc1+"</url>"), []string{at(3, 1, BadNamespace), at(5, 1, NoEntries)}},
		"a foreign namespace of an image":               {rooted(coreNS+` xmlns:image="http://example.com/"`, "<url>"+loc1+imageLoc1+"</url>"), []string{at(3, 38, BadNamespace)}},
		"a foreign namespace of an image by its name":   {rooted(coreNS+` xmlns:i="http://example.com/"`, "<url>"+loc1+"<i:image/></url>"), []string{at(3, 38, BadNamespace)}},
		"an image namespace of another version":         {rooted(coreNS+` xmlns:image="http://www.google.com/schemas/sitemap-image/1.0"`, "<url>"+loc1+imageLoc1+"</url>"), []string{at(3, 38, BadNamespace)}},
		"a namespace in upper case":                     {rooted(` xmlns="HTTP://WWW.SITEMAPS.ORG/SCHEMAS/SITEMAP/0.9"`, page1), []string{at(2, 1, BadNamespace)}},
		"a namespace with a slash":                      {rooted(` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9/"`, page1), []string{at(2, 1, BadNamespace)}},
		"an index in the geo namespace":                 {`<sitemapindex xmlns="http://www.google.com/geo/schemas/sitemap/1.0"><sitemap>` + loc1 + "</sitemap></sitemapindex>", []string{at(1, 1, BadNamespace)}},
		"an xhtml namespace with https":                 {rooted(coreNS+` xmlns:xhtml="https://www.w3.org/1999/xhtml"`, "<url>"+loc1+`<xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/></url>`), []string{at(3, 38, BadNamespace)}},
		"text between entries":                          {wf(page1 + " and " + page1), []string{at(3, 45, StrayText)}},
		"an element of an extension in upper case":      {entry("<image:image><image:Loc>https://example.com/1.jpg</image:Loc></image:image>"), []string{at(3, 51, WrongCase)}},
		"an index in a urlset":                          {wf("<sitemap>" + loc1 + "</sitemap>"), []string{at(3, 1, UnknownElement), at(5, 1, NoEntries)}},
		"RSS that is not well-formed":                   {"<rss><channel><title>A & B</title><item><link>https://example.com/1</link></item></channel></rss>", []string{at(1, 25, Malformed)}},
		"findings are in the order of the file":         {wf("<url>" + loc1 + "<priority>7</priority></url>\n<URL>" + loc1 + "<lastmod>x</lastmod></URL>"), []string{at(3, 48, BadPriority), at(4, 1, WrongCase), at(4, 47, BadLastMod)}},
		"after the first fault only what reading finds": {wf("<url>" + loc1 + "<a:b/><c:d/></url>\n<url>" + loc1 + "<priority>7</priority></url>"), []string{at(3, 38, Malformed), at(4, 48, BadPriority)}},
	} {
		t.Run("ROB-SMP-26/"+name, func(t *testing.T) {
			for way, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.in)), "gzip": bytes.NewReader(packed(t, tt.in))} {
				_, findings, _ := readAll(r, Options{Strict: true})
				if diff := cmp.Diff(tt.want, places(findings)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", way, diff)
				}
			}
		})
	}
}

// However many findings there are, some are reported, and no more than the limit.
func TestStrictIsBounded(t *testing.T) {
	in := wf(strings.Repeat("<url>"+loc1+"<lastmod>x</lastmod></url>", 3*maxFindings))
	_, findings, _ := readAll(strings.NewReader(in), Options{Strict: true})
	if n := len(findings); n != maxFindings+1 || findings[n-1].Kind != FindingsDropped {
		t.Errorf("%d findings", n)
	}
	var summary Summary
	found := 0
	for _, err := range Read(strings.NewReader(in), &Options{Strict: true, OnFinding: func(Finding) { found++ }, OnEnd: func(s Summary) { summary = s }}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if found != 1 || summary.Findings != 1 { // the lastmod of that entry
		t.Errorf("%d findings, %+v after the caller stopped at the first entry", found, summary)
	}
}

// TestStrictFixes holds what a finding says to write.
func TestStrictFixes(t *testing.T) {
	for in, want := range map[string]string{
		wf(`<url a="x&y">` + loc1 + "</url>"):                           "write &amp; for &",
		wf("<url>" + loc1 + "<lastmod a='&nbsp;'>2024</lastmod></url>"): "write the character itself, or &amp; for &",
		rooted(coreNS, "<url>"+loc1+imageLoc1+"</url>"):                 `write xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`,
		rooted("", page1):             `write xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`,
		wf("<URL>" + loc1 + "</URL>"): "write <url>",
		"\n" + wf(page1):              "remove it, or what is before it",
		in16(t, xmlDecl+"<urlset"+coreNS+">"+page1+"</urlset>"): `declare encoding="UTF-16LE"`,
		wf(page1 + "</page>"): "write the end tag of the open element, or remove this one",
		wf("<url>" + loc1 + "<lastmod>yesterday</lastmod></url>"):        "write a date such as 2024-11-23 or 2024-11-23T18:00:15+00:00, in RSS such as Sat, 23 Nov 2024 18:00:15 +0000",
		strings.Replace(wf(page1), `encoding="UTF-8"`, `encoding=""`, 1): `write <?xml version="1.0" encoding="UTF-8"?>`,
	} {
		if _, findings, _ := readAll(strings.NewReader(in), Options{Strict: true}); len(findings) != 1 || findings[0].Fix != want {
			t.Errorf("%q:\n%+v, want the fix %q", in, findings, want)
		}
	}
}

// sameEntries holds that strict reading yields the entries of lenient reading.
func sameEntries(t *testing.T, in []byte) []Finding {
	t.Helper()
	lenient, _, err := readAll(bytes.NewReader(in), Options{MaxBytes: 1 << 20})
	strict, findings, strictErr := readAll(bytes.NewReader(in), Options{MaxBytes: 1 << 20, Strict: true})
	if diff := cmp.Diff(lenient, strict); diff != "" || (err == nil) != (strictErr == nil) {
		t.Fatalf("%v and %v (-lenient +strict):\n%s", err, strictErr, diff)
	}
	if !slices.IsSortedFunc(findings, func(a, b Finding) int { return a.Line - b.Line }) {
		t.Fatalf("not in the order of lines: %v", places(findings))
	}
	return findings
}

// FuzzStrict holds that the strict check finds what encoding/xml rejects, whatever the
// entries, that it does not change them, and what holds for every reading.
func FuzzStrict(f *testing.F) {
	for _, tt := range wfFiles {
		f.Add([]byte(tt.in))
	}
	seed(f, "*.xml", "<urlset>&#xD800;</urlset>", "<urlset a='1'a='2'/>", "<!DOCTYPE a [<!-- ' --><?x ' ?>]><urlset/>", "<rss>]]></rss>",
		`<!DOCTYPE urlset [<!ENTITY a "b"><!-- > ' -->]><urlset><url><loc>http://a.example/<!-- c -->b<x>c</x>d</loc></url></urlset>`,
		`<a:urlset><a:url><a:loc><![CDATA[http://a.example/?a&b]]></a:loc></a:url><url/></a:urlset>trailing`,
		`<sitemapindex><sitemap><loc>http://a.example/</loc><lastmod>2005</lastmod><priority>1</priority></sitemap></sitemapindex>`,
		`<rss><channel><item><link> </link><guid>http://a.example/</guid></item><item><guid isPermaLink="false">http://b.example/</guid></item></channel></rss>`,
		`<feed xml:base="http://a.example/x/"><entry xml:base="../y/"><link xml:base="z/" href="a b"/></entry><entry><link href="/c"/></entry></feed>`)
	f.Fuzz(func(t *testing.T, in []byte) {
		checkAny(t, in)
		findings := sameEntries(t, in)
		if len(in) < 4<<10 {
			_, again, _ := readAll(iotest.OneByteReader(bytes.NewReader(in)), Options{MaxBytes: 1 << 20, Strict: true})
			if diff := cmp.Diff(places(findings), places(again)); diff != "" {
				t.Fatalf("depends on how the bytes arrive (-whole +slow):\n%s\n%s", diff, in)
			}
		}
		if len(in) > 8<<10 || !bytes.HasPrefix(bytes.TrimSpace(in), []byte("<")) {
			return
		}
		dec := xml.NewDecoder(bytes.NewReader(in))
		dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
		var err error
		for err == nil {
			_, err = dec.Token()
		}
		if err != io.EOF && len(findings) == 0 && !strings.Contains(err.Error(), "unsupported version") { // such as 1.1
			t.Fatalf("encoding/xml: %v, and no finding in\n%s", err, in)
		}
	})
}

// TestStrictHostile holds that the check of a hostile body ends, and allocates little. Lenient reading
// does not keep the body.
func TestStrictHostile(t *testing.T) {
	for name, in := range map[string][2]string{
		"text without end":        {"<urlset><url>", "text "},
		"comment without end":     {"<urlset><!--", "text "},
		"instruction":             {"<urlset><?", "text"},
		"elements":                {"<urlset>", "<a>"},
		"a tag":                   {"<urlset><", "tag"},
		"attributes":              {"<urlset><a ", "a='b' "},
		"declarations":            {"<urlset><a", strings.Repeat(" xmlns:a='b'", 100)},
		"namespaces":              {"<urlset>", "<url xmlns=''/><x:url xmlns:x='urn:x'/>text"},
		"a declaration":           {"<?xml ", "version='1.0' "},
		"a document type":         {"<!DOCTYPE urlset [", "<!ENTITY a '&a;&a;&a;'>"},
		"references":              {"<!DOCTYPE urlset [<!ENTITY a 'b'>]><urlset><url>", "&a;"},
		"a list without end":      {"", "http://h.example/\n"},
		"entries with stray text": {"<urlset>", "x<url>x<loc>http://h.example/</loc></url>"},
	} {
		for strict, size := range map[bool]int64{true: 512 << 10, false: 4 << 20} {
			t.Run(fmt.Sprintf("ROB-SMP-26/%s/strict %t", name, strict), func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				findings := 0
				var end error
				for _, end = range Read(forever(in[0], in[1]), &Options{MaxBytes: size, Strict: strict, OnFinding: func(Finding) { findings++ }}) {
				}
				if end == nil {
					t.Error("it was read to the end")
				}
				runtime.ReadMemStats(&after)
				if findings == 0 || findings > maxFindings+2 {
					t.Errorf("%d findings", findings)
				}
				if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
					t.Errorf("allocated %d KiB in all", got>>10)
				}
			})
		}
	}
}
