package robotstag

import "strings"

// A field reads a structured field value (RFC 9651) from its start. Its methods
// report false where the value is not one.
type field struct{ rest string }

// An item is a bare item, which here is of interest as a token or a string; true
// and integers serve as the values of parameters.
type item struct {
	kind byte // 't' token, 's' string, 'n' number, 'b' boolean, '@' date, ':' bytes, '(' inner list
	text string
}

// A param is a parameter of an item.
type param struct {
	key   string
	value item
}

func (f *field) skip(c byte) bool {
	if f.rest == "" || f.rest[0] != c {
		return false
	}
	f.rest = f.rest[1:]
	return true
}

// while takes off the longest start of which every byte satisfies ok.
func (f *field) while(ok func(c byte) bool) string {
	n := 0
	for n < len(f.rest) && ok(f.rest[n]) {
		n++
	}
	taken := f.rest[:n]
	f.rest = f.rest[n:]
	return taken
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isToken reports whether c can be in a token: tchar, ':' or '/'.
func isToken(c byte) bool {
	return isLower(c|0x20) || isDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}

// ows drops optional white space.
func (f *field) ows() { f.rest = strings.TrimLeft(f.rest, " \t") }

// key reads the name of a parameter or a dictionary member.
func (f *field) key() (string, bool) {
	if f.rest == "" || !isLower(f.rest[0]) && f.rest[0] != '*' {
		return "", false
	}
	return f.while(func(c byte) bool { return isLower(c) || isDigit(c) || strings.IndexByte("_-.*", c) >= 0 }), true
}

// bare reads a bare item.
func (f *field) bare() (item, bool) {
	if f.rest == "" {
		return item{}, false
	}
	switch c := f.rest[0]; {
	case c == '"':
		text, ok := f.quoted()
		return item{'s', text}, ok
	case c == '%': // a display string: %"…", whose text is of no interest
		f.rest = f.rest[1:]
		_, ok := f.quoted()
		return item{'d', ""}, ok
	case c == '?':
		f.rest = f.rest[1:]
		text := f.while(func(c byte) bool { return c == '0' || c == '1' })
		return item{'b', text}, len(text) == 1
	case c == '@':
		f.rest = f.rest[1:]
		n, ok := f.number()
		return item{'@', n}, ok && !strings.Contains(n, ".")
	case c == '-' || isDigit(c):
		n, ok := f.number()
		return item{'n', n}, ok
	case c == ':':
		f.rest = f.rest[1:]
		text := f.while(func(c byte) bool { return isLower(c|0x20) || isDigit(c) || strings.IndexByte("+/=", c) >= 0 })
		return item{':', text}, f.skip(':')
	case isLower(c|0x20) || c == '*':
		return item{'t', f.while(isToken)}, true
	}
	return item{}, false
}

// number reads an integer of up to 15 digits, or a decimal with up to 12 before
// the point and 3 behind it.
func (f *field) number() (string, bool) {
	sign := ""
	if f.skip('-') {
		sign = "-"
	}
	whole := f.while(isDigit)
	if !f.skip('.') {
		return sign + whole, len(whole) >= 1 && len(whole) <= 15
	}
	part := f.while(isDigit)
	return sign + whole + "." + part, len(whole) >= 1 && len(whole) <= 12 && len(part) >= 1 && len(part) <= 3
}

// quoted reads a string.
func (f *field) quoted() (string, bool) {
	if !f.skip('"') {
		return "", false
	}
	var b strings.Builder
	for i := 0; i < len(f.rest); i++ {
		switch c := f.rest[i]; {
		case c == '"':
			f.rest = f.rest[i+1:]
			return b.String(), true
		case c == '\\':
			i++
			if i == len(f.rest) || f.rest[i] != '"' && f.rest[i] != '\\' {
				return "", false
			}
			b.WriteByte(f.rest[i])
		case c < ' ' || c >= 0x7F:
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// params reads the parameters behind an item. Without a value one is true. The
// last of a key counts.
func (f *field) params() (list []param, ok bool) {
	for f.skip(';') {
		f.rest = strings.TrimLeft(f.rest, " ")
		key, ok := f.key()
		if !ok {
			return nil, false
		}
		p := param{key, item{'b', "1"}}
		if f.skip('=') {
			if p.value, ok = f.bare(); !ok {
				return nil, false
			}
		}
		list = append(list, p)
	}
	return list, true
}

// member reads an item or an inner list, with its parameters.
func (f *field) member() (item, []param, bool) {
	if !f.skip('(') {
		it, ok := f.bare()
		if !ok {
			return item{}, nil, false
		}
		params, ok := f.params()
		return it, params, ok
	}
	for {
		f.rest = strings.TrimLeft(f.rest, " ")
		if f.skip(')') {
			params, ok := f.params()
			return item{kind: '('}, params, ok
		}
		if _, ok := f.bare(); !ok {
			return item{}, nil, false
		}
		if _, ok := f.params(); !ok || f.rest == "" || f.rest[0] != ' ' && f.rest[0] != ')' {
			return item{}, nil, false
		}
	}
}

// next goes on to the next member of a list or dictionary. more is false at the
// end; ok is false where neither follows.
func (f *field) next() (more, ok bool) {
	f.ows()
	if f.rest == "" {
		return false, true
	}
	if !f.skip(',') {
		return false, false
	}
	f.ows()
	return f.rest != "", f.rest != ""
}
