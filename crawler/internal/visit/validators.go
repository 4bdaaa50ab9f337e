package visit

import (
	"encoding/binary"
	"net/http"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/politecrawl/politecrawl/crawler/frontier"
	"github.com/politecrawl/politecrawl/crawler/internal/fetch"
	"github.com/politecrawl/politecrawl/crawler/internal/mimetype"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// validators returns the validators of a page for later conditional requests (RFC 9110
// section 8.8). Nil: the known ones remain, as after a 304 or an error.
//
// If the site sends no Last-Modified, the lastmod of its sitemap is used, unless it is
// later than the fetch.
func validators(it *item, got *fetch.Response, page *output.Page) *frontier.Validators {
	if got.Status/100 != 2 {
		return nil
	}
	sum := xxhash.Sum64(got.Body)
	if len(got.Body) > 0 && page.Withheld == "" {
		page.Hash = hashText(sum)
	}
	if got.Truncated != "" {
		sum = truncatedHash
	}
	now := &frontier.Validators{
		ETag: got.Header.Get("ETag"), LastModified: got.Header.Get("Last-Modified"),
		BodyHash: appendMediaType(binary.BigEndian.AppendUint64(nil, sum), mimetype.Of(got.Header, got.Body).Essence),
	}
	page.Unchanged = sum != truncatedHash && hashOfBody(it.lease.Validators) == hashText(sum)
	if lastMod := it.prov.LastMod; now.LastModified == "" && !lastMod.IsZero() && !lastMod.After(got.Began) {
		now.LastModified = lastMod.UTC().Format(http.TimeFormat)
	}
	return now
}

// truncatedHash stands for the hash of a body that was not read to the end, which equals no other.
const truncatedHash = 0

// hashOfBody returns the hash of the body with these validators, as pages.jsonl has it. Empty: it is not known.
func hashOfBody(v *frontier.Validators) string {
	if v == nil || len(v.BodyHash) < hashSize {
		return ""
	}
	return hashText(binary.BigEndian.Uint64(v.BodyHash))
}

// hashSize is the size of the hash in BodyHash of validators. The media type of the body follows,
// unless an earlier version stored them.
const hashSize = 8

// maxMediaType is the maximum length of a media type by RFC 6838.
const maxMediaType = 255

// appendMediaType appends the media type of a body to its hash.
func appendMediaType(hash []byte, media string) []byte {
	if len(media) > maxMediaType {
		return hash
	}
	return append(hash, media...)
}

func hashText(sum uint64) string {
	const digits = 16
	text := strconv.FormatUint(sum, 16)
	return "0000000000000000"[:digits-len(text)] + text
}

// conditional returns the header fields of a conditional request. Nil: it is not
// conditional. A page of a type that is not read must respond with its type, not with 304.
func conditional(v *frontier.Validators, types fetch.Types) http.Header {
	if v == nil || v.ETag == "" && v.LastModified == "" {
		return nil
	}
	if !types.Accept(string(v.BodyHash[min(hashSize, len(v.BodyHash)):])) {
		return nil
	}
	h := make(http.Header, 2)
	if v.ETag != "" {
		h.Set("If-None-Match", v.ETag)
	}
	if v.LastModified != "" {
		h.Set("If-Modified-Since", v.LastModified)
	}
	return h
}
