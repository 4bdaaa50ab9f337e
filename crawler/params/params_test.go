package params

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

func TestClean(t *testing.T) {
	file := robotstxt.Parse([]byte(strings.Join([]string{
		"Clean-param: ref /some_dir/get_book.pl",
		"User-agent: other",
		"Clean-param: sid&sort /forum/*.php",
		"Clean-param: everywhere",
	}, "\n")), nil)
	rules, err := New([]string{"utm_*", "*clid", "gone", "*trace*"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, in, want string }{
		{"ROB-EXT-03/a line for a path", "http://a.example/some_dir/get_book.pl?ref=site_1&book_id=123", "http://a.example/some_dir/get_book.pl?book_id=123"},
		{"ROB-EXT-03/another path", "http://a.example/other?ref=site_1&book_id=123", "http://a.example/other?ref=site_1&book_id=123"},
		{"ROB-EXT-03/a star in the path", "http://a.example/forum/a/show.php?sid=1&t=2&sort=up", "http://a.example/forum/a/show.php?t=2"},
		{"ROB-EXT-03/every path, whatever group the line is in", "http://a.example/?everywhere=1&x=2", "http://a.example/?x=2"},
		{"ROB-EXT-03/nothing is left", "http://a.example/?everywhere=1", "http://a.example/"},
		{"ROB-EXT-03/names have a case", "http://a.example/?Everywhere=1", "http://a.example/?Everywhere=1"},

		{"a name", "http://a.example/p?gone=1&b=2", "http://a.example/p?b=2"},
		{"a name is the whole of it", "http://a.example/p?gone2=1&b=2", "http://a.example/p?gone2=1&b=2"},
		{"a name has a case", "http://a.example/p?Gone=1", "http://a.example/p?Gone=1"},
		{"the beginning of a name", "http://a.example/p?a=1&utm_source=x&utm_=&b=2", "http://a.example/p?a=1&b=2"},
		{"the end of a name", "http://a.example/p?gclid=1&clid=2&clid2=3", "http://a.example/p?clid2=3"},
		{"the middle of a name", "http://a.example/p?xtracey&trace&tra=ce", "http://a.example/p?tra=ce"},
		{"without a value", "http://a.example/p?gone&b", "http://a.example/p?b"},
		{"a value that looks like one", "http://a.example/p?a=gone&b=?gone", "http://a.example/p?a=gone&b=?gone"},
		{"nothing is left", "http://a.example/p?gone=1&utm_x=2", "http://a.example/p"},
		{"nothing is left before a fragment", "http://a.example/p?gone=1#a?gone=1", "http://a.example/p#a?gone=1"},
		{"order, escapes and empty parts stay", "http://a.example/p?b=%41+c&&gone=1&a=&b=%zz&", "http://a.example/p?b=%41+c&&a=&b=%zz&"},
		{"no query", "http://a.example/gone=1", "http://a.example/gone=1"},
		{"an empty query stays", "http://a.example/p?", "http://a.example/p?"},
		{"a question in the fragment", "http://a.example/p#?gone=1", "http://a.example/p#?gone=1"},
		{"both have a say", "http://a.example/?gone=1&everywhere=2&x=3", "http://a.example/?x=3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := rules.Clean(tt.in, file); got != tt.want {
				t.Errorf("Clean(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// ROB-EXT-03: without rules of the user, Clean-param still applies. Without both, no parameter is
// removed.
func TestNoRules(t *testing.T) {
	const in = "http://a.example/?x=1&gone=2"
	var none *Rules
	if got := none.Clean(in, nil); got != in {
		t.Errorf("got %q", got)
	}
	file := robotstxt.Parse([]byte("Clean-param: gone"), nil)
	if got := none.Clean(in, file); got != "http://a.example/?x=1" {
		t.Errorf("got %q", got)
	}
}

func TestNewErrors(t *testing.T) {
	for _, wrong := range []string{"", "a=b", "a&b", "a b", "?a", "a*b", "*a*b*"} {
		if _, err := New([]string{"good", wrong}); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	all, err := New([]string{"*"})
	if err != nil {
		t.Fatal(err)
	}
	if got := all.Clean("http://a.example/?a=1&&b", nil); got != "http://a.example/" {
		t.Errorf("got %q", got)
	}
}

func TestCleanAllocatesNothingWhereNothingIsToDo(t *testing.T) {
	file := robotstxt.Parse([]byte("Clean-param: ref /x\nClean-param: sid"), nil)
	rules, err := New([]string{"utm_*", "gclid"})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []string{"http://a.example/p", "http://a.example/p?a=1&b=2&c"} {
		if allocs := testing.AllocsPerRun(10, func() { rules.Clean(u, file) }); allocs > 0 {
			t.Errorf("%v allocations for %s", allocs, u)
		}
	}
}

// FuzzClean: cleaning twice has no further effect, only named parameters are removed, and the
// order of the others stays.
func FuzzClean(f *testing.F) {
	f.Add("http://a.example/p?a=1&utm_x=2#f?utm_y", "utm_*", "Clean-param: a&b /p")
	f.Add("http://a.example/?&&x&=1", "*", "Clean-param: x *")
	f.Add("//h/?a?b=1", "a?", "Clean-param: a")
	f.Add("/p?ref=1#", "*ref", "")
	f.Fuzz(func(t *testing.T, in, drop, robots string) {
		rules, err := New([]string{drop})
		if err != nil {
			return
		}
		file := robotstxt.Parse([]byte(robots), nil)
		got := rules.Clean(in, file)
		if again := rules.Clean(got, file); again != got {
			t.Fatalf("%q is cleaned to %q, and that to %q", in, got, again)
		}
		page, query, fragment := split(in)
		gotPage, gotQuery, gotFragment := split(got)
		if page != gotPage || fragment != gotFragment {
			t.Fatalf("%q is cleaned to %q", in, got)
		}
		named := func(param string) bool {
			return rules.drops(param) || slices.ContainsFunc(file.CleanParams(), func(c robotstxt.CleanParam) bool { return slices.Contains(c.Params, param) })
		}
		left := strings.Split(gotQuery, "&")
		for pair := range strings.SplitSeq(query, "&") {
			param, _, _ := strings.Cut(pair, "=")
			switch {
			case len(left) > 0 && left[0] == pair && !rules.drops(param):
				left = left[1:]
			case !named(param) && (pair != "" || gotQuery != ""):
				t.Fatalf("%q is cleaned to %q: %q is gone, or out of order", in, got, pair)
			}
		}
		if len(left) > 0 && gotQuery != "" {
			t.Fatalf("%q is cleaned to %q, which has more", in, got)
		}
		if _, err := url.Parse(in); err == nil {
			if _, err := url.Parse(got); err != nil {
				t.Errorf("%q is cleaned to %q: %v", in, got, err)
			}
		}
	})
}

func BenchmarkClean(b *testing.B) {
	rules, err := New([]string{"utm_*", "gclid", "fbclid", "sid"})
	if err != nil {
		b.Fatal(err)
	}
	for name, u := range map[string]string{
		"no query":   "http://a.example/section/page.html",
		"to keep":    "http://a.example/section/page.html?id=123&page=2",
		"to be gone": "http://a.example/section/page.html?id=123&utm_source=x&page=2",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rules.Clean(u, nil)
			}
		})
	}
}
