package secret_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// How do I show a URL with a password?
func ExampleRedactURL() {
	fmt.Println(secret.RedactURL("http://me:hunter2@example.com/a"))
	fmt.Println(secret.StripUserinfo("http://me:hunter2@example.com/a"))              // for a request
	fmt.Println(secret.RedactInvalidURL("http://me:hun/ter2@example.com"))            // not a valid URL
	fmt.Println(secret.RedactText("get http://me:pw@example.com/: connection reset")) // within other text
	// Output:
	// http://***@example.com/a
	// http://example.com/a
	// http://***@example.com
	// get http://***@example.com/: connection reset
}

// How do I redact a log?
func ExampleRedactLog() {
	fmt.Println(secret.RedactLog("GET /?token=abc&page=2 with Authorization: Bearer abc"))
	fmt.Println(secret.IsSecret("Authorization"), secret.IsSecret("Content-Type"))
	err := errors.New("proxy http://me:pw@10.0.0.1:3128 refuses")
	fmt.Println(secret.RedactError(err))
	// Output:
	// GET /?token=***&page=2 with Authorization: ***
	// true false
	// proxy http://***@10.0.0.1:3128 refuses
}

// How do I show a line of a robots.txt?
func ExampleRedactField() {
	fmt.Println(secret.RedactField("Host", "me:pw@example.com"))
	fmt.Println(secret.RedactField("Disallow", "/me:pw@example.com")) // a path
	// Output:
	// ***@example.com
	// /me:pw@example.com
}

// How do I lint a robots.txt without showing its passwords?
func ExampleRedactRobots() {
	redacted, mask := secret.RedactRobots([]byte("Sitemap: https:me:pw@example.com\n"))
	fmt.Println(strings.Contains(string(redacted), "pw"))
	fmt.Println(mask("bad line: " + strings.TrimSpace(string(redacted))))
	// Output:
	// false
	// bad line: Sitemap: https:***@example.com
}

// How do I remove passwords from labels that a site has chosen?
func ExampleRedactMap() {
	fmt.Println(secret.RedactMap(map[string]string{"search": "yes", "see": "https://me:pw@example.com/"}))
	// Output:
	// map[search:yes see:https://***@example.com/]
}
