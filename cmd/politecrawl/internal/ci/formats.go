package ci

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/comparetext"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler/compare"
	"github.com/politecrawl/politecrawl/crawler/report"
)

// message returns what is wrong, without the place.
func (p problem) message() string {
	text, related := p.rule.Title+": "+cli.Escape(p.URL), ""
	if p.Related != "" {
		related = comparetext.RelatedText(p.rule, p.Finding)
		if comparetext.RelatedLabel(p.rule) == comparetext.Arrow {
			related = " " + related
		} else {
			related = ", " + related
		}
	}
	if comparetext.LeadsToRelated(p.rule) {
		text, related = text+related, ""
	}
	if p.Detail != "" {
		text += " (" + cli.Escape(p.Detail) + ")"
	}
	return text + related
}

// first returns the first place. The number of others is more.
func (p problem) first() (at place, more int) {
	if p.Line > 0 { // the place is robots.txt, not one of the pages
		return p.Places[0], 0
	}
	return p.Places[0], max(p.Pages, len(p.FoundOn), 1) - 1
}

// The elements of JUnit XML, as GitLab, Jenkins and GitHub actions read it. Each rule is a test.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     string      `xml:"time,attr"` // in seconds
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes the verdict as JUnit XML.
func writeJUnit(w io.Writer, v *verdict, r *report.Report) error {
	suite := junitSuite{Name: "politecrawl " + strings.Join(r.Summary.URLs.Rows, " "), Time: fmt.Sprintf("%.3f", float64(r.Summary.DurationMS)/1000)}
	for _, rule := range v.rules {
		c := junitCase{Class: "politecrawl." + rule.Topic, Name: rule.Title + " (" + rule.ID + ")"}
		var lines []string
		for _, p := range v.Problems {
			if p.Rule == rule.ID {
				for _, at := range p.Places {
					lines = append(lines, cli.Escape(at.String())+": "+p.message())
				}
			}
		}
		if len(lines) > 0 {
			c.Failure = &junitFailure{Message: humanize.Count(v.totals[rule.ID], "problem") + "; " + rule.Fix, Type: string(rule.Severity), Text: strings.Join(lines, "\n")}
			suite.Failures++
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// informationURL is where SARIF says that the tool is explained.
const informationURL = "https://github.com/politecrawl/politecrawl"

// writeSARIF writes the verdict in SARIF 2.1.0.
func writeSARIF(w io.Writer, v *verdict) error {
	type object = map[string]any
	text := func(s string) object { return object{"text": s} }
	levels := map[report.Severity]string{report.SeverityError: "error", report.SeverityWarning: "warning", report.SeverityNotice: "note"}
	rules, indexes := []object{}, map[string]int{}
	for i, rule := range v.rules {
		indexes[rule.ID] = i
		rules = append(rules, object{
			"id": rule.ID, "shortDescription": text(rule.Title), "help": text(rule.Fix),
			"defaultConfiguration": object{"enabled": true, "level": levels[rule.Severity]},
		})
	}
	results := []object{}
	for _, p := range v.Problems {
		var locations []object
		for _, at := range p.Places {
			physical := object{"artifactLocation": object{"uri": at.uri()}}
			if at.Line > 0 {
				physical["region"] = object{"startLine": at.Line}
			}
			locations = append(locations, object{"physicalLocation": physical})
		}
		result := object{
			"ruleId": p.Rule, "ruleIndex": indexes[p.Rule], "kind": "fail", "level": levels[p.Severity], "message": text(p.message() + ". " + p.rule.Fix),
			"partialFingerprints": object{"politecrawl/v1": p.fingerprint()}, "locations": locations[:1],
		}
		if len(locations) > 1 {
			result["relatedLocations"] = locations[1:]
		}
		results = append(results, result)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(object{
		"$schema": "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json", "version": "2.1.0", "properties": object{},
		"runs": []object{{
			"language": "en-US", "newlineSequences": []string{"\r\n", "\n"}, "results": results,
			"tool": object{"driver": object{
				"name": "politecrawl", "version": cli.ReadBuild().Version, "informationUri": informationURL, "rules": rules,
				"contents": []string{"localizedData", "nonLocalizedData"}, "isComprehensive": false, "language": "en-US",
			}},
		}},
	})
}

// uri returns the file as a URI reference, or the URL.
func (p place) uri() string {
	if p.File == "" {
		return uriOf(p.URL)
	}
	return fileURI(p.File)
}

// uriOf escapes the characters of a URL that browsers accept and RFC 3986 does not.
func uriOf(u string) string {
	scheme, rest, _ := strings.Cut(u, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		return u
	}
	var b strings.Builder
	b.WriteString(scheme + "://" + rest[:end])
	rest = rest[end:]
	fragment := false
	for i := range len(rest) {
		c := rest[i]
		valid := c == '%' && i+2 < len(rest) && isHex(rest[i+1]) && isHex(rest[i+2]) || c == '#' && !fragment ||
			'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~/?:@!$&'()*+,;=", c) >= 0
		fragment = fragment || c == '#'
		if valid {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// fingerprint identifies the finding in later runs.
func (p problem) fingerprint() string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, compare.Key(p.Rule, p.Finding)) // it never fails
	return fmt.Sprintf("%016x", h.Sum64())
}

// maxAnnotations is the number of annotations of each level that GitHub shows for a step.
const maxAnnotations = 10

// writeAnnotations writes the verdict as workflow commands of GitHub Actions: first one problem of
// each rule. If there are more than GitHub shows, the last line says how many.
func writeAnnotations(w io.Writer, v *verdict) error {
	var b strings.Builder
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var first, others []problem
	for _, problems := range v.byRule() {
		first = append(first, problems[0])
		others = append(others, problems[1:]...)
	}
	written := make(map[report.Severity]int)
	for _, p := range append(first, others...) {
		if written[p.Severity] == maxAnnotations {
			continue
		}
		written[p.Severity]++
		at, _ := p.first()
		where := ""
		if at.File != "" {
			where = "file=" + property.Replace(filepath.ToSlash(at.File)) + ","
			if at.Line > 0 {
				where += fmt.Sprintf("line=%d,", at.Line)
			}
		}
		fmt.Fprintf(&b, "::%s %stitle=%s::%s\n", p.Severity, where, property.Replace(p.rule.Title), data.Replace(p.message()+". "+p.rule.Fix))
	}
	var left []string
	for _, s := range bySeverity {
		if n := v.Counts[s] - written[s]; n > 0 {
			left = append(left, humanize.Count(n, "more "+string(s)))
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "::notice title=politecrawl::GitHub shows %d annotations of a level: the report has %s\n", maxAnnotations, strings.Join(left, " and "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
