package robotstag

import (
	"strings"
	"time"
	"unicode"

	"github.com/politecrawl/politecrawl/robotsext/internal/datetime"
)

// cutDate cuts the value of an unavailable_after off a list. A comma after the day of
// the week belongs to the date (ROB-PAG-07).
func cutDate(text string) (date, rest string) {
	end := dateEnd(text)
	if strings.HasPrefix(text[end:], ",") && datetime.IsWeekday(strings.TrimSpace(text[:end])) {
		behind := text[end+1:]
		n := dateEnd(behind)
		if _, ok := parseDate(behind[:n]); ok {
			return behind[:n], behind[n:]
		}
		// A day of the week alone; what follows is another rule.
	}
	return text[:end], text[end:]
}

// farthestZone is the largest offset of a time zone from UTC.
const farthestZone = 14 * time.Hour

// parseDate parses the date of an unavailable_after. A date in an unknown zone is over when
// it is over in every zone (ROB-PAG-07).
func parseDate(text string) (time.Time, bool) {
	t, ok := datetime.Parse(text)
	for !ok {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
		zone := strings.LastIndexFunc(text, unicode.IsSpace) + 1
		if zone == 0 || !unicode.IsLetter(rune(text[zone])) {
			return t, false
		}
		text = text[:zone]
		t, ok = datetime.Parse(text)
		t = t.Add(farthestZone)
	}
	return t, true
}

// dateEnd returns the length of the words that may be a date. It ends at the next
// comma, semicolon, rule, or name of a crawler.
func dateEnd(text string) int {
	for at := 0; ; {
		at += len(text[at:]) - len(strings.TrimLeftFunc(text[at:], unicode.IsSpace))
		end := at + wordEnd(text[at:])
		if word := text[at:end]; word == "" || startsRule(word) || strings.HasSuffix(word, ":") {
			return at
		}
		at = end
	}
}
