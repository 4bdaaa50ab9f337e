package robotstxt

import "strings"

// dictionary reads a dictionary of structured fields (RFC 9651 section 4.2.2) from
// its start. What breaks the grammar anywhere makes the whole of it void, so every
// method reports whether the text was what it should be.
type dictionary struct{ rest string }

// member reads a key with its value, as written. A value that is an inner list, or
// left out, is "".
func (d *dictionary) member() (key, item string, ok bool) {
	if key, ok = d.key(); !ok {
		return "", "", false
	}
	switch {
	case !d.skip("="):
	case d.skip("("):
		ok = d.innerList()
	default:
		item, ok = d.item()
	}
	return key, item, ok && d.params()
}

// next goes on to the next member. There is none at the end, and one has to follow
// a comma.
func (d *dictionary) next() (more, ok bool) {
	d.rest = strings.TrimLeft(d.rest, " \t")
	if d.rest == "" {
		return false, true
	}
	ok = d.skip(",")
	d.rest = strings.TrimLeft(d.rest, " \t")
	return ok, ok
}

func (d *dictionary) skip(what string) (ok bool) {
	d.rest, ok = strings.CutPrefix(d.rest, what)
	return ok
}

// while takes off the longest start of letters, digits and the octets of others.
// Letters are those of either case if upper is set.
func (d *dictionary) while(upper bool, others string) string {
	n := 0
	for n < len(d.rest) {
		b := d.rest[n]
		if upper {
			b = lower(b)
		}
		if !('a' <= b && b <= 'z' || isDigit(b) || strings.IndexByte(others, b) >= 0) {
			break
		}
		n++
	}
	taken := d.rest[:n]
	d.rest = d.rest[n:]
	return taken
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// key reads the name of a member or of a parameter.
func (d *dictionary) key() (string, bool) {
	if d.rest == "" || isDigit(d.rest[0]) || strings.IndexByte("_-.", d.rest[0]) >= 0 {
		return "", false
	}
	key := d.while(false, "_-.*")
	return key, key != ""
}

// innerList reads what follows the parenthesis of an inner list.
func (d *dictionary) innerList() bool {
	for {
		d.rest = strings.TrimLeft(d.rest, " ")
		if d.skip(")") {
			return true
		}
		if _, ok := d.item(); !ok || !d.params() {
			return false
		}
		if !strings.HasPrefix(d.rest, " ") && !strings.HasPrefix(d.rest, ")") {
			return false
		}
	}
}

// params reads the parameters of an item or an inner list, which have no meaning
// here.
func (d *dictionary) params() bool {
	for d.skip(";") {
		d.rest = strings.TrimLeft(d.rest, " ")
		if _, ok := d.key(); !ok {
			return false
		}
		if d.skip("=") {
			if _, ok := d.item(); !ok {
				return false
			}
		}
	}
	return true
}

// item reads a bare item: a string, number, date, boolean, byte sequence, display
// string or token.
func (d *dictionary) item() (item string, ok bool) {
	start := d.rest
	switch {
	case start == "":
		return "", false
	case start[0] == '"':
		ok = d.quoted()
	case d.skip("%"):
		ok = d.quoted()
	case d.skip("?"):
		ok = d.skip("0") || d.skip("1")
	case d.skip("@"):
		whole, part := d.number()
		ok = whole >= 1 && whole <= 15 && part < 0
	case d.skip(":"):
		d.while(true, "+/=")
		ok = d.skip(":")
	case start[0] == '-' || isDigit(start[0]):
		whole, part := d.number()
		ok = part < 0 && whole >= 1 && whole <= 15 || 1 <= part && part <= 3 && whole >= 1 && whole <= 12
	case start[0] == '*' || 'a' <= lower(start[0]) && lower(start[0]) <= 'z':
		d.while(true, "!#$%&'*+-.^_`|~:/")
		ok = true
	}
	return start[:len(start)-len(d.rest)], ok
}

// number counts the digits of a number before and after its point, part being
// negative where there is none.
func (d *dictionary) number() (whole, part int) {
	d.skip("-")
	whole = d.digits()
	if !d.skip(".") {
		return whole, -1
	}
	return whole, d.digits()
}

func (d *dictionary) digits() int {
	n := 0
	for n < len(d.rest) && isDigit(d.rest[n]) {
		n++
	}
	d.rest = d.rest[n:]
	return n
}

// quoted reads a string of printable ASCII, in which \ stands before " and \ alone.
func (d *dictionary) quoted() bool {
	if !d.skip(`"`) {
		return false
	}
	for i := 0; i < len(d.rest); i++ {
		switch b := d.rest[i]; {
		case b == '"':
			d.rest = d.rest[i+1:]
			return true
		case b == '\\':
			i++
			if i == len(d.rest) || d.rest[i] != '"' && d.rest[i] != '\\' {
				return false
			}
		case b < ' ' || b >= 0x7f:
			return false
		}
	}
	return false
}
