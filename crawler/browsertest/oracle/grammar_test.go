package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// generate returns a page. The same seed and index give the same page.
func generate(seed, index uint64) page {
	g := &generator{r: rand.New(rand.NewPCG(seed, index))} // #nosec G404 -- pages are to be the same each time
	g.leftOut = [][]string{
		{"<svg", "<math"}, // and no templates in the other two
		{"template", "<math"},
		{"template", "<svg"},
	}[g.r.IntN(3)]
	if g.one(8) {
		g.xhtml()
	} else {
		g.html()
	}
	return g.page
}

// A generator writes one page.
type generator struct {
	r      *rand.Rand
	page   page
	encode *encoding.Encoder // nil: UTF-8
	script string            // characters of the language of the page
	names  int               // distinct names of references so far
	depth  int               // of nested elements
	left   int               // how many blocks may follow

	leftOut []string // words of the markup that the page does not have
}

// one reports true in one of n cases.
func (g *generator) one(n int) bool { return g.r.IntN(n) == 0 }

// pick returns one of the choices.
func (g *generator) pick(choices ...string) string { return choices[g.r.IntN(len(choices))] }

// maybe returns the text, or "" in half of the cases.
func (g *generator) maybe(text string) string {
	if g.one(2) {
		return text
	}
	return ""
}

// field adds a field of the header.
func (g *generator) field(name, value string) {
	g.page = append(g.page, part{field: true, text: name + ": " + value})
}

// bytes adds bytes of the body.
func (g *generator) bytes(b string) {
	if b != "" {
		g.page = append(g.page, part{text: b})
	}
}

// write adds text of the body, in the encoding of the page.
func (g *generator) write(texts ...string) {
	for _, text := range texts {
		lower := strings.ToLower(text)
		if slices.ContainsFunc(g.leftOut, func(word string) bool { return strings.Contains(lower, word) }) ||
			strings.Contains(lower, "<!--") && (strings.Contains(lower, "<script") || strings.Contains(lower, "<!--<")) || g.leftOut[0] == "<svg" && strings.Contains(lower, "<col") {
			continue
		}
		if g.encode != nil {
			encoded, err := g.encode.String(text)
			if err != nil {
				panic(err)
			}
			text = encoded
		}
		g.bytes(text)
	}
}

// name returns a new name of a file.
func (g *generator) name() string {
	g.names++
	return fmt.Sprint("p", g.names)
}

// letters returns some characters of the language of the page.
func (g *generator) letters() string {
	letters := []rune(g.script)
	if len(letters) == 0 {
		return g.pick("x", "word", "Some text", "a b")
	}
	from := g.r.IntN(len(letters))
	return string(letters[from:min(len(letters), from+1+g.r.IntN(4))])
}

// languages are encodings with characters that they have.
var languages = []struct {
	name, script string
	labels       []string
}{
	{"utf-8", "éßжя中文日本語한국어😀\u00a0ﬁ", []string{"utf-8", "UTF-8", "utf8", "unicode-1-1-utf-8"}},
	{"windows-1251", "Приветжящюё№", []string{"windows-1251", "cp1251", "Windows-1251", "x-cp1251"}},
	{"windows-1252", "éàßüñ€“”–ÿ", []string{"windows-1252", "iso-8859-1", "latin1", "us-ascii", "ISO_8859-1:1987"}},
	{"iso-8859-2", "ąćęłńóśźżč", []string{"iso-8859-2", "latin2"}},
	{"iso-8859-15", "éàŠšŽžŒœŸ€", []string{"iso-8859-15", "l9"}},
	{"koi8-r", "Приветжящюё", []string{"koi8-r", "koi", "KOI8-R"}},
	{"koi8-u", "Привітїєґ", []string{"koi8-u", "koi8-ru"}},
	{"windows-1250", "ąćęłńóśźżč", []string{"windows-1250"}},
	{"windows-1254", "ğışçö", []string{"iso-8859-9", "windows-1254"}},
	{"iso-8859-5", "Привет", []string{"iso-8859-5", "cyrillic"}},
	{"iso-8859-7", "Ελλάδα", []string{"iso-8859-7", "greek"}},
	{"macintosh", "éàßü", []string{"macintosh", "x-mac-roman"}},
	{"shift_jis", "日本語ページ表ソ能ｱｲ", []string{"shift_jis", "x-sjis", "Shift_JIS", "ms_kanji", "windows-31j"}},
	{"euc-jp", "日本語ページ表ソ能", []string{"euc-jp", "x-euc-jp"}},
	{"iso-2022-jp", "日本語ページ", []string{"iso-2022-jp", "csiso2022jp"}},
	{"gbk", "中文网页目录", []string{"gbk", "gb2312", "GB_2312-80", "chinese", "x-gbk"}},
	{"gb18030", "中文网页目录😀", []string{"gb18030"}},
	{"big5", "中文網頁目錄功", []string{"big5", "big5-hkscs", "x-x-big5"}},
	{"euc-kr", "한국어페이지", []string{"euc-kr", "ks_c_5601-1987", "korean", "windows-949"}},
}

// useLanguage writes the rest of the page in the encoding.
func (g *generator) useLanguage(name, script string) {
	g.script, g.encode = script, nil
	if name == "utf-8" {
		return
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		panic(err)
	}
	g.encode = encoding.HTMLEscapeUnsupported(enc.NewEncoder())
}

