package results

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"slices"
	"sync"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
)

// Skipped stores URLs that are skipped and not in the frontier: out of scope, too deep, behind
// nofollow. Each may still be added, because the scope grows or another link leads to it. The
// rest is written to rejected.jsonl at the end of the crawl.
//
// The journal stores the URLs. Memory has only their offsets: about 70 bytes for a URL, and 50
// for a new host. The number is limited, since a page can have ten thousand useless links. URLs
// beyond the limit are skipped and not listed. Skipped is safe for concurrent use.
type Skipped struct {
	w     *Writer
	seed  maphash.Seed
	limit int // maximum number of URLs

	mu         sync.Mutex      // guards all below
	reasons    []output.Reason // by the numbers in places
	counts     []int           // of places, by the same numbers
	places     map[uint64]place
	outOfScope map[uint64]bool  // hashes of the scope keys of hosts with out-of-scope URLs
	unlisted   map[listing]bool // there are such sitemap entries
	full       bool             // there are more; this was reported
}

// maxSkipped is the maximum number of URLs. They need about 300 MB of memory, or 500 MB if each
// has another host.
const maxSkipped = 4_000_000

// batchSize is the number of URLs that are written to the journal, or passed to Take, at once.
const batchSize = 500

// place is the offset of the latest entry of a URL in the journal. Two URLs with the same hash
// count as one. With a million URLs the chance of a collision is 3 in 100 million.
type place struct {
	at     int64
	depth  int32
	reason uint8 // index in Skipped.reasons
}

// SkippedURL is a URL that is not in the frontier, with its item.
type SkippedURL struct {
	Rejection output.Rejection
	URL       weburl.URL
	Item      frontier.Item
}

func newSkipped(w *Writer) *Skipped {
	return &Skipped{
		w: w, seed: maphash.MakeSeed(), limit: maxSkipped,
		places: make(map[uint64]place), outOfScope: make(map[uint64]bool), unlisted: make(map[listing]bool),
	}
}

// Add skips URLs, and returns those that were not skipped before.
func (s *Skipped) Add(urls []SkippedURL) (first []*output.Rejection, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.w.journal.failed(); err != nil {
		return nil, err
	}
	var fresh []*entry
	for i := range urls {
		u := &urls[i]
		old, known := s.places[s.hash(u.Rejection.URL)]
		switch {
		case known && s.holds(old, &u.Rejection):
			continue
		case !known && len(s.places) >= s.limit:
			s.reportFull()
			continue
		case !known:
			first = append(first, &u.Rejection)
		}
		e := &entry{Skipped: &u.Rejection, Kind: u.Item.Kind, Owner: u.Item.Owner, Priority: u.Item.Priority, Meta: u.Item.Meta}
		s.put(-1, e) // a repetition in the same call is then known
		s.noteTakeable(e, u.URL)
		fresh = append(fresh, e)
	}
	for some := range slices.Chunk(fresh, batchSize) {
		at, err := s.w.journal.append(some...)
		if err != nil {
			return nil, err
		}
		for i, e := range some {
			s.put(at[i], e)
		}
	}
	return first, nil
}

// Counts returns how many URLs are skipped so far, by reason. It includes those that were added to the
// frontier by another link. It returns none when WriteRejected has written the others.
func (s *Skipped) Counts() map[output.Reason]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := make(map[output.Reason]int)
	for i, n := range s.counts {
		if n > 0 {
			counts[s.reasons[i]] = n
		}
	}
	return counts
}

// Full reports whether more URLs were skipped than are listed.
func (s *Skipped) Full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.full
}

// setListed ends counting: the URLs are in rejected.jsonl.
func (s *Skipped) setListed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.counts)
}

// reportFull reports, once, that the limit is exceeded. The lock is held.
func (s *Skipped) reportFull() {
	if !s.full {
		s.w.cfg.Lifecycle.Notice("too many skipped URLs", fmt.Sprintf("more than %d URLs are skipped; further ones are not listed", s.limit), "limit", s.limit)
	}
	s.full = true
}

// put stores the place of the URL of an entry. The lock is held.
func (s *Skipped) put(at int64, e *entry) {
	url := s.hash(e.Skipped.URL)
	s.remove(url)
	p := place{at: at, depth: int32(e.Skipped.Depth), reason: s.numberOf(e.Skipped.Reason)}
	s.places[url] = p
	s.counts[p.reason]++
}

// remove removes a URL by its hash. The lock is held.
func (s *Skipped) remove(url uint64) {
	if p, known := s.places[url]; known {
		s.counts[p.reason]--
		delete(s.places, url)
	}
}

// numberOf returns the index of a reason, which needs less memory. The lock is held.
func (s *Skipped) numberOf(r output.Reason) uint8 {
	i := slices.Index(s.reasons, r)
	if i < 0 {
		i = len(s.reasons)
		s.reasons, s.counts = append(s.reasons, r), append(s.counts, 0)
	}
	return uint8(i)
}

// noteTakeable notes what may take the URL of an entry later. The lock is held.
func (s *Skipped) noteTakeable(e *entry, u weburl.URL) {
	switch e.Skipped.Reason {
	case output.OutOfScope:
		s.outOfScope[s.hash(s.w.cfg.Scope.Key(u))] = true
	case output.NotAuthorized:
		if p, err := provenance.Decode(e.Meta); err == nil && len(p.Listing) > 0 && len(s.unlisted) < maxUnlisted {
			s.unlisted[listing{u.Origin, ""}] = true
			s.unlisted[listing{u.Origin, p.FoundOn}] = true
		}
	}
}

// A listing are the skipped sitemap entries of an origin that count if its robots.txt turns out to list their
// sitemap: those of one sitemap, or of all if it is empty.
type listing struct {
	origin  robotsext.Origin
	sitemap string
}

