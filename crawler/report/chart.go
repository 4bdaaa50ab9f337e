package report

import (
	"fmt"
	"strings"
)

// A chart is a drawing of bars, in the units of its view box. The template turns it
// into SVG; what its bars are called comes from the site and is escaped there.
type chart struct {
	ID     string
	Title  string
	Says   string // the same in words, for who does not see it
	W, H   float64
	Bars   []bar
	Labels []label
	Legend []legend
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

type legend struct {
	Class string
	Name  string
	Count int
}

// A part is one colour of a bar.
type part struct {
	class string
	name  string
	count int
}

// A column is a bar that stands, of parts on top of each other.
type column struct {
	label string
	name  string
	parts []part
}

func (c column) count() int {
	n := 0
	for _, p := range c.parts {
		n += p.count
	}
	return n
}

// The measures of charts. One unit is about a pixel on a phone.
const (
	chartWidth   = 320
	columnHeight = 120 // of the highest column
	columnTop    = 18  // room for a number above it
	columnFoot   = 18  // room for labels below
	stripHeight  = 28
	leastBar     = 1.5 // what is there can be seen
)

// columns draws columns next to each other. With numbers each has its count above.
func columns(id, title string, list []column, numbers bool) chart {
	c := chart{ID: id, Title: title, W: chartWidth, H: columnTop + columnHeight + columnFoot}
	highest := 1
	for _, col := range list {
		highest = max(highest, col.count())
	}
	step := c.W / float64(max(len(list), 1))
	gap := min(step/5, 6)
	var says []string
	for i, col := range list {
		x, y := float64(i)*step+gap/2, float64(columnTop+columnHeight)
		middle := x + (step-gap)/2
		for _, p := range col.parts {
			if p.count == 0 {
				continue
			}
			h := max(columnHeight*float64(p.count)/float64(highest), leastBar)
			y -= h
			title := fmt.Sprintf("%s: %s", col.name, thousands(p.count))
			if p.name != "" {
				title += " " + p.name
			}
			c.Bars = append(c.Bars, bar{x, y, step - gap, h, p.class, title})
		}
		if n := col.count(); numbers && n > 0 {
			c.Labels = append(c.Labels, label{middle, y - 4, "middle", shortNumber(n)})
			says = append(says, fmt.Sprintf("%s: %s", col.name, thousands(n)))
		}
		if col.label != "" {
			c.Labels = append(c.Labels, label{middle, c.H - 4, "middle", col.label})
		}
	}
	c.Says = strings.Join(says, ", ")
	return c
}

// strip draws one bar that lies, of parts next to each other that make up the whole.
func strip(id, title string, parts []part) chart {
	c := chart{ID: id, Title: title, W: chartWidth, H: stripHeight}
	total, shown := 0, 0
	for _, p := range parts {
		total += p.count
		if p.count > 0 {
			shown++
		}
	}
	var says []string
	x, room := 0.0, c.W-leastBar*float64(shown)
	for _, p := range parts {
		if p.count == 0 {
			continue
		}
		w := leastBar + room*float64(p.count)/float64(total)
		c.Bars = append(c.Bars, bar{x, 0, w, stripHeight, p.class, fmt.Sprintf("%s: %s", p.name, thousands(p.count))})
		c.Legend = append(c.Legend, legend{p.class, p.name, p.count})
		says = append(says, fmt.Sprintf("%s: %s", p.name, thousands(p.count)))
		x += w
	}
	c.Says = strings.Join(says, ", ")
	return c
}

// shortNumber writes a number so that it fits above a column.
func shortNumber(n int) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// charts draws all of a report, by their names in the template.
func charts(r *Report) map[string]chart {
	return map[string]chart{
		"statuses": statusChart(r.Statuses), "depths": depthChart(r.Depths),
		"spread": spreadChart(r.Times.Spread), "course": courseChart(r.Times.Course),
		"rejected": rejectedChart(r.Rejected.Reasons), "sitemaps": sitemapChart(r.Sitemaps),
	}
}

func statusChart(statuses []Status) chart {
	parts := []part{{class: "ok", name: "answer well"}, {class: "moved", name: "redirect"}, {class: "bad", name: "are broken"}, {class: "mute", name: "other"}}
	for _, s := range statuses {
		switch {
		case fine(s.Status):
			parts[0].count += s.Pages
		case redirected(s.Status):
			parts[1].count += s.Pages
		case broken(s.Status):
			parts[2].count += s.Pages
		default:
			parts[3].count += s.Pages
		}
	}
	return strip("chart-statuses", "Answers", parts)
}

// maxColumns is how many columns have room in a chart.
const maxColumns = 10

func depthChart(depths []Depth) chart {
	var list []column
	for i, d := range depths {
		if i >= maxColumns { // all that is deeper, together
			last := &list[maxColumns-1]
			last.label, last.name = fmt.Sprintf("%d+", depths[maxColumns-1].Depth), fmt.Sprintf("depth %d and more", depths[maxColumns-1].Depth)
			for j, n := range []int{d.OK, d.Redirects, d.Broken} {
				last.parts[j].count += n
			}
			continue
		}
		list = append(list, column{fmt.Sprint(d.Depth), fmt.Sprintf("depth %d", d.Depth), []part{
			{"ok", "", d.OK}, {"moved", "redirects", d.Redirects}, {"bad", "broken", d.Broken},
		}})
	}
	return columns("chart-depths", "Pages by depth", list, true)
}

func spreadChart(spread []Spread) chart {
	var list []column
	for i, s := range spread {
		col := column{parts: []part{{"tone", "", s.Pages}}}
		switch {
		case s.Below == 0:
			col.label, col.name = "more", "longer"
		case s.Below < 1000:
			col.label, col.name = fmt.Sprint(s.Below), fmt.Sprintf("less than %d ms", s.Below)
		default:
			col.label, col.name = fmt.Sprintf("%d s", s.Below/1000), fmt.Sprintf("less than %d s", s.Below/1000)
		}
		if i == 0 {
			col.label = "<" + col.label
		}
		list = append(list, col)
	}
	return columns("chart-spread", "Time to answer, in ms", list, true)
}

func courseChart(course []Moment) chart {
	var list []column
	for _, m := range course {
		list = append(list, column{name: "from " + clockTime(m.At), parts: []part{{"tone", "pages", m.Pages - m.Broken}, {"bad", "broken", m.Broken}}})
	}
	c := columns("chart-course", "Pages over time", list, false)
	if len(course) > 0 {
		c.Labels = append(c.Labels, label{0, c.H - 4, "start", clockTime(course[0].At)},
			label{c.W, c.H - 4, "end", clockTime(course[len(course)-1].At)})
		c.Says = fmt.Sprintf("from %s to %s", clockTime(course[0].At), clockTime(course[len(course)-1].At))
	}
	return c
}

func rejectedChart(reasons []ReasonGroup) chart {
	tones := []string{"tone", "moved", "ok", "warn", "mute"}
	var parts []part
	for i, g := range reasons {
		parts = append(parts, part{tones[min(i, len(tones)-1)], string(g.Reason), g.URLs.Total})
	}
	return strip("chart-rejected", "Left alone, by reason", parts)
}

func sitemapChart(s Sitemaps) chart {
	return strip("chart-sitemaps", "What the sitemaps list", []part{
		{"ok", "as it should be", s.Fine}, {"bad", "wrong", s.Faulty}, {"mute", "not fetched", s.URLs - s.Fine - s.Faulty},
	})
}
