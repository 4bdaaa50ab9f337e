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
	Latest  bool   `json:"latest,omitempty"` // it is the latest one: the crawl recorded none for this URL
}

// maxTexts limits the robots.txt files that a detailReader keeps: a crawl may have one for each page.
const maxTexts = 100

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

// about reports whether all lines are about a URL. Those of a later crawl are not, which writes other lines
// at the places of the earlier ones.
func (x *details) about(url string) bool {
	for _, line := range append([]json.RawMessage{x.Page, x.Rejection, x.Check, x.Permission}, x.Entries...) {
		var of struct{ URL string }
		if line != nil && (json.Unmarshal(line, &of) != nil || of.URL != url) {
			return false
		}
	}
	return true
}

// detailsBlock is the number of URLs of a block of details in report.html, and maxDetails the maximum number
// of bytes of all blocks, compressed.
const (
	detailsBlock = 500
	maxDetails   = 64 << 20
)

// writeDetails writes the details of the rows in blocks, which the page reads when it needs them.
func (t *urlTable) writeDetails(w io.Writer) (err error) {
	d := newDetailReader(t)
	defer func() { err = errors.Join(err, d.Close()) }()
	var block bytes.Buffer
	for first, written := 0, int64(0); err == nil && first < len(t.rows) && written < maxDetails; first += detailsBlock {
		err = writeBlock(&block, "lines-"+strconv.Itoa(first/detailsBlock), func(w io.Writer) error {
			all := make([]*details, min(detailsBlock, len(t.rows)-first))
			var err error
			for i := 0; err == nil && i < len(all); i++ {
				all[i], err = d.read(first + i)
			}
			return cmp.Or(err, json.NewEncoder(w).Encode(all))
		})
		n, failed := block.WriteTo(w)
		written, err = written+n, cmp.Or(err, failed)
	}
	return err
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

// verdict applies the robots.txt that the crawl used, or the latest one if it recorded none.
func (d *detailReader) verdict(r *urlRow, x *details) (*robotsVerdict, error) {
	if r.reason == output.Disallowed && x.Rejection != nil { // a check has no rule
		var line output.Rejection
		err := json.Unmarshal(x.Rejection, &line)
		return &robotsVerdict{URL: line.RobotsURL, Group: line.Group, Rule: line.Rule, Line: line.Line}, err
	}
	var used struct{ Robots string } // a hash
	if x.Permission != nil {
		if err := json.Unmarshal(x.Permission, &used); err != nil || used.Robots == "" {
			return nil, err
		}
	}
	origin := originOf(r.url)
	file := d.file(origin, used.Robots)
	if file == nil {
		return nil, nil
	}
	verdict := file.Check(r.url, d.robots.tokens...)
	result := &robotsVerdict{URL: origin + "/robots.txt", Group: verdict.Group.Name(), Allowed: verdict.Allowed, Latest: x.Permission == nil}
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
	if h := d.robots.hosts[origin]; hash == "" && h != nil && h.last != nil && h.last.Outcome == "rules" {
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
