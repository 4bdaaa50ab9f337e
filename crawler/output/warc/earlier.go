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

// recall remembers the records of earlier crawls of the directory, whose files have a number, so that a
// recrawl refers to payloads that have not changed. It ignores the rest of a damaged file.
func (s *sink) recall() error {
	names, err := earlierFiles(s.files.dir)
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

// earlierFiles returns the names of the rotated files in a directory, the oldest first.
func earlierFiles(dir string) ([]string, error) {
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
	return names, nil
}

// crawlOf returns the number in the name of a rotated file; 0: it is none.
func crawlOf(name string) int {
	base, rest, _ := strings.Cut(name, ".")
	tag, ext, _ := strings.Cut(rest, ".")
	number, err := strconv.Atoi(tag)
	if match, _ := filepath.Match(filePattern, base+"."+ext); err != nil || !match {
		return 0
	}
	return number
}

// recallFile remembers the records of a file. Originals has those of the earlier files.
func (s *sink) recallFile(name string, originals *recent.Map[recordID, captured]) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	in, unpack := bufio.NewReaderSize(file, 1<<16), new(gzip.Reader)
	for unpack.Reset(in) == nil {
		unpack.Multistream(false)
		if s.recallRecord(textproto.NewReader(bufio.NewReader(unpack)), originals) != nil {
			return nil
		}
		if _, err := io.Copy(io.Discard, unpack); err != nil {
			return nil
		}
	}
	return nil
}

// recallRecord remembers a response with its whole payload, or that a URL had such a payload again.
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
	switch h.Get("WARC-Type") {
	case "response":
		size, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64)
		if err != nil || h.Get("WARC-Truncated") != "" {
			return nil
		}
		key, succeeded, err := payloadOf(io.LimitReader(r.R, size))
		if err != nil || key == (payloadKey{}) {
			return err
		}
		originals.Put(id, this)
		s.payloads.Put(key, this)
		if succeeded {
			s.urls.Put(this.url, capture{whole: this})
		}
	case "revisit":
		of, isID := parseID(h.Get("WARC-Refers-To"))
		if original, known := originals.Get(of); isID && known {
			s.urls.Put(this.url, capture{whole: original})
		}
	}
	return nil
}

// payloadOf returns the key of the payload of a response, and whether its status is 2xx. Without a payload
// the key is zero.
func payloadOf(block io.Reader) (key payloadKey, succeeded bool, err error) {
	in := bufio.NewReader(block)
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if err != nil {
			return key, false, err
		}
		if _, status, _ := strings.Cut(line, " "); first {
			succeeded = strings.HasPrefix(status, "2")
		}
		if line == "\r\n" {
			break
		}
	}
	hash := sha256.New()
	if n, err := io.Copy(hash, in); err != nil || n == 0 {
		return key, false, err
	}
	hash.Sum(key[:0])
	return key, succeeded, nil
}

// parseID is the inverse of recordID.String.
func parseID(text string) (id recordID, ok bool) {
	text, isURN := strings.CutPrefix(text, "<urn:uuid:")
	digits, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSuffix(text, ">"), "-", ""))
	return id, isURN && err == nil && copy(id[:], digits) == len(id) && len(digits) == len(id)
}
