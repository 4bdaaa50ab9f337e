package robotstxt

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCrawlDelay(t *testing.T) {
	for _, c := range []struct {
		name string
		file string
		want time.Duration
		opts *Options
	}{
		{"decimal", "User-agent: *⏎Crawl-delay: 1.5", 1500 * time.Millisecond, nil},
		{"whole", "User-agent: *⏎CRAWL-DELAY: 2 # seconds", 2 * time.Second, nil},
		{"fraction", "User-agent: *⏎Crawl-delay: .25", 250 * time.Millisecond, nil},
		{"zero", "User-agent: *⏎Crawl-delay: 0", 0, nil},
		{"none", "User-agent: *⏎Disallow: /", 0, nil},
		{"a word", "User-agent: *⏎Crawl-delay: x", 0, nil},
		{"empty", "User-agent: *⏎Crawl-delay:", 0, nil},
		{"only a point", "User-agent: *⏎Crawl-delay: .", 0, nil},
		{"two points", "User-agent: *⏎Crawl-delay: 1.2.3", 0, nil},
		{"negative", "User-agent: *⏎Crawl-delay: -5", 0, nil},
		{"exponent", "User-agent: *⏎Crawl-delay: 1e1", 0, nil},
		{"infinity", "User-agent: *⏎Crawl-delay: Inf", 0, nil},
		{"with a unit", "User-agent: *⏎Crawl-delay: 5s", 0, nil},
		{"capped", "User-agent: *⏎Crawl-delay: 86400", 30 * time.Second, nil},
		{"capped however long", "User-agent: *⏎Crawl-delay: " + strings.Repeat("9", 400), 30 * time.Second, nil},
		{"another cap", "User-agent: *⏎Crawl-delay: 86400", time.Minute, &Options{MaxCrawlDelay: time.Minute}},
		{"no cap", "User-agent: *⏎Crawl-delay: 86400", 24 * time.Hour, &Options{MaxCrawlDelay: -1}},
		{"no cap and no overflow", "User-agent: *⏎Crawl-delay: " + strings.Repeat("9", 400), longest, &Options{MaxCrawlDelay: -1}},
		{"largest of several", "User-agent: *⏎Crawl-delay: 1⏎Crawl-delay: 3⏎Disallow: /⏎User-agent: *⏎Crawl-delay: 2", 3 * time.Second, nil},
		{"bad ones beside a good one", "User-agent: *⏎Crawl-delay: 9x⏎Crawl-delay: 1", time.Second, nil},
		{"of another group", "User-agent: *⏎Crawl-delay: 1⏎Disallow:⏎User-agent: b⏎Crawl-delay: 9", time.Second, nil},
		{"outside of any group", "Crawl-delay: 9⏎User-agent: *⏎Disallow: /", 0, nil},
		{"after rules", "User-agent: *⏎Disallow: /⏎Crawl-delay: 4", 4 * time.Second, nil},
	} {
		t.Run("ROB-EXT-01/"+c.name, func(t *testing.T) {
			f := Parse([]byte(strings.ReplaceAll(c.file, "⏎", "\n")), c.opts)
			if got := f.Group("a").CrawlDelay(); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	t.Run("ROB-EXT-01/no group", func(t *testing.T) {
		if got := Parse(nil, nil).Group("a").CrawlDelay(); got != 0 {
			t.Errorf("got %v", got)
		}
	})
}

func TestRequestRate(t *testing.T) {
	for _, c := range []struct {
		value string
		want  *RequestRate
		delay time.Duration
	}{
		{"1/5", &RequestRate{1, 5 * time.Second, Window{}, 2}, 5 * time.Second},
		{"1/10m", &RequestRate{1, 10 * time.Minute, Window{}, 2}, 600 * time.Second},
		{"4/1h", &RequestRate{4, time.Hour, Window{}, 2}, 15 * time.Minute},
		{"2/3s", &RequestRate{2, 3 * time.Second, Window{}, 2}, 1500 * time.Millisecond},
		{"1/10M 1300-1659", &RequestRate{1, 10 * time.Minute, Window{13 * time.Hour, 16*time.Hour + 59*time.Minute, 0}, 2}, 10 * time.Minute},
		{"0/5", nil, 0}, {"1/", nil, 0}, {"/5", nil, 0}, {"1", nil, 0}, {"1/5d", nil, 0}, {"-1/5", nil, 0},
		{"1/5 noon", nil, 0}, {"1/5 1300-1659 x", nil, 0}, {"", nil, 0}, {"99999999999/1", nil, 0},
	} {
		t.Run("ROB-EXT-02/Request-rate "+c.value, func(t *testing.T) {
			f := Parse([]byte("User-agent: *\nRequest-rate: "+c.value+"\n"), nil)
			rates := f.Group("a").RequestRates()
			if c.want == nil {
				if len(rates) > 0 || !hasFinding(f, 2, KindBadValue) {
					t.Errorf("got %v, %v", rates, f.Findings)
				}
				return
			}
			if diff := cmp.Diff([]RequestRate{*c.want}, rates); diff != "" {
				t.Error(diff)
			}
			if got := rates[0].Delay(); got != c.delay {
				t.Errorf("delay %v, want %v", got, c.delay)
			}
		})
	}
	t.Run("ROB-EXT-02/as a delay on option", func(t *testing.T) {
		body := []byte("User-agent: *\nCrawl-delay: 2\nRequest-rate: 1/10m\nRequest-rate: 1/5\n")
		for _, c := range []struct {
			opts *Options
			want time.Duration
		}{
			{nil, 2 * time.Second},
			{&Options{RequestRateDelay: true}, 30 * time.Second},
			{&Options{RequestRateDelay: true, MaxCrawlDelay: -1}, 600 * time.Second},
		} {
			if got := Parse(body, c.opts).Group("a").CrawlDelay(); got != c.want {
				t.Errorf("%+v: got %v, want %v", c.opts, got, c.want)
			}
		}
	})
}

func TestVisitTime(t *testing.T) {
	at := func(clock string) time.Time {
		tm, err := time.Parse("15:04 -0700", clock)
		if err != nil {
			t.Fatal(err)
		}
		return tm
	}
	for _, c := range []struct{ value, inside, outside string }{
		{"0600-0845", "06:00 +0000,08:45 +0000,09:30 +0100", "05:59 +0000,08:46 +0000,20:00 +0000,07:00 +0200"},
		{"2200-0400", "22:00 +0000,23:59 +0000,00:00 +0000,04:00 +0000", "21:59 +0000,04:01 +0000,12:00 +0000"},
		{"0000-2400", "00:00 +0000,23:59 +0000", ""},
		{"6-8", "", ""}, {"0600", "", ""}, {"0660-0700", "", ""}, {"2500-2600", "", ""}, {"", "", ""}, {"-600-0700", "", ""},
	} {
		t.Run("ROB-EXT-02/Visit-time "+c.value, func(t *testing.T) {
			f := Parse([]byte("User-agent: *\nVisit-time: "+c.value+"\n"), nil)
			windows := f.Group("a").VisitTimes()
			if c.inside == "" {
				if len(windows) > 0 || !hasFinding(f, 2, KindBadValue) {
					t.Errorf("got %v, %v", windows, f.Findings)
				}
				return
			}
			if len(windows) != 1 || windows[0].Line != 2 {
				t.Fatalf("got %v", windows)
			}
			for clock := range strings.SplitSeq(c.inside, ",") {
				if !windows[0].Contains(at(clock)) {
					t.Errorf("%s is not inside", clock)
				}
			}
			for clock := range strings.SplitSeq(c.outside, ",") {
				if clock != "" && windows[0].Contains(at(clock)) {
					t.Errorf("%s is not outside", clock)
				}
			}
		})
	}
}

func TestCleanParam(t *testing.T) {
	file := "Clean-param: ref /some_dir/get_book.pl\nUser-agent: x\nClean-param: utm_source&utm_medium&\nClean-param: sid&sort /forum*/sh*.php\nDisallow: /\nClean-param: a /b c\nClean-param:\nClean-param: q rel/\n"
	f := Parse([]byte(file), nil)
	for _, c := range []struct{ name, url, want string }{
		{"one parameter", "http://h/some_dir/get_book.pl?ref=site_1&book_id=123", "http://h/some_dir/get_book.pl?book_id=123"},
		{"the only one", "http://h/some_dir/get_book.pl?ref=site_1", "http://h/some_dir/get_book.pl"},
		{"another path", "http://h/other?ref=site_1", "http://h/other?ref=site_1"},
		{"every path", "http://h/x?utm_source=a&b=1&utm_medium=&c", "http://h/x?b=1&c"},
		{"stars", "http://h/forum_1/show.php?sid=1&t=2&sort=3#f", "http://h/forum_1/show.php?t=2#f"},
		{"case counts", "http://h/x?UTM_SOURCE=a", "http://h/x?UTM_SOURCE=a"},
		{"no query", "http://h/x#?utm_source=a", "http://h/x#?utm_source=a"},
		{"without a slash", "http://h/rel/x?q=1&r=2", "http://h/rel/x?r=2"},
	} {
		t.Run("ROB-EXT-03/"+c.name, func(t *testing.T) {
			if got := f.CleanURL(c.url); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	t.Run("ROB-EXT-03/values", func(t *testing.T) {
		want := []CleanParam{
			{[]string{"ref"}, "/some_dir/get_book.pl", 1},
			{[]string{"utm_source", "utm_medium"}, "", 3},
			{[]string{"sid", "sort"}, "/forum*/sh*.php", 4},
			{[]string{"q"}, "/rel/", 8},
		}
		if diff := cmp.Diff(want, f.CleanParams()); diff != "" {
			t.Error(diff)
		}
		if !hasFinding(f, 6, KindBadValue) || !hasFinding(f, 7, KindBadValue) {
			t.Errorf("got %v", f.Findings)
		}
	})
}

func TestContentUsage(t *testing.T) {
	file := "User-Agent: *\nAllow: /\nDisallow: /never/\nContent-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y\n" +
		"Content-Usage: /a*b$\ttrain-ai=y, search=n\nContent-Usage: /same train-ai=y, search=y\nContent-Usage: /same train-ai=n\n" +
		"Content-Usage: /only-a-path\nContent-Usage: /bad TRAIN-AI=y\n"
	f := Parse([]byte(file), nil)
	for _, c := range []struct {
		path    string
		allowed bool
		want    []Usage
	}{
		{"/test", true, []Usage{{"train-ai": false}}},
		{"/never/test", false, nil},
		{"/ai-ok/test", true, []Usage{{"train-ai": true}}},
		{"/ai-ok", true, []Usage{{"train-ai": false}}},
		{"/axb", true, []Usage{{"train-ai": true, "search": false}}},
		{"/axbc", true, []Usage{{"train-ai": false}}},
		{"/same/x", true, []Usage{{"train-ai": true, "search": true}, {"train-ai": false}}},
		{"/only-a-path", true, []Usage{{"train-ai": false}}},
		{"/bad", true, []Usage{{"train-ai": false}}},
	} {
		t.Run("ROB-EXT-05/"+c.path, func(t *testing.T) {
			g := f.Group("x")
			if got := g.Match(c.path).Allowed; got != c.allowed {
				t.Errorf("allowed: %v", got)
			}
			var got []Usage
			for _, line := range g.ContentUsage(c.path) {
				got = append(got, line.Usage)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("ROB-EXT-05/line and text", func(t *testing.T) {
		want := []UsageLine{
			{7, "/same train-ai=y, search=y", Usage{"train-ai": true, "search": true}},
			{8, "/same train-ai=n", Usage{"train-ai": false}},
		}
		if diff := cmp.Diff(want, f.Group("x").ContentUsage("/same")); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("ROB-EXT-05/nothing is said", func(t *testing.T) {
		if got := Parse([]byte("User-agent: *\nAllow: /"), nil).Group("x").ContentUsage("/"); got != nil {
			t.Errorf("got %v", got)
		}
		if got := Parse(nil, nil).Group("x").ContentUsage("/"); got != nil {
			t.Errorf("got %v", got)
		}
	})
}

func TestContentSignals(t *testing.T) {
	file := "User-agent: *\nContent-Signal: search=yes,ai-train=no\nContent-signal: ai-input = no , use=immediate\nContent-Signal: nothing\nAllow: /\n" +
		"Content-Signal: /open/ ai-train=yes\nContent-Signal: /only-a-path\nDisallow: /never/\n"
	f := Parse([]byte(file), nil)
	all := []SignalLine{
		{2, "search=yes,ai-train=no", []Signal{{"search", "yes"}, {"ai-train", "no"}}},
		{3, "ai-input = no , use=immediate", []Signal{{"ai-input", "no"}, {"use", "immediate"}}},
	}
	for _, c := range []struct {
		path string
		want []SignalLine
	}{
		{"/", all},
		{"/only-a-path", all},
		{"/never/", all},
		{"/open/x", []SignalLine{{6, "/open/ ai-train=yes", []Signal{{"ai-train", "yes"}}}}},
	} {
		t.Run("ROB-EXT-06/"+c.path, func(t *testing.T) {
			if diff := cmp.Diff(c.want, f.Group("x").ContentSignals(c.path)); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("ROB-EXT-06/findings", func(t *testing.T) {
		if !hasFinding(f, 4, KindBadValue) || !hasFinding(f, 7, KindBadValue) {
			t.Errorf("got %v", f.Findings)
		}
	})
	t.Run("ROB-EXT-06/nothing is said", func(t *testing.T) {
		if got := Parse(nil, nil).Group("x").ContentSignals("/"); got != nil {
			t.Errorf("got %v", got)
		}
	})
}

func TestExtensions(t *testing.T) {
	runVerdicts(t, []verdictTest{
		{name: "ROB-EXT-04/Noindex and Nofollow", file: "User-agent: *⏎Noindex: /x⏎Nofollow: /x⏎Disallow: /y", want: "a /x A, a /y D"},
	})
	f := Parse([]byte(strings.Join([]string{
		"Host: example.com", "User-agent: a", "User-agent: *", "Foo: bar # c", "Disallow: /x", "Bar-Baz:", "User-agent: b", "foo: 2", "", "foo : 3",
	}, "\n")), nil)
	t.Run("ROB-EXT-07/of the file", func(t *testing.T) {
		want := []Extension{
			{"Host", "example.com", 1, nil},
			{"Foo", "bar", 4, []string{"a", "*"}},
			{"Bar-Baz", "", 6, []string{"a", "*"}},
			{"foo", "2", 8, []string{"b"}},
			{"foo", "3", 10, []string{"b"}},
		}
		if diff := cmp.Diff(want, f.Extensions); diff != "" {
			t.Error(diff)
		}
	})
	for agent, want := range map[string]int{"a": 2, "x": 2, "b": 2} {
		t.Run("ROB-EXT-07/of the group of "+agent, func(t *testing.T) {
			if got := f.Group(agent).Extensions(); len(got) != want {
				t.Errorf("got %v", got)
			}
		})
	}
	t.Run("ROB-EXT-07/of no group", func(t *testing.T) {
		if got := f.NamedGroup("x").Extensions(); got != nil {
			t.Errorf("got %v", got)
		}
	})
	t.Run("ROB-EXT-07/whatever their names", func(t *testing.T) {
		f := Parse([]byte("User-agent: *\nfoo/bar: x\nfoo+bar: y\nЗапрет: /z\nfoo bar: 1\n<b>: 1\nfoo  bar: 1\n\"foo\": 1\nfo\x01o: 1\nfo\to: 1\n"), nil)
		var got []string
		for _, e := range f.Extensions {
			got = append(got, e.Field+"="+e.Value)
		}
		if diff := cmp.Diff([]string{"foo/bar=x", "foo+bar=y", "Запрет=/z", "foo bar=1"}, got); diff != "" {
			t.Error(diff)
		}
		for line := 6; line <= 10; line++ {
			if !hasFinding(f, line, KindBadField) {
				t.Errorf("line %d not in %v", line, f.Findings)
			}
		}
	})
	t.Run("ROB-EXT-07/no more than asked for", func(t *testing.T) {
		body := []byte("User-agent: *\n" + strings.Repeat("x:\n", 20000))
		for limit, want := range map[int]int{0: DefaultMaxExtensions, 3: 3, -1: 20000} {
			f := Parse(body, &Options{MaxExtensions: limit, MaxFindings: 1})
			told := hasFinding(f, want+2, KindManyFields) && len(f.Findings) == 1
			if got := len(f.Extensions); got != want || told != (limit >= 0) {
				t.Errorf("%d: got %d fields, want %d; %v", limit, got, want, f.Findings)
			}
		}
	})
	t.Run("ROB-EXT-07/many agents and fields cost no more than they are", func(t *testing.T) {
		var b strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&b, "User-agent: %s\nx: y\n", letters(i+1))
		}
		f := Parse([]byte(b.String()), nil)
		if n := len(f.Extensions); n != 5000 || len(f.Extensions[0].Agents) != 5000 || &f.Extensions[0].Agents[0] != &f.Extensions[n-1].Agents[0] {
			t.Errorf("%d extensions, the agents of a group are not shared between them", n)
		}
	})
}
