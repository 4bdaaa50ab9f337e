package results

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
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
func (d *Dir) RobotsLog() *jsonlines.Log { return d.robots }

// A robotsLine has the fields of a line of robots.jsonl that RestoreRobots uses.
type robotsLine struct {
	Origin string `json:"origin"`
	Hash   string `json:"hash"` // of the text; empty: no text was stored
}

// RestoreRobots rewrites robots.txt files, with their versions, that do not match the last readable
// line of their origin in robots.jsonl, and syncs them. text returns the known robots.txt of an
// origin. lost are the origins whose text is missing or does not match.
func (d *Dir) RestoreRobots(text func(origin string) ([]byte, error)) (lost []string, err error) {
	d.versions.Lock()
	clear(d.kept) // they may be damaged too
	d.versions.Unlock()
	last := make(map[string]string) // the hash by origin
	err = jsonlines.Each(filepath.Join(d.path, RobotsFile), func(_ int64, l *robotsLine) error {
		if l.Origin != "" { // else the line was edited
			last[l.Origin] = l.Hash
		}
		return nil
	})
	if err := jsonlines.Readable(err); err != nil {
		return nil, err
	}
	for _, origin := range slices.Sorted(maps.Keys(last)) {
		found, err := d.restoreRobots(robotsLine{origin, last[origin]}, text)
		if err != nil {
			return nil, err
		}
		if !found {
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
