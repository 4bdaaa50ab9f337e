package report

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/internal/weburl"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// errEndOfFirstReading stops the second reading of a file where the first one stopped.
var errEndOfFirstReading = errors.New("end of the first reading")

// read calls f for each line of a file that counts, in every directory.
func read[T any](all workerDirs, name string, counts func(*workerDir, *T) bool, f func(*workerDir, *T)) error {
	return each(all, name, func(s *workerDir, v *T) error {
		if counts(s, v) {
			f(s, v)
		}
		return nil
	})
}

// each calls f for each line of a file, in every directory. It ignores missing files. The second
// reading stops where the first did, since a running crawl adds lines.
func each[T any](all workerDirs, name string, f func(*workerDir, *T) error) error {
	for _, s := range all {
		limit, again := s.lines[name]
		n := 0
		err := jsonlines.Each(filepath.Join(s.dir, name), func(at int64, v *T) error {
			s.at = at
			if again && n == limit {
				return errEndOfFirstReading
			}
			if err := s.canceled(); err != nil {
				return err
			}
			n++
			return f(s, v)
		})
		if !again {
			s.lines[name] = n
		}
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errEndOfFirstReading):
		default:
			if err := s.noteDamage(err); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageLine is a line of pages.jsonl, without the members of maps that no report needs, since they
// take longest to decode.
type pageLine struct {
	output.Page

	Fields  struct{} `json:"fields"`
	Headers struct{} `json:"headers"`
}

// readPages calls f for each page that counts.
func (m *model) readPages(f func(*workerDir, *output.Page)) error {
	return eachLatest(m.merger, results.Pages.Name(),
		func(l *pageLine) key { return keyOf(l.URL) },
		func(s *workerDir, l *pageLine) { f(s, &l.Page) })
}

// linksLine is a line of links.jsonl.
type linksLine struct {
	URL       string `json:"url"`
	To        links  `json:"to"`
	Resources links  `json:"resources"`
}

type link = output.Link

// links share the memory of their line.
type links []link

// UnmarshalJSON implements json.Unmarshaler. A report reads every link, and [output.Link] takes
// several times as long.
func (l *links) UnmarshalJSON(text []byte) error {
	if l.split(string(text)) {
		return nil
	}
	*l = nil
	return json.Unmarshal(text, (*[]link)(l))
}

// split reads a valid JSON list of URLs, and of links with their fields in any order. It reports false
// for escapes, white space and other fields, and then does not change l.
func (l *links) split(text string) bool {
	rest, ok := strings.CutPrefix(text, "[")
	ok = ok && !strings.Contains(rest, `\`) // else a quote may not end a string
	separator := ","
	if strings.HasPrefix(rest, "{") {
		separator = "{" // links have commas between their fields too
	}
	all := make(links, 0, strings.Count(rest, separator)+1)
	for ok && rest != "]" {
		var to link
		if rest = strings.TrimPrefix(rest, ","); strings.HasPrefix(rest, "{") {
			to, rest, ok = cutLink(rest[1:])
		} else {
			to.URL, rest, ok = cutString(rest)
		}
		all = append(all, to)
	}
	if ok {
		*l = all
	}
	return ok
}

// cutLink reads the fields of a link from a text that follows "{". It returns the text after "}".
func cutLink(text string) (to link, rest string, ok bool) {
	for rest, ok = text, true; ok && !strings.HasPrefix(rest, "}"); {
		var name, value string
		name, rest, _ = cutString(strings.TrimPrefix(rest, ","))
		value, rest, ok = cutString(strings.TrimPrefix(rest, ":"))
		switch name {
		case "url":
			to.URL = value
		case "text":
			to.Text = value
		case "rel":
			to.Rel = value
		case "kind":
			to.Kind = value
		default:
			ok = false
		}
	}
	return to, strings.TrimPrefix(rest, "}"), ok
}

// cutString reads a string at the beginning of a text. It returns the text after it.
func cutString(text string) (value, rest string, ok bool) {
	if !strings.HasPrefix(text, `"`) {
		return "", "", false
	}
	return strings.Cut(text[1:], `"`)
}

// insecure reports whether a secure page uses a resource without encryption. A browser does not
// fetch the targets of other link elements, such as feeds.
func (l *linksLine) insecure(resource link) bool {
	if !strings.HasPrefix(l.URL, "https:") || !strings.HasPrefix(resource.URL, "http:") || resource.Kind == "link" {
		return false
	}
	u, err := url.Parse(resource.URL)
	return err != nil || !weburl.IsLocal(u.Hostname())
}

// permissionLine is a line of permissions.jsonl.
type permissionLine struct {
	URL string `json:"url"`
	termsText
}

// termsText has the fields of a line that say what a page may be used for.
type termsText struct {
	Purposes   jsonText `json:"purposes"`
	Statements jsonText `json:"statements"`
	Withheld   string   `json:"withheld"`
	Problem    string   `json:"tdmrep_problem"`
}

func (t *termsText) size() int {
	return len(t.Purposes) + len(t.Statements) + len(t.Withheld) + len(t.Problem)
}

// jsonText is a JSON value that is decoded later. It is empty if the line lacks it.
type jsonText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *jsonText) UnmarshalJSON(text []byte) error {
	*t = jsonText(text)
	return nil
}

func (t jsonText) decode(v any) error {
	if t == "" {
		return nil
	}
	return json.Unmarshal([]byte(t), v)
}
