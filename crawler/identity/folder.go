package identity

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/durable"
	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// A Key is one key of an identity, without its secret.
type Key struct {
	ID      string    `json:"id"`      // JWK thumbprint
	Source  string    `json:"source"`  // file, env:NAME or command:PROGRAM ARGS
	Created time.Time `json:"created"` // first use
	Expires time.Time `json:"expires,omitzero"`
}

// content is identity.json.
type content struct {
	Version int `json:"version"`
	Settings
	Keys      []Key     `json:"keys"` // the current one first
	Published published `json:"published"`
}

// published describes the files in public/.
type published struct {
	Of        string    `json:"of"`        // hash of the settings and keys
	Directory string    `json:"directory"` // hash of the key directory
	Until     time.Time `json:"until"`     // when the signature of the key directory expires
}

const (
	contentVersion = 1
	contentFile    = "identity.json"
	publicDir      = "public"
	maxKeys        = 32          // in a directory; botauth reads up to 64
	reread         = time.Minute // of identity.json, at most
	maxContent     = 1 << 20     // bytes of identity.json
	directoryLife  = 30 * 24 * time.Hour
)

// Options of a Folder. Nil means the zero value.
type Options struct {
	Now func() time.Time // default time.Now
}

// Folder is the directory of an identity. It is safe for concurrent use.
type Folder struct {
	dir string
	now func() time.Time

	mu      sync.Mutex // guards the rest
	content content
	file    fs.FileInfo // of identity.json as read
	checked time.Time   // when file was compared last
	signer  *botauth.Signer
	signing Key // of signer
}

func newFolder(dir string, opts *Options) *Folder {
	f := &Folder{dir: dir, now: time.Now}
	if opts != nil && opts.Now != nil {
		f.now = opts.Now
	}
	return f
}

