// Package percent escapes octets of URLs.
package percent

// Append appends the escape of an octet.
func Append(out []byte, b byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(out, '%', digits[b>>4], digits[b&15])
}

// Escape escapes the octets of s that are illegal.
func Escape(s string, illegal func(b byte) bool) string {
	clean := 0
	for clean < len(s) && !illegal(s[clean]) {
		clean++
	}
	if clean == len(s) {
		return s
	}
	out := append(make([]byte, 0, len(s)+16), s[:clean]...)
	for i := clean; i < len(s); i++ {
		if illegal(s[i]) {
			out = Append(out, s[i])
		} else {
			out = append(out, s[i])
		}
	}
	return string(out)
}
