package report_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output"
)

// An oracle has what the page of a report shows of each URL. It reads the lines of the files, and shares
// no code with the report. What a field means is in SCHEMA.md of package output.
type oracle struct {
	dirs        []string
	Order       []string                        // the URLs, in the order of the table
	Rows        map[string]fields               // by URL, its cells by the title of their column
	Details     map[string]fields               // by URL, what the files say about it
	Links       map[string]map[string][3]string // by page and URL: text, rel and kind of the first link or use
	Directories map[string]fields

	agent  string            // the product token of the crawl
	robots map[string]fields // the last line of robots.jsonl of each origin, with its directory
	rules  map[string]fields // the last one that was no failure; the previous crawl may have it
}

// fields are a JSON object.
type fields map[string]any

func (f fields) text(name string) string    { s, _ := f[name].(string); return s }
func (f fields) number(name string) float64 { n, _ := f[name].(float64); return n }
func (f fields) status() int                { return int(f.number("status")) }
func (f fields) millis(name string) int64 {
	at, err := time.Parse(time.RFC3339Nano, f.text(name))
	if err != nil {
		return 0
	}
	return max(at.UnixMilli(), 0)
}

// A line of a file, with the place of its directory.
type line struct {
	fields
	dir int
}

// read returns the lines of a file in all directories.
func (o *oracle) read(t *testing.T, name string) (all []line) {
	t.Helper()
	for dir, path := range o.dirs {
		body, err := os.ReadFile(filepath.Join(path, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for text := range bytes.Lines(body) {
			l := line{dir: dir}
			if err := json.Unmarshal(text, &l.fields); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			all = append(all, l)
		}
	}
	return all
}

// fetches returns the lines of a file that count: those of the directory with the last fetch of the URL.
// It returns that directory too.
func (o *oracle) fetches(t *testing.T, name string, id func(line) string) (counted []line, last map[string]int) {
	t.Helper()
	all, at := o.read(t, name), make(map[string]int64)
	last = make(map[string]int)
	for _, l := range all {
		if time, known := l.millis("fetched_at"), at[id(l)]; time >= known {
			at[id(l)], last[id(l)] = time, l.dir
		}
	}
	for _, l := range all {
		if last[id(l)] == l.dir {
			counted = append(counted, l)
		}
	}
	return counted, last
}

func urlOf(l line) string { return l.text("url") }

// newOracle reads a crawl. The rules of findings are those of other tables of the page.
func newOracle(t *testing.T, dirs []string, findings map[string][]string) *oracle {
	t.Helper()
	o := &oracle{
		dirs: dirs, Rows: make(map[string]fields), Details: make(map[string]fields), Links: make(map[string]map[string][3]string),
		Directories: make(map[string]fields), robots: make(map[string]fields), rules: make(map[string]fields),
	}
	o.settings(t)
	pages, lastPage := o.fetches(t, "pages.jsonl", urlOf)
	checks, lastCheck := o.fetches(t, "checks.jsonl", urlOf)
	permissions, _ := o.fetches(t, "permissions.jsonl", urlOf)
	sitemaps, lastSitemap := o.fetches(t, "sitemaps.jsonl", func(l line) string { return l.text("url") + " " + l.text("origin") })
	for _, l := range pages {
		o.page(l.fields)
	}
	for _, l := range o.rejections(t, sitemaps) {
		o.rejection(l.fields)
	}
	for _, l := range o.entries(t, lastSitemap) {
		o.entry(l.fields)
	}
	for _, l := range checks {
		o.check(l.fields)
	}
	for _, l := range permissions {
		if o.Rows[l.text("url")] != nil {
			o.detail(l.fields, "permission")
		}
	}
	for _, l := range o.read(t, "links.jsonl") {
		page, isPage := lastPage[l.text("url")]
		check, isCheck := lastCheck[l.text("url")]
		if (!isPage || page == l.dir) && (!isCheck || check == l.dir) {
			o.link(l.fields)
		}
	}
	for url, row := range o.Rows {
		row["Findings"] = append([]string{}, findings[url]...)
		slices.Sort(row["Findings"].([]string))
		if verdict := o.verdict(t, url, o.Details[url]); verdict != nil {
			o.Details[url]["robots"] = verdict
		}
	}
	return o
}

// settings reads what verdicts of robots.txt need.
func (o *oracle) settings(t *testing.T) {
	t.Helper()
	crawls := 0
	for _, dir := range o.dirs {
		var state struct {
			Recrawls int
			Config   struct {
				Agent string `json:"user-agent"`
			}
		}
		body, err := os.ReadFile(filepath.Join(dir, "crawl.json"))
		if err := errors.Join(err, json.Unmarshal(body, &state)); err != nil {
			t.Fatal(err)
		}
		crawls = max(crawls, state.Recrawls)
		o.agent = cmp.Or(o.agent, regexp.MustCompile(`^[A-Za-z_-]*`).FindString(state.Config.Agent))
	}
	o.agent = cmp.Or(o.agent, "*")
	for _, name := range []string{fmt.Sprintf("robots.%d.jsonl", crawls), "robots.jsonl"} {
		for _, l := range o.read(t, name) {
			l.fields["dir"] = o.dirs[l.dir]
			keepLast(o.robots, l.fields)
			if l.text("outcome") != "unreachable" {
				keepLast(o.rules, l.fields)
			}
		}
	}
}

func keepLast(last map[string]fields, l fields) {
	if known := last[l.text("origin")]; known == nil || l.millis("fetched_at") >= known.millis("fetched_at") {
		last[l.text("origin")] = l
	}
}

// row returns the row of a URL, which it may add.
func (o *oracle) row(url, kind string) fields {
	if o.Rows[url] == nil {
		o.Order = append(o.Order, url)
		o.Rows[url] = fields{
			"URL": url, "Status": nil, "Kind": kind, "Indexable": "", "Title": "", "Depth": nil, "Inlinks": 0.0, "Words": nil, "Size": nil,
			"Time": nil, "Canonical": "", "Sitemap": "", "Skipped": "", "Rule": "",
		}
		o.Details[url] = fields{}
	}
	return o.Rows[url]
}

// detail records the line of a URL. The last one counts.
func (o *oracle) detail(l fields, name string) { o.Details[l.text("url")][name] = map[string]any(l) }

// clipped shortens a text, as titles and rules are.
func clipped(text string) string {
	if cut := cutTo(text, 1000); cut != text {
		return cut + "…"
	}
	return text
}

func cutTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

func isRedirect(status int) bool { return slices.Contains([]int{301, 302, 303, 307, 308}, status) }

func (o *oracle) page(l fields) {
	row, status := o.row(l.text("url"), "page"), l.status()
	same := status == 304 && l["unchanged"] == true
	content := status/100 == 2 || same && (l.text("hash") != "" || l.text("withheld") != "")
	kind := strings.ToLower(strings.TrimSpace(strings.Split(l.text("content_type"), ";")[0]))
	html := content && (l.text("encoding") != "" || kind == "text/html" || kind == "application/xhtml+xml")
	noindex := l.text("withheld") != ""
	directives, _ := l["directives"].([]any)
	for _, d := range directives {
		rule := fields(d.(map[string]any)).text("rule")
		noindex = noindex || rule == "noindex" || rule == "none"
	}
	fault := status >= 400 || status/100 == 3 && !isRedirect(status) && !same
	indexable := "yes"
	switch {
	case isRedirect(status):
		indexable = "redirect"
	case fault:
		indexable = "error"
	case noindex:
		indexable = "noindex"
	case l.text("canonical") != "" && l.text("canonical") != l.text("url"):
		indexable = "canonical"
	case !content:
		indexable = "unknown"
	case !html:
		indexable = "not HTML"
	}
	maps.Copy(row, fields{
		"Status": l.number("status"), "Kind": "page", "Indexable": indexable, "Title": clipped(l.text("title")), "Depth": l.number("depth"),
		"Size": l.number("bytes"), "Time": l.number("duration_ms"), "Canonical": l.text("canonical"), "Words": nil,
	})
	switch {
	case isRedirect(status):
		row["Kind"] = "redirect"
	case html:
		row["Words"] = l.number("words")
	case content:
		row["Kind"] = "file"
	}
	o.detail(l, "page")
	count := fields{"Pages": 1.0, "Size": l.number("bytes")}
	if status == 304 {
		count["Size"] = 0.0 // its body was not read again
	}
	if fault {
		count["Errors"] = 1.0
	}
	if noindex {
		count["Noindex"] = 1.0
	}
	o.count(l.text("url"), count)
}

// count adds to the directory of a URL and those above.
func (o *oracle) count(url string, more fields) {
	origin := originOf(url)
	path := strings.SplitAfter(strings.Split(url[len(origin):], "?")[0], "/")
	for n := range len(path) - 1 { // what has no slash is in no directory
		dir := origin + strings.Join(path[:n+1], "")
		if o.Directories[dir] == nil {
			o.Directories[dir] = fields{"Directory": dir, "Pages": 0.0, "Errors": 0.0, "Noindex": 0.0, "Size": 0.0}
		}
		for name := range more {
			o.Directories[dir][name] = o.Directories[dir].number(name) + more.number(name)
		}
	}
}

func originOf(url string) string {
	return regexp.MustCompile(`^(.*?://[^/?#]*)?`).FindString(url)
}

// rejections returns the lines of skipped URLs: not of sitemap files, and not of pages that another worker
// fetched. If several workers skipped a URL, one counts: outcomes of requests before hosts that were not due,
// those before URLs out of scope, and those before reasons of a single link or entry; then the lower depth.
func (o *oracle) rejections(t *testing.T, sitemaps []line) (counted []line) {
	t.Helper()
	files, indexes := make(map[string]bool), make(map[string]bool)
	for _, l := range sitemaps {
		files[l.text("url")+" "+l.text("found_on")] = true
		indexes[l.text("url")] = indexes[l.text("url")] || l.number("sitemaps") > 0
	}
	ranks := map[string]int{
		"robots-unreachable": 1, "deferred": 1, "out-of-scope": 2, "max-depth": 2, "too-many-redirects": 2, "nofollow": 3, "not-authorized": 3, "before-since": 3,
	}
	first := make(map[string]line)
	var all []line
	for _, l := range o.read(t, "rejected.jsonl") {
		url, from := l.text("url"), l.text("found_on")
		listed := l.text("source") == "sitemap" && (indexes[from] || from == originOf(from)+"/robots.txt")
		if files[url+" "+from] || listed || o.Rows[url] != nil {
			continue
		}
		all = append(all, l)
		before, known := first[url]
		if !known || cmp.Or(ranks[l.text("reason")]-ranks[before.text("reason")], cmp.Compare(l.number("depth"), before.number("depth")), cmp.Compare(l.text("reason"), before.text("reason"))) < 0 {
			first[url] = l
		}
	}
	for _, l := range all {
		if l.dir == first[l.text("url")].dir {
			counted = append(counted, l)
		}
	}
	return counted
}

func (o *oracle) rejection(l fields) {
	row := o.row(l.text("url"), "skipped")
	row["Skipped"], row["Depth"] = cutTo(l.text("reason"), 2000), l.number("depth")
	if l.text("rule") != "" {
		row["Rule"] = fmt.Sprintf("%s, line %.0f", clipped(l.text("rule")), l.number("line"))
	}
	if l.text("reason") == "failed" {
		row["Status"] = 0.0
		o.count(l.text("url"), fields{"Errors": 1.0})
	}
	o.detail(l, "rejection")
}

// entries returns the lines of entries. Those of a sitemap that other workers read later do not count.
func (o *oracle) entries(t *testing.T, last map[string]int) (counted []line) {
	t.Helper()
	type reading struct {
		sitemap string
		dir     int
	}
	outdated := make(map[reading]bool)
	for _, l := range o.read(t, "sitemaps.jsonl") {
		of := reading{l.text("url"), l.dir}
		if before, known := outdated[of]; !known || before {
			outdated[of] = last[l.text("url")+" "+l.text("origin")] != l.dir
		}
	}
	for _, l := range o.read(t, "entries.jsonl") {
		if !outdated[reading{l.text("sitemap"), l.dir}] {
			counted = append(counted, l)
		}
	}
	return counted
}

func (o *oracle) entry(l fields) {
	row, details := o.row(l.text("url"), "not fetched"), o.Details[l.text("url")]
	row["Sitemap"] = cmp.Or(row.text("Sitemap"), l.text("sitemap"))
	details["entry_count"] = details.number("entry_count") + 1
	if list, _ := details["entries"].([]any); len(list) < 100 {
		details["entries"] = append(list, map[string]any(l))
	}
}

func (o *oracle) check(l fields) {
	row, isLink := o.row(l.text("url"), "checked"), false
	switch as := l.text("kind"); as {
	case "a", "area", "frame", "meta", "header", "redirect", "canonical", "hreflang":
		isLink = true
	case "link":
		isLink = originOf(l.text("found_on")) != originOf(l.text("url"))
	}
	o.detail(l, "check")
	if o.Details[l.text("url")]["page"] != nil {
		return
	}
	switch {
	case !isLink:
		row["Kind"] = "asset"
	case row.text("Skipped") == "out-of-scope" || l.text("kind") != "canonical" && l.text("kind") != "hreflang":
		row["Kind"] = "external"
	case row.text("Skipped") == "":
		row["Kind"] = "checked"
	}
	row["Canonical"], row["Skipped"] = l.text("canonical"), cmp.Or(row.text("Skipped"), l.text("reason"))
	if l.text("fetched_at") != "" {
		row["Status"], row["Time"] = l.number("status"), l.number("duration_ms")
	}
	if l.number("bytes") > 0 {
		row["Size"] = l.number("bytes")
	}
}

// link records the links and assets of a page or stylesheet.
func (o *oracle) link(l fields) {
	from, to := l.text("url"), make(map[string][3]string)
	for _, name := range []string{"to", "resources"} {
		list, _ := l[name].([]any)
		for _, v := range list {
			link := fields{"url": v}
			if all, full := v.(map[string]any); full {
				link = all
			}
			if _, known := to[link.text("url")]; !known {
				to[link.text("url")] = [3]string{link.text("text"), link.text("rel"), link.text("kind")}
			}
		}
	}
	for url := range to {
		if row := o.Rows[url]; row != nil {
			row["Inlinks"] = row.number("Inlinks") + 1
		}
	}
	if o.Links[from] == nil {
		o.Links[from] = make(map[string][3]string)
	}
	maps.Copy(o.Links[from], to)
}

// verdict returns what robots.txt says about a URL: the line of a skipped one, the version that the line of
// permissions.jsonl names, or else the last one of the origin.
func (o *oracle) verdict(t *testing.T, url string, details fields) map[string]any {
	t.Helper()
	rejection, _ := details["rejection"].(map[string]any)
	if l := fields(rejection); l.text("reason") == "disallowed" {
		verdict := map[string]any{"url": l.text("robots_url"), "group": l.text("group"), "allowed": false}
		if l.text("rule") != "" {
			verdict["rule"] = l.text("rule")
		}
		if l.number("line") > 0 {
			verdict["line"] = l.number("line")
		}
		return verdict
	}
	origin, permission := originOf(url), details["permission"]
	var places []string
	for _, dir := range o.dirs {
		if permission, known := permission.(map[string]any); !known {
			places = append(places, output.RobotsPath(dir, origin))
		} else if hash := fields(permission).text("robots"); hash != "" {
			places = append(places, output.VersionPath(dir, hash))
		}
	}
	outcome := o.rules[origin].text("outcome")
	if line, known := permission.(map[string]any); known {
		outcome = "rules"
		if fields(line).text("robots") == "" {
			outcome = "allow-all"
		}
	}
	if outcome == "" {
		return nil // no fetch of its robots.txt is known
	}
	if outcome != "rules" {
		verdict := map[string]any{"url": origin + "/robots.txt", "group": "", "allowed": outcome == "allow-all", "outcome": outcome}
		if permission == nil {
			verdict["latest"] = true
		}
		return verdict
	}
	if last := o.robots[origin]; last != nil && permission == nil {
		places = append([]string{output.RobotsPath(last.text("dir"), origin)}, places...)
	}
	for _, path := range places {
		if body, err := os.ReadFile(path); err == nil {
			verdict := robotsVerdict(string(body), o.agent, url, origin)
			if permission == nil {
				verdict["latest"] = true
			}
			return verdict
		}
	}
	return nil
}

// robotsVerdict applies RFC 9309: the longest rule of the group decides, and Allow if two are as long.
func robotsVerdict(text, agent, url, origin string) map[string]any {
	verdict := map[string]any{"url": origin + "/robots.txt", "group": "", "allowed": true}
	type rule struct {
		field, pattern string
		line           int
	}
	rules, names := make(map[string][]rule), make(map[string]string) // by product token in lower case
	var group []string
	begun := false // whether the group has rules
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(text, "\ufeff"))
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		field, value, _ := strings.Cut(line, ":")
		field, value = strings.ToLower(strings.TrimSpace(field)), strings.TrimSpace(value)
		switch field {
		case "user-agent":
			if begun {
				group, begun = nil, false
			}
			token := regexp.MustCompile(`^(\*|[A-Za-z_-]*)`).FindString(value)
			group = append(group, strings.ToLower(token))
			names[strings.ToLower(token)] = cmp.Or(names[strings.ToLower(token)], token)
		case "allow", "disallow":
			begun = true
			for _, token := range group {
				rules[token] = append(rules[token], rule{field, value, i + 1})
			}
		}
	}
	token := strings.ToLower(agent)
	if names[token] == "" {
		token = "*"
	}
	verdict["group"] = names[token]
	best := rule{}
	for _, r := range rules[token] {
		longer := len(escaped(r.pattern)) - len(escaped(best.pattern))
		if r.pattern != "" && matches(escaped(r.pattern), escaped(strings.TrimPrefix(url, origin))) && (longer > 0 || longer == 0 && r.field == "allow" && best.field == "disallow") {
			best = r
		}
	}
	if best.line > 0 {
		verdict["allowed"], verdict["line"] = best.field == "allow", float64(best.line)
		verdict["rule"] = map[string]string{"allow": "Allow: ", "disallow": "Disallow: "}[best.field] + best.pattern
	}
	return verdict
}

