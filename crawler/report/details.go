package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/robotsext/robotstxt"
)

// details is what the files say about one URL, for its page: their lines as they are.
type details struct {
	Page       json.RawMessage   `json:"page,omitempty"`
	Rejection  json.RawMessage   `json:"rejection,omitempty"`
	Check      json.RawMessage   `json:"check,omitempty"`
	Permission json.RawMessage   `json:"permission,omitempty"`
	Entries    []json.RawMessage `json:"entries,omitempty"` // the first maxEntries
	EntryCount int               `json:"entry_count,omitempty"`
	Robots     *robotsVerdict    `json:"robots,omitempty"`
}

// A detailReader reads the details of URLs. It is not safe for concurrent use.
type detailReader struct {
	*urlTable

	files map[string]*os.File        // by path
	texts map[string]*robotstxt.File // by origin or hash; nil if there is none
}

func newDetailReader(t *urlTable) *detailReader {
	return &detailReader{t, make(map[string]*os.File), make(map[string]*robotstxt.File)}
}

// read returns the details of the URL in a row.
func (d *detailReader) read(row int) (*details, error) {
	r := &d.rows[row]
	x := details{EntryCount: int(r.listings)}
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
	for _, at := range r.entries {
		line, failed := d.line(results.Entries.Name(), at)
		x.Entries, err = append(x.Entries, line), cmp.Or(err, failed)
	}
	if err == nil {
		x.Robots, err = d.verdict(r, &x)
	}
	return &x, err
}

// about reports whether all lines are about a URL. A later crawl writes other lines at the places of the
// earlier ones.
func (x *details) about(url string) bool {
	for _, line := range append([]json.RawMessage{x.Page, x.Rejection, x.Check, x.Permission}, x.Entries...) {
		var of struct{ URL string }
		if line != nil && (json.Unmarshal(line, &of) != nil || of.URL != url) {
			return false
		}
	}
	return true
}

// detailsBlock is the number of URLs of a block of details in report.html. A block of maxBlock bytes, and blocks of
// maxDetails compressed bytes together, get no more lines.
const (
	detailsBlock = 500
	maxBlock     = 16 << 20
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
			for i, size := 0, 0; err == nil && i < len(all) && size < maxBlock; i++ {
				all[i], err = d.read(first + i)
				size += len(all[i].Page) + len(all[i].Rejection) + len(all[i].Check) + len(all[i].Permission)
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
	var line json.RawMessage
	err := json.NewDecoder(io.NewSectionReader(file, at.at, math.MaxInt64-at.at)).Decode(&line)
	if err == io.EOF {
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
