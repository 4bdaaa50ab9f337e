package robotstxt

import "strings"

// Options.GoogleParser: what Google's open-source parser does otherwise than
// the specification. The rest is Lenient, or follows from leaving out a check.

// googleLineLimit is how much of a line Google's parser keeps.
const googleLineLimit = 2083*8 - 1

// googleLine cuts a line where Google's parser stops reading it: at its limit,
// or at the first NUL.
func googleLine(text string, line span) span {
	line.hi = min(line.hi, line.lo+googleLineLimit)
	if i := strings.IndexByte(line.of(text), 0); i >= 0 {
		line.hi = line.lo + int32(i)
	}
	return line
}

// googleGroup merges the groups of all tokens. A value without any token
// character names the empty token.
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
	g := f.newGroup(f.groups[named[0]].name, blocks)
	return &g
}

// googlePattern escapes octets from 0x80 and writes escapes in upper case;
// nothing is decoded, and spaces and controls stay.
func googlePattern(s string) string {
	same := true
	for i := 0; i < len(s) && same; i++ {
		same = s[i] < 0x80 && s[i] != '%'
	}
	if same {
		return s
	}
	out := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		switch v, ok := unhex(s[i:]); {
		case s[i] == '%' && ok:
			out = appendEscape(out, v)
			i += 2
		case s[i] >= 0x80:
			out = appendEscape(out, s[i])
		default:
			out = append(out, s[i])
		}
	}
	return string(out)
}

// appendGoogle ranks a rule by the length of its escaped pattern. An Allow of
// anything that begins with index.htm in a directory allows the directory too.
func appendGoogle(rules []ranked, r *Rule) []ranked {
	pattern := googlePattern(r.Pattern)
	rules = append(rules, ranked{r, pattern, len(pattern)})
	if slash := strings.LastIndexByte(pattern, '/'); r.Allow && slash >= 0 &&
		strings.HasPrefix(pattern[slash:], "/index.htm") {
		rules = append(rules, ranked{r, pattern[:slash+1] + "$", slash + 2})
	}
	return rules
}

// googleMatch compares the path as it is, up to the first NUL. A rule with an
// empty path matches everything and decides nothing.
func (x *index) googleMatch(path string) (*Rule, bool) {
	path, _, _ = strings.Cut(path, "\x00")
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	rank := x.match(path, noRank)
	if rank == noRank {
		return nil, true
	}
	r := &x.ranked[rank]
	return r.rule, r.rule.Allow || r.length == 0
}
