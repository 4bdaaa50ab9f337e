package report

import (
	"fmt"
	"strings"
)

// A chart is a drawing of bars, in the units of its view box. The template turns it into SVG
// and escapes the names of bars, which may come from a site.
type chart struct {
	ID     string
	Title  string
	Alt    string // the same in words, for screen readers
	W, H   float64
	Bars   []bar
	Labels []label
	Legend []part
}

type bar struct {
	X, Y, W, H float64
	Class      string
	Title      string
}

type label struct {
	X, Y   float64
	Anchor string // start, middle or end
	Text   string
}

// A part is one colour of a bar.
type part struct {
	Class string
	Name  string
	Count int
}

// A column is a vertical bar, of parts on top of each other.
type column struct {
	label string
	name  string
	parts []part
}

func sum(parts []part) int {
	n := 0
	for _, p := range parts {
		n += p.Count
	}
	return n
}

// The measures of charts. One unit is about a pixel on a phone.
const (
	chartWidth   = 320
	columnHeight = 120 // of the highest column
	columnTop    = 18  // for the number above a column
	columnFoot   = 18  // for the label below it
	stripHeight  = 28
	minBar       = 1.5 // so that small counts are visible
)

// columns draws columns side by side. With numbers each has its count above.
func columns(id, title string, list []column, numbers bool) chart {
	c := chart{ID: id, Title: title, W: chartWidth, H: columnTop + columnHeight + columnFoot}
	highest := 1
	for _, col := range list {
		highest = max(highest, sum(col.parts))
	}
	step := c.W / float64(max(len(list), 1))
	gap := min(step/5, 6)
	var words []string
	for i, col := range list {
		x, y := float64(i)*step+gap/2, float64(columnTop+columnHeight)
		middle := x + (step-gap)/2
		for _, p := range col.parts {
			if p.Count > 0 {
				h := max(columnHeight*float64(p.Count)/float64(highest), minBar)
				y -= h
				name := col.name
				if p.Name != "" {
					name += ", " + p.Name
				}
				c.Bars = append(c.Bars, bar{x, y, step - gap, h, p.Class, named(name, p.Count)})
			}
		}
		if n := sum(col.parts); numbers && n > 0 {
			c.Labels = append(c.Labels, label{middle, y - 4, "middle", shortNumber(n)})
			words = append(words, named(col.name, n))
		}
		if col.label != "" {
			c.Labels = append(c.Labels, label{middle, c.H - 4, "middle", col.label})
		}
	}
	c.Alt = strings.Join(words, ", ")
	return c
}

// strip draws one horizontal bar of several parts.
func strip(id, title string, parts []part) chart {
	c := chart{ID: id, Title: title, W: chartWidth, H: stripHeight}
	for _, p := range parts {
		if p.Count > 0 {
			c.Legend = append(c.Legend, p)
		}
	}
	var words []string
	x, room := 0.0, c.W-minBar*float64(len(c.Legend))
	for _, p := range c.Legend {
		w := minBar + room*float64(p.Count)/float64(sum(c.Legend))
		c.Bars = append(c.Bars, bar{x, 0, w, stripHeight, p.Class, named(p.Name, p.Count)})
		words = append(words, named(p.Name, p.Count))
		x += w
	}
	c.Alt = strings.Join(words, ", ")
	return c
}

func named(name string, count int) string { return name + ": " + thousands(count) }

// shortNumber writes a number that fits above a column.
func shortNumber(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// charts draws all charts of a report, by their names in the template.
func charts(r *Report) map[string]chart {
	s := r.Sitemaps
	return map[string]chart{
		"statuses": statusChart(r.Depths), "depths": depthChart(r.Depths),
		"histogram": histogramChart(r.Times.Histogram), "timeline": timelineChart(r.Times.Timeline),
		"rejected": rejectedChart(r.Rejected.Reasons),
		"sitemaps": strip("chart-sitemaps", "URLs in sitemaps", []part{
			{"ok", "OK", s.OK}, {"bad", "problems", s.Problems}, {"mute", "not fetched", s.URLs - s.OK - s.Problems},
		}),
	}
}

func statusChart(depths []Depth) chart {
	var all PageCounts
	for _, d := range depths {
		all.Pages += d.Pages
		all.OK += d.OK
		all.Redirects += d.Redirects
		all.Broken += d.Broken
	}
	return strip("chart-statuses", "Responses", []part{
		{"ok", "OK", all.OK}, {"moved", "redirects", all.Redirects}, {"bad", "broken", all.Broken},
		{"mute", "other", all.Pages - all.OK - all.Redirects - all.Broken},
	})
}

// maxColumns limits the columns of a chart.
const maxColumns = 10

// depthChart counts deeper pages in its last column.
func depthChart(depths []Depth) chart {
	var list []column
	for i, d := range depths {
		if i < maxColumns {
			list = append(list, column{fmt.Sprint(d.Depth), fmt.Sprintf("depth %d", d.Depth), []part{
				{"ok", "OK", d.OK}, {"moved", "redirects", d.Redirects}, {"bad", "broken", d.Broken},
			}})
			continue
		}
		last := &list[maxColumns-1]
		last.label, last.name = fmt.Sprintf("%d+", depths[maxColumns-1].Depth), fmt.Sprintf("depth %d and more", depths[maxColumns-1].Depth)
		for j, n := range []int{d.OK, d.Redirects, d.Broken} {
			last.parts[j].Count += n
		}
	}
	return columns("chart-depths", "Pages by depth", list, true)
}

func histogramChart(buckets []Bucket) chart {
	var list []column
	for i, s := range buckets {
		col := column{"more", "longer", []part{{"tone", "", s.Pages}}}
		switch {
		case s.Below >= 1000:
			col.label = fmt.Sprintf("%d s", s.Below/1000)
			col.name = "less than " + col.label
		case s.Below > 0:
			col.label = fmt.Sprint(s.Below)
			col.name = "less than " + col.label + " ms"
		}
		if i == 0 {
			col.label = "<" + col.label
		}
		list = append(list, col)
	}
	return columns("chart-histogram", "Response time in ms", list, true)
}

func timelineChart(timeline []Interval) chart {
	var list []column
	for _, m := range timeline {
		list = append(list, column{name: "from " + clockTime(m.StartedAt), parts: []part{{"tone", "pages", m.Pages - m.Broken}, {"bad", "broken", m.Broken}}})
	}
	c := columns("chart-timeline", "Pages over time", list, false)
	if len(timeline) > 0 {
		first, last := clockTime(timeline[0].StartedAt), clockTime(timeline[len(timeline)-1].StartedAt)
		c.Labels = append(c.Labels, label{0, c.H - 4, "start", first}, label{c.W, c.H - 4, "end", last})
		c.Alt = fmt.Sprintf("from %s to %s", first, last)
	}
	return c
}

func rejectedChart(reasons []ReasonGroup) chart {
	tones := []string{"tone", "moved", "ok", "warn", "mute"}
	var parts []part
	for i, g := range reasons {
		parts = append(parts, part{tones[min(i, len(tones)-1)], string(g.Reason), g.URLs.Total})
	}
	return strip("chart-rejected", "Skipped URLs by reason", parts)
}
