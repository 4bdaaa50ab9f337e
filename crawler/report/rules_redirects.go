package report

// redirectRules are the rules of redirects.
var redirectRules = []rule{
	{Rule{"redirect-loop", SeverityError, topicRedirects, "Redirect loops", "Redirect the first URL to a page, or remove the redirects."},
		"The redirects return to an earlier URL.", ofCrawl, nil, chains(chainLoop)},
	{Rule{"redirect-dead-end", SeverityError, topicRedirects, "Redirects without a page at the end", "Redirect to a page that exists, or remove the redirect and its links."},
		"The redirects end with status 4xx or 5xx, without a response, without a valid Location, or not after twenty.", ofCrawl, nil, chains(chainDeadEnd)},
	{Rule{"redirect-chain", SeverityWarning, topicRedirects, "Redirects of more than one step", "Redirect the first URL to the last one directly, and link to the last one."},
		"Two or more redirects that do not end in an error.", ofCrawl, nil, chains(chainLong)},
}

// chains finds chains by their fault.
func chains(fault chainFault) func(*model, *ruleList) finder {
	return afterAll(func(m *model, l *ruleList) {
		r := m.redirects
		for _, w := range r.chains {
			if w.fault() != fault {
				continue
			}
			first, last := w.keys[0], r.steps[w.keys[len(w.keys)-1]]
			row := Finding{URL: r.steps[first].URL, Detail: quantity(w.hops(), "redirect"), Pages: m.references.count(first)}
			switch w.end {
			case endTooLong:
				row.Detail = "more than " + row.Detail
			case endNoLocation:
				row.Detail = "no valid Location"
			case endBroken:
				row.Detail += ", then " + statusText(last.Status)
			}
			if len(w.keys) > 1 {
				row.Related = last.URL
			}
			l.add(row)
		}
		l.rows.total = r.faults[fault]
	})
}
