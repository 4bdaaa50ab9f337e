package storetest

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// pointFiles has the checks that are scripts, which are most. Each file has those of one point.
// points/README.md describes their syntax.
//
//go:embed points/*.txt
var pointFiles embed.FS

// scripts returns the checks of a file in points/.
func scripts(file string) (checks []check) {
	name := "points/" + file + ".txt"
	text, err := pointFiles.ReadFile(name)
	if err != nil {
		panic(err)
	}
	var steps []step
	flush := func() {
		if len(checks) > 0 {
			mine := steps
			checks[len(checks)-1].run = func(s *subject) { newScriptRun(s).runAll(mine) }
		}
		steps = nil
	}
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		title, isTitle := strings.CutPrefix(line, "== ")
		switch {
		case isTitle:
			flush()
			title, isDurable := strings.CutSuffix(title, " (durable)")
			c := check{name: title}
			if isDurable {
				c.needs = durable
			}
			checks = append(checks, c)
		case line != "":
			steps = append(steps, step{fmt.Sprintf("%s:%d: %s: ", name, i+1, line), line})
		}
	}
	flush()
	return checks
}

// A step is a line of a script.
type step struct{ place, text string }

// A scriptRun is a run of a script.
type scriptRun struct {
	*subject
	leases map[string]frontier.Lease // by URL
	holds  map[string]func(time.Duration)
	marks  map[string]time.Time
}

func newScriptRun(s *subject) *scriptRun {
	return &scriptRun{s, make(map[string]frontier.Lease), make(map[string]func(time.Duration)), make(map[string]time.Time)}
}

func (p *scriptRun) runAll(steps []step) {
	for _, st := range steps {
		p.step = st.place
		p.runStep(st.text)
	}
	p.step = ""
}

// args are the arguments of a step: words, and options such as p=1.
type args struct {
	list []string
	opts map[string]string
}

func split(text string) args {
	w := args{opts: make(map[string]string)}
	for word := range strings.FieldsSeq(text) {
		if key, value, ok := strings.Cut(word, "="); ok && !strings.Contains(key, "/") {
			w.opts[key] = value
		} else {
			w.list = append(w.list, word)
		}
	}
	return w
}

// has reports whether a word is in the list.
func (w args) has(word string) bool { return slices.Contains(w.list, word) }

var results = map[string]frontier.Result{
	"done": frontier.Done, "retry": frontier.Retry, "defer": frontier.Defer, "drop": frontier.Drop, "invalid": 0,
}

