package trap

import (
	"slices"
	"strings"
)

// Traps are made of URLs that differ in what a program counts or combines: numbers,
// dates, session ids, filters. Take these out, and thousands of URLs are one pattern:
//
//	/calendar?month=2031-05          /calendar?month
//	/2024/05/some-title              /#/#/*
//	/p/123456                        /p/#
//	/s/8f3c1a2b9d/index.html         /s/~/*.html
//	/shop?color=red&size=m&page=2    /shop?+
//	/here/a/b/a/index.html           /here/**
//
// # stands for digits, ~ for a token that nobody would write, * for the last part of a
// path, ?+ for three parameters or more, ** for a path in which a name comes again.

const (
	// maxParamNames is how many parameters a pattern names. Filters can be combined in
	// any number of ways, and where three of them are, the names tell no more.
	maxParamNames = 2

	// maxPatternDepth is how many parts of a path a coarse pattern tells apart.
	maxPatternDepth = 6

	// maxPattern is the longest pattern, in bytes, that is not coarse, and maxParts the
	// most parts that the path of one may have.
	maxPattern = 200
	maxParts   = 50

	// coarseSuffix ends the name of a coarse pattern, which may else be that of another one.
	coarseSuffix = " (others)"

	// leastToken is how long a part of a path with digits and letters is that is taken
	// for a token, leastHex one of hexadecimal digits.
	leastToken = 16
	leastHex   = 8
)

// patternsOf returns the pattern of a URL in canonical form, without its host, and a
// coarse one, of which there are no more than some dozens.
func patternsOf(url string) [2]string {
	_, path, _ := strings.Cut(url, "://")
	if at := strings.IndexByte(path, '/'); at >= 0 {
		path = path[at:]
	}
	path, query, hasQuery := strings.Cut(path, "?")
	var b strings.Builder
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	whole := len(parts) <= maxParts
	if !whole {
		parts = parts[:maxParts]
	}
	last := len(parts) - 1
	if last > 0 && parts[last] == "" {
		last-- // of a path that ends in a slash
	}
	again := hasRepeatedPart(parts[:len(parts)-1])
	for i, part := range parts {
		if again && i > 0 {
			b.WriteString("/**")
			break
		}
		b.WriteByte('/')
		name, params, _ := strings.Cut(part, ";") // /page;jsessionid=0123
		if i == last && !hasQuery {
			b.WriteString(foldLast(name))
		} else {
			b.WriteString(foldPart(name))
		}
		writeNames(&b, ';', params, ";")
	}
	names := 0
	if hasQuery {
		names = writeNames(&b, '?', query, "&")
	}
	coarse := strings.Repeat("/*", min(len(parts), maxPatternDepth))
	if hasQuery {
		coarse += "?" + strings.Repeat("+", min(names, maxParamNames+1))
	}
	coarse += coarseSuffix
	if !whole || b.Len() > maxPattern {
		return [2]string{coarse, coarse}
	}
	return [2]string{b.String(), coarse}
}

// hasRepeatedPart reports whether a part of a path that is not a number occurs twice.
func hasRepeatedPart(parts []string) bool {
	for i, part := range parts {
		if slices.Contains(parts[:i], part) && kindsOf(part).digits < len(part) {
			return true
		}
	}
	return false
}

// writeNames writes the names of parameters, sorted, and returns how many there are.
func writeNames(b *strings.Builder, begin byte, params, separator string) int {
	var names []string
	for pair := range strings.SplitSeq(params, separator) {
		name, _, _ := strings.Cut(pair, "=")
		if name = foldPart(name); name != "" && !slices.Contains(names, name) {
			if names = append(names, name); len(names) > maxParamNames {
				b.WriteByte(begin)
				b.WriteByte('+')
				return len(names)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		b.WriteByte(begin)
		b.WriteString(name)
		begin = '&'
	}
	return len(names)
}

// foldPart folds a part of a path, or the name of a parameter.
func foldPart(part string) string {
	k := kindsOf(part)
	switch {
	case k.isToken(len(part)):
		return "~"
	case k.digits == 0:
		return part
	}
	return foldDigits(part)
}

// foldLast folds the last part of a path, which mostly is the name of a page.
func foldLast(part string) string {
	name, extension := part, ""
	if dot := strings.LastIndexByte(part, '.'); dot >= 0 && len(part)-dot <= len(".xhtml") && kindsOf(part[dot:]).digits == 0 {
		name, extension = part[:dot], part[dot:]
	}
	k := kindsOf(name)
	switch {
	case part == "":
		return ""
	case k.isToken(len(name)):
		return "~" + extension
	case k.digits > 0 && k.letters == 0 && k.others == 0: // 123456, 2031-05
		return foldDigits(name) + extension
	}
	return "*" + extension
}

// foldDigits puts # in place of digits that are not those of an escape.
func foldDigits(part string) string {
	b := make([]byte, 0, len(part))
	for i := 0; i < len(part); i++ {
		switch {
		case isEscape(part, i):
			b = append(b, part[i:i+3]...)
			i += 2
		case !isDigit(part[i]):
			b = append(b, part[i])
		case len(b) == 0 || b[len(b)-1] != '#':
			b = append(b, '#')
		}
	}
	return string(b)
}

// kinds counts the characters of a part.
type kinds struct {
	digits, letters, dashes, others int
	hex                             int // digits and letters that are hexadecimal digits
}

func kindsOf(part string) (k kinds) {
	for i := 0; i < len(part); i++ {
		switch c := part[i] | 0x20; {
		case isEscape(part, i):
			k.others++
			i += 2
		case isDigit(part[i]):
			k.digits++
			k.hex++
		case 'a' <= c && c <= 'z':
			k.letters++
			if c <= 'f' {
				k.hex++
			}
		case part[i] == '-' || part[i] == '_':
			k.dashes++
		default:
			k.others++
		}
	}
	return k
}

// isToken reports whether a part of some length looks generated.
func (k kinds) isToken(length int) bool {
	switch {
	case k.others > 0, k.digits == 0, k.letters == 0:
		return false
	case k.hex+k.dashes == length:
		return length >= leastHex
	}
	return k.dashes == 0 && length >= leastToken
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isEscape reports whether there is a percent-encoded byte at a place. Invalid ones count
// too, which makes no difference to a pattern.
func isEscape(s string, i int) bool { return s[i] == '%' && i+2 < len(s) }
