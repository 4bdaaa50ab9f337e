package robotstxt

import "strings"

// String returns the file as robots.txt text: one field per line, without comments and
// without lines that have no effect. Parsed with the same options, the text has the
// same meaning, provided that Options.MaxBytes is at least its length. It can be longer
// than the body: "allow:/" becomes "Allow: /". With Options.GoogleParser the meaning
// can differ, because a group without rules gets an empty Disallow.
func (f *File) String() string {
	var w strings.Builder
	outside := int32(len(f.Extensions))
	if len(f.blocks) > 0 {
		outside = f.blocks[0].extensions.lo
	}
	writeExtensions(&w, f.Extensions[:outside])
	for i := range f.blocks {
		if w.Len() > 0 {
			w.WriteByte('\n')
		}
		f.writeBlock(&w, &f.blocks[i])
	}
	if len(f.Sitemaps) > 0 && w.Len() > 0 {
		w.WriteByte('\n')
	}
	for _, s := range f.Sitemaps {
		writeField(&w, "Sitemap", s.URL)
	}
	if strings.HasPrefix(w.String(), bom[:1]) {
		return "\n" + w.String() // or it would be parsed as a byte order mark
	}
	return w.String()
}

func (f *File) writeBlock(w *strings.Builder, b *block) {
	for _, name := range f.agents(b) {
		writeField(w, "User-agent", name)
	}
	if b.mentions.lo == b.mentions.hi {
		writeField(w, "User-agent", "") // it applies to no crawler
	}
	writeExtensions(w, f.Extensions[b.extensions.lo:b.extensions.hi])
	for _, line := range f.rules[b.rules.lo:b.rules.hi] {
		writeField(w, line.field(), line.value.of(f.text))
	}
	if b.rules.lo == b.rules.hi {
		writeField(w, "Disallow", "") // or the next group would be joined
	}
}

func writeExtensions(w *strings.Builder, extensions []Extension) {
	for _, e := range extensions {
		writeField(w, e.Field, e.Value)
	}
}

func writeField(w *strings.Builder, name, value string) {
	w.WriteString(name)
	w.WriteByte(':')
	if value != "" {
		w.WriteByte(' ')
		w.WriteString(value)
	}
	w.WriteByte('\n')
}
