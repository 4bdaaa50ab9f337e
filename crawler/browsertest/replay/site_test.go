package replay

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// serve serves a site on an address of this machine until the test ends. It returns the URL of the site, without a slash.
func serve(t *testing.T, address string, handler http.Handler) string {
	t.Helper()
	listener, err := net.Listen("tcp", address+":0")
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// A response is what the site of faults sends for a path.
type response struct {
	contentType string // default: text/html
	body        string
	charset     encoding.Encoding // nil: UTF-8
	coding      string            // Content-Encoding
	location    string            // of a redirect
	status      int
	chunks      bool // the body is sent in pieces
}

// page is an HTML page with a style, an image of its own, and what else head and body have.
func page(head, body string) string {
	return `<!doctype html><html lang="en"><head><title>A page</title><link rel="stylesheet" href="/style/base.css">` + head +
		`</head><body><h1>Grüße</h1>` + body + `</body></html>`
}

const imageElement = `<p><img src="/img/plain.png" alt="plain"></p>`

// faults are the pages of the site of faults, which a crawler must archive whole, and what they use. PNG images are drawn by the
// handler. OTHER stands for the URL of another host with the same files.
var faults = map[string]response{
	"/robots.txt":     {contentType: "text/plain", body: "User-agent: *\nDisallow: /private/\n"},
	"/style/base.css": {contentType: "text/css; charset=utf-8", body: `body { background: #eef; color: #123; font: 16px/1.5 monospace; margin: 20px } img { border: 2px solid #456 }`},

	// Codings of the body.
	"/coding-gzip.html":     {coding: "gzip", body: page(`<link rel="stylesheet" href="/style/gzip.css">`, imageElement)},
	"/style/gzip.css":       {contentType: "text/css", coding: "gzip", body: `h1 { color: #a00; background: url(/img/gzip.png) }`},
	"/coding-br.html":       {coding: "br", body: page(`<link rel="stylesheet" href="/style/br.css">`, imageElement)},
	"/style/br.css":         {contentType: "text/css", coding: "br", body: `h1 { color: #0a0; background: url(/img/br.png) }`},
	"/chunked.html":         {chunks: true, body: page(`<link rel="stylesheet" href="/style/chunked.css">`, imageElement+strings.Repeat("<p>A paragraph.", 300))},
	"/style/chunked.css":    {contentType: "text/css", chunks: true, body: strings.Repeat("p { color: #00a }\n", 300)},
	"/chunked-gzip.html":    {chunks: true, coding: "gzip", body: page(`<link rel="stylesheet" href="/style/chunked-br.css">`, imageElement)},
	"/style/chunked-br.css": {contentType: "text/css", chunks: true, coding: "br", body: `h1 { letter-spacing: 4px }`},
	"/coding-unknown.html":  {body: page(`<link rel="stylesheet" href="/style/unknown.css">`, imageElement)},
	"/style/unknown.css":    {contentType: "text/css", coding: "x-unknown", body: `h1 { color: #a0a; background: url(/img/unknown.png) }`},

	// Character encodings.
	"/latin1.html":      {contentType: "text/html; charset=iso-8859-1", charset: charmap.ISO8859_1, body: page(`<link rel="stylesheet" href="/style/latin1.css">`, "<p>caf\u00e9")},
	"/latin1-meta.html": {charset: charmap.ISO8859_1, body: page(`<meta charset="iso-8859-1">`, "<p>caf\u00e9")},
	"/style/latin1.css": {contentType: "text/css", charset: charmap.ISO8859_1, body: "@charset \"iso-8859-1\";\nh1::after { content: \"\u00e9t\u00e9\" }"},
	"/utf16.html":       {charset: unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), body: page("", imageElement)},
	"/shift-jis.html":   {contentType: "text/html; charset=shift_jis", charset: japanese.ShiftJIS, body: strings.ReplaceAll(page("", "<p>\u3053\u3093\u306b\u3061\u306f"+imageElement), "Grüße", "")},

	// Redirects.
	"/redirect.html":   {status: http.StatusFound, location: "/redirected.html"},
	"/redirected.html": {body: page(`<link rel="stylesheet" href="/style/moved.css">`, `<img src="/moved.png" alt="moved"><img src="/moved-twice.png" alt="moved twice"><img src="/moved-away.png" alt="moved to another host">`)},
	"/style/moved.css": {status: http.StatusMovedPermanently, location: "/style/gzip.css"},
	"/moved.png":       {status: http.StatusMovedPermanently, location: "/img/target.png"},
	"/moved-twice.png": {status: http.StatusTemporaryRedirect, location: "/moved.png"},
	"/moved-away.png":  {status: http.StatusFound, location: "OTHER/img/away.png"},

	// References.
	"/srcset.html": {body: page("", `<img src="/img/1x.png" srcset="/img/2x.png 2x, /img/3x.png 3x" alt="srcset">
		<picture><source media="(min-width: 5000px)" srcset="/img/wide.png"><source srcset="/img/picture.png"><img src="/img/fallback.png" alt="picture"></picture>
		<img srcset="/img/w100.png 100w, /img/w900.png 900w" sizes="80px" src="/img/w.png" alt="sizes">`)},
	"/imports.html": {body: page(`<style>@import "/style/a.css"; h2 { color: #c30; background: url("img/style.png") }</style>`, `<h2>imports</h2><p class="b">font</p><p style="background: url(/img/attribute.png)">attribute</p>`)},
	"/style/a.css":  {contentType: "text/css", body: `@import url("deep/b.css") screen; h2 { letter-spacing: 2px }`},
	"/style/deep/b.css": {contentType: "text/css", body: `@font-face { font-family: Own; src: url("../../own.ttf") format("truetype") }
		.b { font-family: Own; color: #063; background-image: url(../../img/deep.png) }`},
	"/own.ttf": {contentType: "font/ttf", body: string(gomono.TTF)},
	"/frames.html": {body: page("", `<iframe src="/framed.html" width="400" height="120"></iframe>
		<iframe src="OTHER/framed.html" width="400" height="120"></iframe>`)},
	"/framed.html":      {body: page(`<link rel="stylesheet" href="/style/framed.css">`, `<img src="/img/framed.png" alt="framed">`)},
	"/style/framed.css": {contentType: "text/css", body: `h1 { font-size: 12px; background: url(/img/frame-style.png) }`},
	"/drawing.svg":      {contentType: "image/svg+xml", body: `<svg xmlns="http://www.w3.org/2000/svg" width="50" height="50"><defs><g id="shape"><rect width="40" height="30" fill="#939"/></g></defs><use href="#shape"/></svg>`},
	"/data.html": {body: page(`<link rel="stylesheet" href="data:text/css,h1%7Bcolor:%23909%7D">`,
		`<img alt="data" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='40' height='40'%3E%3Crect width='40' height='40' fill='green'/%3E%3C/svg%3E"><iframe src="data:text/html,framed data" width="300" height="60"></iframe>`)},
	"/other-host.html": {body: page(`<link rel="stylesheet" href="OTHER/style/gzip.css">`, `<img src="OTHER/img/other.png" alt="other">`)},
	"/base.html":       {body: page(`<base href="/img/">`, `<img src="based.png" alt="base"><svg width="60" height="60"><image href="/img/svg.png" width="50" height="50"/></svg><input type="image" src="/img/input.png" alt="input"><video poster="/img/poster.png" width="100" height="60"></video>`)},
	"/names.html":      {body: page("", `<img src="/img/a name.png?b=2&amp;a=1" alt="space"><img src="/img/Upper%2fcase.png?Q=%C3%A9&amp;empty=" alt="escapes"><img src="/img/grün.png#part" alt="not ASCII"><img src="/img/twice.png?x=1&amp;x=0" alt="twice"><img src="/img//double.png" alt="double slash">`)},
	"/script.html":     {body: page(`<script src="/script.js"></script><script type="module" src="/module.js"></script>`, `<p id="a">no script</p><p id="b">no module</p>`)},
	"/script.js":       {contentType: "text/javascript", body: `addEventListener("DOMContentLoaded", () => { document.getElementById("a").textContent = "a script at " + location.pathname; });`},
	"/module.js":       {contentType: "text/javascript", body: `import { text } from "./part.js"; document.getElementById("b").textContent = text;`},
	"/part.js":         {contentType: "text/javascript", body: `export const text = "a module";`},
	"/large.html":      {body: page(`<link rel="stylesheet" href="/style/large.css">`, imageElement)},
	"/style/large.css": {contentType: "text/css", body: "/*" + strings.Repeat("more than --max-body ", 600_000) + "*/ h1 { color: #808 }"},

	// What replayweb.page does not rewrite: see unshown.
	"/embedded.html": {body: page("", `<iframe srcdoc="&lt;img src=/img/srcdoc.png alt=srcdoc&gt;" width="400" height="80"></iframe>
		<object data="/img/object.png" type="image/png"></object><embed src="/drawing.svg" width="50" height="50">`)},
	"/page.xhtml":        {contentType: "application/xhtml+xml", body: `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>XHTML</title><link rel="stylesheet" href="/style/base.css"/></head><body><h1>XHTML</h1><p><img src="/img/xhtml.png" alt="xhtml"/></p></body></html>`},
	"/utf16-header.html": {contentType: "text/html; charset=utf-16be", charset: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), body: page("", imageElement)},

	// What cannot be archived.
	"/missing.html":   {body: page(`<link rel="stylesheet" href="/style/none.css">`, `<img src="/none.gif" alt="none"><img src="/private/secret.png" alt="disallowed">`)},
	"/style/none.css": {contentType: "text/css", status: http.StatusInternalServerError, body: `h1 { color: #f00 }`},
	"/none.gif":       {status: http.StatusNotFound, body: page("", "none")},
}