// charset writes the beginning of an HTML page: the fields and markup that declare its encoding.
func (g *generator) charset() {
	language := languages[g.r.IntN(len(languages))]
	label := language.labels[g.r.IntN(len(language.labels))]
	other := g.pick("utf-8", "windows-1251", "iso-8859-2", "iso-8859-15", "koi8-r", "windows-1252") // decoders of others differ in invalid bytes
	contentType := g.pick("text/html", "text/html", "text/html", "TEXT/HTML", "text/html;", " text/html ", "text/html; x=y")
	start := true // the declaration is where a browser looks for it
	switch g.r.IntN(12) {
	case 0, 1, 2: // header
		g.header(label, other)
		g.useLanguage(language.name, language.script)
		if g.one(2) {
			g.declare(other)
		}
		return
	case 3, 4, 5, 6: // page
		g.contentType(contentType)
		g.noise(other)
		g.useLanguage(language.name, language.script)
		g.declare(label)
		if g.one(4) {
			g.declare(other)
		}
		start = false
	case 7: // XML declaration
		g.contentType(contentType)
		g.useLanguage(language.name, language.script)
		g.write(g.pick(`<?xml version="1.0" encoding="`+label+`"?>`, `<?xml version='1.0' encoding = '`+label+`' ?>`, `<?xml encoding="`+label+`"`+"\n?>"))
		if g.one(4) {
			g.declare(other)
		}
	case 8: // UTF-8 with a byte order mark
		if g.one(2) {
			g.header(other, other)
		} else {
			g.contentType(contentType)
		}
		g.useLanguage("utf-8", languages[0].script)
		g.bytes("\xef\xbb\xbf")
		if g.one(2) {
			g.declare(other)
		}
	case 9: // UTF-16 with a byte order mark
		if g.one(2) {
			g.header(other, other)
		} else {
			g.contentType(contentType)
		}
		if g.one(2) {
			g.useLanguage("utf-16le", languages[0].script)
			g.bytes("\xff\xfe")
		} else {
			g.useLanguage("utf-16be", languages[0].script)
			g.bytes("\xfe\xff")
		}
		if g.one(2) {
			g.declare(other)
		}
	case 10: // none that is valid, in UTF-8
		g.contentType(contentType)
		g.useLanguage("utf-8", languages[0].script)
		g.noise(other)
		if g.one(2) {
			g.declare(g.pick("utf-9", "none", "", "foo", "8859-1 x"))
		}
	case 11: // labels that mean another encoding in a page
		g.contentType(contentType)
		g.useLanguage("utf-8", languages[0].script)
		g.declare(g.pick("utf-16", "utf-16le", "utf-16be", "unicode", "x-user-defined"))
	}
	if start && g.one(2) {
		g.noise(other)
	}
}

// contentType adds a Content-Type, or none: the page is then recognized by its first bytes.
func (g *generator) contentType(value string) {
	switch g.r.IntN(12) {
	case 0:
		g.recognizable("")
	case 1:
		g.recognizable(g.pick("*/*", "unknown/unknown", "application/unknown", "text"))
	case 2:
		g.field("Content-Type", g.pick("text/html, text/html", "text/plain, text/html", "*/*, text/html", "text/html,", ",text/html", "text/html, */*", `text/html;x=",text/plain"`))
	case 3:
		g.field("Content-Type", g.pick("text/plain", "image/png", "x", "*/*"))
		g.field("Content-Type", "text/html")
	default:
		g.field("Content-Type", value)
	}
}

// recognizable begins a page that a browser recognizes as HTML, with the Content-Type that makes
// it look.
func (g *generator) recognizable(contentType string) {
	if contentType != "" {
		g.field("Content-Type", contentType)
	}
	g.bytes(g.pick("<!doctype html>", "<!DOCTYPE HTML>", "<html>", "\n <html lang=en>", "<head>", "<title>x</title>", "<!-- x -->", "<p>", "<body>", "<h1>x</h1>", "<table>", "<a >", "<script></script>", "<style></style>", "<iframe></iframe>", "<br>", "<div>", "<font>", "<b>"))
}

