package robotstxt

// Group is what a File says to one crawler: the rules of every group that
// names it, in file order. The zero Group has no rules and so
// allows everything.
type Group struct {
	file   *File
	name   string
	blocks []int32
	set    *ruleset
}

// nobody is the group of crawlers that the file says nothing to.
var nobody Group

// Group returns the group that a crawler has to obey. The crawler is known by
// its product tokens, most specific first; the first one that has a group
// decides, and no group is ever added to another token's. With
// no such group it is the group of "*", and without that one an
// empty group. It is never nil.
func (f *File) Group(tokens ...string) *Group {
	if g := f.named(tokens); g != nil {
		return g
	}
	if i := f.names.find("*"); i >= 0 {
		return &f.groups[i]
	}
	return &nobody
}

// NamedGroup is Group for crawlers that ignore "*" and obey only rules that
// address them by name, such as AdsBot-Google.
func (f *File) NamedGroup(tokens ...string) *Group {
	if g := f.named(tokens); g != nil {
		return g
	}
	return &nobody
}

func (f *File) named(tokens []string) *Group {
	if f.google.has(googleUnion) {
		return f.googleGroup(tokens)
	}
	for _, token := range tokens {
		if i := f.names.find(token); i >= 0 && token != "*" {
			return &f.groups[i]
		}
	}
	return nil
}

// Name returns the agent that the group was chosen by, as first written in the
// file: a product token, "*", or "" if the file has no group that applies.
func (g *Group) Name() string { return g.name }

// Rules returns the rules in file order. The slice is not to be written to.
func (g *Group) Rules() []Rule {
	if g.set == nil {
		return nil
	}
	return g.compiled().rules
}

// Count returns how many rules and other fields the group has. It takes no memory,
// while Rules keeps what it has returned: of a hostile file every agent may have a
// group of its own with most of the rules.
func (g *Group) Count() (rules, fields int) {
	for _, b := range g.blocks {
		block := &g.file.blocks[b]
		rules += int(block.rules.hi - block.rules.lo)
		fields += int(block.extensions.hi - block.extensions.lo)
	}
	return rules, fields
}

// Extensions returns the other fields of the group in file order.
func (g *Group) Extensions() []Extension {
	var ext []Extension
	for _, b := range g.blocks {
		s := g.file.blocks[b].extensions
		ext = append(ext, g.file.Extensions[s.lo:s.hi]...)
	}
	return ext
}