// unshown are the pages of the site of faults that replayweb.page 2.5.3 shows otherwise than Chromium does, so that only their
// requisites are compared: it does not rewrite srcdoc and most object elements, XHTML, and UTF-16 without a byte order mark.
var unshown = []string{"/embedded.html", "/page.xhtml", "/utf16-header.html"}

// candidates are images of the site of faults that Chromium requests on other screens only.
var candidates = []string{"/img/2x.png", "/img/3x.png", "/img/wide.png", "/img/fallback.png", "/img/w900.png", "/img/w.png"}

// startFaults serves the site of faults on two hosts. It returns the URL of the first one, without a slash.
func startFaults(t *testing.T) string {
	t.Helper()
	return serve(t, "127.0.0.1", faultHandler(serve(t, "127.0.0.2", faultHandler(""))))
}

func faultHandler(other string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		resp, found := faults[r.URL.Path]
		switch {
		case r.URL.Path == "/":
			resp.body = page("", links())
		case !found && strings.HasSuffix(r.URL.Path, ".png"):
			resp = response{contentType: "image/png", body: picture(r.Host[:9] + r.URL.RequestURI())}
		case !found:
			resp = response{contentType: "text/plain", status: http.StatusNotFound, body: "not found"}
		}
		resp.send(w, other)
	})
}

