package trap

import (
	"slices"
	"strings"
)

// The URLs of a trap differ in generated parts: numbers, dates, session ids, filters. Without
// these parts, thousands of URLs have one pattern:
//
//	/calendar?month=2031-05          /calendar?month
//	/2024/05/some-title              /#/#/*
//	/p/123456                        /p/#
//	/s/8f3c1a2b9d/index.html         /s/~/*.html
//	/shop?color=red&size=m&page=2    /shop?+
//	/here/a/b/a/index.html           /here/**
//
// # stands for digits, ~ for a generated token, * for the last segment of a path, ?+ for three
// or more parameters, ** for a path in which a name repeats.

const (
	// maxParamNames is the maximum number of parameter names in a pattern. With more
	// parameters, filters have too many combinations.
	maxParamNames = 2

	// maxPatternDepth is the number of path segments in a coarse pattern.
	maxPatternDepth = 6

	// maxPattern is the maximum length of a pattern that is not coarse, in bytes, and maxParts
	// the maximum number of its path segments.
	maxPattern = 200
	maxParts   = 50

	// coarseSuffix ends the name of a coarse pattern, to tell it from other patterns.
	coarseSuffix = " (others)"

	// leastToken is the minimum length of a token of digits and letters, and leastHex of one of
	// hexadecimal digits.
	leastToken = 16
	leastHex   = 8
)

// patternsOf returns the pattern of a canonical URL, without its host, and its coarse pattern.
// A host has at most some dozens of coarse patterns.
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

// hasRepeatedPart reports whether a path has a segment twice that is not a number.
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

// foldLast folds the last segment of a path, usually the name of a page.
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

// foldDigits replaces digits with #, except in percent-encoded bytes.
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

// isEscape reports whether a percent-encoded byte begins at an index. It accepts invalid ones,
// which makes no difference to a pattern.
func isEscape(s string, i int) bool { return s[i] == '%' && i+2 < len(s) }
