package robotstxt

// field is the meaning of the name before the colon. Only four fields affect crawling
// (ROB-GRP-13); all others are extensions.
type field uint8

const (
	fieldOther field = iota
	fieldAgent
	fieldAllow
	fieldDisallow
	fieldSitemap
)

// parseField recognises the exact names, in any case (ROB-FMT-10, ROB-FMT-11).
func parseField(name string) field {
	switch len(name) {
	case len("allow"):
		if equalFold(name, "allow") {
			return fieldAllow
		}
	case len("sitemap"):
		if equalFold(name, "sitemap") {
			return fieldSitemap
		}
	case len("disallow"):
		if equalFold(name, "disallow") {
			return fieldDisallow
		}
	case len("user-agent"):
		if equalFold(name, "user-agent") {
			return fieldAgent
		}
	}
	return fieldOther
}

// The first eight octets of the known names, in lower case.
const (
	disallowWord = 'd' | 'i'<<8 | 's'<<16 | 'a'<<24 | 'l'<<32 | 'l'<<40 | 'o'<<48 | 'w'<<56
	agentWord    = 'u' | 's'<<8 | 'e'<<16 | 'r'<<24 | '-'<<32 | 'a'<<40 | 'g'<<48 | 'e'<<56
	allowWord    = 'a' | 'l'<<8 | 'l'<<16 | 'o'<<24 | 'w'<<32
	sitemapWord  = 's' | 'i'<<8 | 't'<<16 | 'e'<<24 | 'm'<<32 | 'a'<<40 | 'p'<<48
)

// fieldAt recognises a known name at position i of a text and returns its end. It may miss
// a name at the end of the text.
func fieldAt(text string, i int) (f field, end int) {
	if i+len("user-agent") > len(text) {
		return fieldOther, i
	}
	// Setting bit 5 converts letters to lower case, and no other octet becomes a letter.
	switch x := eight(text, i) | 0x20*ones; {
	case x == disallowWord:
		return fieldDisallow, i + len("disallow")
	case x == agentWord && text[i+4] == '-' && text[i+8]|0x20 == 'n' && text[i+9]|0x20 == 't':
		return fieldAgent, i + len("user-agent")
	case x&(1<<40-1) == allowWord:
		return fieldAllow, i + len("allow")
	case x&(1<<56-1) == sitemapWord:
		return fieldSitemap, i + len("sitemap")
	}
	return fieldOther, i
}

// equalFold compares without regard to the case of ASCII letters only. K must not equal
// the Kelvin sign.
func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if a[i] != b[i] && lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}
