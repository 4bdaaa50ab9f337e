package crawldir

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/crawler/internal/jsonlines"
	"github.com/politecrawl/politecrawl/crawler/output"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// Robots replaces the robots.txt files of an origin: the body as received, and the record as JSON.
// It also keeps the body as a version. The files are for users; the crawl never reads them. It
// returns the line to append to [Dir.RobotsLog].
//
// With power, the files are on disk when it returns. Append the line after that, so that a
// power cut cannot leave a line without its files.
func (d *Dir) Robots(origin string, body []byte, record any, power bool) (line []byte, err error) {
	if line, err = jsonlines.Line(nil, record); err != nil {
		return nil, err
	}
	about, err := indented(line)
	if err != nil {
		return nil, err
	}
	if err := d.writeRobots(origin, body, about, power); err != nil {
		return nil, err
	}
	if body != nil {
		if err := d.KeepVersion(usage.Hash(body), body, power); err != nil {
			return nil, err
		}
	}
	if end := len(line) - len("}\n"); body != nil && end > len("{") {
		l := robotsLine{Hash: usage.Hash(body)}
		line = append(line[:end], l.hashField()+"}\n"...)
	}
	return line, nil
}

// indented returns a line of JSON with indentation.
func indented(line []byte) ([]byte, error) {
	var text bytes.Buffer
	if err := json.Indent(&text, line, "", "  "); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

func (d *Dir) writeRobots(origin string, body, about []byte, power bool) error {
	base := d.robotsBase(origin)
	if err := replace(base+".txt", body, 0o644, power); err != nil {
		return err
	}
	return replace(base+".json", about, 0o644, power)
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

// robotsBase returns the path of the files of an origin, without ".txt" and ".json".
func (d *Dir) robotsBase(origin string) string {
	return strings.TrimSuffix(output.RobotsPath(d.path, origin), ".txt")
}

// RobotsLog returns the log of robots.txt fetches, robots.jsonl.
func (d *Dir) RobotsLog() *jsonlines.Log { return d.robots }

// A robotsLine has the fields of a line of robots.jsonl that RestoreRobots uses.
type robotsLine struct {
	Origin string `json:"origin"`
	Hash   string `json:"hash"` // of the text; empty: no text was stored
}

// RestoreRobots rewrites missing or damaged robots.txt files, with their versions, from the last
// readable line of each origin in robots.jsonl, and syncs them. text returns the known robots.txt of an origin. lost are
// the origins whose text is missing or does not match the line.
func (d *Dir) RestoreRobots(text func(origin string) ([]byte, error)) (lost []string, err error) {
	d.versions.Lock()
	clear(d.kept) // they may be damaged too
	d.versions.Unlock()
	name := filepath.Join(d.path, RobotsFile)
	last := make(map[string]int64)
	err = jsonlines.Each(name, func(at int64, l *robotsLine) error {
		last[l.Origin] = at
		return nil
	})
	if err := jsonlines.Readable(err); err != nil {
		return nil, err
	}
	err = jsonlines.Each(name, func(at int64, line *json.RawMessage) error {
		var l robotsLine
		if err := json.Unmarshal(*line, &l); err != nil || last[l.Origin] != at {
			return nil
		}
		found, err := d.restoreRobots(l, *line, text)
		if err == nil && !found {
			lost = append(lost, l.Origin)
		}
		return err
	})
	return lost, jsonlines.Readable(err)
}

// restoreRobots restores the files of one origin, and reports whether the text was found.
func (d *Dir) restoreRobots(l robotsLine, line []byte, text func(origin string) ([]byte, error)) (found bool, err error) {
	line, ok := bytes.CutSuffix(line, []byte(l.hashField()+"}"))
	if !ok || strings.ContainsAny(strings.Replace(l.Origin, "://", "", 1), `/\`) {
		return false, nil // the line was edited
	}
	about, err := indented(append(line, "}\n"...))
	if err != nil {
		return false, err
	}
	base := d.robotsBase(l.Origin)
	body, err := os.ReadFile(base + ".txt")
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
	if was, err := os.ReadFile(base + ".json"); whole && err == nil && bytes.Equal(was, about) {
		return true, nil
	}
	return true, d.writeRobots(l.Origin, body, about, true)
}

// matches reports whether a text is that of the line.
func (l robotsLine) matches(text []byte) bool {
	return l.Hash == "" && len(text) == 0 || l.Hash == usage.Hash(text)
}

// hashField returns the last field of the line, with the comma before it.
func (l robotsLine) hashField() string {
	if l.Hash == "" {
		return ""
	}
	return `,"hash":"` + l.Hash + `"`
}