// links has a link to each page of the site of faults.
func links() string {
	var b strings.Builder
	for _, path := range faultPages() {
		fmt.Fprintf(&b, "<p><a href=%q>%s</a>\n", path, path)
	}
	return b.String()
}

// faultPages returns the paths of the pages of the site of faults.
func faultPages() []string {
	pages := []string{"/"}
	for _, path := range slices.Sorted(maps.Keys(faults)) {
		if strings.HasSuffix(path, "html") {
			pages = append(pages, path)
		}
	}
	return pages
}

// send sends the response.
func (r response) send(w http.ResponseWriter, other string) {
	body := []byte(r.body)
	if !strings.HasPrefix(r.contentType, "image/png") && !strings.HasPrefix(r.contentType, "font") {
		body = []byte(strings.ReplaceAll(r.body, "OTHER", other))
	}
	if r.charset != nil {
		body, _ = r.charset.NewEncoder().Bytes(body)
	}
	header := w.Header()
	header.Set("Content-Type", "text/html")
	if r.contentType != "" {
		header.Set("Content-Type", r.contentType)
	} else if r.charset == nil {
		header.Set("Content-Type", "text/html; charset=utf-8")
	}
	if r.location != "" {
		header.Set("Location", strings.Replace(r.location, "OTHER", other, 1))
	}
	if r.coding != "" {
		header.Set("Content-Encoding", r.coding)
		body = encode(body, r.coding)
	}
	if !r.chunks {
		header.Set("Content-Length", fmt.Sprint(len(body)))
	}
	w.WriteHeader(cmp.Or(r.status, http.StatusOK))
	for len(body) > 0 {
		n := len(body)
		if r.chunks {
			n = min(n, 700)
		}
		_, _ = w.Write(body[:n])
		_ = http.NewResponseController(w).Flush()
		body = body[n:]
	}
}

// encode applies a content coding. It does nothing if it does not know the coding.
func encode(body []byte, coding string) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "br":
		w = brotli.NewWriter(&b)
	default:
		return body
	}
	_, _ = w.Write(body)
	_ = w.Close()
	return b.Bytes()
}

// picture draws an image whose size and color depend on the URL.
func picture(url string) string {
	h := fnv.New32a()
	_, _ = io.WriteString(h, url)
	sum := h.Sum32()
	img := image.NewRGBA(image.Rect(0, 0, 40+int(sum%50), 30+int(sum>>8%40)))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{byte(sum), byte(sum >> 8), byte(sum >> 16), 255}), image.Point{}, draw.Src)
	var b bytes.Buffer
	_ = png.Encode(&b, img)
	return b.String()
}
