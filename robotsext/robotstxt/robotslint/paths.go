package robotslint

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext/internal/percent"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// paths checks the values of rules.
func (l *linter) paths() {
	for i := range l.source.records {
		r := &l.source.records[i]
		if r.field == noColon || r.field == otherField || l.reported[r.line] {
			continue
		}
		l.hash(r)
		switch {
		case r.field == sitemapField:
			l.sitemapSpace(r)
			l.sitemapFTP(r)
		case !r.field.isRule() || r.block < 0:
		case r.value == "":
			l.emptyRule(r)
		case r.usable():
			l.path(r)
		}
	}
}

// hash reports a # that cuts a value although it probably begins no comment.
func (l *linter) hash(r *record) {
	if r.after == "" || r.value == "" || r.field == agentField {
		return
	}
	l.add(r.line, KindCutByHash, r.value+r.after, func() (string, string) {
		return fmt.Sprintf("a # begins a comment even within a value, so the value is %s", quote(r.value)),
			fmt.Sprintf("%s if the # begins a URL fragment, which servers never receive; add a space before the # of a comment; write %%23 for a # in the path", l.rewrite(r, r.name+": "+r.value))
	})
}

// emptyRule reports rules without a path that have no effect.
func (l *linter) emptyRule(r *record) {
	b := &l.source.blocks[r.block]
	switch {
	case r.field == allowField:
		fix := b.removal(r)
		l.add(r.line, KindEmptyRule, r.text, func() (string, string) {
			return "an Allow without a path has no effect", fix
		})
	case b.needed > 1:
		fix := b.removal(r)
		l.add(r.line, KindEmptyRule, r.text, func() (string, string) {
			return "a Disallow without a path has no effect: it does not undo the other rules of the group", fix
		})
	}
}

// path reports a rule whose effect probably differs from its author's intent.
func (l *linter) path(r *record) {
	path := r.value
	switch {
	case looksRegexp.MatchString(path):
		l.add(r.line, KindRegexp, path, func() (string, string) {
			return fmt.Sprintf("%s looks like a regular expression; only * (any characters) and a $ at the end are special", quote(path)),
				"write it with * and $, one rule for each alternative"
		})
	case strings.ContainsAny(path, " \t"):
		l.innerSpace(r)
	case strings.Contains(strings.TrimSuffix(path, "$"), "$"):
		l.add(r.line, KindInnerDollar, path, func() (string, string) {
			return "a $ before the end matches a dollar sign, not the end of the URL", fmt.Sprintf("move it to the end, or write %%24 for a dollar sign: %s", quote(escapeInner(path)))
		})
	case strings.ContainsAny(path, unescaped):
		l.unescaped(r)
	}
	canonical, _ := robotstxt.CanonicalPattern(path)
	if bare, ok := withoutDots(canonical); ok {
		l.add(r.line, KindNeverMatches, path, func() (string, string) {
			return "no URL matches, because crawlers resolve /./ and /../ before a request", l.rewrite(r, r.name+": "+bare)
		})
	}
	if r.field == disallowField && (canonical == "/robots.txt" || canonical == "/robots.txt$") {
		fix := l.source.blocks[r.block].removal(r)
		l.add(r.line, KindOwnFile, path, func() (string, string) {
			return "the rule has no effect: crawlers may always fetch /robots.txt", fix
		})
	}
}

// looksRegexp matches the syntax of regular expressions that no ordinary path contains.
var looksRegexp = regexp.MustCompile(`^[^?%=&]*[a-z]\|[a-z]|^[/*]?\^|\\[.dwsb/?+*-]|\[[^\]/]*[a-z0-9]-[a-z0-9][^\]/]*\]|\([^()/]+\|[^()]+\)|\.\+|\.\*\$`)

// unescaped are the characters that browsers and crawlers escape in the path of a
// URL, and that Google's parser compares as they are (ROB-MAT-28).
const unescaped = "\"<>\\^`{}"

