package robotstxt

import "strings"

// Parse reads a robots.txt file. It never fails: a line that it cannot make
// sense of is skipped and, where that may be of interest, noted in
// File.Findings. Nil opts are the specification.
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
	p := parser{file: f, lenient: opts.Lenient || d.has(googleFields)}
	p.names.exact = opts.CaseSensitiveAgents
	p.useBuffers()

	body, f.Truncated = cutLimit(body, opts.maxBytes(d), d)
	if f.Truncated {
		p.note(0, KindTooLarge, "")
	}
	f.text = trimBOM(p.decode(body), opts.Transcode)
	if p.html = looksLikeHTML(f.text); p.html {
		p.note(1, KindHTML, "")
	}
	ends := max(strings.Count(f.text, "\n"), strings.Count(f.text, "\r"))
	f.rules = make([]ruleLine, 0, min(ends, len(f.text)/len("Allow:/\n"))+1)
	p.lines = newLines(f.text)
	for {
		line, ok := p.lines.next()
		if !ok {
			break
		}
		p.line(line)
	}
	p.finish()
	return f
}

// parser carries a file under construction from line to line.
type parser struct {
	file     *File
	lines    lines
	lenient  bool
	html     bool // most lines make no sense, and nobody need be told
	inAgents bool // the last meaningful line was a User-agent line

	agentNoted  bool // a misspelt User-agent line has its finding
	fieldsNoted bool // and so has the first extension that was one too many

	blocks     []block
	names      names
	mentions   []int32 // as File.mentions
	inBlock    []int32 // for each name, the last block that mentions it
	extensions []Extension
	findings   []Finding
	sitemaps   sitemapSet

	// What most files need of the lists above, in one piece.
	blockBuf     [8]block
	nameBuf      [8]string
	mentionBuf   [8]int32
	inBlockBuf   [8]int32
	extensionBuf [2]Extension
	findingBuf   [2]Finding
	sitemapBuf   [2]Sitemap
	keyBuf       [2]string
}

func (p *parser) useBuffers() {
	p.blocks = p.blockBuf[:0]
	p.names.list = p.nameBuf[:0]
	p.mentions = p.mentionBuf[:0]
	p.inBlock = p.inBlockBuf[:0]
	p.extensions = p.extensionBuf[:0]
	p.findings = p.findingBuf[:0]
	p.sitemaps.list = p.sitemapBuf[:0]
	p.sitemaps.keys = p.keyBuf[:0]
}

// heap copies a list to the heap, in no more space than it needs.
func heap[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return append(make([]T, 0, len(list)), list...)
}

func (p *parser) line(line span) {
	text := p.file.text
	if p.file.google != 0 {
		line = p.googleLine(line)
	}
	if line.lo == line.hi || text[line.lo] == '#' {
		return
	}
	r := splitLine(text, line)
	if r.name == "" {
		var ok bool
		if r, ok = p.repair(r); !ok {
			return
		}
	}
	kind := parseField(r.name)
	if kind == fieldOther && p.lenient {
		kind = parseFieldLeniently(r.name)
		if kind != fieldOther {
			p.note(p.lines.n, KindMisspelt, r.name)
		}
	}
	switch {
	case kind == fieldAgent:
		p.agent(r.value.of(text))
	case kind == fieldAllow || kind == fieldDisallow:
		p.rule(kind == fieldAllow, r)
	case r.control:
		p.note(p.lines.n, KindControl, r.value.of(text))
	case kind == fieldSitemap:
		p.sitemap(r.value.of(text))
	default:
		p.extension(r.name, r.value.of(text))
	}
}

// googleLine cuts a line where Google's parser stops reading it.
func (p *parser) googleLine(line span) span {
	if p.file.google.has(googleLines) {
		line.hi = min(line.hi, line.lo+googleLineLimit)
	}
	if p.file.google.has(googleControls) {
		if i := strings.IndexByte(line.of(p.file.text), 0); i >= 0 {
			line.hi = line.lo + int32(i)
		}
	}
	return line
}

// repair makes what it may of a line without a field before a colon.
func (p *parser) repair(r record) (record, bool) {
	text := r.value.of(p.file.text)
	switch {
	case r.colon:
		p.noteLine(KindNoField, text)
		return r, false
	case text == "":
		return r, false
	}
	p.noteLine(KindNoColon, text)
	if !p.lenient {
		return r, false
	}
	return splitWords(p.file.text, r.value)
}

// agent opens a block, or adds to the one that is still collecting agents
// (ROB-GRP-01, ROB-GRP-02).
func (p *parser) agent(value string) {
	f := p.file
	if !p.inAgents {
		p.inAgents = true
		r, e, m := int32(len(f.rules)), int32(len(p.extensions)), int32(len(p.mentions))
		p.blocks = append(p.blocks, block{rules: span{r, r}, extensions: span{e, e}, mentions: span{m, m}})
	}
	token, global := agentToken(value)
	switch {
	case global:
		p.mention("*")
		return
	case token != "" || f.google.has(googleVoid):
		p.mention(token)
	}
	if f.opts.WideTokens {
		if wide := wideToken(value); wide != token && wide != "" {
			p.mention(wide)
			return
		}
	}
	switch {
	case token == "":
		p.note(p.lines.n, KindBadAgent, value)
	case token != value:
		p.note(p.lines.n, KindAgentCut, value)
	}
}

