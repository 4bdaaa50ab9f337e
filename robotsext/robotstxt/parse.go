package robotstxt

import (
	"slices"
	"strings"
)

// Parse reads a robots.txt file. It never fails: a line that it cannot make
// sense of is skipped and, where that may be of interest, noted in
// File.Findings. Nil opts are the specification.
func Parse(body []byte, opts *Options) *File {
	f := &File{}
	if opts != nil {
		f.opts = *opts
	}
	p := parser{file: f, sitemaps: sitemapSet{base: f.opts.ResolveSitemaps}}
	p.lenient = f.opts.Lenient || f.opts.GoogleParser
	f.names.exact = f.opts.CaseSensitiveAgents && !f.opts.GoogleParser
	body, f.Truncated = cutLimit(body, f.opts.maxBytes())
	if f.Truncated {
		p.note(0, KindTooLarge, "")
	}
	text := trimBOM(p.decode(body))
	f.rules = make([]Rule, 0, strings.Count(text, "\n")+1)
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
	lenient  bool
	inAgents bool // the last meaningful line was a User-agent line
	mentions []mention
	sitemaps sitemapSet
}

// mention is one name on one User-agent line.
type mention struct{ name, block int32 }

func (p *parser) line(line string) {
	if p.file.opts.GoogleParser {
		line = googleLine(line)
	}
	if line == "" || line[0] == '#' {
		return
	}
	name, value, colon, control := splitLine(line)
	if name == "" {
		if name, value = p.repair(value, colon); name == "" {
			return
		}
	}
	kind := parseField(name)
	if kind == fieldOther && p.lenient {
		kind = parseFieldLeniently(name)
		if kind != fieldOther {
			p.note(p.lines.n, KindMisspelt, name)
		}
	}
	switch {
	case kind == fieldAgent:
		p.agent(value)
	case kind == fieldAllow || kind == fieldDisallow:
		p.rule(kind == fieldAllow, value, control)
	case control:
		p.note(p.lines.n, KindControl, value)
	case kind == fieldSitemap:
		p.sitemap(value)
	default:
		p.extension(name, value)
	}
}

// repair makes what it may of a line without a field before a colon.
func (p *parser) repair(text string, colon bool) (name, value string) {
	switch {
	case colon:
		p.note(p.lines.n, KindNoField, text)
		return "", ""
	case text == "":
		return "", ""
	}
	p.note(p.lines.n, KindNoColon, text)
	if !p.lenient {
		return "", ""
	}
	return splitWords(text)
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
func (p *parser) rule(allow bool, value string, control bool) {
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
		case control:
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
	p.noteExtension(name, value)
	f.Extensions = append(f.Extensions, Extension{Field: name, Value: value, Line: p.lines.n})
	if n := len(f.blocks); n > 0 {
		f.blocks[n-1].extensions.hi++
	}
}

// finish turns mentions into groups.
func (p *parser) finish() {
	f := p.file
	if len(f.rules) < cap(f.rules)/2 {
		f.rules = slices.Clone(f.rules) // most lines were none
	}
	f.sets = make([]ruleset, len(f.blocks))
	f.groups = make([]Group, len(f.names.list))

	// Sort the blocks by name, counting, into one list of which each group
	// has a stretch; a name that a block mentions twice has it once.
	n := len(f.names.list)
	space := make([]int32, len(p.mentions)+2*n+1)
	blocks, starts, ends := space[:len(p.mentions)], space[len(p.mentions):][:n+1], space[len(p.mentions)+n+1:]
	for _, m := range p.mentions {
		starts[m.name+1]++
	}
	for i := range n {
		starts[i+1] += starts[i]
		ends[i] = starts[i]
	}
	for _, m := range p.mentions {
		if end := ends[m.name]; end == starts[m.name] || blocks[end-1] != m.block {
			blocks[end] = m.block
			ends[m.name]++
		}
	}
	for i, name := range f.names.list {
		f.groups[i] = f.newGroup(name, blocks[starts[i]:ends[i]:ends[i]])
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