// runStep runs one step. Lists of items are separated by semicolons, and the expected result
// follows " = ".
func (p *scriptRun) runStep(text string) {
	p.Helper()
	verb, rest, _ := strings.Cut(text, " ")
	left, want, _ := strings.Cut(rest, "= ")
	w := split(left)
	if r, ok := results[verb]; ok {
		p.finishStep(r, w)
		return
	}
	switch verb {
	case "add":
		items := p.items(left)
		p.expectBools(p.addAny(items...), len(items), want)
	case "revisit":
		items := p.items(left)
		again, err := p.revisiter().Revisit(p.Context(), items)
		if err != nil {
			p.Fatalf("Revisit: %v", err)
		}
		p.expectBools(again, len(items), want)
	case "known":
		keys := mapped(w.list, func(word string) frontier.Key { return frontier.ParseKey(expand(word)) })
		keys = append(keys, frontier.Key{URL: "http://a.test/nobody has added it"})
		got, err := p.f.Known(p.Context(), keys)
		if err != nil {
			p.Fatalf("Known: %v", err)
		}
		p.expectBools(got, len(keys), want+"n")
	case "lease":
		p.leaseStep(w)
	case "take":
		p.take(w, strings.Fields(want))
	case "none":
		if wait, ok := w.opts["for"]; ok {
			p.noneFor(p.number(wait))
			return
		}
		p.none()
	case "noted":
		p.noted(w)
	case "drain":
		if got, want := p.drain(), mapped(strings.Fields(want), expand); !slices.Equal(got, want) {
			p.Fatalf("leased %v, want %v", got, want)
		}
	case "extend":
		p.extend(w)
	case "update":
		p.updateStep(w)
	case "due":
		p.expectTime(p.host(hostOf(w.list[0])).Due, p.moment(w.list[1]))
	case "blocked":
		p.expectTime(p.host(hostOf(w.list[0])).BlockedUntil, p.moment(w.list[1]))
	case "counts":
		p.countsStep(w)
	case "hosts":
		if got := p.stats().Hosts; got != p.number(w.list[0]) {
			p.Fatalf("%d hosts, want %s", got, w.list[0])
		}
	case "state":
		st := p.stats()
		if st.Finished() != w.has("finished") {
			p.Fatalf("finished is %v in %+v", st.Finished(), st)
		}
		if w.opts["due"] != "later" {
			p.expectTime(st.NextDue, p.moment(w.opts["due"]))
		} else if st.NextDue.Before(p.in(1000)) {
			p.Fatalf("next due is %v, want a time in the far future", st.NextDue)
		}
	case "hold":
		p.holds[w.list[0]] = p.hold(hostOf(w.list[0]))
		if at, ok := w.opts["when"]; ok {
			p.atTime("the hold", p.moment(at))
		}
	case "nohold":
		p.nohold(w)
	case "release":
		p.holds[w.list[0]](p.delayOf(w.opts["delay"]))
	case "wakes":
		url, do, _ := strings.Cut(rest, ": ")
		w := split(url)
		p.wakes(expand(w.list[0]), p.number(w.opts["after"]), func() { p.runStep(do) })
	case "list":
		p.waitsOf(mapped(w.list, hostOf), p.items(want)...)
	case "mark":
		p.marks[w.list[0]] = p.in(p.number(w.list[1]))
	case "sleep":
		p.sleep(p.number(w.list[0]))
	case "reopen":
		p.reopen()
	default:
		p.Fatalf("no such step: %s", verb)
	}
}

// expectTime fails unless two times are about the same, or both zero.
func (p *scriptRun) expectTime(got, want time.Time) {
	p.Helper()
	if got.IsZero() != want.IsZero() || got.Sub(want).Abs() > p.unit/2 {
		p.Fatalf("the time is %v, want %v", got, want)
	}
}

// expectBools compares n results with a string of y and n. With an empty string all must be true.
func (p *scriptRun) expectBools(got []bool, n int, want string) {
	p.Helper()
	letters := make([]byte, len(got))
	for i, is := range got {
		letters[i] = 'n'
		if is {
			letters[i] = 'y'
		}
	}
	if want = cmp.Or(want, strings.Repeat("y", n)); string(letters) != want {
		p.Fatalf("got %q, want %q", letters, want)
	}
}

// validators returns validators with an ETag, or nil.
func validators(etag string) *frontier.Validators {
	if etag == "" || etag == "-" {
		return nil
	}
	return &frontier.Validators{ETag: etag, LastModified: "Mon, 01 Jan 2024 00:00:00 GMT", BodyHash: []byte{0, 1, 2}}
}

// leaseStep leases one URL, and checks the options of the step.
func (p *scriptRun) leaseStep(w args) {
	p.Helper()
	url := expand(w.list[0])
	length, began := p.units(p.number(w.opts["for"])), time.Now()
	var l frontier.Lease
	if at, ok := w.opts["when"]; ok {
		l = p.leaseAt(url, p.moment(at))
	} else {
		l = p.leaseFor(url, length)
	}
	if lasts := l.Expires.Sub(began); length > 0 && (lasts < length-time.Millisecond || lasts > length+p.unit) {
		p.Fatalf("a lease for %v expires after %v", length, lasts)
	}
	p.leases[cmp.Or(w.opts["as"], w.list[0])] = l
	for key, want := range w.opts {
		ok := true
		switch key {
		case "attempt":
			ok = l.Attempt == p.number(want)
		case "p":
			ok = int(l.Priority) == p.number(want)
		case "m":
			ok = string(l.Meta) == want
		case "etag":
			ok = gocmp.Equal(l.Validators, validators(want))
		}
		if !ok || !l.NotBefore.IsZero() {
			p.Fatalf("leased %+v with validators %+v, want %s=%s", l, l.Validators, key, want)
		}
	}
}