// mention adds a name to the block, once.
func (p *parser) mention(name string) {
	i, b := p.names.add(name), int32(len(p.blocks)-1)
	switch {
	case i == len(p.inBlock):
		p.inBlock = append(p.inBlock, b)
	case p.inBlock[i] == b:
		return
	default:
		p.inBlock[i] = b
	}
	p.mentions = append(p.mentions, int32(i))
	p.blocks[b].mentions.hi++
}

// rule adds a rule to the block. One without effect still ends the run of
// User-agent lines (ROB-GRP-08).
func (p *parser) rule(allow bool, r record) {
	f := p.file
	value := r.value.of(f.text)
	if len(p.blocks) == 0 {
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
	f.rules = append(f.rules, ruleLine{r.value, int32(p.lines.n), allow})
	p.blocks[len(p.blocks)-1].rules.hi++
}

// sitemap adds a sitemap, wherever in the file its line stands (ROB-GRP-05).
func (p *parser) sitemap(value string) {
	if p.file.opts.SitemapEndsRun {
		p.inAgents = false // D5
	}
	if kind := p.sitemaps.add(value, p.lines.n, p.file.opts.ResolveSitemaps); kind != "" {
		p.note(p.lines.n, kind, value)
	}
}

// extension keeps any other field. It belongs to the block that is being
// formed and does not end a run of User-agent lines (ROB-GRP-12).
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
	if len(p.extensions) >= p.file.opts.maxExtensions() {
		p.noteOnce(&p.fieldsNoted, KindManyFields, "")
		return
	}
	p.extensions = append(p.extensions, Extension{Field: name, Value: value, Line: p.lines.n})
	if n := len(p.blocks); n > 0 {
		p.blocks[n-1].extensions.hi++
	}
}

// finish hands over to the file what has been collected, and sorts it by group.
func (p *parser) finish() {
	f := p.file
	f.Sitemaps = heap(p.sitemaps.list)
	f.Extensions = heap(p.extensions)
	f.Findings = heap(p.findings)
	f.blocks = heap(p.blocks)
	f.names = p.names
	f.names.list = heap(p.names.list)
	if len(f.rules) < cap(f.rules)/2 {
		f.rules = heap(f.rules) // most lines were none
	}
	p.sortMentions()
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

// sortMentions makes the groups, each of which has a stretch of one list of
// blocks.
func (p *parser) sortMentions() {
	f := p.file
	n := len(f.names.list)
	space := make([]int32, 2*len(p.mentions)+n+1)
	blocks, space := space[:len(p.mentions)], space[len(p.mentions):]
	f.mentions, space = space[:len(p.mentions)], space[len(p.mentions):]
	copy(f.mentions, p.mentions)

	ends := space // of each name's stretch, in the end; one after the other, by counting
	for _, name := range f.mentions {
		ends[name+1]++
	}
	for i := range n {
		ends[i+1] += ends[i]
	}
	for b := range f.blocks {
		for _, name := range f.mentions[f.blocks[b].mentions.lo:f.blocks[b].mentions.hi] {
			blocks[ends[name]] = int32(b)
			ends[name]++
		}
	}
	f.sets = make([]ruleset, len(f.blocks))
	f.groups = make([]Group, n)
	start := int32(0)
	for i, name := range f.names.list {
		f.groups[i] = f.newGroup(name, blocks[start:ends[i]:ends[i]])
		start = ends[i]
	}
}

func (p *parser) note(line int, kind Kind, text string) {
	if len(p.findings) < p.file.opts.maxFindings() {
		p.findings = append(p.findings, Finding{Line: line, Kind: kind, Text: text})
	}
}

// noteOnce is note for what has to be told: the first of its sort is kept also
// when there are findings enough, unless none are asked for.
func (p *parser) noteOnce(noted *bool, kind Kind, text string) {
	limit := p.file.opts.maxFindings()
	if len(p.findings) < limit || !*noted && limit > 0 {
		p.findings = append(p.findings, Finding{Line: p.lines.n, Kind: kind, Text: text})
	}
	*noted = true
}

// noteLine notes a line that makes no sense, which in HTML is nothing odd.
func (p *parser) noteLine(kind Kind, text string) {
	if !p.html {
		p.note(p.lines.n, kind, text)
	}
}

// looksLikeHTML reports whether the first thing in a text is a tag. Its lines
// count all the same (ROB-FMT-04).
func looksLikeHTML(text string) bool {
	for i := 0; i < len(text); i++ {
		if !isSpace(text[i]) {
			return text[i] == '<'
		}
	}
	return false
}
