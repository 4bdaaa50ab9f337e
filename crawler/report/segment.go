package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/crawldir"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// ErrNotOneCrawl says that directories are not those of the workers of one crawl.
var ErrNotOneCrawl = errors.New("the directories do not make up one crawl")

// A Segment is the directory of one of the workers of a crawl.
type Segment struct {
	Dir    string `json:"dir"`              // as the caller named it
	Worker string `json:"worker,omitempty"` // the name of its worker in the crawl
	State  State  `json:"state"`
	End    string `json:"end,omitempty"`  // how its worker ended
	Left   int    `json:"left,omitempty"` // URLs of all workers that still had to be fetched then

	Began time.Time `json:"began,omitzero"` // its first page
	Ended time.Time `json:"ended,omitzero"` // its last page

	Pages    int `json:"pages"`    // of which the line in this directory counts
	Rejected int `json:"rejected"` // likewise
}

// A segment is a directory that is read.
type segment struct {
	dir    string
	number uint16 // from 1, in the order of the names
	state  state
	ending *Ending // nil: not known

	lines      map[string]int  // how many each file had at the first reading
	missing    map[string]bool // files that do not exist
	damaged    []output.Loss   // lines that cannot be read
	pages      int             // that count
	rejected   int             // likewise
	hasLinks   bool            // a page that counts has links, or may have some (304)
	hasEntries bool            // a sitemap that counts lists pages
	span
}

// state is the part of crawl.json that the report needs.
type state struct {
	Round int `json:"recrawls"`
	Ended *struct {
		Ending

		Written     map[string]int64 `json:"written"`     // bytes of each file of lines
		Uncommitted bool             `json:"uncommitted"` // the last lines of rejected.jsonl were not written
	} `json:"ended"`
	Lost     []output.Loss `json:"lost"`                // as the crawl found it when it resumed
	Unlisted bool          `json:"rejected_incomplete"` // more URLs were skipped than are listed
	Config   struct {
		URLs         []string `json:"urls"`
		UserAgent    string   `json:"user-agent"`
		OnlySitemaps bool     `json:"only-sitemaps"`
		Links        *bool    `json:"links"`       // links of pages are written
		Frontier     string   `json:"frontier"`    // that several workers share; empty: a crawl of one
		Join         string   `json:"crawl-name"`  // the name of the crawl there, if it has one
		Worker       string   `json:"worker-name"` // the name of the worker
	} `json:"config"`
}

// crawl is the name of the crawl that the worker shared with others; empty: it shared none.
func (s *segment) crawl() string {
	if s.state.Config.Frontier == "" {
		return ""
	}
	return s.state.Config.Join
}

// page counts a page.
func (s *segment) page(p *output.Page) {
	s.pages++
	s.hasLinks = s.hasLinks || p.Withheld == "" && p.Links > 0 || p.Status == http.StatusNotModified
	s.fetched(p)
}

// passOver returns err, unless it names damaged lines: the report is of the other lines, and
// says so.
func (s *segment) passOver(err error) error {
	damage, ok := errors.AsType[*output.DamagedError](err)
	if !ok {
		return err
	}
	loss := crawldir.LossOf(damage)
	if !slices.ContainsFunc(s.damaged, func(known output.Loss) bool { return known.File == loss.File }) {
		s.damaged = append(s.damaged, loss)
	}
	return nil
}

// progress is how far the worker has come.
func (s *segment) progress() State {
	switch {
	case s.ending == nil:
		return Unknown
	case s.ending.End == EndRunning:
		return Running
	case s.ending.Left > 0:
		return Stopped
	}
	return Finished
}

func (s *segment) running() bool { return s.progress() == Running }

// open reports whether the worker is still running, was killed or failed. The lines that a
// crawl writes into rejected.jsonl at its end are then missing.
func (s *segment) open() bool {
	return s.running() || s.state.Ended == nil || s.state.Ended.Uncommitted
}

// lacksLinks reports whether the links of its pages are missing.
func (s *segment) lacksLinks() bool {
	written := s.state.Config.Links
	switch {
	case !s.hasLinks:
		return false
	case written == nil:
		return s.lines[crawldir.LinksFile] == 0
	}
	return !*written || s.missing[crawldir.LinksFile]
}

// lacksEntries reports whether the entries of its sitemaps are missing.
func (s *segment) lacksEntries() bool { return s.hasEntries && s.missing[crawldir.EntriesFile] }

// segments are the directories of a crawl, in the order in which they were named.
type segments []*segment

