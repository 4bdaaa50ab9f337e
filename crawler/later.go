package crawler

import (
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/politeness"
	"github.com/politecrawl/politecrawl/crawler/internal/provenance"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// block is until when the URLs of an origin cannot be requested, and why.
type block struct {
	until time.Time
	why   string
}

// maxBlocks is how many of them are remembered.
const maxBlocks = 10_000

// unreached takes the URLs of an origin that wait for its robots.txt.
func (w *rejector) unreached(o robotsext.Origin, why *output.Rejection) error {
	return w.waiting(weburl.ServerOf(string(o)), func(of robotsext.Origin) *output.Rejection {
		if of == o {
			return why
		}
		return nil
	})
}

// blocked takes all other URLs that wait, when the crawl ends because they cannot be
// requested yet.
func (w *rejector) blocked(noted map[robotsext.Origin]*unreached) error {
	return w.waiting("", func(of robotsext.Origin) *output.Rejection {
		if noted[of] != nil {
			return nil
		}
		return &output.Rejection{Reason: output.Later}
	})
}

// waiting takes URLs of a host, or of all, that wait: those of origins for which there is
// something to say.
func (w *rejector) waiting(h frontier.Host, why func(robotsext.Origin) *output.Rejection) error {
	for item, err := range w.c.frontier.Waiting(w.c.books, h) {
		if err != nil {
			return err
		}
		o := weburl.OriginOf(item.URL)
		said := why(o)
		if said == nil {
			continue
		}
		t, err := provenance.Decode(item.Meta)
		if err != nil {
			return err
		}
		b, err := w.blockOf(item.Host, o)
		if err != nil {
			return err
		}
		r := *said
		if r.Detail == "" {
			r.Detail = b.why
		}
		r.URL, _, _ = strings.Cut(item.URL, "#") // of a sitemap's key
		r.Depth, r.Via, r.Source = t.Depth, t.Via, t.Source.String()
		r.RetryAt = latest(b.until, item.NotBefore).UTC()
		w.c.tally.reject(r.Reason, 1)
		if err := w.write(&r); err != nil {
			return err
		}
	}
	return nil
}

// blockOf returns what keeps the URLs of an origin from being requested.
func (w *rejector) blockOf(h frontier.Host, o robotsext.Origin) (block, error) {
	if b, known := w.blocks[o]; known {
		return b, nil
	}
	host, err := w.c.frontier.Host(w.c.books, h)
	if err != nil {
		return block{}, err
	}
	rec, err := politeness.ReadRecord(host, o)
	if err != nil {
		return block{}, err
	}
	b := block{host.Due, "the delay of its host has not passed"}
	if host.BlockedUntil.After(time.Now()) {
		b = block{host.BlockedUntil, "its host sent Retry-After, and that has not passed"}
	}
	switch {
	case rec == nil:
	case rec.Outcome == robotsext.Unreachable:
		b.until = latest(b.until, rec.RetryAt)
	default:
		rec.File = robotstxt.Parse(rec.Body, nil)
		if opens, closed := politeness.ClosedUntil(w.c.robots.Group(rec), time.Now()); closed {
			b = block{latest(b.until, opens), "it is outside the Visit-time of its robots.txt"}
		}
	}
	if w.blocks == nil || len(w.blocks) >= maxBlocks {
		w.blocks = make(map[robotsext.Origin]block)
	}
	w.blocks[o] = b
	return b, nil
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
