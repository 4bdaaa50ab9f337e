package extract

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

// The links are those of Chromium, and MathML has none there. A name that ends in -no is no link.
func TestLinksOfOddMarkup(t *testing.T) {
	for _, tt := range []struct {
		name, page, want string // URLs with a space between them
	}{
		{"xlink:href in SVG", "<svg width=100 height=20><a xlink:href='/svgxlink'><text y=15>x</text></a></svg>", "/svgxlink"},
		{"href in SVG", "<svg><a href='/svghref'><text>x</text></a></svg>", "/svghref"},
		{"href in MathML", "<math><mi href='/mathhref-no'>x</mi></math>", ""},

		{"declaration is a comment", "<! <a href='/bogus-no'>x</a> >", ""},
		{"comment that ends where it begins", "<!--> <a href='/cmt1'>x</a> -->", "/cmt1"},
		{"comment that ends with an exclamation mark", "<!-- x --!> <a href='/cmt2'>x</a>", "/cmt2"},
		{"comment with more dashes", "<!--- <a href='/cmt3-no'>x</a> --->", ""},
		{"comment with a space in its end", "<!-- a -- > <a href='/cmt4-no'>x</a> -->", ""},
		{"CDATA in HTML is a comment", "<![CDATA[ <a href='/cdata-no'>x</a> ]]><a href='/cdata'>y</a>", "/cdata"},
		{"CDATA in a description of SVG", "<svg><desc><![CDATA[ <a href='/cdatasvg-no'>x</a> ]]></desc></svg><a href='/cdatasvg'>y</a>", "/cdatasvg"},
		{"CDATA in SVG", "<svg><![CDATA[ <a href='/cdata-no'>x</a> ]]></svg><a href='/cdata'>y</a>", "/cdata"},
		{"conditional comment", "<!--[if IE]><a href='/ie-no'>x</a><![endif]-->", ""},
		{"conditional comment that ends", "<!--[if !IE]><!--><a href='/ie2'>x</a><!--<![endif]-->", "/ie2"},
		{"conditional declaration", "<![if !IE]><a href='/ie3'>x</a><![endif]>", "/ie3"},

		{"textarea", "<textarea><a href='/textarea-no'>x</a></textarea>", ""},
		{"xmp", "<xmp><a href='/xmp-no'>x</a></xmp>", ""},
		{"noembed", "<noembed><a href='/noembed-no'>x</a></noembed>", ""},
		// Parsers dropped most tags in a select element until the HTML standard changed in 2025.
		{"select", "<select><option><a href='/select'>x</a></select>", "/select"},
		{"script", "<script>var x='<a href=\"/script-no\">';</script>", ""},
		{"script in a script", "<script><!-- <script> </script> <a href='/script2-no'>x</a> --></script><a href='/script2'>y</a>", "/script2"},
		{"script as a template", "<script type='text/template'><a href='/scripttpl-no'>x</a></script>", ""},
		{"style that ends in a comment", "<style>/* </style *//* */ a{}</style><a href='/style'>x</a>", "/style"},
		{"template", "<template><a href='/template-no'>x</a></template>", ""},
		{"srcdoc", "<iframe srcdoc=\"<a href='/iframedoc-no'>x</a>\"></iframe>", ""},

		{"no quotes", "<a href=/unq>x</a>", "/unq"},
		{"no quotes before a slash", "<a href=/unq2/>x</a>", "/unq2/"},
		{"attribute there twice", "<a href='/dup' href='/dup-no'>x</a>", "/dup"},
		{"no space between attributes", "<a href='/noq'title=x>x</a>", "/noq"},
		{"link in a link", "<a href='/nested1'>a<a href='/nested2'>b</a></a>", "/nested1 /nested2"},
		{"greater-than sign in an attribute", "<a title='a>b' href='/attrgt'>x</a>", "/attrgt"},
		{"slash before an attribute", "<a/href='/slash'>x</a>", "/slash"},
		{"upper case", "<A HREF='/uc'>x</A>", "/uc"},
		{"white space around the equals sign", "<a\thref\n=\n'/tabs'>x</a>", "/tabs"},
		{"equals sign first", "<a ='x' href='/eqfirst'>x</a>", "/eqfirst"},
		{"tag in a tag", "<a href='/lt' <b>x</a>", "/lt"},
		{"quote missing", "<a href='/qm>x</a><p class='y'><a href='/quotemiss'>z</a>", "/qm%3Ex%3C/a%3E%3Cp%20class= /quotemiss"},
		{"link without an end", "<a href='/unclosed'>x", "/unclosed"},

		{"NUL", "<a href='/n\x00ul'>x</a>", "/n%EF%BF%BDul"},
		{"references", "<a href='/ent?a=1&ampb=2&lt=3&notit;=4&#x2F;x&#47'>x</a>", "/ent?a=1&ampb=2&lt=3&notit;=4/x/"},
		{"controls", "<a href='/\u0085ctl\u200b'>x</a>", "/%C2%85ctl%E2%80%8B"},
		{"byte order mark", "<a href='\ufeff/bom'>x</a>", "/dir/%EF%BB%BF/bom"},
		{"zero width space", "<a href='/zwsp\u200b'>x</a>", "/zwsp%E2%80%8B"},
		{"vertical tab and form feed", "<a href='\x0b/vtab\x0c'>x</a>", "/vtab"},
		{"no-break space", "<a href='\u00a0/nbsp'>x</a>", "/dir/%C2%A0/nbsp"},
		{"em space", "<a href='/emsp\u2003'>x</a>", "/emsp%E2%80%83"},
		{"next line", "<a href='/nel\u0085'>x</a>", "/nel%C2%85"},
		{"line separator", "<a href='/lsep\u2028'>x</a>", "/lsep%E2%80%A8"},
		{"no-break space after a URL", "<a href='http://example.com/nbspabs\u00a0'>x</a>", "/nbspabs%C2%A0"},

		{"forms", "<form action='/form-no'></form><button formaction='/btn-no'>x</button>", ""},
		{"area", "<map name=m><area href='/areas' shape=default></map>", "/areas"},
		{"link element in the body", "<link rel=next href='/linkbody'>", "/linkbody"},
		{"frameset", "<html><frameset cols='50%,50%'><frame src='/frameset'><noframes><a href='/frameset-no'>x</a></noframes></frameset></html>", "/frameset"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := "<!doctype html>" + tt.page
			if !strings.HasPrefix(tt.page, "<html>") {
				page = "<!doctype html><html lang=en><head><title>t</title></head><body><h1>t</h1>" + tt.page + "</body></html>"
			}
			var got []string
			for _, l := range readPage([]byte(page)).Links {
				got = append(got, strings.TrimPrefix(l.URL, "http://example.com"))
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%q: links %q, want %q", page, got, tt.want)
			}
			checkReaders(t, []byte(page))
		})
	}
}

