package robotstxt

import (
	"strings"
	"time"
)

// Extension is a field without a meaning for crawling: it never changes a
// verdict.
type Extension struct {
	Field  string // as written
	Value  string
	Line   int      // from 1
	Agents []string // the agents of its group, "*" among them; nil before the first group
}

func isFieldName(name string) bool {
	for i := 0; i < len(name); i++ {
		b := name[i]
		if class[b]&unreserved == 0 && b != ' ' {
			return false
		}
	}
	return true
}

// parseDelay reads a decimal number of seconds that is not negative.
func parseDelay(value string) (time.Duration, bool) {
	whole, fraction, point := strings.Cut(value, ".")
	if whole == "" && fraction == "" || point && whole == "" && fraction == "" {
		return 0, false
	}
	const limit = int64(1 << 32) // seconds
	var d time.Duration
	n := int64(0)
	for i := 0; i < len(whole); i++ {
		if whole[i] < '0' || whole[i] > '9' {
			return 0, false
		}
		n = min(n*10+int64(whole[i]-'0'), limit)
	}
	d = time.Duration(n) * time.Second
	unit := time.Second
	for i := 0; i < len(fraction); i++ {
		if fraction[i] < '0' || fraction[i] > '9' {
			return 0, false
		}
		unit /= 10
		d += time.Duration(fraction[i]-'0') * unit
	}
	return d, true
}

func (p *parser) noteExtension(name, value string) {}
