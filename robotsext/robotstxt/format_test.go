package robotstxt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	runVerdicts(t, []verdictTest{
		{name: "ROB-GEN-02/no rule applies", file: "User-agent: a⏎Disallow: /x", want: "a /y A, b /x A"},
		{name: "ROB-FMT-01/UTF-8", file: "User-agent: a⏎Disallow: /ü", want: "a /%C3%BC D, a /u A"},

		{name: "ROB-FMT-02/CR", file: "User-agent: *\rDisallow: /", want: "a /x D"},
		{name: "ROB-FMT-02/CRLF", file: "User-agent: *\r\nDisallow: /\r\n", want: "a /x D"},
		{name: "ROB-FMT-02/mixed", file: "User-agent: *\rDisallow: /a\nDisallow: /b\r\nDisallow: /c", want: "a /a D, a /b D, a /c D"},
		{name: "ROB-FMT-02/LF CR are two ends", file: "User-agent: *\n\rDisallow: /", want: "a /x D"},
		{name: "ROB-FMT-02/VT ends no line", file: "User-agent: *⏎Disallow: /a\vDisallow: /b", want: "a /a A, a /b A"},
		{name: "ROB-FMT-02/FF ends no line", file: "User-agent: *⏎Disallow: /a\fDisallow: /b", want: "a /a A, a /b A"},
		{name: "ROB-FMT-02/U+2028 ends no line", file: "User-agent: *⏎Disallow: /a\u2028Disallow: /b", want: "a /a A, a /b A"},
		{name: "ROB-FMT-02/NEL ends no line", file: "User-agent: *⏎Disallow: /a\u0085Disallow: /b", want: "a /a A, a /b A"},

		{name: "ROB-FMT-03/garbage between rules", file: "User-agent: *⏎Disallow: /a⏎%$§ what: is this? <b>⏎\x00\xff⏎Disallow: /b", want: "a /a D, a /b D"},
		{name: "ROB-FMT-04/HTML", file: "<html>⏎User-agent: *⏎Disallow: /x⏎</html>", want: "a /x D, a /y A"},
		{name: "ROB-FMT-05/byte order mark", file: "\xEF\xBB\xBFUser-agent: *⏎Disallow: /", want: "a /x D"},
		{name: "ROB-FMT-06/two octets of it", file: "\xEF\xBBUser-agent: foo⏎Disallow: /", want: "foo /x D"},
		{name: "ROB-FMT-06/one octet of it", file: "\xEFUser-agent: foo⏎Disallow: /", want: "foo /x D"},
		{name: "ROB-FMT-06/in the second line", file: "User-agent: foo⏎\xEF\xBB\xBFDisallow: /", want: "foo /x A"},
		{name: "ROB-FMT-06/twice", file: "\xEF\xBB\xBF\xEF\xBB\xBFUser-agent: foo⏎Disallow: /", want: "foo /x A"},

		{name: "ROB-FMT-07/no space", file: "User-agent:*⏎Disallow:/a", want: "a /a D"},
		{name: "ROB-FMT-07/space everywhere", file: " User-agent\t:  * ⏎\t disallow :  /a\t ", want: "a /a D"},
		{name: "ROB-FMT-07/the first colon separates", file: "User-agent: *⏎Disallow: /a:b", want: "a /a:b D, a /a A"},
		{name: "ROB-FMT-08/in a value", file: "User-agent: *⏎Disallow: /foo#bar", want: "a /foo D, a /foox D"},
		{name: "ROB-FMT-08/before the value", file: "User-agent: *⏎Disallow: #/foo", want: "a /foo A"},
		{name: "ROB-FMT-08/before the colon", file: "User-agent: *⏎Disallow # : /foo", want: "a /foo A"},
		{name: "ROB-FMT-08/after an agent", file: "User-agent: a#b⏎Disallow: /", want: "a / D, ab / A"},
		{name: "ROB-FMT-09/SP TAB VT FF", file: " \t\v\fUser-agent: *\f\v⏎\f Disallow: /\v", want: "a /x D"},
		{name: "ROB-FMT-09/no Unicode space", file: "User-agent: *⏎\u00a0Disallow: /a⏎Disallow:\u00a0/b⏎\u3000Disallow: /c", want: "a /a A, a /b A, a /c A"},
		{name: "ROB-FMT-10/field names in any case", file: "uSeR-aGeNt: x⏎DISALLOW: /a⏎aLLow: /a/b", want: "x /a D, x /a/b A"},
		{name: "ROB-FMT-10/paths are not", file: "User-agent: x⏎Disallow: /A", want: "x /a A, x /A D"},

		{name: "ROB-FMT-11/useragent", file: "useragent: *⏎Disallow: /", want: "a /x A"},
		{name: "ROB-FMT-11/disalow", file: "User-agent: *⏎Disalow: /", want: "a /x A"},
		{name: "ROB-FMT-11/prefixes", file: "User-agent: *⏎Disallowed: /⏎Disallow-x: /", want: "a /x A"},
		{name: "ROB-FMT-11/a misspelled agent joins the group above", file: "User-agent: a⏎Disallow: /a⏎User agent: b⏎Disallow: /b", want: "a /b D, b /b A"},
		{name: "ROB-FMT-13/no colon", file: "User-agent: *⏎disallow /", want: "a /x A"},
		{name: "ROB-FMT-13/no field", file: "User-agent: *⏎: /⏎ : /", want: "a /x A"},

		{name: "ROB-FMT-16/Latin-1", file: "User-agent: *⏎Disallow: /caf\xE9", want: "a /caf%E9 D, a /caf%C3%A9 A, a /cafe A"},
		{name: "ROB-FMT-17/NUL in a path", file: "User-agent: *⏎Disallow: /a\x00b", want: "a /a A, a /a%00b A, a /ab A"},
		{name: "ROB-FMT-17/TAB in a path", file: "User-agent: *⏎Disallow: /a\tb", want: "a /a%09b D"},
		{name: "ROB-FMT-17/DEL in a path", file: "User-agent: *⏎Disallow: /a\x7fb", want: "a /a%7Fb D"},
		{name: "ROB-FMT-17/VT and FF at the ends", file: "User-agent: *⏎Disallow: \v/a\f", want: "a /a D"},
		{name: "ROB-FMT-17/it ends the run of agents", file: "User-agent: a⏎Disallow: /\x01⏎User-agent: b⏎Disallow: /", want: "a /x A, b /x D"},
		{name: "ROB-FMT-17/an agent line stays", file: "User-agent: *⏎Disallow: /⏎User-agent: good\x01⏎Allow: /", want: "other /x D, good /x A"},
		{name: "ROB-FMT-17/in a comment", file: "User-agent: *⏎Disallow: /a # \x00", want: "a /a D"},
		{name: "ROB-FMT-19/inner space", file: "User-agent: *⏎Disallow: /a b", want: "a /a%20b D, a /a A"},
	})
}

