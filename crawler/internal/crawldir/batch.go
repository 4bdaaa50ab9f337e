package crawldir

import (
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Lengths are the committed lengths of the files of a directory, in bytes. A crawl stores
// them in its frontier, so that both agree after a kill.
type Lengths struct {
	Pages    int64 `json:"pages"`
	Rejected int64 `json:"rejected"`
	Sitemaps int64 `json:"sitemaps"`
	Links    int64 `json:"links"`
	Entries  int64 `json:"entries"`
	Checks   int64 `json:"checks"`
	Anchors  int64 `json:"anchors"`

	Permissions int64 `json:"permissions"`

	Robots int64 `json:"robots_lines"` // only to detect losses: the whole file is always valid
}

// Files returns the lengths by file name.
func (l Lengths) Files() map[string]int64 {
	files := map[string]int64{RobotsFile: l.Robots}
	for kind, name := range fileNames {
		files[name] = l.of(kind)
	}
	return files
}

func (l Lengths) of(kind int) int64 {
	return [kinds]int64{l.Pages, l.Rejected, l.Sitemaps, l.Links, l.Entries, l.Checks, l.Anchors, l.Permissions}[kind]
}

// A Batch has results that are written together. The zero Batch is empty. Do not change results
// after adding them.
type Batch struct {
	lines   [kinds][]byte
	results output.Results
}

// Page adds a line to pages.jsonl.
func (b *Batch) Page(p *output.Page) error {
	b.results.Pages = append(b.results.Pages, p)
	return b.add(pages, p)
}

// Reject adds a line to rejected.jsonl.
func (b *Batch) Reject(r *output.Rejection) error {
	b.results.Rejected = append(b.results.Rejected, r)
	return b.add(rejected, r)
}

// Sitemap adds a line to sitemaps.jsonl.
func (b *Batch) Sitemap(s *output.Sitemap) error {
	b.results.Sitemaps = append(b.results.Sitemaps, s)
	return b.add(sitemaps, s)
}

// Links adds a line to links.jsonl.
func (b *Batch) Links(l *output.Links) error {
	b.results.Links = append(b.results.Links, l)
	return b.add(links, l)
}

// Entry adds a line to entries.jsonl.
func (b *Batch) Entry(e *output.Entry) error {
	b.results.Entries = append(b.results.Entries, e)
	return b.add(entries, e)
}

// Check adds a line to checks.jsonl.
func (b *Batch) Check(c *output.Check) error {
	b.results.Checks = append(b.results.Checks, c)
	return b.add(checks, c)
}

// Anchors adds a line to anchors.jsonl.
func (b *Batch) Anchors(a *output.Anchors) error {
	b.results.Anchors = append(b.results.Anchors, a)
	return b.add(anchors, a)
}

// Permission adds a line to permissions.jsonl.
func (b *Batch) Permission(p *output.Permission) error {
	b.results.Permissions = append(b.results.Permissions, p)
	return b.add(permissions, p)
}

// AddUnfiled adds results for sinks only, which are not written to JSON lines files.
func (b *Batch) AddUnfiled(f *output.Results) { join(&b.results, f) }

// Join adds the results of another batch.
func (b *Batch) Join(other *Batch) {
	for kind, lines := range other.lines {
		b.lines[kind] = append(b.lines[kind], lines...)
	}
	join(&b.results, &other.results)
}

// Results returns the results in the batch, for an [output.Sink].
func (b *Batch) Results() *output.Results { return &b.results }

// PageLines returns the lines of pages.jsonl in the batch, until the next call that
// changes it.
func (b *Batch) PageLines() []byte { return b.lines[pages] }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	for kind := range b.lines {
		b.lines[kind] = b.lines[kind][:0]
	}
	reset(&b.results)
}

func (b *Batch) add(kind int, v any) error {
	line, err := jsonlines.Line(b.lines[kind], v)
	if err != nil {
		return err
	}
	b.lines[kind] = line
	return nil
}

// join appends the results of another batch.
func join(f, other *output.Results) {
	f.Pages = append(f.Pages, other.Pages...)
	f.Rejected = append(f.Rejected, other.Rejected...)
	f.Provisional = append(f.Provisional, other.Provisional...)
	f.Links = append(f.Links, other.Links...)
	f.Sitemaps = append(f.Sitemaps, other.Sitemaps...)
	f.Entries = append(f.Entries, other.Entries...)
	f.Checks = append(f.Checks, other.Checks...)
	f.Anchors = append(f.Anchors, other.Anchors...)
	f.Permissions = append(f.Permissions, other.Permissions...)
	f.Robots = append(f.Robots, other.Robots...)
	f.Exchanges = append(f.Exchanges, other.Exchanges...)
}

// reset empties the lists. It keeps their memory, but not the results.
func reset(f *output.Results) {
	empty(&f.Pages)
	empty(&f.Rejected)
	empty(&f.Provisional)
	empty(&f.Links)
	empty(&f.Sitemaps)
	empty(&f.Entries)
	empty(&f.Checks)
	empty(&f.Anchors)
	empty(&f.Permissions)
	empty(&f.Robots)
	empty(&f.Exchanges)
}

func empty[T any](list *[]*T) {
	clear(*list)
	*list = (*list)[:0]
}
