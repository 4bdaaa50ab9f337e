package robotsext

// Outcome is what a fetch of robots.txt came to.
type Outcome uint8

// The three outcomes.
const (
	Rules       Outcome = iota + 1
	AllowAll            // there is no robots.txt
	Unreachable         // unknown: nothing may be fetched for now
)

func (o Outcome) String() string {
	switch o {
	case Rules:
		return "rules"
	case AllowAll:
		return "allow-all"
	case Unreachable:
		return "unreachable"
	}
	return "unknown"
}

// disposition says what to do with an answer of a given status.
type disposition uint8

const (
	useBody     disposition = iota + 1 // rules from the body
	noRules                            // rules, of which there are none; the body is not read
	usePart                            // rules from the body if it is the whole file
	follow                             // ask the Location, if there is a usable one
	noFile                             // allow-all
	serverError                        // unreachable
)

// dispose is table STA: what each status of an answer to GET /robots.txt means. 429
// asks to come back later and 407 comes from our own proxy, which knows nothing of
// the site (D4); all other 4xx mean that there is no file (RFC 9309 2.3.1.3).
func dispose(status int) disposition {
	switch {
	case status == 204 || status == 205:
		return noRules
	case status == 206:
		return usePart
	case 200 <= status && status <= 299:
		return useBody
	case status == 304 || status == 305 || status == 306:
		// 304 answers a condition that was not asked, 305 and 306 are
		// withdrawn: an invalid response (D14).
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
