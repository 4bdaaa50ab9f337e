package report

import (
	"cmp"
	"encoding/json"
	"os"

	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// A robotsVerdict is what a robots.txt says about a URL.
type robotsVerdict struct {
	URL     string `json:"url"`
	Group   string `json:"group"` // empty if no group applies
	Allowed bool   `json:"allowed"`
	Rule    string `json:"rule,omitempty"` // the line that decides; empty if none does
	Line    int    `json:"line,omitempty"`
	Latest  bool   `json:"latest,omitempty"`  // it is the latest one: the crawl recorded none for this URL
	Outcome string `json:"outcome,omitempty"` // allow-all or unreachable; empty if the file has rules
}

// maxTexts limits the robots.txt files that a detailReader keeps: a crawl may have one for each page.
const maxTexts = 100

// verdict applies the robots.txt that the crawl used, or the latest one if it recorded none.
func (d *detailReader) verdict(r *urlRow, x *details) (*robotsVerdict, error) {
	if r.reason == output.Disallowed && x.Rejection != nil { // a check has no rule
		var line output.Rejection
		err := json.Unmarshal(x.Rejection, &line)
		return &robotsVerdict{URL: line.RobotsURL, Group: line.Group, Rule: line.Rule, Line: line.Line}, err
	}
	var used struct{ Robots string } // a hash
	if x.Permission != nil {
		if err := json.Unmarshal(x.Permission, &used); err != nil {
			return nil, err
		}
	}
	origin := originOf(r.url)
	result := &robotsVerdict{URL: origin + "/robots.txt", Latest: x.Permission == nil}
	host := d.robots.hosts[origin]
	switch {
	case x.Permission != nil && used.Robots == "":
		result.Outcome = "allow-all"
	case x.Permission == nil && (host == nil || host.last == nil):
		return nil, nil
	case x.Permission == nil && host.last.Outcome != "rules":
		result.Outcome = host.last.Outcome
	}
	if result.Outcome != "" {
		result.Allowed = result.Outcome == "allow-all"
		return result, nil
	}
	file := d.file(origin, used.Robots)
	if file == nil {
		return nil, nil
	}
	verdict := file.Check(r.url, d.robots.tokens...)
	result.Group, result.Allowed = verdict.Group.Name(), verdict.Allowed
	if verdict.Rule != nil {
		result.Rule, result.Line = secret.RedactText(clip(verdict.Rule.String())), verdict.Rule.Line
	}
	return result, nil
}

// file returns the robots.txt with a hash, or the latest one of an origin if the hash is empty. It is nil if
// there is none, or it was not kept.
func (d *detailReader) file(origin, hash string) *robotstxt.File {
	name := cmp.Or(hash, origin)
	file, known := d.texts[name]
	if known {
		return file
	}
	body, ok := []byte(nil), false
	if hash == "" {
		body, ok = d.robots.text(origin)
	}
	for i := 0; i < len(d.dirs) && hash != "" && !ok; i++ {
		text, err := os.ReadFile(output.VersionPath(d.dirs[i].dir, hash))
		body, ok = text, err == nil
	}
	if ok {
		file = robotstxt.Parse(body, nil)
	}
	if len(d.texts) >= maxTexts {
		clear(d.texts)
	}
	d.texts[name] = file
	return file
}
