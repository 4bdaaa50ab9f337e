package robotstxt

// decision is a point in which the specification and Google's open-source
// parser differ. They are all that Options.GoogleParser changes: a File with no
// decision is read by the specification, one with all of them bug for bug as
// Google's parser would.
type decision uint32

const (
	googleFields   decision = 1 << iota // fields by prefix and misspelt, two words without a colon (D6)
	googleIndex                         // an Allow of index.htm… allows the directory (D15)
	googleEscapes                       // escapes of unreserved characters are not decoded (D9)
	googleURL                           // the URL is compared as given, the caller should have escaped it (ROB-MAT-16)
	googleSpecials                      // %2A and %24 do not match * and $ (ROB-MAT-20)
	googleQuery                         // one form of a query only (D10)
	googleSpaces                        // white space within a rule is not escaped (ROB-FMT-19)
	googleControls                      // NUL ends a line, other controls are as good as letters (ROB-FMT-17)
	googleUnion                         // several tokens: the rules of all of them (D13)
	googleCut                           // half a line at the size limit counts (D11)
	googleRobots                        // /robots.txt can be disallowed (ROB-MAT-21)
	googleLimit                         // no size limit (ROB-FMT-14)
	googleLines                         // long lines are cut (ROB-FMT-18)
	googleDots                          // dot segments stay in the URL (ROB-MAT-25)
	googleIllegal                       // octets that no URI holds raw stay as they are (ROB-MAT-28)
	googleVoid                          // rules and agents without effect are kept: they are matched, and say nothing

	allGoogle = 1<<iota - 1
)

func (d decision) has(one decision) bool { return d&one != 0 }

// googleLineLimit is how much of a line Google's parser keeps.
const googleLineLimit = 2083*8 - 1

// googleGroup merges the groups of all tokens. With one of them it is that
// token's own group; with more the rules are ranked anew at each call.
func (f *File) googleGroup(tokens []string) *Group {
	var named []int
	for _, token := range tokens {
		if i := f.names.find(token); i >= 0 && token != "*" {
			named = append(named, i)
		}
	}
	switch len(named) {
	case 0:
		return nil
	case 1:
		return &f.groups[named[0]]
	}
	in := make([]bool, len(f.blocks))
	for _, i := range named {
		for _, b := range f.groups[i].blocks {
			in[b] = true
		}
	}
	var blocks []int32
	for b, ok := range in {
		if ok {
			blocks = append(blocks, int32(b))
		}
	}
	return &Group{file: f, name: f.groups[named[0]].name, blocks: blocks, set: new(ruleset)}
}
