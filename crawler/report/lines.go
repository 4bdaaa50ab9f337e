package report

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
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
		err := jsonlines.Each(filepath.Join(s.dir, name), func(_ int64, v *T) error {
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

// linksLine is a line of links.jsonl, without the texts of links.
type linksLine struct {
	URL       string
	To        []string
	Resources []string
	Kinds     []string // of Resources
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *linksLine) UnmarshalJSON(text []byte) error {
	var line output.Links
	if err := json.Unmarshal(text, &line); err != nil {
		return err
	}
	*l = linksLine{URL: line.URL}
	for _, to := range line.To {
		l.To = append(l.To, to.URL)
	}
	for _, r := range line.Resources {
		l.Resources, l.Kinds = append(l.Resources, r.URL), append(l.Kinds, r.Kind)
	}
	return nil
}

// insecure reports whether a secure page uses a resource without encryption. A browser does not
// fetch the targets of other link elements, such as feeds.
func (l *linksLine) insecure(i int) bool {
	if !strings.HasPrefix(l.URL, "https:") || !strings.HasPrefix(l.Resources[i], "http:") || l.Kinds[i] == "link" {
		return false
	}
	u, err := url.Parse(l.Resources[i])
	return err != nil || !weburl.IsLocal(u.Hostname())
}

// ReadJSON reads a line as [output.Links] writes it. A report reads every link, and encoding/json
// takes several times as long. It reports false for any other text, and if a string has escapes.
func (l *linksLine) ReadJSON(text []byte) bool {
	if !plain(text) {
		return false
	}
	rest := lineReader(text)
	line := linksLine{URL: rest.after(`{"url":"`)}
	if line.To, _ = rest.links(`,"to":[`); rest.has(",") {
		line.Resources, line.Kinds = rest.links(`,"resources":[`)
	}
	if rest != "}\n" {
		return false
	}
	*l = line
	return true
}

// links returns the links of the list that follows a text, with their kinds, and skips it.
func (r *lineReader) links(text string) (all []string, kinds []string) {
	if !r.skip(text) {
		*r = ""
	}
	for !r.skip("]") {
		if *r == "" || len(all) > 0 && !r.skip(",") {
			*r = ""
			return nil, nil
		}
		if all == nil { // most links have no comma, or it stands between their fields
			n := strings.Count(string(*r), ",") + 1
			all, kinds = make([]string, 0, n), make([]string, 0, n)
		}
		if !r.has("{") {
			all, kinds = append(all, r.after(`"`)), append(kinds, "")
			continue
		}
		all = append(all, r.after(`{"url":"`))
		for _, key := range [...]string{`,"text":"`, `,"rel":"`} {
			if r.has(key) {
				r.after(key)
			}
		}
		if kinds = append(kinds, r.after(`,"kind":"`)); !r.skip("}") {
			*r = ""
			return nil, nil
		}
	}
	return all, kinds
}

// permissionLine is a line of permissions.jsonl.
type permissionLine struct {
	URL  string
	rest string // what follows fetched_at, or the whole line
}

// object returns the JSON object with what is in rest.
func (l *permissionLine) object() string {
	if l.rest[0] == '{' {
		return l.rest
	}
	return `{"":0` + l.rest // a comma may come first
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *permissionLine) UnmarshalJSON(text []byte) error {
	var line struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(text, &line); err != nil {
		return err
	}
	*l = permissionLine{line.URL, string(text)}
	return nil
}

// ReadJSON reads the beginning of a line as [output.Permission] has it. It reports false for any
// other text, and if a string has escapes.
func (l *permissionLine) ReadJSON(text []byte) bool {
	rest := lineReader(text)
	url := rest.after(`{"url":"`)
	rest.after(`,"fetched_at":"`)
	if !plain(text[:len(text)-len(rest)]) || !rest.has(",") && !rest.has("}") {
		return false
	}
	*l = permissionLine{url, string(rest)}
	return true
}
