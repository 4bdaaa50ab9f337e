package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestLater: URLs whose host allowed no request yet are listed with when to try again, and are
// not counted as waiting for a robots.txt.
func TestLater(t *testing.T) {
	c := everything()
	before := c.make(t)
	c.reject("/busy", output.Rejection{Reason: output.Later, Source: "link", Detail: "it said Retry-After", RetryAt: at(7200)})
	r := c.make(t)
	i := slices.IndexFunc(r.Rejected.Reasons, func(g ReasonGroup) bool { return g.Reason == output.Later })
	rows := r.Rejected.Reasons[i].URLs.Rows
	row := slices.IndexFunc(rows, func(u RejectedURL) bool { return u.URL == example+"/busy" })
	if row < 0 || !rows[row].RetryAt.Equal(at(7200)) {
		t.Errorf("%+v", rows)
	}
	robots := func(r *Report) (later int) {
		for _, h := range r.Robots.Hosts.Rows {
			later += h.Later
		}
		return later
	}
	if was, is := robots(before), robots(r); was != is || len(r.Robots.Hosts.Rows) != len(before.Robots.Hosts.Rows) {
		t.Errorf("%d wait for a robots.txt, without it %d", is, was)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if want := "it said Retry-After, not before " + moment(at(7200)); !strings.Contains(page.String(), want) {
		t.Errorf("the page does not say %q", want)
	}
}
