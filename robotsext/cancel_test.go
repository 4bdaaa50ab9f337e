package robotsext_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/gocolly/colly/v2"

	"github.com/politecrawl/politecrawl/robotsext"
)

// Who has left already has nothing fetched.
func TestEndedContextStartsNothing(t *testing.T) {
	ended := errors.New("ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ended)
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, robotsext.Options{})
		h.now = robotsReply
		u := mustParse(t, "http://example.com/a")
		if err := h.r.Check(ctx, u); !errors.Is(err, ended) {
			t.Errorf("Check: %v", err)
		}
		if _, err := h.r.Refresh(ctx, u); !errors.Is(err, ended) {
			t.Errorf("Refresh: %v", err)
		}
		c := colly.NewCollector(colly.StdlibContext(ctx), h.r.Attach)
		if err := c.Visit(u.String()); !errors.Is(err, ended) {
			t.Errorf("Visit: %v", err)
		}
		synctest.Wait()
		if len(h.asked) != 0 {
			t.Errorf("asked %d times", len(h.asked))
		}
	})
}
