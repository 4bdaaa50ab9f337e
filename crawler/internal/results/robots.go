package results

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/blocked"
	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Robots replaces the robots.txt of an origin with body, as received, and keeps it as a version. It
// returns the line of the record, to append to [Dir.RobotsLog].
//
// With power, the files are on disk when it returns. Append the line after that, so that a
// power cut cannot leave a line without its files.
func (d *Dir) Robots(origin string, body []byte, record any, power bool) (line []byte, err error) {
	if line, err = jsonlines.Line(nil, record); err != nil {
		return nil, err
	}
	if err := replace(output.RobotsPath(d.path, origin), body, 0o644, power); err != nil {
		return nil, err
	}
	if body == nil {
		return line, nil
	}
	hash := usage.Hash(body)
	if end := len(line) - len("}\n"); end > len("{") {
		line = append(line[:end], `,"hash":"`+hash+"\"}\n"...)
	}
	return line, d.KeepVersion(hash, body, power)
}

// KeepVersion keeps a robots.txt or tdmrep.json that applied to a page, under its [usage.Hash].
// With power, it is on disk when KeepVersion returns.
func (d *Dir) KeepVersion(hash string, body []byte, power bool) error {
	path := output.VersionPath(d.path, hash)
	d.versions.Lock()
	defer d.versions.Unlock()
	if _, ok := d.kept[hash]; ok {
		return nil
	}
	if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, body) {
		if err := replace(path, body, 0o644, power); err != nil {
			return err
		}
	}
	if d.kept == nil || len(d.kept) >= maxKept {
		d.kept = make(map[string]struct{})
	}
	d.kept[hash] = struct{}{}
	return nil
}

// maxKept limits the versions that are known to be kept, so that most pages of a crawl do not
// look for a file.
const maxKept = 10_000

// RobotsLog returns the log of robots.txt fetches, robots.jsonl.
func (d *Dir) RobotsLog() *jsonlines.File { return d.file(robotsLog) }

// A robotsLine has the fields of a line of robots.jsonl that RestoreRobots uses.
type robotsLine struct {
	Origin string `json:"origin"`
	Hash   string `json:"hash"` // of the text; empty if no text was stored
}

// RestoreRobots rewrites robots.txt files, with their versions, that do not match the last readable
// line of their origin in robots.jsonl, and syncs them. Text returns the known robots.txt of an origin.
// Lost are the origins with a missing text or one that does not match; they are requested again.
func (w *Writer) RestoreRobots(text func(origin string) ([]byte, error)) (lost []string, err error) {
	w.dir.versions.Lock()
	clear(w.dir.kept) // they may be damaged too
	w.dir.versions.Unlock()
	last := make(map[string]string) // the hash by origin
	err = jsonlines.Each(w.path(RobotsFile), func(_ int64, l *robotsLine) error {
		if l.Origin != "" { // else the line was edited
			last[l.Origin] = l.Hash
		}
		return nil
	})
	if err := jsonlines.Readable(err); err != nil {
		return nil, err
	}
	for _, origin := range slices.Sorted(maps.Keys(last)) {
		found, err := w.dir.restoreRobots(robotsLine{origin, last[origin]}, text)
		if err != nil {
			return nil, err
		}
		if !found {
			w.setRefetch(robotsext.Origin(origin))
			lost = append(lost, origin)
		}
	}
	return lost, nil
}

// restoreRobots restores the files of one origin, and reports whether the text was found.
func (d *Dir) restoreRobots(l robotsLine, text func(origin string) ([]byte, error)) (found bool, err error) {
	if strings.ContainsAny(strings.Replace(l.Origin, "://", "", 1), "/\\\x00") {
		return false, nil // the line was edited
	}
	path := output.RobotsPath(d.path, l.Origin)
	body, err := os.ReadFile(path)
	whole := err == nil && l.matches(body)
	switch {
	case whole:
	case l.Hash == "":
		body = nil
	default:
		if body, err = text(l.Origin); err != nil || !l.matches(body) {
			return false, err
		}
	}
	if l.Hash != "" { // older versions are nowhere else
		if err := d.KeepVersion(l.Hash, body, true); err != nil {
			return false, err
		}
	}
	if whole {
		return true, nil
	}
	return true, replace(path, body, 0o644, true)
}

// matches reports whether a text is that of the line.
func (l robotsLine) matches(text []byte) bool {
	return l.Hash == "" && len(text) == 0 || l.Hash == usage.Hash(text)
}

// Robots writes a robots.txt to the directory, permanently, and gives it to the sinks with the
// next write. Then the frontier may store the record, after which the robots.txt is not
// requested again. It ignores a robots.txt that was not requested.
func (w *Writer) Robots(rec *robotsext.Record) error {
	if blocked.IsUnrequested(rec) {
		return nil
	}
	rec = blocked.ForOutput(rec)
	about, body := *rec, rec.Body
	about.Body, about.Copy = nil, nil // the body is in its own file
	if rec.NoStore {
		body = nil // ROB-CAC-06
	}
	line, err := w.dir.Robots(string(rec.Origin), body, &about, w.cfg.Power)
	if err != nil {
		return err
	}
	if err := w.robotsLine(line, rec); err != nil || !w.cfg.Power {
		return err
	}
	return w.dir.RobotsLog().Sync()
}

// robotsLine adds the line of a robots.txt to robots.jsonl, and the record for the sinks,
// in the same order.
func (w *Writer) robotsLine(line []byte, rec *robotsext.Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.sinks) > 0 {
		w.unfiled.Robots = append(w.unfiled.Robots, robotsResult(rec))
	}
	_, err := w.dir.RobotsLog().Append(line)
	return err
}

// KeepVersion keeps the text of a robots.txt or tdmrep.json as a version. A site that sends no-store
// forbids that (ROB-CAC-06); an empty file then says so.
func (w *Writer) KeepVersion(rec *robotsext.Record) error {
	switch {
	case rec.Hash == "":
		return nil
	case rec.NoStore:
		return w.dir.KeepVersion(rec.Hash+output.NoStore, nil, w.cfg.Power)
	}
	return w.dir.KeepVersion(rec.Hash, rec.Body, w.cfg.Power)
}

// Refetch reports, once, that a known robots.txt has to be requested again, because a kill or
// a power failure came before it was written completely.
func (w *Writer) Refetch(origin robotsext.Origin) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	refetch := w.refetch[origin]
	delete(w.refetch, origin)
	return refetch
}

// setRefetch makes Refetch return true for an origin.
func (w *Writer) setRefetch(origin robotsext.Origin) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refetch[origin] = true
}

// robotsResult returns a robots.txt as a sink gets it.
func robotsResult(rec *robotsext.Record) *output.Robots {
	r := &output.Robots{
		Origin: string(rec.Origin), Outcome: rec.Outcome.String(), Status: rec.Status,
		FetchedAt: rec.FetchedAt, ExpiresAt: rec.ExpiresAt, RetryAt: rec.RetryAt,
	}
	if n := len(rec.RedirectChain); n > 0 {
		r.URL = rec.RedirectChain[n-1]
	}
	if rec.Err != nil {
		r.Error = rec.Err.Error()
	}
	if !rec.NoStore {
		r.Body = rec.Body // ROB-CAC-06
	}
	return r
}
