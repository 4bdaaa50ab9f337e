package robotsext

// Outcome is the result of fetching robots.txt.
type Outcome uint8

// The outcomes.
const (
	OutcomeRules       Outcome = iota + 1 // robots.txt was fetched and parsed
	OutcomeAllowAll                       // there is no robots.txt
	OutcomeUnreachable                    // the rules are unknown, so nothing may be fetched for now
)

var outcomeNames = [...]string{"unknown", OutcomeRules: "rules", OutcomeAllowAll: "allow-all", OutcomeUnreachable: "unreachable"}

func (o Outcome) String() string { return nameOf(o, outcomeNames[:]) }

// nameOf returns a name of a list, the first for a value that has none.
func nameOf[T ~uint8](value T, names []string) string {
	if int(value) < len(names) {
		return names[value]
	}
	return names[0]
}

// disposition is the treatment of a response by its status.
type disposition uint8

const (
	useBody     disposition = iota + 1 // rules from the body
	noRules                            // an empty file; the body is not read
	usePart                            // rules from the body if it is the whole file
	follow                             // request the Location, if it is valid
	noFile                             // allow-all
	serverError                        // unreachable
)

// dispose implements table STA of the specification: the meaning of each status of GET
// /robots.txt. 429 is temporary and 407 comes from the crawler's own proxy (D4). All
// other 4xx mean that there is no file (RFC 9309 2.3.1.3).
func dispose(status int) disposition {
	switch {
	case status == 204 || status == 205:
		return noRules
	case status == 206:
		return usePart
	case 200 <= status && status <= 299:
		return useBody
	case status == 304 || status == 305 || status == 306:
		// The request had no condition, and 305 and 306 are withdrawn: an
		// invalid response (D14).
		return serverError
	case 300 <= status && status <= 399:
		return follow
	case status == 407 || status == 429:
		return serverError
	case 400 <= status && status <= 499:
		return noFile
	}
	// 5xx; a final 1xx, which is 101; anything that is not a status.
	return serverError
}