// Create makes the identity in a directory that is empty or missing. source says where the private key
// is: [FileSource] generates one, env:NAME and command:PROGRAM ARGS deliver one.
func Create(dir string, s Settings, source string, opts *Options) (*Folder, error) {
	if err := errors.Join(s.check(), checkSource(source)); err != nil {
		return nil, err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("%q is not empty; name a new directory, or change the key of an identity with: politecrawl identity rotate", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f := newFolder(dir, opts)
	f.content = content{Version: contentVersion, Settings: s}
	key, err := f.add(source)
	if err != nil {
		return nil, err
	}
	return f, f.write([]botauth.PrivateKey{key})
}

// Open reads the identity in a directory. It reads no private key.
func Open(dir string, opts *Options) (*Folder, error) {
	f := newFolder(dir, opts)
	return f, f.read()
}

// keyID matches a thumbprint, which names a file.
var keyID = regexp.MustCompile(`^[\w-]{43}$`)

func (f *Folder) read() error {
	name := filepath.Join(f.dir, contentFile)
	info, err := os.Stat(name)
	var text []byte
	if err == nil && info.Size() <= maxContent {
		text, err = os.ReadFile(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%q has no identity.json; make an identity with: politecrawl identity init", f.dir)
	} else if err != nil {
		return err
	}
	var c content
	if err = json.Unmarshal(text, &c); err == nil {
		err = c.check()
	}
	switch {
	case err != nil:
		return fmt.Errorf("%q: %w", name, err)
	case c.Version != contentVersion:
		return fmt.Errorf("%q has version %d; this program reads version %d", name, c.Version, contentVersion)
	case len(c.Keys) == 0 || !c.Keys[0].Expires.IsZero():
		return fmt.Errorf("%q has no current key", name)
	}
	for _, k := range c.Keys {
		if err := checkSource(k.Source); err != nil || !keyID.MatchString(k.ID) {
			return fmt.Errorf("%q: the key %q is not valid", name, k.ID)
		}
	}
	f.content, f.file = c, info
	return nil
}

// Settings returns the settings.
func (f *Folder) Settings() Settings {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.content.Settings
}

// Keys returns the keys, the current one first.
func (f *Folder) Keys() []Key {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.content.Keys)
}

// Until returns when the signature of the published key directory expires.
func (f *Folder) Until() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.content.Published.Until
}

// PublicDir returns the directory to upload.
func (f *Folder) PublicDir() string { return filepath.Join(f.dir, publicDir) }

// Rotate makes a new key from source and publishes it. The old key no longer signs. It stays in the
// key directory for [botauth.MaxLifetime]. An empty source is that of the current key. Rotate drops old
// keys whose private half cannot be read, since they cannot sign the key directory; it returns a note
// about each.
func (f *Folder) Rotate(source string) (notes []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if source == "" {
		source = f.content.Keys[0].Source
	}
	if err := checkSource(source); err != nil {
		return nil, err
	}
	if err := f.prune(); err != nil {
		return nil, err
	}
	if len(f.content.Keys) >= maxKeys {
		return nil, fmt.Errorf("the key directory has %d keys already; the next one expires %s", maxKeys, f.content.Keys[len(f.content.Keys)-1].Expires.UTC().Format(time.RFC3339))
	}
	before := slices.Clone(f.content.Keys)
	f.content.Keys[0].Expires = f.now().Add(botauth.MaxLifetime).Truncate(time.Second)
	old, notes := f.loadOld(f.content.Keys)
	key, err := f.add(source)
	if err == nil {
		err = f.write(append([]botauth.PrivateKey{key}, old...))
	}
	if err != nil {
		f.content.Keys = before
		return nil, err
	}
	f.checked = time.Time{}
	return notes, nil
}

// Renew removes expired keys. It writes public/ again if the settings or keys have changed, or if less
// than half of the time remains until the signature of the key directory expires. It returns whether
// it did, and notes like Rotate.
func (f *Folder) Renew() (renewed bool, notes []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.prune(); err != nil {
		return false, nil, err
	}
	if f.content.hash() == f.content.Published.Of && f.now().Add(directoryLife/2).Before(f.content.Published.Until) && f.isPublished() {
		return false, nil, nil
	}
	key, err := f.load(f.content.Keys[0])
	if err != nil {
		return false, nil, err
	}
	current := f.content.Keys[0]
	old, notes := f.loadOld(f.content.Keys[1:])
	f.content.Keys = slices.Insert(f.content.Keys, 0, current)
	return true, notes, f.write(append([]botauth.PrivateKey{key}, old...))
}

// isPublished reports whether public/ has the key directory that identity.json describes. It has another
// one after a rotation that was killed.
func (f *Folder) isPublished() bool {
	body, err := os.ReadFile(f.public(botauth.DirectoryPath))
	return err == nil && hash(body) == f.content.Published.Directory
}

// public returns the name of the file for a path on the host.
func (f *Folder) public(path string) string {
	return filepath.Join(f.dir, publicDir, filepath.FromSlash(path))
}

// prune removes expired keys and their files.
func (f *Folder) prune() error {
	var err error
	f.content.Keys = slices.DeleteFunc(f.content.Keys, func(k Key) bool {
		if k.Expires.IsZero() || f.now().Before(k.Expires) {
			return false
		}
		if k.Source == FileSource {
			err = errors.Join(err, f.remove(k.ID))
		}
		return true
	})
	return err
}

func (f *Folder) remove(id string) error {
	if err := os.Remove(f.keyFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// loadOld reads the private keys of retired keys. It keeps those keys alone in f.content.
func (f *Folder) loadOld(retired []Key) (loaded []botauth.PrivateKey, notes []string) {
	var kept []Key
	for _, k := range retired {
		key, err := f.load(k)
		if err != nil {
			notes = append(notes, fmt.Sprintf("the old key %s is removed from the key directory, and its signatures are no longer valid: %v", k.ID, err))
			continue
		}
		kept, loaded = append(kept, k), append(loaded, key)
	}
	f.content.Keys = kept
	return loaded, notes
}

// add makes or reads a new key, and puts it first in f.content.
func (f *Folder) add(source string) (botauth.PrivateKey, error) {
	var key botauth.PrivateKey
	var err error
	if source == FileSource {
		key, err = botauth.GenerateKey()
	} else {
		key, err = readKey(source)
	}
	if err != nil {
		return key, err
	}
	id := key.Public().Kid
	if slices.ContainsFunc(f.content.Keys, func(k Key) bool { return k.ID == id }) {
		return key, fmt.Errorf("%s delivers the key %s, which the identity has already; put a new key there, or name another source", source, id)
	}
	if source == FileSource {
		if err := f.saveKey(id, key); err != nil {
			return key, err
		}
	}
	k := Key{ID: id, Source: source, Created: f.now().UTC().Truncate(time.Second)}
	f.content.Keys = slices.Insert(f.content.Keys, 0, k)
	return key, nil
}

// saveKey writes a private key. Only the owner may read the file and its directory.
func (f *Folder) saveKey(id string, key botauth.PrivateKey) error {
	dir := filepath.Join(f.dir, "keys")
	if err := durable.MkdirAll(dir); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return err
	}
	text, err := key.PEM()
	if err != nil {
		return err
	}
	return replace(f.keyFile(id), text, 0o600)
}

// write publishes the keys of f.content, and then writes identity.json. A crawl signs with a new key as
// soon as it reads that file.
func (f *Folder) write(keys []botauth.PrivateKey) error {
	now := f.now().UTC().Truncate(time.Second)
	until := now.Add(directoryLife)
	directory, err := f.publish(now, until, keys)
	if err != nil {
		return err
	}
	f.content.Published = published{Of: f.content.hash(), Directory: hash(directory), Until: until}
	text, err := json.MarshalIndent(f.content, "", "  ")
	if err != nil {
		return err
	}
	return replace(filepath.Join(f.dir, contentFile), append(text, '\n'), 0o600)
}

// hash returns a hash of the settings and keys.
func (c content) hash() string {
	c.Published = published{}
	text, _ := json.Marshal(c) // no field of it can fail
	return hash(text)
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// replace writes a file beside its place, and moves it there.
func replace(name string, text []byte, mode fs.FileMode) (err error) {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := durable.MkdirAll(filepath.Dir(name)); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(text)
	if err := errors.Join(err, file.Chmod(mode), durable.File(file), file.Close()); err != nil {
		return err
	}
	return durable.Rename(file.Name(), name)
}
