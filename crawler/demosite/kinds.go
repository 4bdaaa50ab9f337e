package demosite

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"time"
)

// slowness of the slow page: long enough to see a second request beside it.
const slowness = 150 * time.Millisecond

// addKindPages adds responses that are not a short HTML page.
func addKindPages(h *host) {
	h.page("/kinds/", "Kinds of content",
		"Responses that are not HTML, that are long or slow, or that are duplicates.",
		"It extracts links from HTML only, and waits for each response before the next request.",
		to("/kinds/notes.txt", "Text with markup"),
		to("/kinds/data.json", "JSON with noindex"),
		to("/kinds/map.svg", "A drawing"),
		to("/kinds/tile.png", "A picture"),
		to("/kinds/minutes.pdf", "A PDF"),
		to("/kinds/long", "A long page"),
		to("/kinds/slow", "A slow page"),
		to("/kinds/based/start", "A page with a base element"),
		to("/kinds/not-links", "Markup that only looks like links"),
		to("/history", "Duplicate page"),
		to("/history/index.html", "The same page under another URL"),
	)
	h.document("/kinds/notes.txt", "text/plain; charset=utf-8",
		"Notes on markup: <a href=\"/phantom/text\">this is text, not a link</a>.\n")
	h.document("/kinds/data.json", "application/json", `{"town": "demo", "see": "/phantom/json"}`+"\n").
		with("X-Robots-Tag", "noindex")
	h.document("/kinds/map.svg", "image/svg+xml",
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" role="img"><title>Map</title>`+
			`<path d="M2 38V14L20 2l18 12v24H26V24H14v14z" fill="#456"/></svg>`+"\n")
	h.document("/kinds/tile.png", "image/png", tile())
	h.document("/kinds/minutes.pdf", "application/pdf",
		"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
			"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n")

	long := h.page("/kinds/long", "A long page", "Some 300 KB of HTML, with a link at its end.",
		"It reads to the end. The delay starts there.")
	long.extra = strings.Repeat("<p>"+strings.Repeat("The minutes of the meeting go on. ", 30)+"</p>\n", 300) +
		`<p><a href="/kinds/long/end">The end</a></p>` + "\n"
	long.inText = []string{"/kinds/long/end"}
	h.page("/kinds/long/end", "Linked at the end of a long page", "Only the last line of a long page links here.", "It fetches the page.")
	h.page("/kinds/slow", "A slow page", fmt.Sprintf("A response that takes %v.", slowness),
		"It sends no other request to this host meanwhile.").wait = slowness

	based := h.page("/kinds/based/start", "A page with a base element", "Its base element says /kinds/other/.",
		"It resolves relative links against that URL.",
		to("place", "A relative link"), to("../up", "One level up"))
	based.base = "/kinds/other/"
	h.page("/kinds/other/place", "Relative to the base element", "A relative link on a page with a base element points here.", "It fetches the page.")
	h.page("/kinds/up", "One level above the base element", "A relative link on a page with a base element points here.", "It fetches the page.")

	h.page("/kinds/not-links", "Markup that only looks like links", "Links in a comment, a script and a text field.",
		"It ignores them.").extra = `<!-- <a href="/phantom/comment">comment</a> -->
<script type="application/json">{"markup": "<a href='/phantom/script'>script</a>"}</script>
<p><label>Text field <textarea rows="2" cols="60"><a href="/phantom/field">field</a></textarea></label></p>
`
	for _, uri := range []string{"/history", "/history/index.html"} {
		h.page(uri, "Duplicate page", "/history and /history/index.html are the same page.",
			"It fetches both, since it cannot know. It may keep only the canonical one.").copyOf = "/history"
	}
}

// tile is a small picture.
func tile() string {
	img := image.NewRGBA(image.Rect(0, 0, 16, 16))
	for i := range 16 {
		for j := range 16 {
			img.Set(i, j, color.RGBA{R: uint8(i * 16), G: uint8(j * 16), B: 128, A: 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("demosite: " + err.Error()) // a Buffer accepts every write
	}
	return b.String()
}
