package robotstxt

// decision is a set of points in which the specification and Google's open-source parser
// differ. Options.GoogleParser sets all of them. Without any, a File follows the
// specification.
type decision uint32

const (
	googleFields   decision = 1 << iota // fields by prefix and misspelled, two words without a colon (D6)
	googleIndex                         // an Allow of index.htm… allows the directory (D15)
	googleEscapes                       // escapes of unreserved characters are not decoded (D9)
	googleURL                           // the URL is compared as given, so the caller must escape it (ROB-MAT-16)
	googleSpecials                      // %2A and %24 do not match * and $ (ROB-MAT-20)
	googleQuery                         // queries are compared in one form only (D10)
	googleSpaces                        // white space within a rule is not escaped (ROB-FMT-19)
	googleControls                      // NUL ends a line, other control characters are compared (ROB-FMT-17)
	googleUnion                         // several tokens: the rules of all of them (D13)
	googleCut                           // a line that the size limit cuts counts (D11)
	googleRobots                        // /robots.txt can be disallowed (ROB-MAT-21)
	googleLimit                         // no size limit (ROB-FMT-14)
	googleLines                         // long lines are cut (ROB-FMT-18)
	googleDots                          // dot segments stay in the URL (ROB-MAT-25)
	googleIllegal                       // octets that a URI must escape are compared unchanged (ROB-MAT-28)
	googleNames                         // names with digits or dots are cut in the file, and compared as given (ROB-UA-15)
	googleVoid                          // rules and agents without effect are kept and matched, but decide nothing

	allGoogle = 1<<iota - 1
)

func (d decision) has(one decision) bool { return d&one != 0 }

// googleLineLimit is the number of bytes of a line that Google's parser reads.
const googleLineLimit = 2083*8 - 1

// googleGroup merges several groups. A merged group is ranked again at each call.
func (f *File) googleGroup(named []int) *Group {
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
