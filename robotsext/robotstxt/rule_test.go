package robotstxt

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt/robotstxttest"
)

func TestRules(t *testing.T) {
	runVerdicts(t, []verdictTest{
		{name: "ROB-MAT-01/case", file: "User-agent: *⏎Disallow: /file.asp", want: "a /file.asp D, a /FILE.asp A"},
		{name: "ROB-MAT-02/anchored at the first octet", file: "User-agent: *⏎Disallow: /fish", want: "a /fishes D, a /x/fish A"},
		{name: "ROB-MAT-03/longest wins", file: "User-agent: *⏎Allow: /a/b⏎Disallow: /a⏎Disallow: /a/b/c", want: "a /a/x D, a /a/b/x A, a /a/b/c D"},
		{name: "ROB-MAT-03/a star counts one", file: "User-agent: *⏎Allow: /abc⏎Disallow: /*bc", want: "a /abc A"},
		{name: "ROB-MAT-03/several stars count", file: "User-agent: *⏎Allow: /abc⏎Disallow: /***c", want: "a /abc D"},
		{name: "ROB-MAT-03/a final dollar counts", file: "User-agent: *⏎Allow: /abc⏎Disallow: /abc$", want: "a /abc D, a /abcd A"},
		{name: "ROB-MAT-03/a literal dollar counts one", file: "User-agent: *⏎Allow: /a$b⏎Disallow: /*$*b", want: "a /a$b D, a /a$$b D"},
		{name: "ROB-MAT-03/a literal dollar counts one, not three", file: "User-agent: *⏎Allow: /a$b⏎Disallow: /a**b", want: "a /a$b D"},
		{name: "ROB-MAT-03/octets of the canonical form", file: "User-agent: *⏎Allow: /*********⏎Disallow: /ツ⏎", want: "a /%E3%83%84 A"},
		{name: "ROB-MAT-03/octets after decoding", file: "User-agent: *⏎Allow: /aaaa⏎Disallow: /%61%61", want: "a /aaaa A"},
		{name: "ROB-MAT-03/octets after escaping", file: "User-agent: *⏎Allow: /a**⏎Disallow: /a{", want: "a /a%7Bb D"},
		{name: "ROB-MAT-03/an escaped octet counts three", file: "User-agent: *⏎Allow: /a***⏎Disallow: /a{", want: "a /a%7Bb A"},
		{name: "ROB-MAT-03/a bracket counts three in the path", file: "User-agent: *⏎Allow: /a**⏎Disallow: /a[", want: "a /a[b D"},
		{name: "ROB-MAT-03/a bracket counts one in the query", file: "User-agent: *⏎Allow: /?a**⏎Disallow: /?a[", want: "a /?a[b A, a /?a%5Bb A"},
		{name: "ROB-MAT-03/an escaped bracket counts three in the query", file: "User-agent: *⏎Allow: /?a**⏎Disallow: /?a%5B", want: "a /?a[b D, a /?a%5Bb D"},
		{name: "ROB-MAT-04/tie", file: "User-agent: *⏎Allow: /folder⏎Disallow: /folder", want: "a /folder/x A"},
		{name: "ROB-MAT-04/tie in the other order", file: "User-agent: *⏎Disallow: /folder⏎Allow: /folder", want: "a /folder/x A"},
		{name: "ROB-MAT-05/wildcard against prefix", file: "User-agent: *⏎Allow: /page⏎Disallow: /*.htm", want: "a /page.htm D"},
		{name: "ROB-MAT-05/tie of two wildcards", file: "User-agent: *⏎Disallow: /*.htm⏎Allow: /p*htm", want: "a /page.htm A"},
		{name: "ROB-MAT-06/star", file: "User-agent: *⏎Disallow: /*.php", want: "a /folder/filename.php?x D, a /?a/b.php D, a /.php D, a /php A"},
		{name: "ROB-MAT-07/dollar at the end", file: "User-agent: *⏎Disallow: /*.php$", want: "a /f.php D, a /f.php?x A, a /f.php.php D"},
		{name: "ROB-MAT-07/dollar elsewhere", file: "User-agent: *⏎Disallow: /a$b", want: "a /a$b D, a /a$bc D, a /a A"},
		{name: "ROB-MAT-07/two dollars", file: "User-agent: *⏎Disallow: /a$$", want: "a /a$ D, a /a$$ A, a /a A"},
		{name: "ROB-MAT-07/dollar before a star", file: "User-agent: *⏎Disallow: /a$*", want: "a /a$x D, a /a A"},
		{name: "ROB-MAT-07/only a dollar", file: "User-agent: *⏎Disallow: *$", want: "a / D, a /x?y D"},
		{name: "ROB-MAT-08/trailing star", file: "User-agent: *⏎Disallow: /fish*⏎Disallow: /meat**$", want: "a /fish D, a /fishes D, a /fis A, a /meat D, a /meaty D"},
		{name: "ROB-MAT-08/everything", file: "User-agent: *⏎Disallow: /*", want: "a / D, a /x D"},
		{name: "ROB-MAT-08/only a star", file: "User-agent: *⏎Disallow: *", want: "a / D, a /x D"},
		{name: "ROB-MAT-09/empty path", file: "User-agent: *⏎Disallow:⏎Allow: ⏎", want: "a / A, a /x A"},
		{name: "ROB-MAT-10/no slash", file: "User-agent: *⏎Disallow: fish/⏎Disallow: .gif$⏎Disallow: ?x⏎Disallow: $", want: "a /fish/x A, a /a.gif A, a /?x A, a / A"},
		{name: "ROB-MAT-11/leading star", file: "User-agent: *⏎Disallow: *.gif$", want: "a /a/b.gif D, a /a.gif?x A"},
		{name: "ROB-MAT-12/query", file: "User-agent: *⏎Disallow: /fish⏎Disallow: /*?id=", want: "a /fish.php?x=y D, a /?fish A, a /x?id=1 D, a /x?b&id=1 A"},
		{name: "ROB-MAT-13/fragment", file: "User-agent: *⏎Disallow: /a/b?c=d&e=f$", want: "a /a/b?c=d&e=f#frag D, a /a#/a/b?c=d&e=f A"},
		{name: "ROB-MAT-14/empty path", file: "User-agent: *⏎Disallow: /$", want: "a http://h D, a http://h/ D, a http://h#x D, a http://h:80 D"},
		{name: "ROB-MAT-14/bare query", file: "User-agent: *⏎Disallow: /?a", want: "a http://h?a D, a http://h/?a D, a http://h?b A"},
		{name: "ROB-MAT-14/parameters", file: "User-agent: *⏎Disallow: /a;b$", want: "a /a;b D, a /a A"},
		{name: "ROB-MAT-14/empty query", file: "User-agent: *⏎Disallow: /foo$", want: "a /foo? A, a /foo D"},
		{name: "ROB-MAT-14/userinfo", file: "User-agent: *⏎Disallow: /x$", want: "a http://u:p;q@h/x D, a http://u@h/x D"},
		{name: "ROB-MAT-15/raw and escaped", file: "User-agent: *⏎Disallow: /foo/bar/ツ⏎Disallow: /baz/%E3%83%84", want: "a /foo/bar/%E3%83%84 D, a /baz/%E3%83%84 D, a /foo/bar/%E3%83%85 A"},
		{name: "ROB-MAT-16/raw URL", file: "User-agent: *⏎Disallow: /foo/bar/%E3%83%84", want: "a /foo/bar/ツ D, a /foo/bar/%e3%83%84 D"},
		{name: "ROB-MAT-17/unreserved", file: "User-agent: *⏎Disallow: /foo/bar/%62%61%7A⏎Disallow: /%7Euser⏎Disallow: /a%2db%2E%5f", want: "a /foo/bar/baz D, a /~user D, a /%7euser D, a /a-b._ D"},
		{name: "ROB-MAT-17/not twice", file: "User-agent: *⏎Disallow: /%2561", want: "a /a A, a /%61 A, a /%2561 D"},
		{name: "ROB-MAT-17/no escape out of a stray %", file: "User-agent: *⏎Disallow: /%%34%31", want: "a /%%34%31 D, a /%41 A, a /A A"},
		{name: "ROB-MAT-18/reserved", file: "User-agent: *⏎Disallow: /a%2Fb⏎Disallow: /c/d⏎Disallow: /e%3Ff", want: "a /a/b A, a /a%2fb D, a /c%2Fd A, a /e?f A"},
		{name: "ROB-MAT-19/escaped in the URL", file: "User-agent: *⏎Disallow: /foo/bar?baz=https://foo.bar", want: "a /foo/bar?baz=https%3A%2F%2Ffoo.bar D, a /foo/bar?baz=https%3a//foo.bar D"},
		{name: "ROB-MAT-19/escaped in the rule", file: "User-agent: *⏎Disallow: /x?u=%40%5Ba%5D%3F", want: "a /x?u=@[a]? D, a /x?u=%40[a]%3F D"},
		{name: "ROB-MAT-19/not in the path", file: "User-agent: *⏎Disallow: /a%3Ab", want: "a /a:b A, a /a:b?%3A A"},
		{name: "ROB-MAT-19/an apostrophe", file: "User-agent: *⏎Disallow: /q?z='⏎Disallow: /r?z=%27", want: "a /q?z=' D, a /q?z=%27 D, a /q?z= A, a /r?z=' D, a /r?z=%27 D"},
		{name: "ROB-MAT-19/no apostrophe in the path", file: "User-agent: *⏎Disallow: /it's", want: "a /it's D, a /it%27s A, a /it%27s?' A"},
		{name: "ROB-MAT-19/not other characters", file: "User-agent: *⏎Disallow: /x?a=%26", want: "a /x?a=& A, a /x?a=%26 D"},
		{name: "ROB-MAT-19/behind a wildcard", file: "User-agent: *⏎Disallow: /*?*u=http://", want: "a /p?x=1&u=http%3A%2F%2Fh D, a /p?x=1&u=http%3A A"},
		{name: "ROB-MAT-19/length", file: "User-agent: *⏎Allow: /x?a=/b⏎Disallow: /x?a=%2F", want: "a /x?a=/b D"},
		{name: "ROB-MAT-20/star and dollar", file: "User-agent: *⏎Disallow: /a-%2A.html⏎Disallow: /foo-%24", want: "a /a-*.html D, a /a-b.html A, a /foo-$ D, a /foo- A, a /a-%2a.html D"},
		{name: "ROB-MAT-20/a wildcard matches a star", file: "User-agent: *⏎Disallow: /a*b", want: "a /a*b D, a /a$b D"},
		{name: "ROB-MAT-21/robots.txt", file: "User-agent: *⏎Disallow: /", want: "a /robots.txt A, a /robots.txt.bak D, a /robots.txt?x D, a /x/robots.txt D, a /Robots.txt D, a /robots%2Etxt A"},
		{name: "ROB-MAT-21/robots.txt by name", file: "User-agent: *⏎Disallow: /robots.txt", want: "a /robots.txt A"},
		{name: "ROB-MAT-23/default documents", file: "User-agent: *⏎Disallow: /*.php⏎Disallow: /index.html", want: "a / A, a /index.php D"},
		{name: "ROB-MAT-24/off", file: "User-agent: *⏎Allow: /d/index.html⏎Disallow: /", want: "a /d/ D"},
		{name: "ROB-MAT-25/dot segments", file: "User-agent: *⏎Disallow: /secret", want: "a /a/%2e%2e/secret D, a /a/../secret D, a /./secret D, a /a/b/../../secret D, a /../secret D, a /a/../b/../secret D, a /%2E/secret D"},
		{name: "ROB-MAT-25/at the end", file: "User-agent: *⏎Disallow: /a/$", want: "a /a/. D, a /a/b/.. D, a /a/b/../ D, a /a/.. A, a /a/.b A, a /a/... A"},
		{name: "ROB-MAT-25/doubled slashes", file: "User-agent: *⏎Disallow: /b", want: "a //b A, a /a/..//b A, a /a//../b A, a /a//../../b D"},
		{name: "ROB-MAT-25/not in the query", file: "User-agent: *⏎Disallow: /a?b=/../c", want: "a /a?b=/../c D, a /c A, a /x/../a?b=/../c D"},
		{name: "ROB-MAT-25/not in rules", file: "User-agent: *⏎Disallow: /a/../b", want: "a /b A, a /a/../b A"},
		{name: "ROB-MAT-28/brackets behind a star", file: "User-agent: *⏎Disallow: /*[]=a/b:*'", want: "a /x[]=a/b:' D, a /x%5B%5D=a/b:' D, a /x?f[]=a/b:' D, a /x?f%5b%5d=a/b:' D, a /x?f=a/b:' A"},
		{name: "ROB-MAT-28/a star and a dollar keep their meaning", file: "User-agent: *⏎Disallow: /{*}$", want: "a /{id} D, a /%7bid%7D D, a /{id}/ A"},
		{name: "ROB-MAT-28/not decoded twice", file: "User-agent: *⏎Disallow: /%257B", want: "a /{ A, a /%7B A, a /%257B D"},
		{name: "ROB-MAT-27/full URL", file: "User-agent: *⏎Disallow: http://h/x", want: "a /x A, a http://h/x A"},
	})
}