// A response is read as a page if a browser shows it as one.
func TestContentTypesOfPages(t *testing.T) {
	const (
		markup = "<!doctype html><html lang=en><head><title>T</title></head><body><a href='/found'>l</a></body></html>"
		xml    = "<html xmlns='http://www.w3.org/1999/xhtml' lang='en'><head><title>T</title></head><body><a href='/found'>l</a></body></html>"
	)
	for _, tt := range []struct {
		body  string
		read  bool
		types [][]string // the fields of each response
	}{
		{markup, true, [][]string{
			nil, {""}, {"*/*"}, {"unknown/unknown"}, {"application/unknown"}, {"html"}, {"charset=utf-8"}, {"; charset=utf-8"}, {"text/html, charset=utf-8"},
			{"text/html, text/html"}, {"text/plain, text/html"}, {"TEXT/HTML"}, {"text/html ;charset=utf-8"}, {"text / html"}, {`"text/html"`}, {"text/html\u00a0"}, {"text/html\xa0"},
			{"text/html: charset=utf-8"}, {"utf-8"}, {"text/plain", "text/html"}, {"text/html; charset=utf-8", "*/*"}, {"x", "text/html"},
		}},
		{markup, false, [][]string{{"text/html, text/plain"}, {"text/html", "text/plain"}, {"text/plain"}, {"application/octet-stream"}, {"text/htm"}, {"application/vnd.wap.xhtml+xml"}, {"application/xml"}}},
		{xml, true, [][]string{{"application/xhtml+xml"}, {"application/xml"}, {"text/xml"}, {"application/vnd.wap.xhtml+xml"}}},
		{"<doc/>", false, [][]string{{"application/xml"}, {"text/xml"}}},
	} {
		for _, types := range tt.types {
			header := http.Header{}
			if types != nil {
				header["Content-Type"] = types
			}
			if got := IsPage(header, []byte(tt.body)); got != tt.read {
				t.Errorf("%q, %.20s: page %t", types, tt.body, got)
			}
			if !tt.read {
				continue
			}
			doc := Read(Page{URL: "http://example.com/", Header: header, Body: []byte(tt.body)}, nil)
			if doc.Title != "T" || doc.Malformed != nil || len(doc.Links) != 1 || doc.Links[0].URL != "http://example.com/found" {
				t.Errorf("%q, %.20s: %+v", types, tt.body, doc)
			}
		}
	}
}

