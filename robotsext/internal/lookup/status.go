package lookup

// Disposition is the treatment of a response by its status.
type Disposition uint8

// The dispositions.
const (
	UseBody     Disposition = iota + 1 // rules from the body
	NoRules                            // an empty file; the body is not read
	Follow                             // request the Location, if it is valid
	NoFile                             // allow-all
	ServerError                        // unreachable
)

// Dispose implements table STA of the specification: the meaning of each status of GET
// /robots.txt. 429 is temporary and 407 comes from the crawler's own proxy (D4). All
// other 4xx mean that there is no file (RFC 9309 2.3.1.3).
func Dispose(status int) Disposition {
	switch {
	case status == 204 || status == 205:
		return NoRules
	case 200 <= status && status <= 299:
		return UseBody
	case status == 304 || status == 305 || status == 306:
		// The request had no condition, and 305 and 306 are withdrawn: an
		// invalid response (D14).
		return ServerError
	case 300 <= status && status <= 399:
		return Follow
	case status == 407 || status == 429:
		return ServerError
	case 400 <= status && status <= 499:
		return NoFile
	}
	// 5xx; a final 1xx, which is 101; anything that is not a status.
	return ServerError
}