// header adds a Content-Type with a charset.
func (g *generator) header(label, other string) {
	switch g.r.IntN(16) {
	case 0:
		g.field("Content-Type", `text/html; charset="`+label+`"`)
	case 1:
		g.field("Content-Type", "text/html;charset="+label+"; charset="+other)
	case 2:
		g.field("Content-Type", "Text/HTML ;Charset="+strings.ToUpper(label))
	case 3:
		g.field("Content-Type", "text/html, text/html; charset="+label)
	case 4:
		g.field("Content-Type", "text/html; charset="+label+", text/html")
	case 5:
		g.field("Content-Type", "text/html; charset="+other)
		g.field("Content-Type", "text/html; charset="+label)
	case 6:
		g.field("Content-Type", "text/html; charset="+label)
		g.field("Content-Type", "text/html")
	case 7:
		g.field("Content-Type", "text/plain; charset="+other)
		g.field("Content-Type", "text/html; charset="+label)
	case 8:
		g.field("Content-Type", "text/html;; charset="+label+";")
	case 9:
		g.field("Content-Type", `text/html; x="y; charset=`+other+`"; charset=`+label)
	case 10:
		g.field("Content-Type", "text/html;\tcharset="+label+" ")
	case 11:
		g.field("Content-Type", `text/html; charset="\`+label+`"`)
	default:
		g.field("Content-Type", "text/html; charset="+label)
	}
}

// noise writes what a browser does not take for a declaration.
func (g *generator) noise(label string) {
	for g.one(2) {
		g.write(g.pick(
			"<!doctype html>", "<html>", "<head>", " \n", "<!-- <meta charset="+label+"> -->", "<!-- > <meta charset="+label+"> -->",
			"<? <meta charset="+label+" ?>", `<p title="<meta charset=`+label+`>">`, `</p title='<meta charset=`+label+`>'>`,
			"<meta name=charset content="+label+">", "<meta content='text/html; charset="+label+"'>", "<metacharset="+label+">", "<meta http-equiv=content-type>",
			"<meta data-charset="+label+">", "<meta http-equiv=x content='text/html; charset="+label+"'>", "<meta http-equiv=content-type content=text/html>",
			"<meta charset=utf-9>", "<meta charset=''>", "<!x <meta charset="+label+">", "<meta name=viewport content='width=device-width'>",
		))
	}
}

// declare writes a meta element that declares the encoding.
func (g *generator) declare(label string) {
	g.write(g.pick(
		"<meta charset="+label+">", `<meta charset="`+label+`">`, "<META CHARSET='"+label+"'/>", "<meta/charset="+label+" >", "<meta charset = '"+label+"'>",
		`<meta charset=" `+label+` ">`, "<meta x=y charset="+label+" x=z>", "<meta\ncharset="+label+"\n>",
		`<meta http-equiv="Content-Type" content="text/html; charset=`+label+`">`, `<meta content='text/html;charset=`+label+`' http-equiv=content-type>`,
		`<meta http-equiv=CONTENT-TYPE content="charset = '`+label+`'">`, `<meta http-equiv=content-type content='text/html; charset="`+label+`" x'>`,
		`<meta http-equiv=content-type content="charset charset=`+label+`;x">`, `<meta http-equiv="content-type" content="text/html; charset=`+label+`" charset="`+label+`">`,
	))
}

// html writes an HTML page.
func (g *generator) html() {
	g.charset()
	g.write(g.pick("", "", "<!doctype html>", "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\">", "text before ", "<!-- x -->\n"))
	g.write(g.pick("", "<html>", "<html lang=en><head>", "<head>", "</head>", "<HTML><HEAD profile=x>"))
	for range g.r.IntN(6) {
		g.metadata()
	}
	if g.one(12) {
		g.frameset()
		return
	}
	g.write(g.pick("", "</head>", "</head><body>", "<body class=x>", "<p>"))
	for range 1 + g.r.IntN(3) {
		g.left = 4 + g.r.IntN(6)
		g.blocks()
	}
	switch g.r.IntN(10) {
	case 0:
		g.write("</body></html>")
		g.left = 2
		g.blocks()
	case 1:
		g.write("<plaintext>")
		g.link()
	case 2:
		g.write(g.pick("<a href="+g.name(), `<a href="`+g.name(), "<!-- <a href="+g.name()+">", "<title><a href="+g.name()+">", "<textarea>x<a href=x>", "<script><!--<script></script><a href=x>", "</", "<a", "<", "&", "&am", "<svg><![CDATA[<a href=x>"))
	}
}

// metadata writes an element of the head.
func (g *generator) metadata() {
	switch g.r.IntN(14) {
	case 0, 1:
		g.base()
	case 2, 3:
		g.title()
	case 4:
		g.canonical()
	case 5:
		g.relation()
	case 6:
		g.refresh()
	case 7:
		g.comment()
	case 8:
		g.rawText()
	case 9:
		g.template()
	case 10:
		g.noscript()
	case 11:
		g.link()
	case 12:
		g.write(g.pick("<link rel=stylesheet href="+g.name()+">", "<meta name=description content='<a href=x>'>", "<script src="+g.name()+"></script>", "<bgsound src=x>", "</title>", "<head>", "<html class=x>", "</p>", "</br>", " "))
	case 13:
		g.base()
		g.canonical()
	}
}

// base writes a base element, or something like it.
func (g *generator) base() {
	ref := g.pick("/base/", "sub/folder/", "../up/", "http://base.example/dir/", "https://base.example/dir/file.html?q=1#f", "//other.example/x", " /spaces/ ", "\t/tab/\n", "", " ", "?base", "#base",
		"data:text/html,x", "javascript:x", "mailto:x@example.org", "ftp://ftp.example/dir/", "\u00a0/nbsp/", "HTTP://BASE.example:80/a/../b/", `\back\slash\`, "http:relative/", "/a%zz/", "/"+g.letters()+"/")
	tag := "<base" + g.attribute("href", ref) + ">"
	switch g.r.IntN(10) {
	case 0:
		g.write("<base target=_blank>")
	case 1:
		g.write("<svg>", tag, "</svg>")
	case 2:
		g.write("<template>", tag, "</template>")
	case 3:
		g.write("<base href>")
	case 4:
		g.write("<!--", tag, "-->")
	case 5:
		g.write("<noscript>", tag, "</noscript>")
	case 6:
		g.write(tag, "</base>")
	default:
		g.write(tag)
	}
}

// title writes a title element, or something like it.
func (g *generator) title() {
	text := g.pick("Title", "  a \n b\t", "<b>x</b>", "&lt;x&gt; &amp", "<!-- x -->", "a&nbsp;b", "\u00a0x\u3000y", "&#128; &hellip;", "", " ", "x</titl", "\x00", "a\fb") + g.letters()
	switch g.r.IntN(10) {
	case 0:
		g.write("<svg>", "<title>", text, "</title>", "</svg>")
	case 1:
		g.write("<template>", "<title>", text, "</title>", "</template>")
	case 2:
		g.write("<svg>", "<desc>", "<title>", text, "</title>", "</desc>", "</svg>")
	case 3:
		g.write("<math>", "<title>", text, "</title>", "</math>")
	case 4:
		g.write("<title/>", text, "</title>")
	case 5:
		g.write("<TITLE class=x>", text, "</Title\n>")
	case 6:
		g.write("<noscript>", "<title>", text, "</title>", "</noscript>")
	default:
		g.write("<title>", text, "</title>")
	}
}

// canonical writes a link element with rel=canonical.
func (g *generator) canonical() {
	rel := g.pick("canonical", "canonical", "CANONICAL", "canonical alternate", "nofollow\ncanonical", "\"canonical\"", "canonical-x", "xcanonical", "canonical\u00a0x", "canonical shortlink", "alternate\fcanonical", "canonical,x")
	ref := g.reference()
	if g.one(6) {
		ref = ""
	}
	tag := "<link" + g.attribute("rel", rel) + g.attribute("href", ref) + g.pick(">", "/>", " >", " title=x>")
	switch g.r.IntN(8) {
	case 0:
		g.write("<svg>", tag, "</svg>")
	case 1:
		g.write("<template>", tag, "</template>")
	case 2:
		g.write("<!--", tag, "-->")
	case 3:
		g.write("<noscript>", tag, "</noscript>")
	default:
		g.write(tag)
	}
}

// relation writes a link element with rel=next or rel=prev.
func (g *generator) relation() {
	g.write("<link" + g.attribute("rel", g.pick("next", "prev", "Next", "x prev", "next nofollow", "nextx", "x\nnext")) + g.attribute("href", g.reference()) + ">")
}

// refresh writes a meta element that loads another page after a time.
func (g *generator) refresh() {
	name := g.name()
	content := g.pick("60;url="+name, "60; URL='"+name+"' x", "60,"+name, "60 "+name, "60;"+name, "60", " 60.5 ; url = "+name, "x;url="+name, "60x;url="+name, ".5;url="+name, "60;ur="+name, `60;url="`+name, "60;url", "60;url=", "60;;url="+name, "-60;url="+name, "60;\u00a0url="+name, "60;url=http://example.org/"+name+"#f", "60;url=javascript:x", "60;url= "+name+" ", "60;url="+g.letters(), "60;urlx", "60; url\n=\n'"+name+`"'`, "+60;url="+name, "")
	g.write("<meta" + g.attribute("http-equiv", g.pick("refresh", "Refresh", "REFRESH", "refresh", " refresh")) + g.attribute("content", content) + ">")
}

// frameset writes a page of frames.
func (g *generator) frameset() {
	g.write("<frameset cols=*>")
	for range 1 + g.r.IntN(4) {
		switch g.r.IntN(6) {
		case 0:
			g.write("<frameset>")
		case 1:
			g.write("<noframes>")
			g.link()
			g.write("</noframes>")
		case 2:
			g.link()
		case 3:
			g.comment()
		default:
			g.write("<frame" + g.attribute("src", g.reference()) + ">")
		}
	}
	g.write(g.pick("", "</frameset>", "</frameset></html>"))
	g.link()
}

// blocks writes content of the body, as much as is left.
func (g *generator) blocks() {
	for g.left > 0 {
		g.left--
		g.block()
	}
}

// inside writes some content of an element.
func (g *generator) inside() {
	if g.depth > 5 {
		g.link()
		return
	}
	g.depth++
	for range 1 + g.r.IntN(3) {
		g.block()
	}
	g.depth--
}

// block writes a piece of the body.
func (g *generator) block() {
	switch g.r.IntN(32) {
	case 0:
		g.write(g.pick(" ", "text", "a < b", "&amp;&lt", "<3", "</3>", "\x00", "&#0;", "<\u00e9>") + g.letters())
	case 1, 2:
		tag := g.pick("p", "div", "li", "ul", "dl", "dd", "dt", "span", "b", "i", "font", "nobr", "h1", "h2", "form", "button", "pre", "listing", "address", "article", "main", "object", "marquee", "applet", "center", "u", "code", "ruby", "rt", "rp", "rtc", "video", "canvas", "label", "fieldset", "details", "summary", "dialog", "search", "custom-tag", "x:y", "image", "menu", "strike")
		g.write("<" + tag + g.maybe(" class=x") + ">")
		g.inside()
		if g.one(3) {
			tag = g.pick("p", "div", "b", "span", "body", "html", "br", "table", "form", "h3", "a", "x", "sarcasm", "template", "svg", "select")
		}
		if !g.one(5) {
			g.write("</" + tag + ">")
		}
	case 3:
		g.comment()
	case 4:
		g.rawText()
	case 5:
		g.template()
	case 6:
		g.shadow()
	case 7, 8, 9:
		g.svg()
	case 10:
		g.math()
	case 11, 12:
		g.table()
	case 13:
		g.selection()
	case 14:
		g.noscript()
	case 15:
		g.write(g.pick("<b><i>", "<b><p>", "<a>", "<font><nobr>"))
		g.inside()
		g.write(g.pick("</b></i>", "</b></p>", "</a>", "</font></nobr>", "</p></i></b>"))
	case 16:
		g.write("<a" + g.attribute("href", g.reference()) + ">")
		g.inside()
		g.write(g.maybe("</a>"))
	case 17:
		g.metadata()
	case 18:
		g.write(g.pick("<body class=x>", "<html id=x>", "<head>", "</body>", "</html>", "</head>", "<frameset>", "<frame src=x>", "<br/>", "<hr>", "<img src=x>", "<input type=hidden>", "</p>", "</br>", "<col>", "<tr>", "<td>", "<option>", "<isindex>", "<keygen>", "<source>", "<param>", "<wbr>", "<embed>", "<area>", "<caption>", "</select>", "</table>", "</template>", "</svg>"))
	default:
		g.link()
	}
}

// link writes an element that refers to another page.
func (g *generator) link() {
	switch g.r.IntN(16) {
	case 0:
		g.write("<map><area" + g.attribute("href", g.reference()) + "></map>")
	case 1:
		g.write("<iframe"+g.attribute("src", g.reference())+">", g.maybe("<a href=x>"), "</iframe>")
	case 2:
		g.write("<svg>", "<a"+g.attribute("xlink:href", g.reference())+g.pick(">", "/>"), "<text>x</text>", "</svg>")
	case 3:
		g.write("<svg>", "<a"+g.attribute("href", g.reference())+">", "</a>", "</svg>")
	case 4:
		g.write(g.pick("<a>", "<a name=x>", "<area>", "<a href=''>", "<a href>", "<a href= >", "<a data-href=x>", "<a HREF=x_y id=z>", "<a xlink:href=x>", "<a href=a href=b>", "<img href=x>", "<a href=lt <b>", "<a/href=slash>", "<a =x href=eq>", "<a href=unq/>", "<a href='q'title=x>", "<a href=\"q\"\"x\">", "<a title='>' href=gt>", "<a href=n\x00ul>", "<a\x00 href=x>", "<a\fhref\n=\r'ws'>", "<a x\x00=y href=z>", "<a href=a`b'c\"d>", "<a href==eq>", "<a href='' href=second>", "<a 'href'=x>", "<a href ='x' / id=y>", "<a href=\r\ncrlf>", "<a href='a\rb\r\nc'>", "<a\tHREF\t=\ttab\t>", "<a title=\"\nx\" href=nl>", "<A href=upper>", "<a href=x?a&b=1&lt>", "<abbr href=x>"), g.letters(), "</a>")
	default:
		g.write("<"+g.pick("a", "a", "A")+g.maybe(" class=x")+g.attribute(g.pick("href", "href", "HREF"), g.reference())+g.pick(">", ">", "/>", " >", " rel=nofollow>", "\n>", " x>"), g.maybe(g.letters()), g.maybe("</a>"))
	}
}

// attribute writes an attribute in one of the ways that HTML has.
func (g *generator) attribute(name, value string) string {
	switch g.r.IntN(6) {
	case 0:
		return " " + name + "='" + strings.ReplaceAll(value, "'", "&#39;") + "'"
	case 1:
		if value != "" && !strings.ContainsAny(value, " \t\n\f\r>\"'`=<") && !strings.HasSuffix(value, "/") {
			return " " + name + "=" + value
		}
	case 2:
		return "\n" + name + " = \"" + strings.ReplaceAll(value, `"`, "&#x22;") + `"`
	case 3:
		return "/" + name + `="` + strings.ReplaceAll(value, `"`, "&QUOT;") + `"`
	}
	return " " + name + `="` + strings.ReplaceAll(value, `"`, "&quot;") + `"`
}

// reference returns a reference as an attribute has it: it may have character references.
func (g *generator) reference() string {
	p := g.name()
	switch g.r.IntN(12) {
	case 0, 1: // characters of the language
		return g.pick(p+g.letters(), "?q="+g.letters(), p+"?q="+g.letters()+"&amp;r=1", p+"?a=ж€é中", p+"ж€é中", "/"+g.letters()+"/"+p+"?"+g.letters()+"#"+g.letters(), p+"?&#x416;&eacute;", p+"?\u00a0", p+"?😀", "http://example.org/"+p+"?"+g.letters(), "https://example.org?"+p+g.letters(), p+"?"+g.letters()+"'\"<>", "//example.org/"+g.letters()+p)
	case 2: // white space
		return g.pick(" "+p+" ", "\t"+p+"\n", "\f"+p+"\f", "&#x20;"+p, "&Tab;"+p+"&NewLine;", "\u00a0"+p, p+"\u00a0", "&nbsp;"+p+"&nbsp;", "\u3000"+p, p+"\u2003", p+"\u2028", "\u0085"+p, p+"\u0085", "\ufeff"+p, p+"\u200b", "\x01"+p+"\x1f", "\v"+p, "p\nq"+p, "p\tq\t"+p, "p\r\nq"+p, "p q"+p, p+"?a b", p+" #f", "\u00a0http://example.org/"+p, " http://example.org/"+p+" ", "ht\ntp://example.org/"+p, "http://example.org/"+p+"\u00a0", p+"&#13;x", "&#133;"+p, "&#12;"+p)
	case 3: // character references
		return g.pick(p+"?a=1&amp;b=2", p+"?a=1&b=2&copy=3", p+"?a&ampx=1", p+"?&lt=1&lt;2", "&#x70;"+p, p+"&#x2F;x", "&#128;"+p, p+"&#0;", p+"&#xD800;", p+"&notit;", p+"&notin;", p+"&NotEqualTilde;", p+"&hellip;", p+"&nosuch;", p+"&", p+"&#", p+"&#x", p+"&#x110000;", p+"?x&reg_=1", p+"?x&reg=1&regx&reg;", p+"&colon;x", p+"&sol;x", p+"&AMP;b&AMPb", p+"&#65x", p+"&#x41", p+"?a=1&amp", p+"&copy", p+"&num;f", p+"&quest;q", "&#0047;"+p, p+"&Amp;", p+"&apos;&apos", p+"&#1;", p+"&#xfffe;", p+"&CounterClockwiseContourIntegral;", p+"&ngt;&ngE;")
	case 4: // hosts
		return g.pick("http://bücher.example/", "http://BÜCHER.example/", "http://faß.example/", "http://例え.テスト/", "http://ex%61mple.org/", "http://1.2.3/", "http://0x7f.1/", "http://256/", "http://0300.168.0.1/", "http://1.2.3.4.5/", "http://[::1]:8080/", "http://[1::2:0:0:3]/", "http://[::1.2.3.4]/", "http://[x]/", "http://exa mple.org/", "http://example.org:99999/", "http://example.org:/", "http://example.org:080/", "http://example.org./", "http://a..b/", "http://-a.example/", "http://a_b.example/", "http:// /", "http://%00/", "http://a%b/", "http://user:pw@example.org/", "http://u@h.example/", "http://@example.org/", "http://a@b@example.org/", "http://example.org%2f/", "http://ｅｘａｍｐｌｅ.org/", "http://例。jp/", "http://xn--bcher-kva.example/", "http://example.org:443/", "https://example.org:443/", "https://example.org:80/", "http://a\u00adb.example/", "http://1.2.3.0x100/", "http://0x/", "http://a|b/", "http://a^b/", "http://{x}/", "http://*.example/", "http://!$&'()+,;=.example/", "http://ä.example:81/") + p
	case 5: // schemes
		return g.pick("mailto:"+p+"@example.org", "javascript:"+p, "data:text/html,"+p, "tel:1", "ftp://ftp.example/"+p, "file:///"+p, "about:blank", "x:"+p, "ws://example.org/"+p, "javascript&colon;"+p, "java\nscript:"+p, "http:"+p, "https:"+p, "http:/"+p, "https:/example.org/"+p, "http:///example.org/"+p, `http:\\example.org\`+p, "HTTP://EXAMPLE.org:80/"+p, "hTTps://Example.ORG/"+p, "http://example.org?"+p, "http://example.org#"+p, `http://example.org\`+p, "http://", "http:", "https://", "http:?"+p, "http:#"+p, "//", "///example.org/"+p, "//example.org/"+p, "//example.org:80/"+p, `/\example.org/`+p, `\\example.org/`+p, "://"+p, ":"+p, "1:"+p, "a+b-c.d:"+p, "blob:http://example.org/"+p, "view-source:http://example.org/", "httpx://example.org/"+p, "%68ttp://example.org/"+p)
	case 6: // paths
		return g.pick("./"+p, "../"+p, "../../../../"+p, "/"+p, "/x/../"+p, "/./"+p+"/.", p+"/..", "%2e%2e/"+p, "/a/%2E./"+p, ".%2e/"+p, `\`+p, `a\..\`+p, `a/b/..\..\`+p, p+"//x///y", "//..//"+p, "..", ".", "/", "/..", "/.//"+p, p+"/./", p+"/%2e", ".../"+p, "..."+p, p+";x=1", p+":80", "./"+p+":80", p+"@x", "/"+p+"?x/../y", p+"/../?q", "/C:/"+p, "/C|/"+p, "....//"+p)
	case 7: // characters that are escaped, or not
		return g.pick(p+"|^", p+"?a|b^c", p+"`{}", p+`"<>`, p+"?'<>`{}", p+"%", p+"%4", p+"%zz", p+"?%zz%", p+"%41%7e%ff", p+"?%41%7E%ff", p+"[]", p+"?[]", p+`\x`, p+`?\x`, p+"$!*()+,", p+"~_-.", p+"?"+p+"?x", p+"?x=#y#z", p+"\x7f", p+"\u0080", p+"\ue000", p+"\ufdd0", p+"\U0010ffff", p+"\ufffd", p+"\x02x", p+"?\x02x", p+"%00", p+"%2f%5c", p+"'", p+"?'")
	case 8: // nothing but a query or a fragment
		return g.pick("", "?", "#", "#"+p, "?"+p, p+"#f", p+"?", p+"?#", p+"#?x", "?"+p+"#f#g", " ", "?#", "&#35;f", "#\u00a0")
	default:
		return p
	}
}

// comment writes a comment, or what is read as one, with a link in it.
func (g *generator) comment() {
	p := g.name()
	a := "<a href=" + p + ">"
	g.write(g.pick("<!--"+a+"-->", "<!-->"+a+"-->", "<!--->"+a+"-->", "<!----!>"+a, "<!--"+a+"--!>", "<!-- "+a+" -- >"+a+"-->", "<!- "+a+" ->", "<! "+a+" >", "<?pi "+a+"?>", "</ "+a+">", "<!"+a, "<?"+a, "</"+a, "</>"+a, "<!--"+a+"--->", "<!--<!--"+a+"-->", "<!-- <!-- --> "+a+" -->", "<![CDATA["+a+"]]>", "<!doctype "+a+">", "<!--[if IE]>"+a+"<![endif]-->", "<![if !IE]>"+a+"<![endif]>", "<!--[if !IE]><!-->"+a+"<!--<![endif]-->", "<!--x--\n>"+a+"-->", "<!>"+a, "<!--\x00"+a+"-->", "<!-- -- -- "+a+"-->", "<!--"+a+"--", "<!doctype x '>"+a+"'>", "<!--x<!"+a+"-->", "<!--x<!-->"+a, "<?xml version='1.0'?>"+a, "<%"+a+"%>", "</1"+a+">") + g.maybe("-->"))
}

// rawText writes an element of raw text with a link in it, and a link after it.
func (g *generator) rawText() {
	tag := g.pick("script", "script", "style", "textarea", "xmp", "iframe", "noembed", "noframes", "title", "SCRIPT", "Style")
	a := "<a href=" + g.name() + ">"
	end := "</" + tag + g.pick(">", ">", " >", "/>", "\n>", " x='>'>", "\x00>", "x>", "")
	g.write("<"+tag+g.pick("", "", " type=text/template", " x", "/")+">", g.pick(a, "\n"+a, "x"+a+"</p>", "<!--"+a+"-->", "<!--"+a, "<!--<"+tag+">"+a+"</"+tag+">"+a+"-->", "<!--<script>"+a+"</script>"+a, "<!-- <script "+a+"</script> --> "+a, "</"+tag[:1]+a, "</ "+tag+">"+a, "<!-->"+a, "<!--->"+a+"<script>", "<!--<script></scripts>"+a+"</script/>"+a, "&lt;/"+tag+"&gt;"+a, "]]>"+a, "\x00", "</"+tag+a, ""), end)
	g.link()
	g.write(g.maybe("</" + strings.ToLower(tag) + ">"))
}

// noscript writes a noscript element: scripts do not run, so that its content is markup.
func (g *generator) noscript() {
	g.write("<noscript>")
	switch g.r.IntN(3) {
	case 0:
		g.write("<link" + g.attribute("rel", "canonical") + g.attribute("href", g.reference()) + ">")
	case 1:
		g.write("<img src=x>")
		g.link()
	default:
		g.link()
	}
	g.write(g.pick("</noscript>", "</noscript>", "</noscript>", "", "</head></noscript>"))
}

// template writes a template element: nothing in it is part of the page.
func (g *generator) template() {
	g.write("<template" + g.maybe(" id=x") + ">")
	switch g.r.IntN(8) {
	case 0:
		g.write("<tr><td>")
	case 1:
		g.write("<template>")
		g.inside()
		g.write(g.maybe("</template>"))
	case 2:
		g.write("<svg><template>")
		g.link()
		g.write("</template></svg>")
	case 3:
		g.write("<title>in a template</title><base href=/template/><link rel=canonical href=/template>")
	case 4:
		g.write("<col>")
	case 5:
		g.write("</body></html><body x=y>")
	}
	g.inside()
	g.write(g.pick("</template>", "</template>", "</template>", "</template>", "</div></template>", "</TEMPLATE >", ""))
}

// shadow writes an element with a declarative shadow root: its content is shown to visitors. No link is
// open around it.
func (g *generator) shadow() {
	if g.depth > 0 {
		return
	}
	g.write("</a><"+g.pick("div", "section", "x-y")+">", "<template"+g.attribute("shadowrootmode", g.pick("open", "OPEN", "open", "invalid", ""))+">")
	g.inside()
	g.write("</template>")
	g.link()
	g.write("</div>")
}

// svg writes a drawing.
func (g *generator) svg() {
	start := g.pick("<svg>", "<svg>", "<SVG width=1>", "<svg xmlns='http://www.w3.org/2000/svg'>", "<svg/>")
	g.write(start)
	inside := start != "<svg/>"
	for range 1 + g.r.IntN(4) {
		a := "<a href=" + g.name() + ">"
		switch g.r.IntN(16) {
		case 0:
			if !inside {
				continue
			}
			g.write("<foreignObject>")
			g.inside()
			g.write("</foreignObject>")
		case 1:
			g.write("<desc>")
			g.inside()
			g.write("</desc>")
		case 2:
			g.write("<title>", a, "</title>")
		case 3:
			g.write(g.pick("<p>", "<font color=red>", "<font>", "<div>", "<table>", "<img>", "</p>", "</br>", "<body>", "<FONT Size=1>", "<font x>"))
			inside = false
		case 4:
			g.write(g.pick("<script>", "<style>", "<textarea>", "<xmp>", "<title>", "<iframe>", "<noscript>", "<select>"), a, g.pick("</script>", "</style>", "</textarea>", "</title>", "</noscript>", ""))
		case 5:
			g.write(g.pick("<script/>", "<style/>", "<title/>", "<desc/>", "<foreignObject/>", "<a href=x/>", "<g/>"), a, g.maybe("</a>"))
		case 6:
			g.write(g.pick("<![CDATA["+a+"]]>", "<![CDATA[x]]"+a+"]]>", "<![CDATA[", "<!--"+a+"-->", "<![cdata["+a+"]]>", "<?x "+a+">", "<![CDATA[]]]]>"+a, "<![CDATA[\x00]]>"))
		case 7:
			g.write("<a"+g.attribute(g.pick("href", "xlink:href", "XLINK:HREF", "xml:href", "x:href"), g.reference())+g.attribute(g.pick("href", "xlink:href"), g.reference())+">", "<text>", g.letters())
		case 8:
			g.write("<g>", a, g.maybe("</a>"), g.maybe("</g>"))
		case 9:
			g.write("<svg>", a, "</svg>")
		case 10:
			g.write("<math>", a, "</math>")
		case 11:
			g.write("<template>", a, "</template>")
		case 12:
			g.write("<image href=x>", "<use href=x>", "<area href="+g.name()+">", "<iframe src="+g.name()+"></iframe>", "<base href=/svg/>", "<link rel=canonical href=x>")
		default:
			g.link()
		}
	}
	g.write(g.pick("</svg>", "</svg>", "</svg>", "</SVG >", "", "</g></svg>", "</p>"))
}

// math writes a formula.
func (g *generator) math() {
	g.write("<math>")
	for range 1 + g.r.IntN(3) {
		a := "<a href=" + g.name() + ">"
		switch g.r.IntN(8) {
		case 0:
			g.write("<annotation-xml"+g.attribute("encoding", g.pick("text/html", "application/xhtml+xml", "TEXT/HTML", "x", "application/mathml+xml"))+">", a, g.maybe("</a>"), "</annotation-xml>")
		case 1:
			g.write(g.pick("<mi>", "<mo>", "<mtext>", "<ms>", "<mn>"))
			g.inside()
			g.write(g.pick("</mi>", "</mtext>", ""))
		case 2:
			g.write("<annotation-xml><svg>", a, "</svg></annotation-xml>")
		case 3:
			g.write("<mtext><mglyph>", a, "</mglyph></mtext>")
		case 4:
			g.write("<![CDATA["+a+"]]>", "<mrow href=x>", "<mi/>")
		case 5:
			g.write(g.pick("<p>", "<svg>", "</br>", "<script>", "<style>x</style>", "<title>x</title>"), a)
		default:
			g.write("<mrow>", "<mi>x</mi>", "</mrow>")
		}
	}
	g.write(g.pick("</math>", "</math>", "</p>", ""))
}

// table writes a table with some content that belongs before it.
func (g *generator) table() {
	g.write("<table>")
	for range 1 + g.r.IntN(5) {
		switch g.r.IntN(10) {
		case 0, 1:
			g.write("<tr>", "<td>")
			g.inside()
			g.write(g.maybe("</td>"), g.maybe("</tr>"))
		case 2:
			g.link()
		case 3:
			g.write("<caption>")
			g.inside()
			g.write(g.maybe("</caption>"))
		case 4:
			g.write(g.pick("<colgroup>", "<col>", "<colgroup><template>", "<colgroup><a href=x>"))
		case 5:
			g.write(g.pick("<tbody>", "<thead>", "<tfoot>", "</tbody>", "<tr>", "<th>", "<input type=hidden>", "<input>", "<form>", "</form>", "<style>a</style>", "<script></script>", "<select>", "text", "</p>", "<table>"))
		case 6:
			g.block()
		case 7:
			g.table()
		default:
			g.write("<td>", "<a"+g.attribute("href", g.reference())+">", g.maybe("x</a>"))
		}
	}
	g.write(g.pick("</table>", "</table>", "</table>", "", "</tbody></table>"))
}

// selection writes a select element.
func (g *generator) selection() {
	g.write(g.pick("<select>", "<select>", "<select multiple>", "<select><button>"))
	for range 1 + g.r.IntN(3) {
		switch g.r.IntN(4) {
		case 0:
			g.write(g.pick("<option>x", "<option>x</option>", "<optgroup>", "text", "<hr>", "<selectedcontent></selectedcontent>", "</button>", "<input>", "<textarea></textarea>"))
		case 1:
			g.inside()
		default:
			g.write("<option>")
			g.link()
			g.write(g.maybe("</option>"))
		}
	}
	g.write(g.pick("</select>", "</select>", "</select>", "</option></select>", "<select>", ""))
}
