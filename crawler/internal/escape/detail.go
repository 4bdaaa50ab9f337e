package escape

import "github.com/politecrawl/politecrawl/robotsext/secret"

// MaxDetail is how many bytes of the site's own text are repeated in a line about a URL. An
// error may quote a header of 256 KiB, and a rule of robots.txt may have 500 KB.
const MaxDetail = 1 << 10

// Detail returns a text as the detail of a line about a URL has it: without secrets, and clipped.
func Detail(text string) string { return Clip(secret.RedactText(text), MaxDetail) }
