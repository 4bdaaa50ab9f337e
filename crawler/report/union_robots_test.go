package report

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// TestRobotsRefused holds that a robots.txt which redirects to an address that is not
// allowed is no outage, and that what it was before is not what it has changed from.
func TestRobotsRefused(t *testing.T) {
	good := robotsLine{Origin: example, Outcome: "rules", Status: 200, Chain: []string{example + "/robots.txt"}, FetchedAt: at(1)}
	c := worker(func(c *crawl) {
		c.robots = []robotsLine{good, {
			Origin: example, Outcome: "unreachable", Error: "address 10.0.0.1 is not allowed (private)",
			Chain: []string{example + "/robots.txt", "http://10.0.0.1/robots.txt"}, FetchedAt: at(2),
		}}
	})
	r := c.make(t)
	if r.Robots.Outages != 0 || r.Robots.Changes != 0 || r.Robots.Hosts.Total != 1 {
		t.Fatalf("%s", asJSON(t, r.Robots))
	}
	if h := r.Robots.Hosts.Rows[0]; h.Outcome != "refused" || h.Fetches != 2 || len(h.Chain) != 2 || h.Error == "" {
		t.Errorf("%+v", h)
	}
	var said []string
	for _, f := range r.Findings {
		if f.Topic == topicRobots {
			said = append(said, string(f.Level)+" "+f.Text)
		}
	}
	if want := []string{"warn the robots.txt of 1 host redirects to an address that is not public and not allowed"}; !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// TestRobotsOfTwoWorkers holds that a robots.txt has one history, of which each worker
// knows a part, and that its text is that of the last fetch.
func TestRobotsOfTwoWorkers(t *testing.T) {
	const old, young = "User-agent: *\nDisallow: /old\n", "User-agent: *\nDisallow: /young\nDisallow: /x\n"
	good := robotsLine{Origin: example, Outcome: "rules", Status: 200, Chain: []string{example + "/robots.txt"}}
	down := robotsLine{Origin: example, Outcome: "unreachable", Status: 503, FailingSince: at(10), Chain: good.Chain}
	then := func(l robotsLine, second int) robotsLine { l.FetchedAt = at(second); return l }
	a := worker(func(c *crawl) {
		c.robots = []robotsLine{then(good, 1), then(down, 15), then(good, 30)}
		c.texts = map[string]string{example: old}
	})
	b := worker(func(c *crawl) {
		c.robots = []robotsLine{then(down, 10), then(down, 20), then(good, 40)}
		c.texts = map[string]string{example: young}
		c.reject("/x", output.Rejection{Reason: output.Disallowed, Source: "link", Rule: "Disallow: /x", Line: 3, Group: "*"})
	})
	inAnyOrder(t, []*crawl{a, b}, func(t *testing.T, r *Report) {
		if r.Robots.Outages != 1 || r.Robots.Changes != 1 || r.Robots.Hosts.Total != 1 {
			t.Fatalf("%s", asJSON(t, r.Robots))
		}
		h := r.Robots.Hosts.Rows[0]
		if o := h.Outages.Rows[0]; !o.From.Equal(at(10)) || !o.To.Equal(at(30)) || o.Tries != 3 {
			t.Errorf("%+v", o)
		}
		if ch := h.Changes.Rows[0]; !ch.At.Equal(at(40)) || ch.What != "text" {
			t.Errorf("%+v", ch)
		}
		if h.Fetches != 6 || !h.FetchedAt.Equal(at(40)) || h.Rules != 2 || h.Outcome != "rules" {
			t.Errorf("%+v", h)
		}
		if text := r.Rejected.Rules.Rows[0].Text; text != "Disallow: /x" {
			t.Errorf("line %q", text)
		}
	})
}

// TestRobotsInTheFolder holds that where robots.jsonl is missing the last record counts.
func TestRobotsInTheFolder(t *testing.T) {
	line := robotsLine{Origin: example, Outcome: "rules", Status: 200, FetchedAt: at(1)}
	after := line
	after.Origin, after.FetchedAt = "https://a.example", at(9) // in the folder it comes first
	a := worker(func(c *crawl) { c.robots = []robotsLine{line, after} })
	line.Outcome, line.Status, line.FetchedAt = "allow-all", 404, at(2)
	b := worker(func(c *crawl) { c.robots = []robotsLine{line} })
	dirs := []string{a.write(t), b.write(t)}
	for _, dir := range dirs {
		if err := os.Remove(filepath.Join(dir, "robots.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		r, err := Make(dirs, nil)
		if err != nil {
			t.Fatal(err)
		}
		if h := r.Robots.Hosts.Rows; len(h) != 2 || h[0].Origin != example || h[0].Outcome != "allow-all" || r.Robots.Changes != 1 || h[0].Changes.Rows[0].From != "rules" {
			t.Errorf("%s", asJSON(t, r.Robots))
		}
		slices.Reverse(dirs)
	}
}
