package robotsext_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext"
)

func TestAvailable(t *testing.T) {
	// More than 30 days into an outage of robots.txt: are pages answered?
	for _, test := range []struct {
		name string
		page reply
		ago  time.Duration
		want string
	}{
		{"200", reply{status: 200}, 13 * time.Hour, "A"},
		{"404", reply{status: 404}, 13 * time.Hour, "A"},
		{"500", reply{status: 500}, 13 * time.Hour, "D"},
		{"429", reply{status: 429}, 13 * time.Hour, "D"},
		{"no such host", reply{err: errors.New("no such host")}, 13 * time.Hour, "D"},
		{"long ago", reply{status: 200}, 26 * time.Hour, "D"},
	} {
		t.Run("ROB-STA-10/"+test.name, func(t *testing.T) {
			h := newHost(t, robotsext.Options{Outage: robotsext.OutageOptions{Profile: robotsext.ProfileGoogle}}, robotsReply)
			h.refresh()
			h.clock.advance(day)
			h.failFor(30 * day)
			h.pages["/page"] = test.page
			client := &http.Client{Transport: h.r.Transport(nil)}
			resp, err := client.Get("http://example.com/page") // the copy holds by now
			if err == nil {
				resp.Body.Close()
			} else if test.page.err == nil || !errors.Is(err, test.page.err) {
				t.Fatal(err)
			}
			var rec *robotsext.Record
			for waited := time.Duration(0); waited < test.ago; waited += 13 * time.Hour {
				h.clock.advance(13 * time.Hour)
				rec = h.refresh()
			}
			wantLetter(t, rec, test.want)
		})
	}
	t.Run("ROB-STA-10/no traffic", func(t *testing.T) {
		h := newHost(t, robotsext.Options{Outage: robotsext.OutageOptions{Profile: robotsext.ProfileGoogle}}, reply{status: 500})
		wantLetter(t, h.failFor(31*day), "D")
	})
}
