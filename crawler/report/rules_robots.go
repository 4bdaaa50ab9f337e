package report

// robotsRules are the rules of robots.txt.
var robotsRules = []rule{
	{Rule{robotsUnreachable, SeverityError, topicRobots, "robots.txt files that could not be fetched", "Make the server answer with status 200 or 404: crawlers stay away from the host until it does."},
		"The last fetch of robots.txt failed: no response, or status 5xx.", 0, nil, afterAll(unreachableRobots)},
	{Rule{"link-to-disallowed", SeverityNotice, topicRobots, "Links to URLs that robots.txt disallows", "Check that crawlers should not see these URLs."},
		"A page links to a URL that robots.txt disallows; `detail` and `line` name the rule.", ofLinks, nil, disallowedLinks},
}

// unreachableRobots finds files that could not be fetched. If an origin has only URLs that are checked,
// the findings about these say it.
func unreachableRobots(m *model, l *ruleList) {
	for _, h := range m.robots.hosts {
		_, isChecked := m.checks.dead[h.Origin]
		hasPages := h.Allowed+h.Disallowed+h.Unreachable > 0
		if h.Outcome == "unreachable" && (hasPages || !isChecked) {
			detail := h.Error
			if h.Status != 0 {
				detail = statusText(h.Status)
			}
			l.add(Finding{URL: h.Origin + "/robots.txt", Detail: detail})
		}
	}
}
