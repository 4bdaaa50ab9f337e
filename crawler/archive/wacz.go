package archive

import (
	"fmt"
	"time"
)

// The names in a WACZ file.
const (
	archiveDir  = "archive/"
	indexDir    = "indexes/"
	indexFile   = "index.cdx.gz"
	blocksFile  = "index.idx"
	pagesFile   = "pages/pages.jsonl"
	pagesFormat = "json-pages-1.0"
	packageFile = "datapackage.json"
	digestFile  = "datapackage-digest.json"
)

// A dataPackage is datapackage.json.
type dataPackage struct {
	Profile     string     `json:"profile"`
	Version     string     `json:"wacz_version"`
	Software    string     `json:"software,omitempty"`
	Created     time.Time  `json:"created,omitzero"`
	MainPageURL string     `json:"mainPageUrl,omitempty"`
	MainPageAt  time.Time  `json:"mainPageDate,omitzero"`
	Resources   []resource `json:"resources"`
}

// A resource is a file of a package.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"` // sha256:hexadecimal
	Bytes int64  `json:"bytes"`
}

// A packageDigest is datapackage-digest.json.
type packageDigest struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
}

// A block is a line of the file of blocks, after its key and time.
type block struct {
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	Digest string `json:"digest,omitempty"`
	File   string `json:"filename,omitempty"`
}

func hashOf(sum []byte) string { return fmt.Sprintf("sha256:%x", sum) }
