package results

import (
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
	lengths := map[string]int64{RobotsFile: l.Robots}
	for _, f := range files {
		lengths[f.fileName()] = *f.lengthIn(&l)
	}
	return lengths
}

// A Batch has results that are written together. The zero Batch is empty. Do not change results
// after adding them.
type Batch struct {
	lines   [kinds][]byte // by the index of their file
	results output.Results
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
func (b *Batch) PageLines() []byte { return b.lines[Pages.index] }

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	for kind := range b.lines {
		b.lines[kind] = b.lines[kind][:0]
	}
	reset(&b.results)
}

// join appends the results of another batch.
func join(to, from *output.Results) {
	for _, f := range files {
		f.join(to, from)
	}
	to.Provisional = append(to.Provisional, from.Provisional...)
	to.Robots = append(to.Robots, from.Robots...)
	to.Exchanges = append(to.Exchanges, from.Exchanges...)
}

// reset empties the lists. It keeps their memory, but not the results.
func reset(r *output.Results) {
	for _, f := range files {
		f.empty(r)
	}
	empty(&r.Provisional)
	empty(&r.Robots)
	empty(&r.Exchanges)
}

func empty[T any](list *[]*T) {
	clear(*list)
	*list = (*list)[:0]
}
