// Package sfv parses structured field values (RFC 9651). It parses the members of lists and
// dictionaries one by one, so that a caller can keep the members before an error.
package sfv

import "strings"

// Reader reads a value from its start. A method returns false if Rest does not begin with
// the item that it reads.
type Reader struct{ Rest string }

// Kind is the type of an Item.
type Kind byte

// The types of items.
const (
	Token     Kind = 't'
	String    Kind = 's'
	Number    Kind = 'n' // an integer or a decimal
	Boolean   Kind = 'b'
	Date      Kind = '@'
	Bytes     Kind = ':'
	Display   Kind = 'd' // a display string, without its text
	InnerList Kind = '(' // an inner list, without its items
)

// Item is a bare item or an inner list.
type Item struct {
	Kind Kind
	Text string
}

// Param is a parameter of an item. Without a value it is true.
type Param struct {
	Key   string
	Value Item
}

var yes = Item{Boolean, "1"}

// Member reads a member of a list, with its parameters.
func (r *Reader) Member() (Item, []Param, bool) {
	if !r.skip('(') {
		item, ok := r.bare()
		if !ok {
			return Item{}, nil, false
		}
		params, ok := r.params()
		return item, params, ok
	}
	for {
		r.Rest = strings.TrimLeft(r.Rest, " ")
		if r.skip(')') {
			params, ok := r.params()
			return Item{Kind: InnerList}, params, ok
		}
		if _, ok := r.bare(); !ok {
			return Item{}, nil, false
		}
		if _, ok := r.params(); !ok || r.Rest == "" || r.Rest[0] != ' ' && r.Rest[0] != ')' {
			return Item{}, nil, false
		}
	}
}

// Entry reads a member of a dictionary.
func (r *Reader) Entry() (key string, value Item, ok bool) {
	if key, ok = r.key(); !ok {
		return "", Item{}, false
	}
	if r.skip('=') {
		value, _, ok = r.Member()
		return key, value, ok
	}
	_, ok = r.params()
	return key, yes, ok
}

// Next moves to the next member of a list or dictionary. More is false at the end. Ok is
// false if something else follows.
func (r *Reader) Next() (more, ok bool) {
	r.Rest = strings.TrimLeft(r.Rest, " \t")
	if r.Rest == "" {
		return false, true
	}
	if !r.skip(',') {
		return false, false
	}
	r.Rest = strings.TrimLeft(r.Rest, " \t")
	return r.Rest != "", r.Rest != ""
}

func (r *Reader) skip(c byte) bool {
	if r.Rest == "" || r.Rest[0] != c {
		return false
	}
	r.Rest = r.Rest[1:]
	return true
}

// while removes and returns the longest prefix whose bytes satisfy ok.
func (r *Reader) while(ok func(c byte) bool) string {
	n := 0
	for n < len(r.Rest) && ok(r.Rest[n]) {
		n++
	}
	taken := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return taken
}

func isLower(c byte) bool  { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isKey(c byte) bool    { return isLower(c) || isDigit(c) || strings.IndexByte("_-.*", c) >= 0 }
func isBase64(c byte) bool { return isLower(c|0x20) || isDigit(c) || strings.IndexByte("+/=", c) >= 0 }

// isToken reports whether c can be in a token: tchar, ':' or '/'.
func isToken(c byte) bool {
	return isLower(c|0x20) || isDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}

// key reads the name of a parameter or a dictionary member.
func (r *Reader) key() (string, bool) {
	if r.Rest == "" || !isLower(r.Rest[0]) && r.Rest[0] != '*' {
		return "", false
	}
	return r.while(isKey), true
}

// bare reads a bare item.
func (r *Reader) bare() (Item, bool) {
	if r.Rest == "" {
		return Item{}, false
	}
	switch c := r.Rest[0]; {
	case c == '"':
		text, ok := r.quoted()
		return Item{String, text}, ok
	case r.skip('%'):
		_, ok := r.quoted()
		return Item{Display, ""}, ok
	case r.skip('?'):
		text := r.while(func(c byte) bool { return c == '0' || c == '1' })
		return Item{Boolean, text}, len(text) == 1
	case r.skip('@'):
		n, ok := r.number()
		return Item{Date, n}, ok && !strings.Contains(n, ".")
	case c == '-' || isDigit(c):
		n, ok := r.number()
		return Item{Number, n}, ok
	case r.skip(':'):
		return Item{Bytes, r.while(isBase64)}, r.skip(':')
	case isLower(c|0x20) || c == '*':
		return Item{Token, r.while(isToken)}, true
	}
	return Item{}, false
}

// number reads an integer of up to 15 digits, or a decimal with up to 12 digits before and 3
// after the point.
func (r *Reader) number() (string, bool) {
	sign := ""
	if r.skip('-') {
		sign = "-"
	}
	whole := r.while(isDigit)
	if !r.skip('.') {
		return sign + whole, len(whole) >= 1 && len(whole) <= 15
	}
	part := r.while(isDigit)
	return sign + whole + "." + part, len(whole) >= 1 && len(whole) <= 12 && len(part) >= 1 && len(part) <= 3
}

// quoted reads a string of printable ASCII. A backslash is valid only before a quote or
// another backslash.
func (r *Reader) quoted() (string, bool) {
	if !r.skip('"') {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(r.Rest); i++ {
		switch c := r.Rest[i]; {
		case c == '"':
			r.Rest = r.Rest[i+1:]
			return b.String(), true
		case c == '\\':
			i++
			if i == len(r.Rest) || r.Rest[i] != '"' && r.Rest[i] != '\\' {
				return "", false
			}
			b.WriteByte(r.Rest[i])
		case c < ' ' || c >= 0x7F:
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// params reads the parameters of an item in order, with duplicates.
func (r *Reader) params() (list []Param, ok bool) {
	for r.skip(';') {
		r.Rest = strings.TrimLeft(r.Rest, " ")
		key, ok := r.key()
		if !ok {
			return nil, false
		}
		p := Param{key, yes}
		if r.skip('=') {
			if p.Value, ok = r.bare(); !ok {
				return nil, false
			}
		}
		list = append(list, p)
	}
	return list, true
}