// escaped writes a path with the escapes that RFC 9309 compares.
func escaped(path string) string {
	path = regexp.MustCompile(`%[0-9A-Fa-f]{2}`).ReplaceAllStringFunc(path, func(code string) string {
		var c byte
		_, _ = fmt.Sscanf(code, "%%%2x", &c)
		if c < 0x80 && (c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("-._~", c) >= 0) {
			return string(rune(c))
		}
		return strings.ToUpper(code)
	})
	var b strings.Builder
	for _, c := range []byte(path) {
		if c >= 0x80 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// matches reports whether a pattern of robots.txt matches a path.
func matches(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	expression := "^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	if whole {
		expression += "$"
	}
	return regexp.MustCompile(expression).MatchString(path)
}

// choices returns the values of the filters, with the number of rows of each.
func (o *oracle) choices() map[string]map[string]int {
	count := map[string]map[string]int{"status": {}, "kind": {}, "indexable": {}, "finding": {}}
	for _, row := range o.Rows {
		status := ""
		switch code, known := row["Status"].(float64); {
		case known && code == 0:
			status = "none"
		case known:
			status = fmt.Sprintf("%cxx", fmt.Sprint(code)[0])
		}
		for name, value := range map[string]string{"status": status, "kind": row.text("Kind"), "indexable": row.text("Indexable")} {
			if value != "" {
				count[name][value]++
			}
		}
		for _, id := range row["Findings"].([]string) {
			count["finding"][id]++
		}
	}
	return count
}
