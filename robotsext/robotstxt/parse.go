package robotstxt

import (
	"strings"
	"unicode/utf8"

	"github.com/politecrawl/politecrawl/robotsext/internal/fieldname"
)

// Parse parses a robots.txt file. It never fails: it skips invalid lines and reports
// likely mistakes in File.Findings. Nil opts follow the specification.
func Parse(body []byte, opts *Options) *File {
	if opts == nil {
		opts = &Options{}
	}
	if opts.GoogleParser {
		return parse(body, opts.forGoogle(), allGoogle)
	}
	return parse(body, *opts, 0)
}

func parse(body []byte, opts Options, d decision) *File {
	f := &File{opts: opts, google: d}
	p := parser{file: f}

	body, f.Truncated = cutLimit(body, opts.maxBytes(d), d)
	if f.Truncated {
		p.note(0, KindTooLarge, "")
	}
	text := string(body) // a copy, because the caller may change body
	if !utf8.ValidString(text) {
		p.note(0, KindNotUTF8, "") // rules are compared octet by octet (ROB-FMT-16)
	}
	f.text = trimBOM(text)
	f.names.text = f.text
	s := scratches.Get().(*scratch)
	s.lend(f)
	if p = newParser(f); p.html {
		p.note(1, KindHTML, "")
	}
	for r := new(record); p.lines.next(r); {
		p.line(r)
	}
	s.take(f)
	scratches.Put(s)
	p.finish()
	return f
}

// parser builds a file line by line.
type parser struct {
	file     *File
	lines    lines
	sitemaps sitemapSet
	lenient  bool
	html     bool // the file looks like HTML, so invalid lines are not reported
	inAgents bool // the last valid line was a User-agent line

	agentNoted  bool // a misspelled User-agent line was reported
	fieldsNoted bool // the first extension beyond the limit was reported
}

// newParser returns a parser for the text of f.
func newParser(f *File) parser {
	html := looksLikeHTML(f.text)
	return parser{
		file: f, lenient: f.opts.Lenient || f.google.has(googleFields), html: html,
		lines: lines{text: f.text, google: f.google, html: html},
	}
}

func (p *parser) line(r *record) {
	if !r.colon && !p.repair(r) {
		return
	}
	text := p.file.text
	if r.field == fieldOther {
		if r.name.lo == r.name.hi {
			p.noteLine(KindNoField, r.value.of(text))
			return
		}
		if p.lenient {
			r.field = parseField(fieldname.Lenient(r.name.of(text)))
			if r.field != fieldOther {
				p.note(p.lines.n, KindMisspelled, r.name.of(text))
			}
		}
	}
	switch {
	case r.field == fieldAllow || r.field == fieldDisallow:
		p.rule(r)
	case r.field == fieldAgent:
		p.agent(r.value)
	case r.control:
		p.note(p.lines.n, KindControl, r.value.of(text))
	case r.field == fieldSitemap:
		p.sitemap(r.value.of(text))
	default:
		p.extension(r.name.of(text), r.value.of(text))
	}
}

// repair tries to parse a line without a colon.
func (p *parser) repair(r *record) bool {
	text := r.value.of(p.file.text)
	if text == "" {
		return false
	}
	p.noteLine(KindNoColon, text)
	return p.lenient && r.splitWords(p.file.text)
}

// agent opens a block, or adds an agent to a block without rules (ROB-GRP-01,
// ROB-GRP-02).
func (p *parser) agent(value span) {
	f := p.file
	if !p.inAgents {
		p.inAgents = true
		p.closeBlock()
		r, e, m := int32(len(f.rules)), int32(len(f.Extensions)), int32(len(f.mentions))
		f.blocks = append(f.blocks, block{rules: span{lo: r}, extensions: span{lo: e}, mentions: span{lo: m}})
	}
	text := value.of(f.text)
	n, global := agentToken(text)
	if global {
		p.mention(value.first(1))
		return
	}
	if n > 0 || f.google.has(googleVoid) {
		p.mention(value.first(n))
	}
	if n < len(text) && !f.google.has(googleNames) {
		if whole := wholeName(text); whole > n {
			p.mention(value.first(whole))
		}
	}
	switch {
	case n == 0:
		p.note(p.lines.n, KindBadAgent, text)
	case n < len(text):
		p.note(p.lines.n, KindAgentCut, text)
	}
}

// closeBlock sets the end of the last block, if there is one.
func (p *parser) closeBlock() {
	f := p.file
	if n := len(f.blocks); n > 0 {
		b := &f.blocks[n-1]
		b.rules.hi, b.extensions.hi, b.mentions.hi = int32(len(f.rules)), int32(len(f.Extensions)), int32(len(f.mentions))
	}
}

