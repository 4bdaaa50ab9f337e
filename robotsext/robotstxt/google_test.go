package robotstxt

import (
	"fmt"
	"maps"
	"math/bits"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGoogleParser holds Options.GoogleParser against Google's parser: every
// verdict, and the matching line where it is known.
func TestGoogleParser(t *testing.T) {
	for _, set := range []string{"spec", "quirks", "fuzz", "corpus"} {
		t.Run(set, func(t *testing.T) {
			n, strict := 0, 0
			var last parsed
			sharedVerdicts(t, func(c sharedVerdict) {
				v := checkBothWays(t, last.parse(c.body, allGoogle), c.url, c.agents...)
				line := 0
				if v.Rule != nil {
					line = v.Rule.Line
				}
				if v.Allowed != c.allowed || c.line >= 0 && line != c.line {
					t.Errorf("%s: %q may fetch %q: got %v by line %d, want %v by line %d (strict: %v)",
						c.name, c.agents, c.url, v.Allowed, line, c.allowed, c.line, c.strict)
				}
				n++
				if c.strict {
					strict++
				}
			}, set)
			t.Logf("%d verdicts, %d strict", n, strict)
		})
	}
}

// TestRFC9309 holds the default against the examples of the RFC.
func TestRFC9309(t *testing.T) {
	sharedVerdicts(t, func(c sharedVerdict) {
		if v := checkBothWays(t, Parse(c.body, nil), c.url, c.agents...); v.Allowed != c.allowed {
			t.Errorf("%s: %q may fetch %q: got %v by %v", c.name, c.agents, c.url, v.Allowed, v.Rule)
		}
	}, "rfc")
}

// TestGoogleDetails holds parts of Options.GoogleParser against the parts of
// Google's parser that its own tests look at.
func TestGoogleDetails(t *testing.T) {
	sharedCases(t, "aux.jsonl", func(c struct {
		Kind string
		In   string
		Want any
	}) {
		file := Parse([]byte(c.In), &Options{GoogleParser: true})
		var got any
		switch c.Kind {
		case "path":
			got = canonicalPath(pathAndQuery(c.In, allGoogle), allGoogle)
		case "escape":
			got, _ = canonicalRule(c.In, allGoogle)
		case "validagent":
			got = ValidToken(c.In)
		case "lines":
			lines := lines{text: c.In}
			for r := new(record); lines.next(r); {
			}
			got = map[string]any{"directives": float64(len(file.rules) + len(file.mentions)), "last_line": float64(lines.n)}
		case "sitemap":
			urls := []any{}
			for _, s := range file.Sitemaps {
				urls = append(urls, s.URL)
			}
			got = urls
		default:
			t.Fatalf("unknown kind %q", c.Kind)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.Want) {
			t.Errorf("%s of %q: got %v, want %v", c.Kind, c.In, got, c.Want)
		}
	})
}

// intended are the decisions that may make a verdict differ from that of
// Google's parser, as the specification lists them, each with what has to be in
// a case that it is said to have decided.
var intended = map[decision]struct {
	name    string
	feature func(c sharedVerdict) bool
}{
	googleFields:   {"strict field names and colon (D6)", inFile(`(?im)^[^:#\n\r]*(user.?agent|allow|allaw|alow|asllow|site-?map)`)},
	googleIndex:    {"no index.html rule (D15)", inFile(`(?i)allow.*/index\.htm`)},
	googleEscapes:  {"unreserved escapes decoded (D9)", inEither(`(?i)%(2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])`)},
	googleURL:      {"URL made canonical (ROB-MAT-16)", inURL(`[^!-~]|%[0-9A-F]?[a-f]`)},
	googleSpecials: {"%2A and %24 match * and $ (ROB-MAT-20)", inEither(`(?i)[$*]|%2a|%24`)},
	googleQuery:    {"two forms of a query (D10)", inURL(`\?`)},
	googleSpaces:   {"inner space as %20 (ROB-FMT-19)", inFile(`[ \t]`)},
	googleControls: {"control characters (ROB-FMT-17)", inEither(`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]`)},
	googleUnion:    {"first of several tokens (D13)", func(c sharedVerdict) bool { return len(c.agents) > 1 }},
	googleCut:      {"partial last line dropped (D11)", isLarge},
	googleRobots:   {"/robots.txt always allowed (ROB-MAT-21)", inURL(`/robots(\.|%2[eE])txt`)},
	googleLimit:    {"size limit (ROB-FMT-14)", isLarge},
	googleLines:    {"long lines kept (ROB-FMT-18)", func(c sharedVerdict) bool { return len(c.body) > googleLineLimit }},
	googleDots:     {"dot segments removed (ROB-MAT-25)", inURL(`/(\.|%2[eE])`)},
	googleIllegal:  {"octets that no URI holds raw (ROB-MAT-28)", inEither("[\"<>\\\\^`{|}\\[\\]]|(?i)%(22|3[ce]|5[b-e]|60|7[b-d])")},
	googleNames: {"names of crawlers (ROB-UA-15)", func(c sharedVerdict) bool {
		return slices.ContainsFunc(c.agents, func(name string) bool { return !ValidToken(name) })
	}},
	// Not in the list, since no crawler may have such a token.
	googleVoid: {"the empty token names nobody (ROB-UA-10)", func(c sharedVerdict) bool { return slices.Contains(c.agents, "") }},
}

func inFile(pattern string) func(sharedVerdict) bool {
	re := regexp.MustCompile(pattern)
	return func(c sharedVerdict) bool { return re.Match(c.body) }
}

func inURL(pattern string) func(sharedVerdict) bool {
	re := regexp.MustCompile(pattern)
	return func(c sharedVerdict) bool { return re.MatchString(c.url) }
}

func inEither(pattern string) func(sharedVerdict) bool {
	file, url := inFile(pattern), inURL(pattern)
	return func(c sharedVerdict) bool { return file(c) || url(c) }
}

func isLarge(c sharedVerdict) bool { return len(c.body) > DefaultMaxBytes }

// TestIntendedDifferences explains every difference between the default and
// Google's parser: it is gone when one decision, or two of them together, is
// taken as Google takes it. A difference that no intended decision explains is a
// new one and fails.
func TestIntendedDifferences(t *testing.T) {
	n := 0
	counts := map[string]int{}
	var last parsed
	sharedVerdicts(t, func(c sharedVerdict) {
		n++
		if checkBothWays(t, last.parse(c.body, 0), c.url, c.agents...).Allowed == c.allowed {
			return
		}
		d := explain(c)
		if d == 0 {
			t.Errorf("%s: %q may fetch %q is %v at Google, and no intended decision explains the difference\n%q",
				c.name, c.agents, c.url, c.allowed, c.body[:min(len(c.body), 500)])
			return
		}
		var names []string
		for one, info := range intended {
			if d.has(one) {
				names = append(names, info.name)
				if !info.feature(c) {
					t.Errorf("%s: %q, %q: decided by %q, but there is no trace of it", c.name, c.agents, c.url, info.name)
				}
			}
		}
		slices.Sort(names)
		counts[strings.Join(names, " and ")]++
	}, "spec", "quirks", "fuzz", "corpus")
	total := 0
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d  %s", counts[name], name)
		total += counts[name]
	}
	t.Logf("%6d of %d verdicts differ", total, n)
}