// neverRaw are octets that no URI holds raw in its path, save controls, which make
// a rule invalid.
const neverRaw = "\"<>\\^`{|}[] \x7f"

// TestIllegalOctets shows that rule and URL match however each of them spells an
// octet that no URI holds raw.
func TestIllegalOctets(t *testing.T) {
	for _, octet := range []byte(neverRaw + "\x80\xff") {
		spellings := []string{string([]byte{octet}), fmt.Sprintf("%%%02X", octet), fmt.Sprintf("%%%02x", octet)}
		for _, place := range []string{"/a_b", "/x?a_b", "/*a_b", "/*?*a_b", "/a_b$"} {
			for _, inRule := range spellings {
				body := []byte("User-agent: *\nDisallow: " + strings.Replace(place, "_", inRule, 1) + "\n")
				for _, inURL := range append(spellings, "", "%25"+spellings[1][1:]) {
					path := strings.NewReplacer("_", inURL, "*", "", "$", "").Replace(place)
					t.Run("ROB-MAT-28/"+place+" "+inRule+" "+inURL, func(t *testing.T) {
						want := !slices.Contains(spellings, inURL)
						if v := checkBothWays(t, Parse(body, nil), "http://h"+path, "x"); v.Allowed != want {
							t.Errorf("%s: %q is allowed: %v", body, path, v.Allowed)
						}
						if robotstxttest.Allowed(body, nil, "http://h"+path) != want {
							t.Errorf("%s: %q: the naive judge disagrees", body, path)
						}
					})
				}
			}
		}
	}
}