func TestLineNumbers(t *testing.T) {
	for name, eol := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		t.Run("ROB-FMT-02/line numbers with "+name, func(t *testing.T) {
			f := Parse([]byte(strings.ReplaceAll("User-agent: *⏎⏎# c⏎Allow: /a⏎⏎⏎Disallow: /b", "⏎", eol)), nil)
			if v := f.Check("http://h/a", "x"); v.Rule == nil || v.Rule.Line != 4 {
				t.Errorf("/a: %+v", v.Rule)
			}
			if v := f.Check("http://h/b", "x"); v.Rule == nil || v.Rule.Line != 7 {
				t.Errorf("/b: %+v", v.Rule)
			}
		})
	}
}

func TestVerdictReasons(t *testing.T) {
	t.Run("ROB-GEN-05/group, rule and line", func(t *testing.T) {
		v := Parse([]byte("User-agent: *\nUser-agent: FooBot\n\nDisallow: /a*b$  # c\n"), nil).Check("http://h/axb", "foobot")
		if v.Allowed || v.Group.Name() != "FooBot" || *v.Rule != (Rule{Pattern: "/a*b$", Line: 4}) {
			t.Errorf("got %+v, group %q, rule %+v", v, v.Group.Name(), v.Rule)
		}
		if got := v.Rule.String(); got != "Disallow: /a*b$" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("ROB-GEN-05/no rule", func(t *testing.T) {
		v := Parse(nil, nil).Check("http://h/", "foobot")
		if !v.Allowed || v.Rule != nil || v.Group == nil || v.Group.Name() != "" || len(v.Group.Rules()) != 0 {
			t.Errorf("got %+v", v)
		}
	})
}

func TestSizeLimit(t *testing.T) {
	// file puts a rule so that it begins at an offset.
	file := func(offset int, rule string) []byte {
		head := "User-agent: *\n"
		return []byte(head + "#" + strings.Repeat("x", offset-len(head)-2) + "\n" + rule)
	}
	for _, c := range []struct {
		name  string
		body  []byte
		opts  *Options
		path  string
		rules int
	}{
		{"ROB-FMT-14/at byte 511,000", file(511000, "Disallow: /a\n"), nil, "/a", 1},
		{"ROB-FMT-14/at byte 513,000", file(513000, "Disallow: /a\n"), nil, "/a", 0},
		{"ROB-FMT-14/another limit", file(900, "Disallow: /a\n"), &Options{MaxBytes: 800}, "/a", 0},
		{"ROB-FMT-14/no limit", file(900000, "Disallow: /a\n"), &Options{MaxBytes: -1}, "/a", 1},
		{"ROB-FMT-15/inside of a rule", file(512000-len("Disallow: /priv"), "Disallow: /private\n"), nil, "/priv", 0},
		{"ROB-FMT-15/at the end of a rule", file(512000-len("Disallow: /private"), "Disallow: /private\n"), nil, "/private", 1},
		{"ROB-FMT-15/after the end of a line", file(512000-len("Disallow: /private\n"), "Disallow: /private\nx"), nil, "/private", 1},
		{"ROB-FMT-15/the file just fits", file(512000-len("Disallow: /private"), "Disallow: /private"), nil, "/private", 1},
		{"ROB-FMT-15/before CR LF", file(512000-len("Disallow: /private"), "Disallow: /private\r\n"), nil, "/private", 1},
		{"ROB-FMT-15/one line longer than all", []byte("User-agent: *" + strings.Repeat(" ", 600000)), nil, "/", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Parse(c.body, c.opts)
			g := f.Group("x")
			if len(g.Rules()) != c.rules || g.Match(c.path).Allowed != (c.rules == 0) {
				t.Errorf("got %v, %v", g.Rules(), g.Match(c.path))
			}
			limit := DefaultMaxBytes
			if c.opts != nil {
				limit = c.opts.MaxBytes
			}
			if cut := limit >= 0 && len(c.body) > limit; f.Truncated != cut || hasFinding(f, 0, KindTooLarge) != cut {
				t.Errorf("truncated %v, findings %v", f.Truncated, f.Findings)
			}
		})
	}
}

func TestLongLines(t *testing.T) {
	for _, length := range []int{10000, 16663, 16664, 100000} {
		t.Run(fmt.Sprintf("ROB-FMT-18/%d octets", length), func(t *testing.T) {
			path := "/" + strings.Repeat("a", length-1)
			f := Parse([]byte("User-agent: *\nDisallow: "+path+"b\n"), nil)
			if !f.Check("http://h"+path, "x").Allowed || f.Check("http://h"+path+"b", "x").Allowed {
				t.Error("the path is not compared whole")
			}
		})
	}
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name string
		file string
		line int
		kind Kind
	}{
		{"ROB-FMT-11/useragent", "useragent: *", 1, KindMisspelled},
		{"ROB-FMT-11/usr-agent", "User-agent: a⏎usr-agent: *", 2, KindMisspelled},
		{"ROB-FMT-11/user_agent", "user_agent: *", 1, KindMisspelled},
		{"ROB-FMT-11/agent", "agent: *", 1, KindMisspelled},
		{"ROB-FMT-11/in HTML", "<p>⏎user agent: *⏎</p>", 2, KindMisspelled},
		{"ROB-FMT-20/alow", "User-agent: *⏎alow: /", 2, KindMisspelled},
		{"ROB-FMT-20/no colon before a value with one", "User-agent: *⏎Disallow /a:b", 2, KindNoColon},
		{"ROB-FMT-20/crawldelay", "User-agent: *⏎Crawldelay: 2", 2, KindMisspelled},
		{"ROB-FMT-20/no colon", "User-agent: *⏎Disallow /", 2, KindNoColon},
		{"ROB-FMT-20/no field", "User-agent: *⏎: /", 2, KindNoField},
		{"ROB-FMT-20/not a field", "User-agent: *⏎<a href=\"http://h/\">", 2, KindBadField},
		{"ROB-FMT-20/byte order mark", "User-agent: *⏎\xEF\xBB\xBFDisallow: /", 2, KindBOM},
		{"ROB-FMT-20/control character", "User-agent: *⏎Disallow: /\x02", 2, KindControl},
		{"ROB-FMT-20/control character in a sitemap", "Sitemap: http://h/\x02", 1, KindControl},
		{"ROB-FMT-20/not UTF-8", "User-agent: *⏎Disallow: /\xE9", 0, KindNotUTF8},
		{"ROB-FMT-20/HTML", "  <!DOCTYPE html>⏎<p>x</p>", 1, KindHTML},
		{"ROB-FMT-20/long line", "User-agent: *⏎Disallow: /" + strings.Repeat("a", 17000), 2, KindLongLine},
		{"ROB-FMT-20/rule before a group", "⏎Disallow: /", 2, KindRuleBeforeGroup},
		{"ROB-FMT-20/no crawler", "User-agent: 007", 1, KindBadAgent},
		{"ROB-FMT-20/agent with a version", "User-agent: a/1.0", 1, KindAgentCut},
		{"ROB-FMT-20/no slash", "User-agent: *⏎Disallow: .gif$", 2, KindNoSlash},
		{"ROB-FMT-20/a URL as a path", "User-agent: *⏎Disallow: http://h/x", 2, KindNoSlash},
		{"ROB-FMT-20/relative sitemap", "Sitemap: /s.xml", 1, KindSitemapRelative},
		{"ROB-FMT-20/sitemap of another scheme", "Sitemap: javascript:x", 1, KindSitemapScheme},
		{"ROB-FMT-20/sitemap twice", "Sitemap: http://h/s⏎Sitemap: http://H/s", 2, KindSitemapTwice},
		{"ROB-FMT-20/Noindex", "User-agent: *⏎Noindex: /x", 2, KindPageDirective},
		{"ROB-FMT-20/bad Crawl-delay", "User-agent: *⏎Crawl-delay: soon", 2, KindBadValue},
		{"ROB-FMT-20/long Crawl-delay", "User-agent: *⏎Crawl-delay: 86400", 2, KindDelayCapped},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Parse([]byte(strings.ReplaceAll(c.file, "⏎", "\n")), nil)
			if !hasFinding(f, c.line, c.kind) {
				t.Errorf("%s at line %d not in %v", c.kind, c.line, f.Findings)
			}
		})
	}
	t.Run("ROB-FMT-20/nothing odd", func(t *testing.T) {
		f := Parse([]byte("\xEF\xBB\xBF# ok\r\nUser-agent: Foo-Bot\r\nUser-agent: *\r\nAllow: /a\r\nDisallow:\r\nCrawl-delay: 2.5\r\n"+
			"Request-rate: 1/5\r\nVisit-time: 0100-0500\r\nClean-param: a&b /c\r\nContent-Usage: train-ai=n\r\n"+
			"Content-Signal: search=yes\r\nHost: example.com\r\nAnything: else\r\nDisallow-AI: /\r\n\r\nSitemap: https://example.com/s.xml"), nil)
		if len(f.Findings) > 0 {
			t.Errorf("got %v", f.Findings)
		}
	})
	t.Run("ROB-FMT-20/no more than asked for", func(t *testing.T) {
		body := bytes.Repeat([]byte("garbage\n"), 5000)
		for limit, want := range map[int]int{0: defaultMaxFindings, 7: 7, -1: 0} {
			if got := len(Parse(body, &Options{MaxFindings: limit}).Findings); got != want {
				t.Errorf("%d: got %d findings, want %d", limit, got, want)
			}
		}
	})
	t.Run("ROB-FMT-11/however many findings there are", func(t *testing.T) {
		body := []byte(strings.Repeat("garbage\n", 1500) + strings.Repeat("useragent: *\n", 2) + "alow: /\n")
		f := Parse(body, nil)
		if n := len(f.Findings); n != defaultMaxFindings+1 || f.Findings[n-1] != (Finding{1501, KindMisspelled, "useragent"}) {
			t.Errorf("%d findings, the last is %v", n, f.Findings[n-1])
		}
		if f := Parse(body, &Options{MaxFindings: -1}); len(f.Findings) > 0 {
			t.Errorf("got %v", f.Findings)
		}
	})
	t.Run("ROB-FMT-20/every kind says what and why", func(t *testing.T) {
		spec := specification(t)
		for kind := range kinds {
			if kind.Message() == "" || !strings.Contains(spec, "| "+kind.SpecID()+" |") {
				t.Errorf("%s: %q, %q", kind, kind.Message(), kind.SpecID())
			}
		}
		if got := (Finding{3, KindNoSlash, "x"}).String(); got != `line 3: a path must begin with / or *: "x"` {
			t.Errorf("got %s", got)
		}
	})
}