// maxUnlisted limits Skipped.unlisted, since a sitemap may name many origins, and each is looked for once in
// all skipped URLs.
const maxUnlisted = 2_000

// TakeScope is Skipped.Take for URLs in the scope of u that were out of scope.
func (w *Writer) TakeScope(u weburl.URL, match func(SkippedURL) bool, give func([]SkippedURL) error) error {
	s := w.Skipped
	s.mu.Lock()
	found := s.outOfScope[s.hash(s.w.cfg.Scope.Key(u))]
	s.mu.Unlock()
	if !found {
		return nil
	}
	return s.Take(match, give)
}

// TakeListed is Skipped.Take for sitemap entries of an origin, when its robots.txt is known, or when one of its
// sitemaps turns out to redirect to the one with the entries. Otherwise that is empty.
func (w *Writer) TakeListed(o robotsext.Origin, foundOn string, match func(SkippedURL) bool, give func([]SkippedURL) error) error {
	s := w.Skipped
	s.mu.Lock()
	found := s.unlisted[listing{o, foundOn}]
	delete(s.unlisted, listing{o, foundOn})
	s.mu.Unlock()
	if !found {
		return nil
	}
	return s.Take(match, give)
}

// holds reports whether a URL is already skipped for an equally strong reason, at no greater
// depth. The lock is held.
func (s *Skipped) holds(old place, r *output.Rejection) bool {
	if was := IsWeak(s.reasons[old.reason]); was != IsWeak(r.Reason) {
		return !was
	}
	return int(old.depth) <= r.Depth
}

func (s *Skipped) hash(url string) uint64 { return maphash.String(s.seed, url) }

// IsWeak reports whether a reason is about the page that links to a URL. A reason about the URL
// itself is stronger and replaces it.
func IsWeak(r output.Reason) bool {
	return r == output.Nofollow || r == output.NotAuthorized || r == output.BeforeSince
}

// each calls f for each skipped URL, until f fails.
func (s *Skipped) each(f func(e *entry) error) error {
	return s.w.journal.each(func(at int64, e *entry) error {
		if e.Skipped == nil {
			return nil
		}
		s.mu.Lock()
		p, ok := s.places[s.hash(e.Skipped.URL)]
		s.mu.Unlock()
		if !ok || p.at != at {
			return nil
		}
		return f(e)
	})
}

// Take removes the matching URLs, and passes them to give in batches.
func (s *Skipped) Take(match func(SkippedURL) bool, give func([]SkippedURL) error) error {
	var taken []SkippedURL
	err := s.each(func(e *entry) error {
		u, err := e.skippedURL()
		if err != nil || !match(u) {
			return nil // an invalid URL has no item
		}
		s.mu.Lock()
		s.remove(s.hash(u.Rejection.URL))
		s.mu.Unlock()
		if taken = append(taken, u); len(taken) < batchSize {
			return nil
		}
		some := taken
		taken = nil
		return give(some)
	})
	if err != nil || len(taken) == 0 {
		return err
	}
	return give(taken)
}

// skippedURL returns the skipped URL of an entry.
func (e *entry) skippedURL() (SkippedURL, error) {
	u, err := weburl.Parse(e.Skipped.URL)
	key := e.key()
	return SkippedURL{
		Rejection: *e.Skipped, URL: u,
		Item: frontier.Item{Kind: key.Kind, URL: key.URL, Owner: key.Owner, Host: u.Server, Priority: e.Priority, Meta: e.Meta},
	}, err
}

// key returns the key of an entry's URL in the frontier. Journals of earlier versions have no kind, and had only pages
// and sitemaps.
func (e *entry) key() frontier.Key {
	key := frontier.Key{Kind: e.Kind, URL: e.Skipped.URL, Owner: e.Owner}
	if key.Kind == "" {
		p, _ := provenance.Decode(e.Meta) // without one it is a page
		key.Kind = p.Kind()
	}
	return key
}

// keys returns the keys under which the frontier may have the URL of an entry: its own and, for the target of
// a redirect, the key that a link or a robots.txt gives the URL.
func (e *entry) keys() []frontier.Key {
	own := e.key()
	other := frontier.Key{Kind: own.Kind, URL: own.URL}
	if own.Kind == provenance.KindRedirect {
		other.Kind = ""
	}
	if other == own {
		return []frontier.Key{own}
	}
	return []frontier.Key{own, other}
}

// restore applies an entry at an offset in the journal.
func (s *Skipped) restore(at int64, e *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(at, e)
	if u, err := weburl.Parse(e.Skipped.URL); err == nil {
		s.noteTakeable(e, u)
	}
}

// LogSkipped logs a skipped URL. Failures are warnings, and so are invalid URLs of the frontier, which
// only damage can cause. Attempt is 0 for a URL that was not leased.
func LogSkipped(log *slog.Logger, r *output.Rejection, attempt int) {
	level := slog.LevelDebug
	if r.Reason == output.Failed || r.Reason == output.InvalidURL && attempt > 0 {
		level = slog.LevelWarn
	}
	if !log.Enabled(context.Background(), level) {
		return
	}
	attrs := []slog.Attr{slog.String("url", r.URL), slog.String("reason", string(r.Reason))}
	if r.Rule != "" {
		attrs = append(attrs, slog.String("rule", r.Rule), slog.Int("line", r.Line))
	}
	if r.Detail != "" {
		attrs = append(attrs, slog.String("error", r.Detail))
	}
	if attempt > 0 {
		attrs = append(attrs, slog.Int("attempt", attempt))
	}
	log.LogAttrs(context.Background(), level, "URL skipped", attrs...)
}
