package extract

import (
	"bytes"
	"iter"
)

// VisibleParts yields the visible parts of a page, to compare it with other pages: each text
// between two tags, with white space trimmed, and the URL of each image, video and frame. The
// bool is true for these URLs.
//
// It is fast rather than exact: it does not decode entities, and may confuse text and markup.
func VisibleParts(page []byte) iter.Seq2[[]byte, bool] {
	return func(yield func(run []byte, media bool) bool) {
		for rest := page; len(rest) > 0; {
			at := bytes.IndexByte(rest, '<')
			if at < 0 {
				at = len(rest)
			}
			if text := bytes.TrimSpace(rest[:at]); len(text) > 0 && !yield(text, false) {
				return
			}
			if rest = rest[at:]; len(rest) == 0 {
				return
			}
			tag := rest[:unseen(rest)]
			if shown := address(tag); len(shown) > 0 && !yield(shown, true) {
				return
			}
			rest = rest[len(tag):]
		}
	}
}

// unseen returns the length of the markup that b begins with: a tag, a comment, a
// script or a style sheet.
func unseen(b []byte) int {
	end := []byte(">")
	switch {
	case bytes.HasPrefix(b, []byte("<!--")):
		end = []byte("-->")
	case hasName(b, "script"), hasName(b, "style"):
		for at := 1; at < len(b); at++ {
			next := bytes.Index(b[at:], []byte("</"))
			if next < 0 {
				return len(b)
			}
			if at += next; bytes.EqualFold(b[at+2:min(at+2+3, len(b))], b[1:4]) { // </scr or </sty
				return at + unseen(b[at:])
			}
		}
		return len(b)
	}
	if at := bytes.Index(b, end); at >= 0 {
		return at + len(end)
	}
	return len(b)
}

// address returns the src of a tag that shows something.
func address(tag []byte) []byte {
	if !hasName(tag, "img") && !hasName(tag, "iframe") && !hasName(tag, "video") && !hasName(tag, "audio") && !hasName(tag, "source") && !hasName(tag, "embed") {
		return nil
	}
	_, value, found := bytes.Cut(tag, []byte("src="))
	if !found || len(value) == 0 {
		return nil
	}
	stop := " \t\r\n>"
	if value[0] == '"' || value[0] == '\'' {
		stop, value = string(value[:1]), value[1:]
	}
	if end := bytes.IndexAny(value, stop); end >= 0 {
		value = value[:end]
	}
	return value
}

// hasName reports whether b begins with the start tag of an element.
func hasName(b []byte, name string) bool {
	return len(b) > 1+len(name) && bytes.EqualFold(b[1:1+len(name)], []byte(name)) && !isLower(b[1+len(name)]|0x20)
}
