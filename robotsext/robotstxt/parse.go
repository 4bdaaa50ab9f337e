package robotstxt

import "strings"

// Parse reads a robots.txt file. It never fails: a line that it cannot make
// sense of is skipped and, where that may be of interest, noted in
// File.Findings. Nil opts are the specification.
func Parse(body []byte, opts *Options) *File {
	f := &File{}
	if opts != nil {
		f.opts = *opts
	}
	body, f.Truncated = cutLimit(body, f.opts.maxBytes())
	f.names.exact = f.opts.CaseSensitiveAgents && !f.opts.GoogleParser
	p := parser{file: f, sitemaps: newSitemapSet(f.opts.ResolveSitemaps)}
	text := trimBOM(p.decode(body))
	if f.Truncated {
		p.note(0, KindTooLarge, "")
	}
	p.lines = newLines(text)
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
	inAgents bool // the last meaningful line was a User-agent line
	mentions []mention
	sitemaps sitemapSet
}

// mention is one name on one User-agent line.
type mention struct{ name, block int32 }

func (p *parser) line(line string) {
	name, value, ok := p.split(line)
	if !ok {
		return
	}
	kind := parseField(name)
	if kind == fieldOther && p.lenient() {
		kind = parseFieldLeniently(name)
		if kind != fieldOther {
			p.note(p.lines.n, KindMisspelt, name)
		}
	}
	switch kind {
	case fieldAgent:
		p.agent(value)
	case fieldAllow, fieldDisallow:
		p.rule(kind == fieldAllow, value)
	case fieldSitemap:
		p.sitemap(value)
	case fieldOther:
		p.extension(name, value)
	}
}

func (p *parser) lenient() bool { return p.file.opts.Lenient || p.file.opts.GoogleParser }

// split separates field and value, and notes a line that has neither.
func (p *parser) split(line string) (name, value string, ok bool) {
	if p.file.opts.GoogleParser {
		line = googleLine(line)
	}
	name, value, colon := splitLine(line)
	switch {
	case name != "":
		return name, value, true
	case colon:
		p.note(p.lines.n, KindNoField, value)
		return "", "", false
	case value == "":
		return "", "", false
	}
	if p.lenient() {
		if name, value, ok = splitWords(value); ok {
			p.note(p.lines.n, KindNoColon, name)
			return name, value, true
		}
		return "", "", false
	}
	p.note(p.lines.n, KindNoColon, value)
	return "", "", false
}

// agent opens a block, or adds to the one that is still collecting agents
// (ROB-GRP-01, ROB-GRP-02).
func (p *parser) agent(value string) {
	f := p.file
	if !p.inAgents {
		p.inAgents = true
		r, e, m := int32(len(f.rules)), int32(len(f.Extensions)), int32(len(p.mentions))
		f.blocks = append(f.blocks, block{rules: span{r, r}, extensions: span{e, e}, mentions: span{m, m}})
	}
	token, global := agentToken(value)
	switch {
	case global:
		p.mention("*")
		return
	case token != "" || f.opts.GoogleParser:
		p.mention(token)
	}
	if f.opts.WideTokens && !f.opts.GoogleParser {
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

func (p *parser) mention(name string) {
	b := len(p.file.blocks) - 1
	p.mentions = append(p.mentions, mention{int32(p.file.names.add(name)), int32(b)})
	p.file.blocks[b].mentions.hi++
}

// rule adds a rule to the block. One without effect still ends the run of
// User-agent lines (ROB-GRP-08).
func (p *parser) rule(allow bool, value string) {
	f := p.file
	if len(f.blocks) == 0 {
		p.note(p.lines.n, KindRuleBeforeGroup, value) // ROB-GRP-04
		return
	}
	p.inAgents = false
	if !f.opts.GoogleParser {
		switch {
		case value == "":
			return // ROB-MAT-09
		case hasControl(value):
			p.note(p.lines.n, KindControl, value) // ROB-FMT-17
			return
		case value[0] != '/' && value[0] != '*':
			p.note(p.lines.n, KindNoSlash, value)
			if !f.opts.AssumeSlash {
				return // ROB-MAT-10, ROB-MAT-27
			}
		}
	}
	f.rules = append(f.rules, Rule{Allow: allow, Pattern: value, Line: p.lines.n})
	f.blocks[len(f.blocks)-1].rules.hi++
}

// sitemap adds a sitemap, wherever in the file its line stands (ROB-GRP-05).
func (p *parser) sitemap(value string) {
	if p.file.opts.SitemapEndsRun && !p.file.opts.GoogleParser {
		p.inAgents = false // D5
	}
	u, kind := p.sitemaps.add(value)
	if kind != "" {
		p.note(p.lines.n, kind, value)
		return
	}
	p.file.Sitemaps = append(p.file.Sitemaps, Sitemap{URL: u, Line: p.lines.n})
}

// extension keeps any other field. It belongs to the block that is being
// formed and does not end a run of User-agent lines (ROB-GRP-12).
func (p *parser) extension(name, value string) {
	f := p.file
	if !isFieldName(name) {
		kind := KindBadField
		if strings.Contains(name, bom) {
			kind = KindBOM
		}
		p.note(p.lines.n, kind, name)
		return
	}
	if hasControl(value) {
		p.note(p.lines.n, KindControl, value)
		return
	}
	p.noteExtension(name, value)
	f.Extensions = append(f.Extensions, Extension{Field: name, Value: value, Line: p.lines.n})
	if n := len(f.blocks); n > 0 {
		f.blocks[n-1].extensions.hi++
	}
}

// finish turns mentions into groups.
func (p *parser) finish() {
	f := p.file
	f.sets = make([]ruleset, len(f.blocks))
	f.groups = make([]Group, len(f.names.list))

	// Sort the blocks by name, counting; a name that a block mentions twice
	// has it once.
	starts := make([]int32, len(f.names.list)+1)
	for _, m := range p.mentions {
		starts[m.name+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	all := make([]int32, len(p.mentions))
	ends := append([]int32(nil), starts...)
	for _, m := range p.mentions {
		if end := ends[m.name]; end == starts[m.name] || all[end-1] != m.block {
			all[end] = m.block
			ends[m.name]++
		}
	}
	numbers := make([]int32, len(f.blocks))
	for i := range f.sets {
		numbers[i] = int32(i)
		f.sets[i].blocks = numbers[i : i+1 : i+1]
	}
	for i, name := range f.names.list {
		f.groups[i] = f.newGroup(name, all[starts[i]:ends[i]:ends[i]])
	}
	for _, b := range f.blocks {
		p.nameAgents(b)
	}
}

// nameAgents tells the extensions of a block whose they are.
func (p *parser) nameAgents(b block) {
	if b.extensions.lo == b.extensions.hi {
		return
	}
	var agents []string
	for _, m := range p.mentions[b.mentions.lo:b.mentions.hi] {
		agents = append(agents, p.file.names.list[m.name])
	}
	for i := b.extensions.lo; i < b.extensions.hi; i++ {
		p.file.Extensions[i].Agents = agents
	}
}

func (p *parser) note(line int, kind Kind, text string) {
	if len(p.file.Findings) < p.file.opts.maxFindings() {
		p.file.Findings = append(p.file.Findings, Finding{Line: line, Kind: kind, Text: text})
	}
}
