package secret_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// What is shown of a URL that has a password in it?
func ExampleReference() {
	fmt.Println(secret.Reference("http://me:hunter2@example.com/a"))
	fmt.Println(secret.Stripped("http://me:hunter2@example.com/a"))     // to be used
	fmt.Println(secret.Doubtful("http://me:hun/ter2@example.com"))      // no URL
	fmt.Println(secret.Users("get http://me:pw@example.com/: it died")) // quoted in a text
	// Output:
	// http://***@example.com/a
	// http://example.com/a
	// http://***@example.com
	// get http://***@example.com/: it died
}

// What is left out of a log?
func ExampleAll() {
	fmt.Println(secret.All("GET /?token=abc&page=2 with Authorization: Bearer abc"))
	fmt.Println(secret.Name("Authorization"), secret.Name("Content-Type"))
	err := errors.New("proxy http://me:pw@10.0.0.1:3128 refuses")
	fmt.Println(secret.Error(err))
	// Output:
	// GET /?token=***&page=2 with Authorization: ***
	// true false
	// proxy http://***@10.0.0.1:3128 refuses
}

// What is shown of a robots.txt whose lines are not what they should be?
func ExampleField() {
	fmt.Println(secret.Field("Host", "me:pw@example.com"))
	fmt.Println(secret.Field("Disallow", "/me:pw@example.com")) // a path
	// Output:
	// ***@example.com
	// /me:pw@example.com
}

// How is a robots.txt quoted by what knows nothing of secrets?
func ExampleRobots() {
	tame, shown := secret.Robots([]byte("Sitemap: https:me:pw@example.com\n"))
	fmt.Println(strings.Contains(string(tame), "pw"))
	fmt.Println(shown("bad line: " + strings.TrimSpace(string(tame))))
	// Output:
	// false
	// bad line: Sitemap: https:***@example.com
}
