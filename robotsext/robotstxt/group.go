package robotstxt

// Group holds the rules for one crawler: the rules of every group that names it, in
// file order. The zero Group has no rules and allows everything.
type Group struct {
	file   *File
	name   string
	blocks []int32
	set    *ruleset
}

// nobody is the group of crawlers to which no group of the file applies.
var nobody Group

// Group returns the group that a crawler must obey. Tokens are the crawler's product
// tokens, most specific first. The first token that has a group decides; groups of
// different tokens are never merged. If no token has a group, Group returns the group
// of "*", or else an empty group. The result is never nil.
func (f *File) Group(tokens ...string) *Group {
	if g := f.named(tokens); g != nil {
		return g
	}
	if i := f.names.find("*"); i >= 0 {
		return &f.groups[i]
	}
	return &nobody
}

// NamedGroup is Group for crawlers that ignore the group of "*", such as
// AdsBot-Google.
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

// Name returns the name that selected the group, as first written in the file: a
// product token, "*", or "" if no group applies.
func (g *Group) Name() string { return g.name }

// Rules returns the rules in file order. Callers must not modify the slice.
func (g *Group) Rules() []Rule {
	if g.set == nil {
		return nil
	}
	return g.list().rules
}

// Count returns the numbers of rules and of other fields in the group. It keeps
// nothing in memory, while the result of Rules stays cached in the Group. In a hostile
// file every agent may have a group with most of the rules.
func (g *Group) Count() (rules, fields int) {
	for _, b := range g.blocks {
		block := &g.file.blocks[b]
		rules += int(block.rules.hi - block.rules.lo)
		fields += int(block.extensions.hi - block.extensions.lo)
	}
	return rules, fields
}

// Extensions returns the fields of the group other than Allow and Disallow, in file
// order.
func (g *Group) Extensions() []Extension {
	var ext []Extension
	for _, b := range g.blocks {
		s := g.file.blocks[b].extensions
		ext = append(ext, g.file.Extensions[s.lo:s.hi]...)
	}
	return ext
}
