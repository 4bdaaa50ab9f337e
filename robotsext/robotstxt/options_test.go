package robotstxt

import "testing"

// TestOptionsOfOlderEditions checks the options for the rules of older editions, and their
// defaults.
func TestOptionsOfOlderEditions(t *testing.T) {
	both := func(name string, opts *Options, file, byDefault, byOption string) []verdictTest {
		return []verdictTest{
			{name: name + " off", file: file, want: byDefault},
			{name: name + " on", file: file, want: byOption, opts: opts},
		}
	}
	for _, tests := range [][]verdictTest{
		both("ROB-FMT-12/D6 Lenient useragent", &Options{Lenient: true},
			"useragent: a⏎Disallow: /a⏎user agent: b⏎Disallow: /b", "a /a A, b /b A", "a /a D, b /b D"),
		both("ROB-FMT-12/D6 Lenient disallow", &Options{Lenient: true},
			"User-agent: *⏎dissallow: /1⏎dissalow: /2⏎disalow: /3⏎diasllow: /4⏎disallaw: /5",
			"a /1 A, a /2 A, a /3 A, a /4 A, a /5 A", "a /1 D, a /2 D, a /3 D, a /4 D, a /5 D"),
		both("ROB-FMT-12/D6 Lenient allow", &Options{Lenient: true},
			"User-agent: *⏎Disallow: /⏎alow: /1", "a /1 D", "a /1 D"),
		both("ROB-FMT-12/D6 Lenient missing colon", &Options{Lenient: true},
			"user-agent a⏎disallow /", "a /x A", "a /x D"),
		both("ROB-FMT-12/D6 Lenient missing colon, three words", &Options{Lenient: true},
			"User-agent: a⏎disallow / x", "a /x A", "a /x A"),
		both("ROB-FMT-12/D6 Lenient missing colon, control character", &Options{Lenient: true},
			"User-agent: a⏎disallow /\x01", "a /%01 A", "a /%01 A"),
		both("ROB-FMT-12/D6 Lenient prefixes", &Options{Lenient: true},
			"User-agents: a⏎Disallowed: /⏎Allow-x: /y", "a /x A", "a /x D, a /y A"),
		both("ROB-MAT-10/D7 AssumeSlash", &Options{AssumeSlash: true},
			"User-agent: *⏎Disallow: fish/⏎Allow: fish/x", "a /fish/y A", "a /fish/y D, a /fish/x A, a /fish A"),
		both("ROB-MAT-24/D15 GoogleParser", &Options{GoogleParser: true},
			"User-agent: *⏎Allow: /d/index.html⏎Allow: /e/index.htm⏎Allow: /f/index.htmlx⏎Disallow: /",
			"a /d/ D, a /e/ D, a /d/index.html A", "a /d/ A, a /e/ A, a /d/x D, a /f/ A, a /d/index.html A"),
		both("ROB-MAT-24/D15 GoogleParser, not for Disallow", &Options{GoogleParser: true},
			"User-agent: *⏎Disallow: /d/index.html", "a /d/ A", "a /d/ A"),
		both("ROB-MAT-24/D15 GoogleParser, no slash", &Options{GoogleParser: true},
			"User-agent: *⏎Allow: *index.html⏎Disallow: /", "a / D", "a / D"),
	} {
		runVerdicts(t, tests)
	}
}
