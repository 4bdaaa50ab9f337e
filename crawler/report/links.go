package report

import "net/http"

// readLinks counts the links of all pages. A link changes nothing if its target is linked already,
// is not at fault and was not checked.
func (m *maker) readLinks() error {
	m.noted = newKeyFilter(len(m.facts.byURL) + len(m.checks.byURL))
	for k, f := range m.facts.byURL {
		if !f.has(linked) || m.facts.atFault(f) {
			m.noted.add(k)
		}
	}
	for k := range m.checks.byURL {
		m.noted.add(k)
	}
	return m.merger.eachLinks(m.addLinks)
}

func (m *maker) addLinks(_ *workerDir, l *linksLine) {
	m.linesOfLinks++
	m.graph.add(l)
	m.references.count(l)
	from := keyOf(l.URL)
	if m.facts.byURL[from].status == http.StatusNotModified {
		m.unknownLinks--
	}
	for _, to := range l.To {
		if k := keyOf(to.URL); k != from { // a link of a page to itself does not count
			m.refer(k, linked, usedAsLink)
		}
	}
	for _, to := range l.Resources {
		k := keyOf(to.URL)
		m.graph.loops = m.graph.loops || k == from
		m.refer(k, 0, usedAs(to.Kind, l.URL, to.URL))
		if l.insecure(to) {
			m.insecure.counts[k]++
		}
	}
}

// refer records that the page of the current line refers to a URL.
func (m *maker) refer(k key, mark marks, as checkMarks) {
	if !m.noted.mayContain(k) {
		return
	}
	f, known := m.facts.byURL[k]
	if known && mark != 0 && !f.has(mark) {
		f.marks |= mark
		m.facts.byURL[k] = f
	}
	if known && m.facts.atFault(f) || len(m.checks.byURL) > 0 && m.checks.use(k, as) {
		m.referrers.count(k, m.linesOfLinks)
	}
}

// nameLinks names the pages that refer to URLs of findings.
func (m *maker) nameLinks(_ *workerDir, l *linksLine) {
	from := keyOf(l.URL)
	m.references.name(l)
	for _, to := range l.To {
		if k := keyOf(to.URL); k != from {
			m.referrers.name(k, l.URL)
		}
	}
	for _, to := range l.Resources {
		k := keyOf(to.URL)
		m.referrers.name(k, l.URL)
		if l.insecure(to) {
			m.insecure.name(k, to.URL, l.URL)
		}
	}
}
