package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// details is what the files say about one URL, for its page: their lines as they are.
type details struct {
	Page       json.RawMessage   `json:"page,omitempty"`
	Rejection  json.RawMessage   `json:"rejection,omitempty"`
	Check      json.RawMessage   `json:"check,omitempty"`
	Permission json.RawMessage   `json:"permission,omitempty"`
	Entries    []json.RawMessage `json:"entries,omitempty"`
	Robots     *robotsVerdict    `json:"robots,omitempty"`
}

// A robotsVerdict is what a robots.txt says about a URL.
type robotsVerdict struct {
	URL     string `json:"url"`
	Group   string `json:"group"` // empty if no group applies
	Allowed bool   `json:"allowed"`
	Rule    string `json:"rule,omitempty"` // the line that decides; empty if none does
	Line    int    `json:"line,omitempty"`
}

// A detailReader reads the details of URLs. It is not safe for concurrent use.
type detailReader struct {
	*urlTable

	files  map[string]*os.File // by path
	buffer *bufio.Reader
	texts  map[string]*robotstxt.File // by origin or hash; nil if there is none
}

func newDetailReader(t *urlTable) *detailReader {
	return &detailReader{t, make(map[string]*os.File), bufio.NewReader(nil), make(map[string]*robotstxt.File)}
}

// read returns the details of the URL in a row.
func (d *detailReader) read(row int) (*details, error) {
	r := &d.rows[row]
	var x details
	var err error
	for i, part := range [urlFiles]struct {
		name string
		to   *json.RawMessage
	}{
		lineOfPage:       {results.Pages.Name(), &x.Page},
		lineOfRejection:  {results.Rejected.Name(), &x.Rejection},
		lineOfCheck:      {results.Checks.Name(), &x.Check},
		lineOfPermission: {results.Permissions.Name(), &x.Permission},
	} {
		line, failed := d.line(part.name, r.lines[i])
		*part.to, err = line, cmp.Or(err, failed)
	}
	first := sort.Search(len(d.entries), func(i int) bool { return int(d.entries[i].row) >= row })
	for _, e := range d.entries[first:] {
		if int(e.row) != row {
			break
		}
		line, failed := d.line(results.Entries.Name(), e.line)
		x.Entries, err = append(x.Entries, line), cmp.Or(err, failed)
	}
	if err == nil {
		x.Robots, err = d.verdict(r, &x)
	}
	return &x, err
}

// detailsBlock is the number of URLs of a block of details in report.html, and maxDetails the maximum number
// of bytes of all blocks, compressed.
const (
	detailsBlock = 500
	maxDetails   = 64 << 20
)

// writeDetails writes the details of the rows in blocks, which the page reads when it needs them.
func (t *urlTable) writeDetails(w *bufio.Writer) (err error) {
	d := newDetailReader(t)
	defer func() { err = errors.Join(err, d.Close()) }()
	var block bytes.Buffer
	for first, written := 0, 0; first < len(t.rows) && written < maxDetails; first += detailsBlock {
		block.Reset()
		buffer := bufio.NewWriter(&block)
		err := writeBlock(buffer, "lines-"+strconv.Itoa(first/detailsBlock), func(w *bufio.Writer) error {
			all := make([]*details, min(detailsBlock, len(t.rows)-first))
			for i := range all {
				var err error
				if all[i], err = d.read(first + i); err != nil {
					return err
				}
			}
			return json.NewEncoder(w).Encode(all)
		})
		if err := errors.Join(err, buffer.Flush()); err != nil {
			return err
		}
		written += block.Len()
		_, _ = block.WriteTo(w) // Flush returns the error
	}
	return nil
}

// line returns the line of a file; nil if there is none.
func (d *detailReader) line(name string, at linePosition) (json.RawMessage, error) {
	if at.dir == 0 {
		return nil, nil
	}
	name = filepath.Join(d.dirs[at.dir-1].dir, name)
	file := d.files[name]
	if file == nil {
		var err error
		if file, err = os.Open(name); err != nil {
			return nil, err
		}
		d.files[name] = file
	}
	d.buffer.Reset(io.NewSectionReader(file, at.at, math.MaxInt64-at.at))
	line, err := d.buffer.ReadBytes('\n')
	switch {
	case err == io.EOF && len(line) > 0: // the last line of a file may have no end
		err = nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF // the file is shorter than before
	}
	return line, err
}

// Close closes the files.
func (d *detailReader) Close() error {
	var err error
	for _, file := range d.files {
		err = errors.Join(err, file.Close())
	}
	return err
}

// verdict applies the robots.txt that the crawl used, or the last one.
func (d *detailReader) verdict(r *urlRow, x *details) (*robotsVerdict, error) {
	origin := originOf(r.url)
	if r.reason == output.Disallowed && x.Rejection != nil { // a check has no rule
		var line output.Rejection
		err := json.Unmarshal(x.Rejection, &line)
		return &robotsVerdict{URL: line.RobotsURL, Group: line.Group, Rule: line.Rule, Line: line.Line}, err
	}
	file, err := d.file(origin, x.Permission)
	if file == nil || err != nil {
		return nil, err
	}
	verdict := file.Check(r.url, d.robots.tokens...)
	result := &robotsVerdict{URL: origin + "/robots.txt", Group: verdict.Group.Name(), Allowed: verdict.Allowed}
	if verdict.Rule != nil {
		result.Rule, result.Line = secret.RedactText(clip(verdict.Rule.String())), verdict.Rule.Line
	}
	return result, nil
}

// file returns the robots.txt that the line of permissions.jsonl names, or the last one of the origin if
// there is no such line. It is nil if there is none, or it was not kept.
func (d *detailReader) file(origin string, permission json.RawMessage) (*robotstxt.File, error) {
	var used struct{ Robots string }
	if permission != nil {
		if err := json.Unmarshal(permission, &used); err != nil || used.Robots == "" {
			return nil, err
		}
	}
	name := cmp.Or(used.Robots, origin)
	file, known := d.texts[name]
	if known {
		return file, nil
	}
	body, ok := []byte(nil), false
	if h := d.robots.hosts[origin]; used.Robots == "" && h != nil && h.last != nil && h.last.Outcome == "rules" {
		body, ok = d.robots.text(origin)
	}
	for i := 0; i < len(d.dirs) && used.Robots != "" && !ok; i++ {
		text, err := os.ReadFile(output.VersionPath(d.dirs[i].dir, used.Robots))
		body, ok = text, err == nil
	}
	if ok {
		file = robotstxt.Parse(body, nil)
	}
	d.texts[name] = file
	return file, nil
}
