package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/results"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// ErrNotOneCrawl says that directories are not of the workers of one crawl: they belong to
// different crawls, one is named twice, or their number is zero or too large.
var ErrNotOneCrawl = errors.New("not the directories of one crawl")

// A Worker is one worker of a crawl, with its directory.
type Worker struct {
	Dir       string `json:"dir"`            // directory, as given to Generate
	Name      string `json:"name,omitempty"` // name of the worker
	State     State  `json:"state"`
	End       string `json:"end,omitempty"`       // how the worker ended
	Remaining int    `json:"remaining,omitempty"` // URLs still to be fetched by all workers

	StartedAt time.Time `json:"started_at,omitzero"` // start of its first page
	EndedAt   time.Time `json:"ended_at,omitzero"`   // end of its last page

	Pages    int `json:"pages"`    // pages counted for this worker; a page in several directories counts once
	Rejected int `json:"rejected"` // skipped URLs counted for this worker, also once
}

// A workerDir is the directory of a worker.
type workerDir struct {
	dir    string
	number uint16 // from 1, in the order of the names
	state  state
	ending *CrawlEnd // nil if not known

	canceled func() error // why the report is no longer wanted; nil if it is

	lines      map[string]int // how many each file had at the first reading
	at         int64          // where the line that is read begins
	damaged    []output.Loss  // lines that cannot be read
	pages      int            // that count
	rejected   int            // likewise
	hasLinks   bool           // a page that counts has links, or may have some (304)
	hasEntries bool           // a sitemap that counts lists pages
	span
}

// state is the part of crawl.json that the report needs.
type state struct {
	Recrawls int `json:"recrawls"`
	Ended    *struct {
		CrawlEnd

		Written     map[string]int64 `json:"written"`     // bytes of each file of lines
		Uncommitted bool             `json:"uncommitted"` // the last lines of rejected.jsonl were not written
	} `json:"ended"`
	Lost               []output.Loss `json:"lost"`                // as the crawl found it when it resumed
	RejectedIncomplete bool          `json:"rejected_incomplete"` // more URLs were skipped than are listed
	Config             struct {
		URLs         []string `json:"urls"`
		UserAgent    string   `json:"user-agent"`
		OnlySitemaps bool     `json:"only-sitemaps"`
		Links        any      `json:"links"`       // which links of pages are recorded; false for none, nil for the default
		Check        any      `json:"check"`       // what was checked besides pages; nil if nothing was
		ForbidHost   []string `json:"forbid-host"` // hosts to which no page may refer
		Frontier     string   `json:"frontier"`    // shared by several workers; empty if not shared
		CrawlName    string   `json:"crawl-name"`  // in the frontier
		Worker       string   `json:"worker-name"` // in the crawl
	} `json:"config"`
}

// crawl returns the name of the shared crawl, or "" if the crawl was not shared.
func (s *workerDir) crawl() string {
	if s.state.Config.Frontier == "" {
		return ""
	}
	return s.state.Config.CrawlName
}

// position returns where the line that is read begins.
func (s *workerDir) position() linePosition { return linePosition{s.number, s.at} }

// page counts a page.
func (s *workerDir) page(p *output.Page) {
	s.pages++
	s.hasLinks = s.hasLinks || p.Withheld == "" && p.Links > 0 || statusOf(p) == http.StatusNotModified
	s.fetched(p)
}

// noteDamage returns err, unless it names damaged lines: the report leaves these out and says
// so.
func (s *workerDir) noteDamage(err error) error {
	damage, ok := errors.AsType[*output.DamagedError](err)
	if !ok {
		return err
	}
	loss := results.LossOf(damage)
	if !slices.ContainsFunc(s.damaged, func(known output.Loss) bool { return known.File == loss.File }) {
		s.damaged = append(s.damaged, loss)
	}
	return nil
}

// progress returns the state of the worker.
func (s *workerDir) progress() State {
	switch {
	case s.ending == nil:
		return Unknown
	case s.ending.End == EndRunning:
		return Running
	case s.ending.Remaining > 0:
		return Stopped
	}
	return Finished
}

// open reports whether the worker is still running, was killed or failed. The lines that a
// crawl writes into rejected.jsonl at its end are then missing.
func (s *workerDir) open() bool {
	return s.progress() == Running || s.state.Ended == nil || s.state.Ended.Uncommitted
}

// lacksLinks reports whether the links of its pages are missing.
func (s *workerDir) lacksLinks() bool {
	return s.hasLinks && (s.state.Config.Links == false || s.lines[results.Links.Name()] == 0)
}

// lacksEntries reports whether the entries of its sitemaps are missing.
func (s *workerDir) lacksEntries() bool { return s.hasEntries && s.lines[results.Entries.Name()] == 0 }

// workerDirs are the directories of a crawl, in the order of the arguments.
type workerDirs []*workerDir

