package sitemap

import (
	"errors"
	"io"
	"slices"
	"strings"
)

// namespaceURIs are the namespaces of the protocol and of its extensions, as
// sitemaps.org and Google's documentation define them.
var namespaceURIs = [...]string{
	sitemapSpace: sitemapNamespace,
	imageSpace:   "http://www.google.com/schemas/sitemap-image/1.1",
	videoSpace:   "http://www.google.com/schemas/sitemap-video/1.1",
	newsSpace:    "http://www.google.com/schemas/sitemap-news/0.9",
	xhtmlSpace:   "http://www.w3.org/1999/xhtml",
}

// xmlnsFix says how to declare a prefix.
func xmlnsFix(prefix, uri string) string {
	if prefix == "" {
		return `write xmlns="` + uri + `"`
	}
	return "write xmlns:" + cut([]byte(prefix)) + `="` + uri + `"`
}

// role is the place of an element in a sitemap.
type role uint8

const (
	roleOther role = iota // its text is not checked
	roleRoot
	roleEntry // url, sitemap
	roleGroup // image, video and news, which have only elements
)

// vocabulary checks the namespaces and names of a sitemap's elements (ROB-SMP-26).
type vocabulary struct {
	sitemap    bool // the root is a urlset or a sitemapindex
	rootPrefix string
	rootURI    string
	reported   []string
}

// maxReported limits the wrong namespaces and names that are reported.
const maxReported = 32

// checkNamespace checks an element in a urlset or an index. A namespace that no element uses
// is no finding.
func (c *checker) checkNamespace(at place, prefix, local, uri string) role {
	low := strings.ToLower(local)
	parent := roleOther
	if len(c.open) > 0 {
		parent = c.open[len(c.open)-1].role
	} else {
		c.sitemap = low == "urlset" || low == "sitemapindex"
		c.rootPrefix, c.rootURI = prefix, uri
	}
	if !c.sitemap {
		return roleOther
	}
	sp := c.meant(parent, prefix, low, uri)
	want := namespaceURIs[sp]
	switch {
	case want == "":
		return roleOther
	case uri == "":
		c.once(at, NoNamespace, local, xmlnsFix(prefix, want), "namespace of "+want)
	case uri != want:
		c.once(at, BadNamespace, uri, xmlnsFix(prefix, want), "namespace "+uri+" for "+want)
	}
	if local != low && (sp != sitemapSpace || isCoreName(low)) {
		c.once(at, WrongCase, local, "write <"+strings.TrimPrefix(prefix+":"+low, ":")+">", "name "+local)
	}
	switch {
	case len(c.open) == 0:
		return roleRoot
	case parent == roleRoot && (low == "url" || low == "sitemap"):
		return roleEntry
	case parent == roleEntry && isGroup(low):
		return roleGroup
	}
	return roleOther
}

// meant returns the namespace that an element should have, or another one if it may have any.
func (c *checker) meant(parent role, prefix, low, uri string) space {
	for sp, known := range namespaceURIs {
		if uri == known && uri != "" && len(c.open) > 0 {
			return space(sp)
		}
	}
	similar, usual := spaceOf([]byte(strings.ToLower(uri))), conventional([]byte(prefix))
	switch {
	case len(c.open) == 0, prefix == c.rootPrefix && (parent == roleRoot || parent == roleEntry) && isCoreName(low):
		return sitemapSpace
	case namespaceURIs[similar] != "":
		return similar
	case namespaceURIs[usual] != "":
		return usual
	case parent == roleEntry && uri != "" && uri != c.rootURI && isGroup(low):
		return conventional([]byte(low))
	}
	return otherSpace
}

// isCoreName reports whether the protocol has an element of this name.
func isCoreName(low string) bool {
	return slices.Contains([]string{"urlset", "sitemapindex", "url", "sitemap", "loc", "lastmod", "changefreq", "priority"}, low)
}

// isGroup reports whether an extension has an element of this name, which has only elements.
func isGroup(low string) bool { return low == "image" || low == "video" || low == "news" }

// strayText reports text between elements.
func (c *checker) strayText(at place) {
	if c.open[len(c.open)-1].role != roleOther {
		c.add(at, StrayText, "", "")
	}
}

// once reports a finding the first time.
func (c *checker) once(at place, kind Kind, text, fix, key string) {
	if len(c.reported) < maxReported && !slices.Contains(c.reported, key) {
		c.reported = append(c.reported, key)
		c.add(at, kind, text, fix)
	}
}

func (c *checker) add(at place, kind Kind, text, fix string) {
	if len(c.findings) <= maxFindings {
		f := Finding{Kind: kind, Text: cut([]byte(text)), Fix: fix}
		f.setPlace(at)
		c.findings = append(c.findings, f)
	}
}

// check is the strict check of a body. It is an interface so that programs that read no
// sitemap do not link it.
type check interface {
	io.Reader                              // the body, for the scanner
	take(limit int64) []Finding            // the findings before an offset, once
	takeFault(f *Finding) (*Finding, bool) // the fault that f is about, once
	end()
}

// startCheck makes the strict check read the body before the scanner does.
func (rd *reading) startCheck() {
	charset := rd.summary.Charset
	if rd.badCharset {
		charset = "" // which is reported
	}
	rd.check = newChecker(rd.r, charset)
	rd.r = rd.check
}

// publishChecked reports the findings of the strict check before an offset.
func (rd *reading) publishChecked(limit int64) {
	if rd.check == nil {
		return
	}
	for _, f := range rd.check.take(limit) {
		rd.publish(f)
	}
}

// merge reports the findings of the strict check before f. If f and the check report the same
// fault, f takes its place and its fix.
func (rd *reading) merge(f *Finding) {
	if rd.check == nil {
		return
	}
	rd.publishChecked(rd.markPlace().offset)
	if same, ok := rd.check.takeFault(f); ok && f.Kind != Truncated {
		rd.publishChecked(same.Offset)
		f.Line, f.Column, f.Fix = same.Line, same.Column, same.Fix
		if f.Err == nil {
			f.Err = same.Err
		}
	}
}

func (c *checker) end() { c.stop() }

func (c *checker) take(limit int64) []Finding {
	n := 0
	for n < len(c.findings) && c.findings[n].Offset < limit {
		n++
	}
	taken := slices.Clone(c.findings[:n])
	c.findings = slices.Delete(c.findings, 0, n)
	if c.fault != nil && c.fault.Offset < limit {
		taken, c.fault = append(taken, c.fault.Finding), nil
	}
	return taken
}

func (c *checker) takeFault(f *Finding) (*Finding, bool) {
	if c.fault == nil || !c.fault.sameAs(f) {
		return nil, false
	}
	same := &c.fault.Finding
	c.fault = nil
	return same, true
}

// sameAs reports whether a finding of the scanner is about the fault. The fault is not before
// the mark of the finding.
func (fa *fault) sameAs(f *Finding) bool {
	switch f.Kind {
	case BadXML:
		return true // the scanner rejects nothing that an XML parser accepts
	case BadLoc, BadExtension:
		return fa.as == BadLoc && errors.Is(f.Err, errControl) && fa.Offset <= f.Offset
	case Truncated:
		return fa.as == Truncated
	}
	return fa.as == f.Kind && fa.Offset <= f.Offset
}
