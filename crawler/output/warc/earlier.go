package warc

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/crawler/output/internal/recent"
)

// maxRecalled is the maximum size of the files that recall reads, in bytes.
const maxRecalled = 2 << 30

// recall remembers the records of earlier crawls of the directory (files with a number), so that a
// recrawl refers to payloads that have not changed. It reads only the newest files, since every resume
// does this, and ignores the rest of a damaged file.
func (s *sink) recall() error {
	names, err := earlierFiles(s.files.dir, maxRecalled)
	if err != nil || len(names) == 0 {
		return err
	}
	originals := recent.New[recordID, captured](remembered)
	for _, name := range names {
		if err := s.recallFile(filepath.Join(s.files.dir, name), originals); err != nil {
			return err
		}
	}
	return nil
}

// earlierFiles returns the names of the newest rotated files in a directory, the oldest first. Together they
// have at most limit bytes.
func earlierFiles(dir string, limit int64) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		if crawlOf(entry.Name()) > 0 {
			names = append(names, entry.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(crawlOf(a), crawlOf(b)), strings.Compare(a, b)) })
	for i, name := range slices.Backward(names) {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if limit -= info.Size(); limit < 0 {
			return names[i+1:], nil
		}
	}
	return names, nil
}

// crawlOf returns the number in the name of a rotated file, or 0 if it is none.
func crawlOf(name string) int {
	base, rest, _ := strings.Cut(name, ".")
	tag, ext, _ := strings.Cut(rest, ".")
	number, err := strconv.Atoi(tag)
	if match, _ := filepath.Match(filePattern, base+"."+ext); err != nil || !match {
		return 0
	}
	return number
}

// recallFile remembers the records of a file. Originals has the records of the earlier files.
func (s *sink) recallFile(name string, originals *recent.Map[recordID, captured]) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	_, err = eachRecord(file, func(unpack *gzip.Reader) error {
		return s.recallRecord(textproto.NewReader(bufio.NewReader(unpack)), originals)
	})
	if err != nil {
		s.urls.Clear() // the rest may have a later response of any URL
	}
	return nil
}

// recallRecord remembers a response with its whole payload, or that a URL had such a payload again. If the
// payload is not whole or not known, it forgets the URL's payload: a later 304 is not about an older one.
func (s *sink) recallRecord(r *textproto.Reader, originals *recent.Map[recordID, captured]) error {
	if _, err := r.ReadLine(); err != nil { // WARC/1.1
		return err
	}
	h, err := r.ReadMIMEHeader()
	if err != nil {
		return err
	}
	id, isID := parseID(h.Get("WARC-Record-ID"))
	date, err := time.Parse(time.RFC3339, h.Get("WARC-Date"))
	this := captured{id: id, url: h.Get("WARC-Target-URI"), date: date}
	if !isID || err != nil || len(this.url) > longestURL {
		return nil
	}
	kind := h.Get("WARC-Type")
	if kind != "response" && kind != "revisit" {
		return nil
	}
	size, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
	if err != nil {
		return err
	}
	key, current, err := payloadOf(io.LimitReader(r.R, size))
	if err != nil {
		return err
	}
	var whole captured
	if of, isID := parseID(h.Get("WARC-Refers-To")); kind == "revisit" && isID {
		whole, _ = originals.Get(of)
	} else if kind == "response" && key != (payloadKey{}) && h.Get("WARC-Truncated") == "" {
		whole = this
		originals.Put(id, this)
		s.payloads.Put(key, this)
	}
	if current {
		s.urls.Put(this.url, capture{whole: whole})
	}
	return nil
}

// payloadOf returns the key of the payload of a response, and whether a later 304 is about that payload: its
// status is 2xx, or 304 itself. Without a payload the key is zero.
func payloadOf(block io.Reader) (key payloadKey, current bool, err error) {
	in := bufio.NewReader(block)
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if err != nil {
			return key, false, err
		}
		if _, status, _ := strings.Cut(line, " "); first {
			current = strings.HasPrefix(status, "2") || strings.HasPrefix(status, "304")
		}
		if line == "\r\n" {
			break
		}
	}
	hash := sha256.New()
	n, err := io.Copy(hash, in)
	if n > 0 {
		hash.Sum(key[:0])
	}
	return key, current, err
}

// parseID is the inverse of recordID.String.
func parseID(text string) (id recordID, ok bool) {
	text, isURN := strings.CutPrefix(text, "<urn:uuid:")
	digits, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSuffix(text, ">"), "-", ""))
	return id, isURN && err == nil && copy(id[:], digits) == len(id) && len(digits) == len(id)
}
