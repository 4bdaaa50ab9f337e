package robotstxt

// agentToken reads the value of a User-agent line. Only the leading run of
// token characters counts; version, star and words after it are dropped
// (ROB-UA-03). A star alone, or followed by white space, is the global agent
// (ROB-UA-12). An empty token names nobody (ROB-GRP-11).
func agentToken(value string) (token string, global bool) {
	if len(value) > 0 && value[0] == '*' {
		return "", len(value) == 1 || isSpace(value[1])
	}
	n := 0
	for n < len(value) && isTokenByte(value[n]) {
		n++
	}
	return value[:n], false
}

// wideToken reads the value of a User-agent line up to the first white space,
// slash or star, for crawlers whose name is no product token (ROB-UA-11).
func wideToken(value string) string {
	for i := 0; i < len(value); i++ {
		if b := value[i]; isSpace(b) || b == '/' || b == '*' {
			return value[:i]
		}
	}
	return value
}

func isTokenByte(b byte) bool {
	return 'a' <= lower(b) && lower(b) <= 'z' || b == '-' || b == '_'
}

// names finds the group of a token. Names are compared without regard to ASCII
// case (ROB-UA-02) unless exact is set (D1).
type names struct {
	exact bool
	list  []string // as first written, in file order
	table []int32  // open addressing: position in list plus 1; nil while list is short
}

// shortList is how many names are searched one by one.
const shortList = 8

func (n *names) find(name string) int {
	if n.table == nil {
		for i, s := range n.list {
			if n.equal(s, name) {
				return i
			}
		}
		return -1
	}
	for slot := n.slot(name); ; slot = (slot + 1) & (len(n.table) - 1) {
		i := int(n.table[slot]) - 1
		if i < 0 || n.equal(n.list[i], name) {
			return i
		}
	}
}

// add returns the position of name, which it adds if it is new.
func (n *names) add(name string) int {
	if i := n.find(name); i >= 0 {
		return i
	}
	n.list = append(n.list, name)
	switch {
	case len(n.list) <= shortList:
	case 2*len(n.list) > len(n.table):
		n.table = make([]int32, max(64, 2*len(n.table)))
		for i := range n.list {
			n.insert(i)
		}
	default:
		n.insert(len(n.list) - 1)
	}
	return len(n.list) - 1
}

func (n *names) insert(i int) {
	slot := n.slot(n.list[i])
	for n.table[slot] != 0 {
		slot = (slot + 1) & (len(n.table) - 1)
	}
	n.table[slot] = int32(i + 1)
}

func (n *names) equal(a, b string) bool {
	if n.exact {
		return a == b
	}
	return equalFold(a, b)
}

// slot is the FNV-1a hash of the name in lower case, cut to the table.
func (n *names) slot(name string) int {
	h := uint32(2166136261)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint32(lower(name[i]))) * 16777619
	}
	return int((h ^ h>>15) & uint32(len(n.table)-1))
}