func (l *linter) unescaped(r *record) {
	escape := func(s string) string {
		return percent.Escape(s, func(c byte) bool { return strings.IndexByte(unescaped, c) >= 0 })
	}
	l.add(r.line, KindUnescaped, r.value, func() (string, string) {
		if strings.Contains(r.value, `\`) {
			return `browsers read \ in a URL as /, so hardly any URL matches`, l.rewrite(r, r.name+": "+strings.ReplaceAll(r.value, `\`, "/"))
		}
		i := strings.IndexAny(r.value, unescaped)
		return fmt.Sprintf("URLs contain %q as %s, and some crawlers do not treat the two as equal", r.value[i], escape(r.value[i:i+1])),
			l.rewrite(r, r.name+": "+escape(r.value))
	})
}

// escapeInner escapes the dollar signs that do not end a path.
func escapeInner(path string) string {
	end := ""
	if strings.HasSuffix(path, "$") {
		path, end = path[:len(path)-1], "$"
	}
	return strings.ReplaceAll(path, "$", "%24") + end
}

// innerSpace reports several paths on a line, or a path with a space.
func (l *linter) innerSpace(r *record) {
	words := strings.FieldsFunc(r.value, func(c rune) bool { return c == ' ' || c == '\t' })
	several := true
	for _, w := range words {
		several = several && (w[0] == '/' || w[0] == '*')
	}
	l.add(r.line, KindInnerSpace, r.value, func() (string, string) {
		comment, isComment := foreignComment(strings.Join(words[1:], " "))
		switch {
		case several && !isComment:
			return "a rule has only one path: this value is compared as a whole with its spaces, so it matches none of the paths", fmt.Sprintf("write one line for each path, beginning with %s", quote(r.name+": "+words[0]))
		case isComment:
			return "the text after the space is part of the path, because a comment begins with #", l.rewrite(r, r.name+": "+words[0]+strings.TrimRight(" # "+comment, " #"))
		case strings.HasSuffix(words[0], "/") || strings.HasPrefix(words[1], "("):
			return "the text after the space is part of the path", fmt.Sprintf("for a comment add a #: %s; otherwise write spaces as %%20", quote(r.name+": "+words[0]+" # "+strings.Join(words[1:], " ")))
		}
		return "the path contains a space: it is compared as %20, but some crawlers stop reading there", l.rewrite(r, r.name+": "+strings.Join(words, "%20"))
	})
}

// foreignComment returns the text of a comment in the syntax of another language.
func foreignComment(text string) (comment string, ok bool) {
	for _, mark := range [...]struct{ begin, end string }{{"<!--", "-->"}, {"//", ""}, {"/*", "*/"}, {"--", ""}, {";", ""}} {
		if s, ok := strings.CutPrefix(text, mark.begin); ok && (s == "" || s[0] == ' ' || mark.end != "" && strings.HasSuffix(s, mark.end)) {
			return strings.TrimSpace(strings.TrimSuffix(s, mark.end)), true
		}
	}
	return "", false
}

// withoutDots removes dot segments that make a rule match nothing, and reports whether there
// were any. URLs are compared without dot segments (ROB-MAT-25). After the first star or
// question mark a rule may match a query, which keeps its dots.
func withoutDots(canonical string) (bare string, ok bool) {
	end := strings.IndexAny(canonical, "*?$")
	if end < 0 {
		end = len(canonical)
	}
	head, tail := canonical[:end], canonical[end:]
	if !strings.HasPrefix(head, "/") {
		return "", false
	}
	segments := strings.Split(head, "/")[1:]
	last := len(segments) - 1
	whole := strings.HasPrefix(tail, "?") || strings.HasPrefix(tail, "$") // else more may follow
	var kept []string
	for i, s := range segments {
		if dots := s == "." || s == ".."; !dots || i == last && !whole {
			kept = append(kept, s)
			continue
		}
		ok = true
		if s == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if i == last {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/") + tail, ok
}

// isFullURL reports whether a rule has a URL in place of a path.
func isFullURL(value string) bool {
	scheme, _, ok := strings.Cut(value, "://")
	return ok && scheme != "" && strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz") == ""
}

// explainNoSlash explains a path that begins with neither / nor *.
func (l *linter) explainNoSlash(r *record) (message, fix string) {
	value := r.value
	if isFullURL(value) {
		_, rest, _ := strings.Cut(value, "://")
		path := "/"
		if i := strings.IndexAny(rest, "/?"); i >= 0 {
			path = "/" + strings.TrimLeft(rest[i:], "/")
		}
		message = "a rule needs a path, not a URL, so crawlers skip the line"
		if path == "/" {
			return message, "move the rule to the robots.txt of that host; hosts with and without www each have their own"
		}
		return message, fmt.Sprintf("%s for a page of this host; for another host, add it to that host's robots.txt", l.rewrite(r, r.name+": "+path))
	}
	message = fmt.Sprintf("a path must begin with / or *, so crawlers skip %s", quote(value))
	bare := strings.Trim(value, "\"'`<>^")
	if path := strings.TrimLeft(bare, "./"); strings.HasPrefix(bare, "./") || strings.HasPrefix(bare, "../") {
		return message, l.rewrite(r, r.name+": /"+path)
	}
	switch lower := strings.ToLower(bare); {
	case bare == "" || bare == "$":
		return message, "add a path"
	case lower == "all" || lower == "everything" || lower == "yes":
		return message, l.rewrite(r, r.name+": /")
	case lower == "none" || lower == "nothing" || lower == "no":
		if r.field == disallowField {
			return message, `write "Disallow:", which allows everything`
		}
		return message, l.rewrite(r, "Disallow: /")
	case strings.ContainsRune(`.?&=;$%_-`, rune(bare[0])):
		return message, fmt.Sprintf("%s, where * matches any characters", l.rewrite(r, r.name+": /*"+bare))
	}
	bare = strings.ReplaceAll(bare, `\`, "/")
	if looksHost(bare) {
		host, path, _ := strings.Cut(bare, "/")
		if path == "" {
			return message, fmt.Sprintf("if %s is another host, add the rule to its robots.txt", quote(host))
		}
		return message + "; it does not contain the host", fmt.Sprintf("%s, in the robots.txt of %s if that is another host", l.rewrite(r, r.name+": /"+path), quote(host))
	}
	return message, l.rewrite(r, r.name+": /"+strings.TrimLeft(bare, "/"))
}

// looksHost reports whether a value begins with the name of a host.
func looksHost(value string) bool {
	host, _, ok := strings.Cut(value, "/")
	return strings.HasPrefix(host, "www.") || ok && strings.Count(host, ".") > 0 && !strings.ContainsAny(host, "*?=_") && topLevel.MatchString(host)
}

var topLevel = regexp.MustCompile(`\.(com|org|net|edu|gov|info|[a-z]{2})$`)

func (l *linter) sitemapSpace(r *record) {
	words := strings.Fields(r.value)
	if len(words) < 2 {
		return
	}
	l.add(r.line, KindInnerSpace, r.value, func() (string, string) {
		return "the URL contains a space, which becomes part of it", fmt.Sprintf("write one URL a line, spaces as %%20, and # before a comment: %s", quote(r.name+": "+words[0]))
	})
}

func (l *linter) sitemapFTP(r *record) {
	const scheme = "ftp://"
	if len(r.value) > len(scheme) && strings.EqualFold(r.value[:len(scheme)], scheme) {
		l.addAs(Note, r.line, Kind(robotstxt.KindSitemapScheme), r.value, func() (string, string) {
			return "hardly any crawler fetches sitemaps by ftp", "serve it by https too, and list that URL"
		})
	}
}

// explainSitemap explains an invalid Sitemap line.
func (l *linter) explainSitemap(f robotstxt.Finding, r *record) (message, fix string) {
	const whole = "write the whole URL, such as https://www.example.com/sitemap.xml"
	switch {
	case f.Kind == robotstxt.KindSitemapTwice:
		return "duplicate of an earlier Sitemap line", "remove the line"
	case f.Kind == robotstxt.KindSitemapScheme:
		scheme, _, _ := strings.Cut(f.Text, ":")
		return fmt.Sprintf("a sitemap needs an http or https URL, not %s, so crawlers skip the line", quote(scheme)), whole
	case f.Text == "":
		return "the URL of the sitemap is missing", whole + ", or remove the line"
	case strings.Contains(f.Text, "://"):
		return fmt.Sprintf("%s is not a valid URL", quote(f.Text)), whole
	}
	message = "a sitemap needs a whole URL with scheme and host, so crawlers skip the line"
	host, schemeless := strings.CutPrefix(f.Text, "//")
	if l.opts.URL == "" && schemeless || looksHost(f.Text) {
		return message, l.rewrite(r, "Sitemap: https://"+host)
	}
	if base, err := url.Parse(l.opts.URL); err == nil && l.opts.URL != "" {
		if u, err := base.Parse(f.Text); err == nil {
			return message, l.rewrite(r, "Sitemap: "+u.String())
		}
	}
	return message, fmt.Sprintf("%s, with your host name", l.rewrite(r, "Sitemap: https://www.example.com/"+strings.TrimLeft(f.Text, "/.")))
}
