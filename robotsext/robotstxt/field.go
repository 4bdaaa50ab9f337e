package robotstxt

// field is what the name before the colon means. Only four have a meaning for
// crawling (ROB-GRP-13); every other is an extension.
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

// lenientFields are the beginnings of names that Google's parser accepts, in
// the order in which it tries them (ROB-FMT-12).
var lenientFields = []struct {
	prefix string
	field  field
}{
	{"user-agent", fieldAgent},
	{"useragent", fieldAgent},
	{"user agent", fieldAgent},
	{"allow", fieldAllow},
	{"disallow", fieldDisallow},
	{"dissallow", fieldDisallow},
	{"dissalow", fieldDisallow},
	{"disalow", fieldDisallow},
	{"diasllow", fieldDisallow},
	{"disallaw", fieldDisallow},
	{"sitemap", fieldSitemap},
	{"site-map", fieldSitemap},
}

func parseFieldLeniently(name string) field {
	for _, f := range lenientFields {
		if len(name) >= len(f.prefix) && equalFold(name[:len(f.prefix)], f.prefix) {
			return f.field
		}
	}
	return fieldOther
}

// equalFold compares without regard to the case of ASCII letters, and of those
// alone: K must not equal the Kelvin sign.
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