// TestIntendedDifferencesAreDocumented shows that POLICIES.md lists every intended
// difference, with an example that is one.
func TestIntendedDifferencesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../POLICIES.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Differences from Google's parser")
	rows := map[string]string{} // examples by id
	for _, row := range regexp.MustCompile(`(?m)^\| [^|]* \| [^|]* \|([^|]*)\| ([A-Z]\S+) \|$`).FindAllStringSubmatch(table, -1) {
		rows[row[2]] = strings.TrimSpace(row[1])
	}
	for d, info := range intended {
		id := strings.Trim(info.name[strings.LastIndexByte(info.name, '('):], "()")
		if example, ok := rows[id]; !ok && d != googleVoid {
			t.Errorf("POLICIES.md does not list %s", info.name)
		} else if example != "" {
			rule, path, _ := strings.Cut(strings.Trim(example, "`"), "` and `")
			body := []byte("User-agent: *\n" + strings.ReplaceAll(rule, "⏎", "\n") + "\n")
			here := Parse(body, nil).Check("http://h"+path, "x").Allowed
			google := Parse(body, &Options{GoogleParser: true}).Check("http://h"+path, "x").Allowed
			if here == google || parse(body, Options{}, d).Check("http://h"+path, "x").Allowed != google {
				t.Errorf("%s: %s is no example of it", info.name, example)
			}
		}
		delete(rows, id)
	}
	for id := range rows {
		t.Errorf("POLICIES.md lists %s, which is not intended", id)
	}
}

// explain returns the fewest intended decisions, three at most, that turn the
// verdict into Google's.
func explain(c sharedVerdict) decision {
	for size := 1; size <= 3; size++ {
		for d := decision(1); d <= allGoogle; d++ {
			if bits.OnesCount32(uint32(d)) == size &&
				parse(c.body, Options{}, d).Check(c.url, c.agents...).Allowed == c.allowed {
				return d
			}
		}
	}
	return 0
}