// mention adds a name to the block unless the block has it.
func (p *parser) mention(where span) {
	f := p.file
	i := f.names.add(where)
	if name := &f.names.list[i]; int(name.block) != len(f.blocks) {
		name.block = int32(len(f.blocks))
		name.blocks++
		f.mentions = append(f.mentions, int32(i))
	}
}

// rule adds a rule to the block. Even an invalid rule ends the run of User-agent lines
// (ROB-GRP-08).
func (p *parser) rule(r *record) {
	f := p.file
	value := r.value.of(f.text)
	if len(f.blocks) == 0 {
		p.note(p.lines.n, KindRuleBeforeGroup, value) // ROB-GRP-04
		return
	}
	p.inAgents = false
	switch {
	case value == "":
		if !f.google.has(googleVoid) {
			return // ROB-MAT-09
		}
	case r.control && !f.google.has(googleControls):
		p.note(p.lines.n, KindControl, value) // ROB-FMT-17
		return
	case value[0] != '/' && value[0] != '*':
		p.note(p.lines.n, KindNoSlash, value)
		if !f.opts.AssumeSlash && !f.google.has(googleVoid) {
			return // ROB-MAT-10, ROB-MAT-27
		}
	case len(value) > googleLineLimit:
		p.note(p.lines.n, KindLongLine, "")
	}
	f.rules = append(f.rules, ruleLine{span{r.value.lo, r.value.hi}, int32(p.lines.n), r.field == fieldAllow})
}

// sitemap adds a sitemap. It belongs to no group (ROB-GRP-05).
func (p *parser) sitemap(value string) {
	if kind := p.sitemaps.add(value, p.lines.n); kind != "" {
		p.note(p.lines.n, kind, value)
	}
}

// extension adds any other field to the current block. It does not end a run of
// User-agent lines (ROB-GRP-12).
func (p *parser) extension(name, value string) {
	if !isFieldName(name) {
		kind := KindBadField
		if strings.Contains(name, bom) {
			kind = KindBOM
		}
		p.noteLine(kind, name)
		return
	}
	p.noteExtension(name, value)
	if len(p.file.Extensions) >= p.file.opts.maxExtensions() {
		p.noteOnce(&p.fieldsNoted, KindManyFields, "")
		return
	}
	p.file.Extensions = append(p.file.Extensions, Extension{Field: name, Value: value, Line: p.lines.n})
}

// finish assigns blocks and extensions to groups.
func (p *parser) finish() {
	p.closeBlock()
	f := p.file
	f.Sitemaps = p.sitemaps.list
	f.sortMentions()
	for i := range f.blocks {
		b := &f.blocks[i]
		if b.extensions.lo < b.extensions.hi {
			agents := f.agents(b)
			for e := b.extensions.lo; e < b.extensions.hi; e++ {
				f.Extensions[e].Agents = agents
			}
		}
	}
}

// sortMentions builds the groups. The blocks of all groups share one array.
func (f *File) sortMentions() {
	merged := 0
	for _, name := range f.names.list {
		if name.blocks > 1 {
			merged++
		}
	}
	f.groups = atLeast(f.few.groups[:], len(f.names.list))
	f.sets = atLeast(f.few.sets[:], len(f.blocks)+merged)
	blocks, sets := make([]int32, len(f.mentions)), f.sets[len(f.blocks):]
	for i, name := range f.names.list {
		g := &f.groups[i]
		*g = Group{file: f, name: name.of(f.text), blocks: blocks[:0:name.blocks]}
		if blocks = blocks[name.blocks:]; name.blocks > 1 {
			g.set, sets = &sets[0], sets[1:]
		}
	}
	for b := range f.blocks {
		for _, i := range f.mentions[f.blocks[b].mentions.lo:f.blocks[b].mentions.hi] {
			g := &f.groups[i]
			g.blocks = append(g.blocks, int32(b))
			if cap(g.blocks) == 1 {
				g.set = &f.sets[b]
			}
		}
	}
}

func (p *parser) note(line int, kind Kind, text string) {
	if len(p.file.Findings) < p.file.opts.maxFindings() {
		p.file.Findings = append(p.file.Findings, Finding{Line: line, Kind: kind, Text: text})
	}
}

// noteOnce is like note, but reports the first finding of its kind even beyond the limit,
// unless the limit is zero.
func (p *parser) noteOnce(noted *bool, kind Kind, text string) {
	limit := p.file.opts.maxFindings()
	if len(p.file.Findings) < limit || !*noted && limit > 0 {
		p.file.Findings = append(p.file.Findings, Finding{Line: p.lines.n, Kind: kind, Text: text})
	}
	*noted = true
}

// noteLine reports an invalid line, except in HTML.
func (p *parser) noteLine(kind Kind, text string) {
	if !p.html {
		p.note(p.lines.n, kind, text)
	}
}

// looksLikeHTML reports whether a text begins with a tag. Valid lines still count
// (ROB-FMT-04).
func looksLikeHTML(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, space), "<")
}
