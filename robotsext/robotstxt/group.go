package robotstxt

// Group holds the rules for one crawler: the rules of every group that names it, in
// file order. The zero Group has no rules and allows everything.
type Group struct {
	file   *File
	name   string
	blocks []int32
	set    *ruleset
	err    error
}

// nobody is the group of crawlers to which no group of the file applies.
var nobody Group

// Group returns the group that a crawler must obey. Names are the crawler's names, most
// specific first: product tokens such as "FooBot", or User-Agent headers such as
// "FooBot/1.0"; ProductToken finds their token. The first token that has a group
// decides; groups of different tokens are never merged. If no token has a group, Group
// returns the group of "*", or else an empty group. The name "*" selects that group too.
//
// If a name has no product token, Group returns a group without rules that disallows every
// path; see Group.Err. The result is never nil.
func (f *File) Group(names ...string) *Group {
	if g, _ := f.choose(names); g != nil {
		return g
	}
	if i := f.names.find("*"); i >= 0 {
		return &f.groups[i]
	}
	return &nobody
}

// NamedGroup is Group for crawlers that ignore the group of "*", such as
// AdsBot-Google.
func (f *File) NamedGroup(names ...string) *Group {
	if g, _ := f.choose(names); g != nil {
		return g
	}
	return &nobody
}

// Err returns why the names that selected the group are no names of crawlers. It matches
// ErrToken. The group then disallows every path. For every other group Err returns nil.
func (g *Group) Err() error { return g.err }

// choose returns the group of the first name that has one, and its product token. It
// returns nil if none has. All names are checked, so that an error does not depend on the
// file.
func (f *File) choose(names []string) (g *Group, token string) {
	strict := !f.google.has(googleNames)
	var found []int
	for _, name := range names {
		if name == "*" {
			continue
		}
		own := name
		if strict {
			var err error
			if own, err = ProductToken(name); err != nil {
				return &Group{err: err}, ""
			}
		}
		i := f.names.find(own)
		if i < 0 {
			continue
		}
		if g == nil {
			g, token = &f.groups[i], own
		}
		if f.google.has(googleUnion) {
			found = append(found, i)
		}
	}
	if len(found) > 1 {
		g = f.googleGroup(found)
	}
	return g, token
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