func TestPathTable(t *testing.T) {
	for _, row := range dataBlock(t, "path") {
		body := []byte("User-agent: *\nDisallow: " + row[0] + "\n")
		for i, want := range []string{"D", "A"} {
			for path := range strings.FieldsSeq(row[1+i]) {
				t.Run("ROB-MAT-02/PATH "+row[0]+" "+path, func(t *testing.T) {
					c := verdictTest{file: string(body)}
					checkVerdict(t, c, Parse(body, nil), "a http://h"+path+" "+want)
				})
			}
		}
	}
}

func TestPrecedenceTable(t *testing.T) {
	for _, row := range dataBlock(t, "prec") {
		path, allow, disallow, want := row[0], row[1], row[2], row[3]
		for _, file := range []string{
			"User-agent: *\nAllow: " + allow + "\nDisallow: " + disallow,
			"User-agent: *\nDisallow: " + disallow + "\nAllow: " + allow,
		} {
			for _, id := range []string{"ROB-MAT-03", "ROB-MAT-05"} {
				t.Run(id+"/PREC "+path+" "+allow+" "+disallow, func(t *testing.T) {
					c := verdictTest{file: file}
					checkVerdict(t, c, Parse(c.body(), nil), "a "+path+" "+want)
				})
			}
		}
	}
}

func TestEncodingTable(t *testing.T) {
	for _, row := range dataBlock(t, "enc") {
		rule, path, match := row[0], row[1], row[2] == "yes"
		t.Run("ROB-MAT-20/ENC "+rule+" "+path, func(t *testing.T) {
			c := verdictTest{file: "User-agent: *\nDisallow: " + rule}
			want := "A"
			if match {
				want = "D"
			}
			checkVerdict(t, c, Parse(c.body(), nil), "a "+path+" "+want)
		})
	}
}

func TestRFCExample(t *testing.T) {
	runVerdicts(t, []verdictTest{{
		name: "ROB-MAT-11/R5.1", file: quoted(t, "R5.1:")[0],
		want: "otherbot /x.gif D, otherbot /example/a D, otherbot /publications/a A, otherbot /publications/a.gif A, " +
			"foobot /example/page.html A, foobot /example/allowed.gif A, foobot /z D, " +
			"barbot /example/page.html D, barbot /x A, bazbot /example/page.html D, bazbot /x.gif A, " +
			"quxbot /example/page.html A, quxbot /x.gif A",
	}})
}