// The title shows how a page was decoded. The query of a link is encoded as the page, its path in UTF-8.
func TestEncodingsOfPages(t *testing.T) {
	const (
		text      = "<title>{}</title><a href='/{}?{}'>l</a>"
		russian   = "Привет"
		garbled   = "Ïðèâåò" // in windows-1252
		inWindows = "%CF%F0%E8%E2%E5%F2"
		xml       = "<?xml version='1.0' encoding='windows-1251'?>\n" + `<html xmlns="http://www.w3.org/1999/xhtml">` + text + "</html>"
	)
	late := "<html><head><script>/*" + strings.Repeat("x", 1100) + "*/</script><meta charset=windows-1251>" + text
	for _, tt := range []struct {
		name, encoding string // that the page is written in
		types          []string
		page, text     string
		title, query   string
	}{
		{"Latin-1 in the header", "iso-8859-1", []string{"text/html; charset=iso-8859-1"}, text, "ACETALDEÍDO", "ACETALDEÍDO", "ACETALDE%CDDO"},
		{"windows-1252 declared", "windows-1252", []string{"text/html"}, "<meta charset=windows-1252>" + text, "ACETALDEÍDO", "ACETALDEÍDO", "ACETALDE%CDDO"},
		{"windows-1251 in the header", "windows-1251", []string{"text/html; charset=windows-1251"}, text, russian, russian, inWindows},
		{"Shift_JIS declared", "shift_jis", []string{"text/html"}, "<meta charset=shift_jis>" + text, "日本", "日本", "%93%FA%96{"},
		{"GBK declared", "gbk", []string{"text/html"}, "<meta charset=gbk>" + text, "中文", "中文", "%D6%D0%CE%C4"},
		{"GBK under its old name, also valid UTF-8", "gbk", []string{"text/html"}, "<meta charset=gb2312>" + text, "目录", "目录", "%C4%BF%C2%BC"},
		{"UTF-8 in the header", "utf-8", []string{"text/html; charset=utf-8"}, text, "é日", "é日", "%C3%A9%E6%97%A5"},
		{"declared after 1,024 bytes", "windows-1251", []string{"text/html"}, late, russian, russian, inWindows},
		{"XML declaration of HTML", "windows-1251", []string{"text/html"}, xml, russian, russian, inWindows},
		{"XML declaration of XHTML", "windows-1251", []string{"application/xhtml+xml"}, xml, russian, russian, inWindows},
		{"Latin-1 declared, also valid UTF-8", "windows-1252", []string{"text/html"}, "<meta charset=iso-8859-1>" + text, "Â©", "Â©", "%C2%A9"},
		{"unknown name in the header", "gbk", []string{"text/html; charset=gb2312x"}, "<meta charset=gbk>" + text, "中文网站", "中文网站", "%D6%D0%CE%C4%CD%F8%D5%BE"},
		{"declared by http-equiv", "shift_jis", []string{"text/html"}, `<meta http-equiv="Content-Type" content="text/html;charset=Shift_JIS">` + text, "日本語", "日本語", "%93%FA%96{%8C%EA"},
		{"UTF-16 without a mark", "utf-16le", []string{"text/html; charset=utf-16le"}, text, "héé", "héé", "h%C3%A9%C3%A9"},
		{"UTF-16 declared in UTF-8", "utf-8", []string{"text/html"}, "<meta charset=utf-16>" + text, "héé", "héé", "h%C3%A9%C3%A9"},
		{"charset of a second field", "windows-1251", []string{"text/html", "text/html; charset=windows-1251"}, text, russian, russian, inWindows},
		{"first of two charsets", "windows-1251", []string{"text/html; charset=windows-1251; charset=utf-8"}, text, russian, russian, inWindows},
		{"more semicolons", "windows-1251", []string{"text/html;;charset=windows-1251;"}, text, russian, russian, inWindows},
		{"charset in single quotes is unknown", "windows-1251", []string{"text/html; charset='windows-1251'"}, text, russian, garbled, inWindows},
		{"charset before a space is another parameter", "windows-1251", []string{"text/html; charset = windows-1251"}, text, russian, garbled, inWindows},
		{"charset after a comma is no parameter", "windows-1251", []string{"text/html, charset=windows-1251"}, text, russian, garbled, inWindows},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := htmlindex.Get(tt.encoding)
			if err != nil {
				t.Fatal(err)
			}
			body, err := e.NewEncoder().String(strings.ReplaceAll(tt.page, "{}", tt.text))
			if err != nil {
				t.Fatal(err)
			}
			doc := Read(Page{URL: "http://example.com/", Header: http.Header{"Content-Type": tt.types}, Body: []byte(body)}, nil)
			want := "http://example.com/" + url.PathEscape(tt.title) + "?" + tt.query
			if doc.Title != tt.title || len(doc.Links) != 1 || doc.Links[0].URL != want {
				t.Errorf("title %q, links %+v; want %q and %s", doc.Title, doc.Links, tt.title, want)
			}
		})
	}
}