// openWorkerDirs reads crawl.json of each directory.
func openWorkerDirs(ctx context.Context, dirs []string, ending func(dir string) *CrawlEnd) (workerDirs, error) {
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%w: no directory is given", ErrNotOneCrawl)
	}
	if len(dirs) > math.MaxUint16 {
		return nil, fmt.Errorf("%w: %d directories are too many", ErrNotOneCrawl, len(dirs))
	}
	var all workerDirs
	for i, dir := range dirs {
		s := &workerDir{dir: dir, number: uint16(i + 1), lines: make(map[string]int), canceled: ctx.Err}
		if err := results.LoadState(dir, &s.state); err != nil {
			return nil, err
		}
		if ended := s.state.Ended; ended != nil {
			s.ending = &ended.CrawlEnd
			lost, err := results.Lost(dir, ended.Written)
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
	return all, all.sameCrawl()
}

// sameCrawl returns ErrNotOneCrawl if a directory is named twice, or two belong to different
// crawls.
func (all workerDirs) sameCrawl() error {
	var named *workerDir
	infos := make([]os.FileInfo, len(all))
	for i, s := range all {
		var err error
		if infos[i], err = os.Stat(s.dir); err != nil {
			return err
		}
		for j, other := range infos[:i] {
			if os.SameFile(other, infos[i]) {
				return fmt.Errorf("%w: %q and %q are the same directory", ErrNotOneCrawl, all[j].dir, s.dir)
			}
		}
		switch {
		case s.crawl() == "":
		case named == nil:
			named = s
		case named.crawl() != s.crawl():
			return fmt.Errorf("%w: %q belongs to the crawl %q, %q to the crawl %q", ErrNotOneCrawl, named.dir, named.crawl(), s.dir, s.crawl())
		}
	}
	return nil
}

// shared reports whether the workers had one frontier, and so one number of remaining URLs.
func (all workerDirs) shared() bool {
	return !slices.ContainsFunc(all, func(s *workerDir) bool { return s.crawl() == "" })
}

// recrawls returns how many crawls of the same URLs came before.
func (all workerDirs) recrawls() int {
	n := 0
	for _, s := range all {
		n = max(n, s.state.Recrawls)
	}
	return n
}

// urls are the start URLs, each once.
func (all workerDirs) urls() []string {
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
func (all workerDirs) userAgent() string {
	ua := ""
	for _, s := range all {
		ua = cmp.Or(ua, s.state.Config.UserAgent)
	}
	return ua
}

// outcome returns the state of the crawl, and the ending that shows it, or nil if none does.
// The pages must have been read.
//
// Each worker of a shared frontier saw the number of remaining URLs when it ended. If one saw
// zero, the crawl is finished; else the worker that fetched last knows best. Without a shared
// frontier, the number is the sum.
func (all workerDirs) outcome() (State, *CrawlEnd) {
	shared, remaining := all.shared(), 0
	var last, unfinished, running, unknown *workerDir
	later := func(than, s *workerDir) *workerDir {
		if than == nil || s.ended.After(than.ended) {
			return s
		}
		return than
	}
	for _, s := range all {
		switch s.progress() {
		case Unknown:
			unknown = s
			continue
		case Running:
			running = s
			continue
		case Stopped:
			unfinished = later(unfinished, s)
		case Finished:
			if shared && s.state.Recrawls == all.recrawls() {
				return Finished, s.ending
			}
		}
		remaining += s.ending.Remaining
		last = later(last, s)
	}
	switch {
	case running != nil:
		return Running, running.ending
	case unknown != nil:
		return Unknown, nil
	case unfinished == nil:
		return Finished, last.ending
	case shared:
		return Stopped, unfinished.ending
	}
	return Stopped, &CrawlEnd{End: unfinished.ending.End, Remaining: remaining}
}

// filter returns the directories for which something holds.
func (all workerDirs) filter(holds func(*workerDir) bool) workerDirs {
	return slices.DeleteFunc(slices.Clone(all), func(s *workerDir) bool { return !holds(s) })
}

// lost returns what the files of all directories have lost.
func (all workerDirs) lost() []Loss {
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

// lostFiles counts the files that have lost data. A file may have lost some in several ways.
func lostFiles(lost []Loss) int {
	files := make(map[[2]string]bool)
	for _, l := range lost {
		files[[2]string{l.Dir, l.File}] = true
	}
	return len(files)
}

// list returns the workers for the report: none where there is only one directory.
func (all workerDirs) list() []Worker {
	if len(all) == 1 {
		return nil
	}
	var list []Worker
	for _, s := range all {
		row := Worker{
			Dir: s.dir, Name: s.state.Config.Worker, State: s.progress(), StartedAt: s.began.UTC(), EndedAt: s.ended.UTC(), Pages: s.pages, Rejected: s.rejected,
		}
		if s.ending != nil {
			row.End, row.Remaining = s.ending.End, s.ending.Remaining
		}
		list = append(list, row)
	}
	return list
}
