package sitemap

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// endless repeats piece for ever.
type endless struct {
	piece []byte
	at    int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		c := copy(p[n:], e.piece[e.at:])
		n += c
		e.at = (e.at + c) % len(e.piece)
	}
	return n, nil
}

// forever is start and then piece for ever.
func forever(start, piece string) io.Reader {
	for len(piece) < 64<<10 {
		piece += piece
	}
	return io.MultiReader(strings.NewReader(start), &endless{piece: []byte(piece)})
}

// TestHostile reads bodies made to hurt. Each has to end by itself, with a
// finding that says why, having allocated next to nothing in all.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 10 GiB")
	}
	const one = "<urlset><url><loc>http://h.example/</loc></url>"
	repeat := func(member []byte, n int) io.Reader {
		members := make([]io.Reader, n)
		for i := range members {
			members[i] = bytes.NewReader(member)
		}
		return io.MultiReader(members...)
	}
	// A gzip file may be many put behind each other: 10,240 times 1 MiB.
	zeros := packed(t, strings.Repeat("\x00", 1<<20))
	spaces := packed(t, strings.Repeat(" ", 1<<20))
	thousand := strings.Repeat("<a>", 1000)
	tests := []struct {
		name    string
		in      io.Reader
		entries int
		end     Kind
	}{
		{"10 GiB of zeros behind a small gzip", repeat(zeros, 10_240), 0, NotASitemap},
		{"10 GiB of zeros in XML behind a small gzip", io.MultiReader(bytes.NewReader(packed(t, one)), repeat(zeros, 10_240)), 1, RatioTooHigh},
		{"10 GiB of spaces behind a small gzip", repeat(spaces, 10_240), 0, RatioTooHigh},
		{"gzip twice, a thousandth of a thousandth", bytes.NewReader(packed(t, string(packed(t, one+strings.Repeat("\n", 4<<20))))), 1, RatioTooHigh},
		{"gzip three times", bytes.NewReader(packed(t, string(packed(t, string(packed(t, one)))))), 0, BadGzip},
		{"gzip of nothing, for ever", &endless{piece: packed(t, "")}, 0, BadGzip},
		{"gzip cut in its header", strings.NewReader("\x1f\x8b\x08\x00"), 0, BadGzip},
		{"gzip header without end", io.MultiReader(strings.NewReader("\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff"), &endless{piece: []byte("name")}), 0, BadGzip},
		{"not gzip", strings.NewReader("\x1f\x8bsitemap"), 0, BadGzip},
		{"zeros", &endless{piece: make([]byte, 4096)}, 0, NotASitemap},
		{"zeros in XML", forever(one, "\x00"), 1, TooManyBytes},
		{"zeros in a location", forever("<urlset><url><loc>http://h.example/", "\x00"), 0, TooManyBytes},

		{"endless urlset", forever("<urlset>", "<url><loc>http://h.example/</loc></url>"), MaxEntries, TooManyEntries},
		{"endless urlset of nothing", forever("<urlset>", "<url/>"), 0, TooManyEntries},
		{"endless index", forever("<sitemapindex>", "<sitemap><loc>http://h.example/</loc></sitemap>"), MaxEntries, TooManyEntries},
		{"endless RSS", forever("<rss><channel>", "<item><link>http://h.example/</link></item>"), MaxEntries, TooManyEntries},
		{"endless Atom", forever("<feed>", `<entry><link href="http://h.example/"/></entry>`), MaxEntries, TooManyEntries},
		{"endless list", forever("", "http://h.example/\n"), MaxEntries, TooManyEntries},
		{"endless list of nothing", forever("", "no\n"), 0, TooManyEntries},
		{"endless blank lines", forever("http://h.example/", "\r\n"), 1, TooManyBytes},
		{"endless line", forever("http://h.example/\n", "x"), 1, TooManyBytes},
		{"endless white space", forever("", " "), 0, TooManyBytes},

		{"1 GiB tag", io.LimitReader(forever(one+"<", "tag"), 1<<30), 1, TagTooLong},
		{"1 GiB end tag", io.LimitReader(forever(one+"</", "tag"), 1<<30), 1, TagTooLong},
		{"1 GiB attribute", io.LimitReader(forever(one+`<url a="`, "text "), 1<<30), 1, TagTooLong},
		{"1 GiB attributes", io.LimitReader(forever(one+`<url `, `a="b" `), 1<<30), 1, TagTooLong},
		{"1 GiB text", io.LimitReader(forever(one, "text "), 1<<30), 1, TooManyBytes},
		{"1 GiB location", io.LimitReader(forever(one+"<url><loc>http://h.example/", "x"), 1<<30), 1, TooManyBytes},
		{"1 GiB of ampersands", io.LimitReader(forever(one+"<url><loc>", "&"), 1<<30), 1, TooManyBytes},
		{"1 GiB comment", io.LimitReader(forever(one+"<!--", "text - -- "), 1<<30), 1, TooManyBytes},
		{"1 GiB CDATA", io.LimitReader(forever(one+"<url><loc><![CDATA[", "text ] ]] > "), 1<<30), 1, TooManyBytes},
		{"1 GiB instruction", io.LimitReader(forever("<?xml ", "text ? > "), 1<<30), 0, TooManyBytes},
		{"1 GiB document type", io.LimitReader(forever("<!DOCTYPE urlset [", `<!ENTITY a "b>'">`), 1<<30), 0, TooManyBytes},

		{"deep nesting", forever(one, "<a>"), 1, NestedTooDeep},
		{"deep nesting of long names", forever(one, "<"+strings.Repeat("name", 1000)+">"), 1, NestedTooDeep},
		{"deep nesting of the longest names", forever(one, "<"+strings.Repeat("name", 15_000)+">"), 1, NestedTooDeep},
		{"deep nesting in an entry", strings.NewReader(one + "<url><x>" + thousand), 1, NestedTooDeep},
		{"namespaces without end", forever(one+"<url", " xmlns:a='b'"), 1, TagTooLong},
		{"namespaces on every element", forever(one, "<url"+strings.Repeat(" xmlns:a='b'", 1000)+"/>"), 1, TooManyBytes},
		{"images without end", forever(one+"<url>", "<image:image><image:loc>http://h.example/</image:loc></image:image>"), 1, TooManyBytes},
		{"empty images without end", forever(one+"<url>", "<image:image/>"), 1, TooManyBytes},
		{"large captions without end", forever(one+"<url><image:image>", "<image:caption>"+strings.Repeat("x", 8000)+"</image:caption>"), 1, TooManyBytes},
		{"large videos without end", forever(one+"<url>", "<video:video><video:content_loc>http://h.example/</video:content_loc><video:tag>"+strings.Repeat("x", 8000)+"</video:tag></video:video>"), 1, TooManyBytes},
		{"tags without end", forever(one+"<url><video:video>", "<video:tag>x</video:tag>"), 1, TooManyBytes},
		{"alternates without end", forever(one+"<url>", `<xhtml:link rel="alternate" href="http://h.example/"/>`), 1, TooManyBytes},

		{"UTF-16 without end", forever("\xff\xfe", "<\x00a\x00>\x00"), 0, NotASitemap},
		{"UTF-16 halves without end", forever("\xff\xfe<\x00u\x00r\x00l\x00s\x00e\x00t\x00>\x00", "\x00\xd8"), 0, TooManyBytes},
		{"nothing", strings.NewReader(""), 0, Empty},
		{"nothing in gzip", bytes.NewReader(packed(t, " \n")), 0, Empty},
		{"a reader that does not read", stuck{}, 0, Unreadable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := &Options{MaxBytes: 8 << 20} // the default shows no more, but takes longer; TestLimits has it
			findings := 0
			opts.OnFinding = func(Finding) { findings++ }
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			n, perEntry := 0, uint64(0)
			var end error
			for _, err := range Read(tt.in, opts) {
				if end = err; err == nil {
					n++
					perEntry += 64 // the location of each, and its images' slice, are the caller's
				}
			}
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if n != tt.entries || !errors.Is(end, tt.end) {
				t.Errorf("%d entries, ended by %v; want %d and %q", n, end, tt.entries, tt.end)
			}
			if findings == 0 || findings > maxFindings+2 {
				t.Errorf("%d findings", findings)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20+perEntry {
				t.Errorf("allocated %d KiB", got>>10)
			}
			if took > 30*time.Second { // a second at most, but for the race detector on a busy machine
				t.Errorf("took %v", took)
			}
		})
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestBillionLaughs(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol">`)
	for i := '1'; i <= '9'; i++ {
		before := string(i - 1)
		if i == '1' {
			before = ""
		}
		b.WriteString("<!ENTITY lol" + string(i) + ` "` + strings.Repeat("&lol"+before+";", 10) + `">`)
	}
	b.WriteString("]>" + "<urlset><url><loc>http://h.example/&lol9;</loc></url></urlset>")
	entries, findings, err := readAll(strings.NewReader(b.String()), Options{})
	if err != nil || len(entries) != 1 || entries[0].Loc != "http://h.example/&lol9;" {
		t.Errorf("%v, %v", entries, err)
	}
	if len(findings) != 2 || findings[0].Kind != Doctype || findings[1].Kind != BadReference || findings[1].Text != "&lol9;" {
		t.Errorf("%v", findings)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	var s Summary
	_, findings, err := readAll(forever("<urlset>", "<url><loc>no</loc></url>"), Options{OnEnd: func(end Summary) { s = end }})
	if len(findings) != maxFindings+2 || findings[maxFindings].Kind != FindingsDropped || !errors.Is(err, TooManyEntries) {
		t.Errorf("%d findings, %v", len(findings), err)
	}
	if s.Findings != MaxEntries+1 || s.Skipped != MaxEntries || s.Complete {
		t.Errorf("%+v", s)
	}
	_, findings, _ = readAll(strings.NewReader(urlset("<loc>"+strings.Repeat("no", 2000)+"</loc>")), Options{})
	if len(findings) != 1 || len(findings[0].Text) > 100+len("…") {
		t.Errorf("%v", findings)
	}
}

// drip gives a byte a second until its context ends, as the body of a slow
// response does.
type drip struct {
	ctx context.Context
	r   io.Reader
}

func (d drip) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		return d.r.Read(p[:1])
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func TestDripIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		const start, url = "<urlset>", "<url><loc>http://h.example/</loc></url>"
		begin := time.Now()
		n := 0
		for _, err := range Read(drip{ctx, forever(start, url)}, nil) {
			if err != nil {
				if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, Unreadable) {
					t.Error(err)
				}
				break
			}
			n++
			// An entry is there with its last byte, not when a buffer is full;
			// the first few bytes are needed to tell the format.
			arrived := time.Duration(max(64, len(start)+n*len(url))) * time.Second
			if at := time.Since(begin); at != arrived {
				t.Errorf("entry %d after %v, want %v", n, at, arrived)
			}
		}
		if want := (600 - len(start)) / len(url); n != want {
			t.Errorf("%d entries, want %d", n, want)
		}
	})
}

func TestReadErrorKeepsEntries(t *testing.T) {
	broken := errors.New("connection reset")
	for in, want := range map[string]int{strings.TrimSuffix(urlset("<loc>http://h.example/a</loc>"), "</urlset>"): 1, "http://h.example/a\nhttp://h.exa": 1, "\n": 0} {
		entries, _, err := readAll(io.MultiReader(strings.NewReader(in), failing{broken}), Options{})
		if len(entries) != want || !errors.Is(err, broken) || !errors.Is(err, Unreadable) {
			t.Errorf("%v, %v", entries, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestLeavingTheLoop(t *testing.T) {
	var s Summary
	for _, err := range Read(forever("<urlset>", "<url><loc>http://h.example/</loc></url>"), &Options{OnEnd: func(end Summary) { s = end }}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if s.Entries != 1 || s.Complete || s.Findings != 0 || s.DecompressedBytes > 1<<20 {
		t.Errorf("%+v", s)
	}
}