// take leases all available URLs, up to a number.
func (p *scriptRun) take(w args, want []string) {
	p.Helper()
	got := p.subject.leases(frontier.LeaseRequest{Max: p.number(w.list[0]), PerHost: p.number(w.opts["per"])})
	for _, l := range got {
		p.leases[l.URL] = l
		p.leases[shorten(l.URL)] = l
	}
	urls, want := slices.Sorted(slices.Values(urlsOf(got))), slices.Sorted(slices.Values(mapped(want, expand)))
	if n, ok := w.opts["n"]; ok && len(urls) != p.number(n) || !ok && !slices.Equal(urls, want) {
		p.Fatalf("leased %v, want %v%s", urls, want, n)
	}
}

// shorten is the inverse of expand.
func shorten(url string) string {
	return strings.Replace(strings.TrimPrefix(url, "http://"), ".test/", "/", 1)
}

// leaseID returns the ID of a lease, or the ID in quotation marks.
func (p *scriptRun) leaseID(name string) frontier.LeaseID {
	if l, ok := p.leases[name]; ok {
		return l.ID
	}
	return frontier.LeaseID(strings.Trim(name, `"`))
}

// finishStep ends a lease.
func (p *scriptRun) finishStep(r frontier.Result, w args) {
	p.Helper()
	o := frontier.Outcome{
		Lease: p.leaseID(w.list[0]), Result: r, NotBefore: p.moment(w.opts["at"]), HostDelay: p.delayOf(w.opts["delay"]), Validators: validators(w.opts["etag"]),
	}
	for _, link := range strings.FieldsFunc(w.opts["links"], func(c rune) bool { return c == ',' }) {
		o.Links = append(o.Links, itemOf(link, p.moment(w.opts["linksat"])))
	}
	var note []byte
	if text, ok := w.opts["note"]; ok {
		note = []byte(text)
	}
	err := p.note(note, o)[0]
	switch {
	case w.has("lost"):
		p.lost("Finish", err)
	case w.has("refused"):
		if !errors.Is(err, frontier.ErrInvalid) {
			p.Fatalf("Finish: %v, want %v", err, frontier.ErrInvalid)
		}
	case err != nil:
		p.Fatalf("Finish: %v", err)
	}
}

// extend extends leases. One of them may be lost.
func (p *scriptRun) extend(w args) {
	p.Helper()
	var ids, lost []frontier.LeaseID
	for _, name := range w.list {
		id := p.leaseID(name)
		if ids = append(ids, id); name == w.opts["lost"] {
			lost = append(lost, id)
		}
	}
	err := p.f.Extend(p.Context(), ids, p.units(p.number(w.opts["for"])))
	if lost == nil && err == nil {
		return
	}
	p.lost("Extend", err)
	if e, ok := errors.AsType[*frontier.LostError](err); !ok || !slices.Equal(e.Leases, lost) {
		p.Fatalf("Extend: %#v, want one that names %q", err, lost)
	}
}

func (p *scriptRun) updateStep(w args) {
	p.Helper()
	u := frontier.HostUpdate{MaxInFlight: p.number(w.opts["slots"]), BlockUntil: p.moment(w.opts["block"])}
	if d, ok := w.opts["delay"]; ok {
		u.Delay = new(p.delayOf(d))
	}
	p.update(hostOf(w.list[0]), u)
}

// countsStep compares the counts of a host, or of the store. Missing counts are 0, and URLs is
// the sum.
func (p *scriptRun) countsStep(w args) {
	p.Helper()
	var want frontier.Counts
	fields := map[string]*int{
		"pending": &want.Pending, "scheduled": &want.Scheduled, "leased": &want.InFlight, "done": &want.Done, "dropped": &want.Dropped,
	}
	for _, key := range slices.Sorted(maps.Keys(w.opts)) {
		*fields[key] = p.number(w.opts[key])
		want.URLs += *fields[key]
	}
	got := p.stats().Counts
	if len(w.list) > 0 {
		got = p.host(hostOf(w.list[0])).Counts
	}
	if got != want {
		p.Fatalf("counts are %+v, want %+v", got, want)
	}
}