// openSegments reads crawl.json of each directory.
func openSegments(dirs []string, ending func(dir string) *Ending) (segments, error) {
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%w: none is named", ErrNotOneCrawl)
	}
	if len(dirs) > math.MaxUint16 {
		return nil, fmt.Errorf("%w: %d are too many", ErrNotOneCrawl, len(dirs))
	}
	var all segments
	for i, dir := range dirs {
		s := &segment{dir: dir, number: uint16(i + 1), lines: make(map[string]int), missing: make(map[string]bool)}
		if err := crawldir.LoadState(dir, &s.state); err != nil {
			return nil, err
		}
		if ended := s.state.Ended; ended != nil {
			s.ending = &ended.Ending
			lost, err := crawldir.Lost(dir, ended.Written)
			if err != nil {
				return nil, err
			}
			s.state.Lost = append(s.state.Lost, lost...)
		}
		if ending != nil {
			if known := ending(dir); known != nil {
				e := *known
				if s.ending != nil {
					e.End = cmp.Or(e.End, s.ending.End)
				}
				s.ending = &e
			}
		}
		all = append(all, s)
	}
	return all, all.belong()
}

// belong returns ErrNotOneCrawl if a directory is named twice, or two are of different crawls.
func (all segments) belong() error {
	var named *segment
	infos := make([]os.FileInfo, len(all))
	for i, s := range all {
		var err error
		if infos[i], err = os.Stat(s.dir); err != nil {
			return err
		}
		for j, other := range infos[:i] {
			if os.SameFile(other, infos[i]) {
				return fmt.Errorf("%w: %q and %q are the same one", ErrNotOneCrawl, all[j].dir, s.dir)
			}
		}
		switch {
		case s.crawl() == "":
		case named == nil:
			named = s
		case named.crawl() != s.crawl():
			return fmt.Errorf("%w: %q is of the crawl %q, %q of the crawl %q", ErrNotOneCrawl, named.dir, named.crawl(), s.dir, s.crawl())
		}
	}
	return nil
}

// shared reports whether the workers had one frontier, and so one number of URLs left.
func (all segments) shared() bool {
	return !slices.ContainsFunc(all, func(s *segment) bool { return s.crawl() == "" })
}

// round is how many crawls of the same URLs came before.
func (all segments) round() int {
	round := 0
	for _, s := range all {
		round = max(round, s.state.Round)
	}
	return round
}

// urls are the start URLs, each once.
func (all segments) urls() []string {
	urls := []string{}
	known := make(map[string]bool)
	for _, s := range all {
		for _, u := range s.state.Config.URLs {
			if !known[u] {
				known[u] = true
				urls = append(urls, u)
			}
		}
	}
	return urls
}

// userAgent is the one in the first directory that has one.
func (all segments) userAgent() string {
	ua := ""
	for _, s := range all {
		ua = cmp.Or(ua, s.state.Config.UserAgent)
	}
	return ua
}

// over is how far the crawl has come, and the ending that says so; nil: none does. The pages
// must have been read.
//
// Each worker of a crawl with one frontier saw what was left in it when it ended. If one saw
// nothing, nothing is left, whatever became of the others; else the worker that fetched last
// knows best. Without one frontier, what is left is the sum.
func (all segments) over() (State, *Ending) {
	shared, left := all.shared(), 0
	var last, unfinished *segment
	later := func(than, s *segment) *segment {
		if than == nil || s.ended.After(than.ended) {
			return s
		}
		return than
	}
	for _, s := range all {
		switch s.progress() {
		case Unknown, Running:
			continue
		case Stopped:
			unfinished = later(unfinished, s)
		case Finished:
			if shared && s.state.Round == all.round() {
				return Finished, s.ending
			}
		}
		left += s.ending.Left
		last = later(last, s)
	}
	unknown := all.those(func(s *segment) bool { return s.progress() == Unknown })
	switch running := all.those((*segment).running); {
	case len(running) > 0:
		return Running, running[len(running)-1].ending
	case len(unknown) > 0:
		return Unknown, nil
	case unfinished == nil:
		return Finished, last.ending
	case shared:
		return Stopped, unfinished.ending
	}
	return Stopped, &Ending{End: unfinished.ending.End, Left: left}
}

// those returns the directories for which something holds.
func (all segments) those(holds func(*segment) bool) segments {
	return slices.DeleteFunc(slices.Clone(all), func(s *segment) bool { return !holds(s) })
}

// lost is what the files of all directories have lost.
func (all segments) lost() []Loss {
	lost := []Loss{}
	for _, s := range all {
		for _, l := range slices.Concat(s.state.Lost, s.damaged) {
			l.File, l.Damage = clip(l.File), clip(l.Damage)
			row := Loss{Loss: l}
			if len(all) > 1 {
				row.Dir = s.dir
			}
			lost = append(lost, row)
		}
	}
	return lost
}

// list returns the directories for the report: none where there is only one.
func (all segments) list() []Segment {
	if len(all) == 1 {
		return nil
	}
	var list []Segment
	for _, s := range all {
		row := Segment{
			Dir: s.dir, Worker: s.state.Config.Worker, State: s.progress(), Began: s.began.UTC(), Ended: s.ended.UTC(), Pages: s.pages, Rejected: s.rejected,
		}
		if s.ending != nil {
			row.End, row.Left = s.ending.End, s.ending.Left
		}
		list = append(list, row)
	}
	return list
}
