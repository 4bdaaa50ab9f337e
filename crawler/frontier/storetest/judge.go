package storetest

import (
	"cmp"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// judge looks for what no store may have done, whatever order the calls that
// overlap took effect in. The numbers in the names of its parts are those of
// the points.
func judge(s *subject, h *history, quiet, end frontier.Stats) {
	s.Helper()
	j := &judgement{
		subject: s, h: h,
		first: make(map[string]call), leases: make(map[string][]*span), hosts: make(map[frontier.Host][]*span),
		world: make(map[string]frontier.Item),
	}
	for n := range worldURLs {
		it := worldItem(n, h.start, s.unit)
		j.world[it.URL] = it
	}
	for _, m := range h.seen {
		c, ok := j.first[m.url]
		if !ok {
			c = m.call
		}
		j.first[m.url] = call{min(c.begin, m.begin), min(c.end, m.end)}
	}
	slices.SortFunc(h.spans, func(p, q *span) int { return cmp.Compare(p.end, q.end) })
	for _, sp := range h.spans {
		j.hosts[sp.host] = append(j.hosts[sp.host], sp)
		if sp.ID != "" {
			j.leases[sp.URL] = append(j.leases[sp.URL], sp)
		}
	}
	j.once1()
	j.agains14()
	j.leases3and8()
	j.fences4()
	for host, spans := range j.hosts {
		j.slots6(host, spans)
		j.clock6(host, spans)
		j.order7(spans)
	}
	j.counts9(quiet, end)
}

type judgement struct {
	*subject
	h      *history
	first  map[string]call // per URL: the earliest it can have been, and must have been, added
	leases map[string][]*span
	hosts  map[frontier.Host][]*span
	world  map[string]frontier.Item // as they were added
}

// early fails when a slot was taken before a time.
func (j *judgement) early(sp *span, t time.Time, why string) {
	if got := j.h.at(sp.end); got.Before(t.Add(-time.Millisecond)) {
		j.Errorf("%s %s: leased %v before %s allows it", sp.host, sp.URL, t.Sub(got), why)
	}
}

func (j *judgement) once1() {
	news, mute := make(map[string]int), make(map[string]bool)
	for _, m := range j.h.seen {
		if m.added {
			news[m.url]++
		}
		mute[m.url] = mute[m.url] || m.mute
	}
	for url := range j.first {
		if n := news[url]; n > 1 || n == 0 && !mute[url] {
			j.Errorf("%s was new %d times", url, n)
		}
	}
}

// over reports whether f has ended its URL.
func (f *ending) over() bool {
	return f.outcome.Result == frontier.Drop || f.outcome.Result == frontier.Done && f.outcome.NotBefore.IsZero()
}

// again14 fails unless a revisit may have brought a URL back between f and the
// lease next.
func (j *judgement) again14(url string, f *ending, next *span) {
	for _, a := range j.h.agains {
		if a.url == url && a.end > f.begin && a.begin < next.end {
			return
		}
	}
	j.Errorf("%s was leased after it was %v", url, f.outcome.Result)
}

// agains14 counts the answers of Revisit.
func (j *judgement) agains14() {
	answers := make(map[string]int)
	for _, a := range j.h.agains {
		answers[a.url]++
	}
	for url, n := range answers {
		most := 1 // for when it was new
		for _, sp := range j.leases[url] {
			if sp.finish != nil && sp.finish.over() {
				most++
			}
		}
		if n > most {
			j.Errorf("%s was to come again %d times, want %d at most", url, n, most)
		}
	}
}

func (j *judgement) leases3and8() {
	for url, spans := range j.leases {
		added, ok := j.first[url]
		if !ok || added.begin > spans[0].end {
			j.Errorf("%s was leased before it was added", url)
		}
		attempt := 1
		for i, sp := range spans {
			if sp.Attempt != attempt {
				j.Errorf("%s: attempt %d, want %d", url, sp.Attempt, attempt)
				break
			}
			f := sp.finish
			if i == len(spans)-1 {
				break
			}
			next := spans[i+1]
			switch {
			case f == nil:
				j.early(next, sp.sure, "its last lease")
				attempt++
				continue
			case f.begin > next.end:
				j.Errorf("%s was leased while it was leased", url)
			case f.over():
				j.again14(url, f, next)
				attempt = 1
				continue
			case f.outcome.Result == frontier.Done:
				attempt = 1
			case f.outcome.Result == frontier.Retry:
				attempt++
			}
			j.early(next, f.outcome.NotBefore, "its outcome")
		}
		for _, sp := range spans {
			j.early(sp, j.world[url].NotBefore, "NotBefore")
			if want := j.world[url].Priority; sp.Priority != want {
				j.Errorf("%s has priority %d, want %d", url, sp.Priority, want)
			}
		}
	}
}

func (j *judgement) fences4() {
	for _, e := range j.h.ends {
		f := e.span.finish
		other := f != nil && f != e
		switch {
		case !e.lost && !j.h.at(e.begin).Before(e.span.most.Add(time.Millisecond)):
			j.Errorf("%s: accepted after it expired", e.span.URL)
		case !e.lost && other && (!e.extend || f.end < e.begin):
			j.Errorf("%s: accepted after it was finished", e.span.URL)
		case e.lost && !(other && f.begin < e.end) && j.h.at(e.end).Before(e.span.sure.Add(-time.Millisecond)):
			j.Errorf("%s: a lease was lost that nobody else can have had", e.span.URL)
		}
	}
}

// freed returns the tick until which sp surely has its slot.
func (j *judgement) freed(sp *span) tick {
	if sp.finish != nil {
		return sp.finish.begin
	}
	return j.h.tickAt(sp.sure.Add(-time.Millisecond))
}

func (j *judgement) slots6(host frontier.Host, spans []*span) {
	slots, _ := settings(host)
	for _, sp := range spans {
		n := 0
		for _, other := range spans {
			if other.end <= sp.end && sp.end < j.freed(other) {
				n++
			}
		}
		if n > slots {
			j.Errorf("%s has %d in flight, want %d at most", host, n, slots)
			return
		}
	}
}

func (j *judgement) clock6(host frontier.Host, spans []*span) {
	slots, units := settings(host)
	delay := j.units(units)
	for _, sp := range spans {
		start, f := j.h.at(sp.begin), sp.finish
		for _, next := range spans {
			if next.end < sp.end || next == sp {
				continue
			}
			switch {
			case slots > 1 && next.call == sp.call:
				if delay > 0 {
					j.Errorf("%s: two leases at once in spite of a delay", host)
				}
			case slots > 1 && (f == nil || f.begin > next.end):
				j.early(next, start.Add(delay), "the start of another request")
			case f == nil:
				j.early(next, sp.sure.Add(delay), "a lease that expired")
			case f.outcome.HostDelay == 0:
			case slots > 1 && next.begin > f.end:
				j.early(next, start.Add(max(delay, f.outcome.HostDelay)), "the start of an earlier request")
			case slots == 1:
				j.early(next, j.h.at(f.begin).Add(max(delay, f.outcome.HostDelay)), "the end of the last request")
			}
		}
	}
	for _, b := range j.h.blocks {
		for _, sp := range spans {
			if b.host == host && b.end < sp.begin {
				j.early(sp, b.until, "BlockUntil")
			}
		}
	}
}

// order7 looks at the first leases of a host's URLs.
func (j *judgement) order7(spans []*span) {
	var firsts []*span
	for _, sp := range spans {
		if sp.ID != "" && j.leases[sp.URL][0] == sp && j.world[sp.URL].NotBefore.IsZero() {
			firsts = append(firsts, sp)
		}
	}
	for _, x := range firsts {
		for _, y := range firsts {
			ahead := y.Priority < x.Priority ||
				y.Priority == x.Priority && j.first[y.URL].end < j.first[x.URL].begin
			if ahead && j.first[y.URL].end < x.begin && x.end < y.begin {
				j.Errorf("%s was leased before %s", x.URL, y.URL)
			}
		}
	}
}

// counts9 compares the counts when all leases had expired, and at the end.
func (j *judgement) counts9(quiet, end frontier.Stats) {
	dropped := 0
	for _, spans := range j.leases {
		if f := spans[len(spans)-1].finish; f != nil && f.outcome.Result == frontier.Drop {
			dropped++
		}
	}
	all := len(j.first)
	want := frontier.Counts{Added: all, Done: all - dropped, Dropped: dropped}
	if end.Counts != want {
		j.Errorf("counts at the end are %+v, want %+v", end.Counts, want)
	}
	if len(j.leases) != all {
		j.Errorf("%d URLs were added and %d leased", all, len(j.leases))
	}
	if quiet.Leased != 0 || quiet.Added != quiet.Pending+quiet.Scheduled+quiet.Done+quiet.Dropped {
		j.Errorf("counts do not add up: %+v", quiet.Counts)
	}
	if quiet.Added != all || quiet.Dropped != dropped {
		j.Errorf("counts are %+v when %d were added and %d dropped", quiet.Counts, all, dropped)
	}
}
