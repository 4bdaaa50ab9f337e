package weburl_test

import (
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// FuzzRedactURL tests [secret.RedactURL] with another parser of URLs: no password that a browser
// would send is left, and a URL without one does not change.
//
// It is here because robotsext does not require the other parser.
func FuzzRedactURL(f *testing.F) {
	for _, s := range []string{"http://alice:hunter2@h/", "//a:b@c", "http:a@b", "\thttp:\\a:b@c/", "https:///x:y@z?@", "/a@b", "http://h/a@b", "http:/x@/y", "http://a＠b@c/", "//a%40b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		got := secret.RedactURL(ref)
		if again := secret.RedactURL(got); again != got {
			t.Errorf("%q becomes %q, and that %q", ref, got, again)
		}
		for _, base := range []string{"http://base.test/dir/", "https://base.test/"} {
			before, err := whatwg.ParseRef(base, ref)
			if err != nil || before.Scheme() != "http" && before.Scheme() != "https" {
				continue
			}
			after, err := whatwg.ParseRef(base, got)
			if err != nil {
				t.Fatalf("%q can be read, and %q cannot: %v", ref, got, err)
			}
			if before.Username() == "" && before.Password() == "" {
				continue
			}
			if after.Username() != "***" || after.Password() != "" {
				t.Errorf("%q: %q has the user %q and the password %q", ref, got, after.Username(), after.Password())
			}
			if before.Host() != after.Host() || before.Pathname() != after.Pathname() || before.Search() != after.Search() {
				t.Errorf("%q is for %s, and %q for %s", ref, before.Href(true), got, after.Href(true))
			}
		}
	})
}
