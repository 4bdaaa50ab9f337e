package robotsdiff

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// hostile are files of at most 500 KiB that cost the most.
func hostile() map[string][2]string {
	rule := func(path string) string { return "User-agent: *\nDisallow: " + path + "\n" }
	nested := func(odd int) string {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := range 1000 {
			b.WriteString([]string{"Allow", "Disallow"}[(i+odd)%2] + ": /" + strings.Repeat("a", i) + "\n")
		}
		return b.String()
	}
	agents := func(each func(i int) string) string {
		var b strings.Builder
		for i := range 10000 {
			name := strings.Map(func(c rune) rune { return c - '0' + 'a' }, fmt.Sprint(i))
			b.WriteString("User-agent: " + name + "\n" + each(i) + "\n")
		}
		return b.String()
	}
	random := func(seed uint64, length int, alphabet ...string) string {
		r := rand.New(rand.NewPCG(seed, 1))
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for b.Len() < robotstxt.DefaultMaxBytes-2*length-20 {
			b.WriteString([]string{"Allow", "Disallow"}[r.IntN(2)] + ": /")
			for range length/2 + r.IntN(length) {
				b.WriteString(alphabet[r.IntN(len(alphabet))])
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	return map[string][2]string{
		"a run of stars":              {rule("/" + strings.Repeat("*", 400_000) + "x"), ""},
		"a run of stars and itself":   {rule("/" + strings.Repeat("*", 400_000) + "x"), "# new\n" + rule("/"+strings.Repeat("*", 400_000)+"x")},
		"two runs of stars":           {rule("/" + strings.Repeat("*", 400_000) + "x"), rule("/" + strings.Repeat("*", 300_000) + "x")},
		"a star and many":             {rule("/*"), rule("/" + strings.Repeat("*a", 200_000))},
		"many stars":                  {rule("/" + strings.Repeat("*a", 200_000)), rule("/" + strings.Repeat("*b", 200_000))},
		"question marks":              {rule("/*" + strings.Repeat("?/", 200_000)), rule("/" + strings.Repeat("*/%2F?", 80_000))},
		"escapes":                     {rule("/" + strings.Repeat("*%2F", 120_000)), rule("/" + strings.Repeat("%2F*", 120_000))},
		"dots":                        {random(1, 50_000, ".", "/.", "*", "/../"), random(2, 50_000, ".", "/.", "*", "/../")},
		"each begins with the others": {nested(0), nested(1)},
		"short rules":                 {random(1, 10, "a", "b", "*", "/"), random(2, 10, "a", "b", "*", "/")},
		"middling rules":              {random(1, 100, "a", "b", "*", "/"), random(2, 100, "a", "b", "*", "/")},
		"long rules":                  {random(1, 4000, "a", "*", "?", "%2F"), random(2, 4000, "a", "*", "?", "%2F")},
		"agents against rules":        {agents(func(i int) string { return fmt.Sprint("Disallow: /", i) }), random(1, 10, "a", "b", "c", "/")},
		"agents with delays":          {agents(func(int) string { return "Crawl-delay: 1" }), agents(func(i int) string { return fmt.Sprint("Disallow: /\nCrawl-delay: ", i) })},
	}
}

// TestMaxStepsLimitsTime checks that MaxSteps limits the time for any files. With a hundredth
// of the default it takes tenths of a second, and more on a busy machine or with the race
// detector. Most of that time is proportional to the size of the files.
func TestMaxStepsLimitsTime(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares files that cost the most")
	}
	for name, files := range hostile() {
		t.Run(name, func(t *testing.T) {
			before, after := parse(files[0]), parse(files[1])
			start := time.Now()
			d := Compare(before, after, &Options{MaxSteps: defaultMaxSteps / 100})
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%v, complete %v", took, d.Complete)
			}
		})
	}
}

// TestOverlappingGroupsMemory: MaxSteps also limits memory if every agent has most of
// the rules.
func TestOverlappingGroupsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares groups that overlap, of 5,000 agents")
	}
	var names, shared, own strings.Builder
	for i := range 5000 {
		name := strings.Map(func(c rune) rune { return c - '0' + 'a' }, fmt.Sprint(i))
		fmt.Fprintf(&names, "User-agent: %s\n", name)
		fmt.Fprintf(&shared, "Allow: /%d\n", i)
		fmt.Fprintf(&own, "User-agent: %s\nAllow: /x\n", name)
	}
	f := parse(names.String() + shared.String() + own.String())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d := Compare(f, parse(""), nil)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int(after.HeapAlloc-before.HeapAlloc) >> 20; d.Complete || kept > 400 {
		t.Errorf("ROB-GRP-09: %d MiB kept, complete %v", kept, d.Complete)
	}
	runtime.KeepAlive(f)
}

// TestRunsOfStars holds that they are no more than one star.
func TestRunsOfStars(t *testing.T) {
	stars := strings.Repeat("*", 100_000)
	was, is := parse("User-agent: *⏎Disallow: /"+stars+"x⏎Allow: /a"+stars+"y"), parse("User-agent: *⏎Disallow: /*x")
	d := Compare(was, is, nil)
	if !d.Complete || !d.Changed() || d.Agents[0].Changes[0].Pattern != "/a*x*y" {
		t.Errorf("ROB-MAT-06: %v, complete %v", told(d), d.Complete)
	}
}

// TestWildcards holds what the documentation says of how many can be compared.
func TestWildcards(t *testing.T) {
	if testing.Short() {
		t.Skip("it compares files of 100 wildcards")
	}
	file := func(seed uint64, n int, mixed bool) *robotstxt.File {
		r := rand.New(rand.NewPCG(seed, 2))
		text := "User-agent: *\n"
		for i := range n {
			field := "Disallow"
			if mixed && i%2 == 0 {
				field = "Allow"
			}
			text += fmt.Sprintf("%s: /*%c*%c\n", field, 'a'+r.IntN(26), 'a'+r.IntN(26))
		}
		return parse(text)
	}
	for _, tt := range []struct {
		rules int
		mixed bool
	}{{100, false}, {12, true}} {
		d := Compare(file(1, tt.rules, tt.mixed), file(2, tt.rules, tt.mixed), nil)
		if !d.Complete || !d.Changed() {
			t.Errorf("%+v: complete %v, changed %v", tt, d.Complete, d.Changed())
		}
	}
}
