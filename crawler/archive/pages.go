package archive

import (
	"archive/zip"
	"bufio"
	"cmp"
	"hash/maphash"
	"html"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/extract"
	"github.com/politecrawl/politecrawl/crawler/internal/cdxj"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// captures are the records with status 200, to find those of pages.
type captures []capture

var seed = maphash.MakeSeed()

// keyOf returns the hash of a URL, whatever it escapes: records escape more than pages.jsonl.
func keyOf(raw string) uint64 {
	if text, err := url.PathUnescape(raw); err == nil {
		raw = text
	}
	return maphash.String(seed, raw)
}

// A capture is a record. Millions of them fit into memory.
type capture struct {
	url    uint64 // hash
	at     int64  // Unix time in microseconds
	offset int64
	file   int32
	listed bool // as a page
}

func (c *captures) add(line *cdxj.Line, file int) {
	if line.Status == http.StatusOK {
		*c = append(*c, capture{keyOf(line.URL), line.Time.UnixMicro(), line.Offset, int32(file), false})
	}
}

func compareCaptures(a, b capture) int {
	return cmp.Or(cmp.Compare(a.url, b.url), cmp.Compare(a.at, b.at))
}

// find returns the capture of a URL that is closest to a time, or nil if there is none. The captures are sorted.
func (c captures) find(url string, date time.Time) (closest *capture) {
	at := capture{url: keyOf(url), at: date.UnixMicro()}
	i, _ := slices.BinarySearchFunc(c, at, compareCaptures)
	if i < len(c) && c[i].url == at.url {
		closest = &c[i]
	}
	if i > 0 && c[i-1].url == at.url && (closest == nil || at.at-c[i-1].at < closest.at-at.at) {
		closest = &c[i-1]
	}
	return closest
}

// A packedPage is a line of the list of pages; the first line has only the fields before URL.
type packedPage struct {
	Format  string    `json:"format,omitempty"`
	HasText bool      `json:"hasText,omitempty"`
	ID      string    `json:"id"`
	Title   string    `json:"title,omitempty"`
	URL     string    `json:"url,omitempty"`
	TS      time.Time `json:"ts,omitzero"`
	Text    string    `json:"text,omitempty"`
}

// writePages writes the list of the HTML pages with status 200. It leaves out pages whose content was withheld.
func (p *packer) writePages(dirs []string) error {
	slices.SortFunc(p.captures, compareCaptures)
	_, err := p.add(pagesFile, zip.Deflate, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		write := func(line *packedPage) error {
			_, err := out.Write(append(jsonlines.AppendValue(nil, line), '\n'))
			return err
		}
		err := write(&packedPage{Format: pagesFormat, HasText: p.opts.Text, ID: "pages", Title: "All pages"})
		for _, dir := range dirs {
			names, globErr := filepath.Glob(filepath.Join(escapeGlob(dir), "pages*.jsonl")) // of earlier crawls too
			err = cmp.Or(err, globErr)
			for _, name := range names {
				err = cmp.Or(err, jsonlines.Readable(jsonlines.Each(name, func(_ int64, page *output.Page) error {
					c := p.captures.find(page.URL, page.FetchedAt)
					if page.Status != http.StatusOK || page.Withheld != "" || page.Encoding == "" || c == nil || c.listed {
						return nil
					}
					c.listed = true
					p.packed.Pages++
					line := packedPage{ID: strconv.Itoa(p.packed.Pages), Title: page.Title, URL: page.URL, TS: time.UnixMicro(c.at).UTC()}
					if p.pkg.MainPageURL == "" && page.Source == "start" {
						p.pkg.MainPageURL, p.pkg.MainPageAt = line.URL, line.TS
					}
					if p.opts.Text {
						line.Text = p.text(c, page.URL, false)
					}
					return write(&line)
				})))
			}
		}
		return cmp.Or(err, out.Flush())
	})
	return err
}

// maxText is the maximum size of a page whose text is read, in bytes.
const maxText = 16 << 20

// text returns the visible text of a page, or "" if its record cannot be read. A revisit has that of the response
// that it refers to.
func (p *packer) text(c *capture, url string, isOriginal bool) string {
	file, err := os.Open(p.warcs[c.file])
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	in, rec := newMembers(io.NewSectionReader(file, c.offset, math.MaxInt64-c.offset)), new(record)
	if in.next() != nil {
		return ""
	}
	block := bufio.NewReader(&in.member)
	if rec.readHeader(block) != nil {
		return ""
	}
	if rec.kind != "revisit" {
		return visibleText(io.LimitReader(block, rec.size), url)
	}
	date, _ := time.Parse(time.RFC3339Nano, rec.fields.Get("WARC-Refers-To-Date"))
	original := p.captures.find(rec.fields.Get("WARC-Refers-To-Target-URI"), date)
	if original == nil || isOriginal {
		return ""
	}
	return p.text(original, url, true)
}

// visibleText returns the visible text of a page in a response.
func visibleText(block io.Reader, url string) string {
	resp, err := http.ReadResponse(bufio.NewReader(block), nil)
	if err != nil {
		return ""
	}
	fetch.Decode(resp)
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxText)) // as far as it can be read
	_ = resp.Body.Close()
	var text []string
	for part, isURL := range extract.VisibleParts(extract.Read(extract.Page{URL: url, Header: resp.Header, Body: body}, &extract.Handlers{}).Text) {
		if !isURL {
			text = append(text, html.UnescapeString(string(part)))
		}
	}
	return strings.Join(text, "\n")
}
