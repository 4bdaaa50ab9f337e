package identity

import (
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
	ID        string    `json:"id"`               // JWK thumbprint
	Source    string    `json:"source"`           // file, env:NAME or command:PROGRAM ARGS
	SignsFrom time.Time `json:"signs_from"`       // when it begins to sign
	Expires   time.Time `json:"expires,omitzero"` // when sites stop accepting it; zero if it has no successor
}

// signs reports whether the key may sign at a time.
func (k Key) signs(at time.Time) bool {
	return !at.Before(k.SignsFrom) && (k.Expires.IsZero() || at.Before(k.Expires))
}

// content is identity.json.
type content struct {
	Version int `json:"version"`
	Settings
	Keys        []Key     `json:"keys"` // the newest first
	SignedUntil time.Time `json:"signed_until"`
}

const (
	contentVersion = 1
	contentFile    = "identity.json"
	lockFile       = "lock"
	publicDir      = "public"
	maxKeys        = 32      // in a directory; botauth reads up to 64
	maxContent     = 1 << 20 // bytes of identity.json
	directoryLife  = 30 * 24 * time.Hour

	// publishTime is the max-age of the key directory: the time after which a new key signs, so that no site
	// has a copy without it.
	publishTime = time.Hour
)

// Options of an Identity. Nil means the zero value.
type Options struct {
	Now func() time.Time // default time.Now
}

// Identity is the identity in a directory. It is safe for concurrent use.
type Identity struct {
	dir string
	now func() time.Time

	reading sync.Mutex // held while the keys of content are read
	mu      sync.Mutex // guards the rest; nothing slow happens under it
	content content
	checked time.Time // when identity.json was read last
	signers map[signerKey]signerState
}

func newIdentity(dir string, opts *Options) *Identity {
	d := &Identity{dir: dir, now: time.Now, signers: map[signerKey]signerState{}}
	if opts != nil && opts.Now != nil {
		d.now = opts.Now
	}
	return d
}

// Create makes the identity in a directory that is empty or missing. source says where the private key
// is: [FileSource] generates one, env:NAME and command:PROGRAM ARGS deliver one. If it fails, it removes
// what it has written.
func Create(dir string, s Settings, source string, opts *Options) (*Identity, error) {
	if err := errors.Join(s.check(), checkSource(source)); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case len(entries) > 0:
		return nil, fmt.Errorf("%q is not empty; name a new directory, or change the key of an identity with: politecrawl identity rotate", dir)
	case err != nil && !missing:
		return nil, err
	}
	d := newIdentity(dir, opts)
	now := d.time()
	c := content{Version: contentVersion, Settings: s, SignedUntil: now.Add(directoryLife)}
	private := map[string]botauth.PrivateKey{}
	err = d.add(&c, source, "--key", now, private)
	if err == nil {
		err = d.write(c, private)
	}
	if err != nil {
		return nil, errors.Join(err, empty(dir, missing))
	}
	return d, nil
}

// Open reads the identity in a directory. It reads no private key.
func Open(dir string, opts *Options) (*Identity, error) {
	d := newIdentity(dir, opts)
	var err error
	d.content, err = d.read()
	return d, err
}

// keyID matches a thumbprint, which names a file.
var keyID = regexp.MustCompile(`^[\w-]{43}$`)

// read reads identity.json.
func (d *Identity) read() (c content, err error) {
	name := filepath.Join(d.dir, contentFile)
	info, err := os.Stat(name)
	var text []byte
	if err == nil && info.Size() <= maxContent {
		text, err = os.ReadFile(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return c, fmt.Errorf("%q has no identity.json; make an identity with: politecrawl identity init", d.dir)
	} else if err != nil {
		return c, err
	}
	if err = json.Unmarshal(text, &c); err == nil {
		err = c.check()
	}
	switch {
	case err != nil:
		return c, fmt.Errorf("%q: %w", name, err)
	case c.Version != contentVersion:
		return c, fmt.Errorf("%q has version %d; this program reads version %d", name, c.Version, contentVersion)
	case len(c.Keys) == 0 || !c.Keys[0].Expires.IsZero():
		return c, fmt.Errorf("%q has no current key", name)
	}
	for _, k := range c.Keys {
		if err := checkSource(k.Source); err != nil || !keyID.MatchString(k.ID) {
			return c, fmt.Errorf("%q: the key %q is not valid", name, k.ID)
		}
	}
	return c, nil
}

// Settings returns the settings.
func (d *Identity) Settings() Settings { return d.snapshot().Settings }

// Keys returns the keys, the newest first.
func (d *Identity) Keys() []Key { return slices.Clone(d.snapshot().Keys) }

// SignedUntil returns when the signature of the published key directory expires.
func (d *Identity) SignedUntil() time.Time { return d.snapshot().SignedUntil }

// snapshot returns the content, which is replaced but never changed.
func (d *Identity) snapshot() content {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.content
}

// PublicDir returns the directory to upload.
func (d *Identity) PublicDir() string { return filepath.Join(d.dir, publicDir) }

// Rotate makes a new key from source and publishes it. The new key signs from one hour later, when no site
// has a copy of the key directory without it. The old key signs until then, and stays in the key directory
// for [botauth.MaxLifetime] more. If source is empty, it is the source of the newest key.
//
// Rotate drops keys without a readable private half, and returns a note about each. If no remaining key
// may sign, the next key signs at once.
func (d *Identity) Rotate(source string) (notes []string, err error) {
	unlock, err := d.lock()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	c, err := d.read()
	if err != nil {
		return nil, err
	}
	origin := "--key"
	if source == "" {
		source = c.Keys[0].Source
		origin = describe(source)
	}
	if err := checkSource(source); err != nil {
		return nil, err
	}
	now := d.time()
	expired := c.prune(now)
	private := map[string]botauth.PrivateKey{}
	c.Keys = slices.DeleteFunc(c.Keys, func(k Key) bool {
		key, err := d.load(k)
		if err != nil {
			notes = append(notes, dropped(k, err))
			return true
		}
		private[k.ID] = key
		return false
	})
	if len(c.Keys) >= maxKeys {
		return nil, fmt.Errorf("the key directory has %d keys already; the next one expires %s", maxKeys, c.Keys[len(c.Keys)-1].Expires.UTC().Format(time.RFC3339))
	}
	if err := d.add(&c, source, origin, now.Add(publishTime), private); err != nil {
		return nil, err
	}
	c.schedule(now)
	c.SignedUntil = now.Add(directoryLife)
	if err := d.write(c, private); err != nil {
		if source == FileSource {
			err = errors.Join(err, d.remove(c.Keys[0]))
		}
		return nil, err
	}
	return notes, d.remove(expired...)
}

func dropped(k Key, why error) string {
	return fmt.Sprintf("the old key %s is removed from the key directory, and its signatures are no longer valid: %v", k.ID, why)
}

// Renew removes expired keys. It writes public/ again if a file of it is not as it must be, or if less
// than half of the time remains until the signature of the key directory expires. It returns whether it
// did, and notes like Rotate. It does not drop a key that signs now or later: it fails if it cannot read it.
func (d *Identity) Renew() (renewed bool, notes []string, err error) {
	unlock, err := d.lock()
	if err != nil {
		return false, nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	c, err := d.read()
	if err != nil {
		return false, nil, err
	}
	now := d.time()
	expired := c.prune(now)
	private := map[string]botauth.PrivateKey{}
	var kept []Key
	retired := false
	for _, k := range c.Keys {
		key, err := d.load(k)
		switch {
		case err == nil:
			kept, private[k.ID] = append(kept, k), key
		case retired:
			notes = append(notes, dropped(k, err))
		default:
			return false, nil, err
		}
		retired = retired || k.signs(now)
	}
	c.Keys = kept
	c.schedule(now)
	if now.Add(directoryLife / 2).Before(c.SignedUntil) {
		files, err := d.files(&c, private)
		if err != nil || isWritten(files) {
			return false, notes, err
		}
	}
	c.SignedUntil = now.Add(directoryLife)
	if err := d.write(c, private); err != nil {
		return false, nil, err
	}
	return true, notes, d.remove(expired...)
}

// time returns the time in the precision of identity.json.
func (d *Identity) time() time.Time { return d.now().UTC().Truncate(time.Second) }

// lock keeps other processes from changing the identity.
func (d *Identity) lock() (unlock func() error, err error) {
	name := filepath.Join(d.dir, lockFile)
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("another command is changing the identity in %q; run this one again when it has ended, or remove the file %q if there is none", d.dir, name)
	} else if err != nil {
		return nil, err
	}
	return func() error { return os.Remove(name) }, file.Close()
}

// public returns the name of the file for a path on the host.
func (d *Identity) public(path string) string {
	return filepath.Join(d.dir, publicDir, filepath.FromSlash(path))
}

// prune removes the expired keys and returns them.
func (c *content) prune(now time.Time) (expired []Key) {
	c.Keys = slices.DeleteFunc(c.Keys, func(k Key) bool {
		if k.Expires.IsZero() || now.Before(k.Expires) {
			return false
		}
		expired = append(expired, k)
		return true
	})
	return expired
}

// schedule lets the oldest key sign now if none does. A key is valid for as long as a signature lives
// after the next one has begun to sign.
func (c *content) schedule(now time.Time) {
	if !slices.ContainsFunc(c.Keys, func(k Key) bool { return k.signs(now) }) {
		c.Keys[len(c.Keys)-1].SignsFrom = now
	}
	for i := range c.Keys[1:] {
		if end := c.Keys[i].SignsFrom.Add(botauth.MaxLifetime); end.After(c.Keys[i+1].Expires) {
			c.Keys[i+1].Expires = end
		}
	}
}

// remove removes the files of keys.
func (d *Identity) remove(keys ...Key) error {
	var all error
	for _, k := range keys {
		if k.Source != FileSource {
			continue
		}
		if err := os.Remove(d.keyFile(k.ID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

// add makes or reads a new key, and puts it first in c. origin names the source in errors.
func (d *Identity) add(c *content, source, origin string, signsFrom time.Time, private map[string]botauth.PrivateKey) error {
	var key botauth.PrivateKey
	var err error
	if source == FileSource {
		key, err = botauth.GenerateKey()
	} else {
		key, err = readKey(source, origin)
	}
	if err != nil {
		return err
	}
	id := key.Public().Kid
	if slices.ContainsFunc(c.Keys, func(k Key) bool { return k.ID == id }) {
		return fmt.Errorf("%s delivers the key %s, which the identity has already; put a new key there, or name another source", origin, id)
	}
	if source == FileSource {
		if err := d.saveKey(id, key); err != nil {
			return err
		}
	}
	c.Keys = slices.Insert(c.Keys, 0, Key{ID: id, Source: source, SignsFrom: signsFrom})
	private[id] = key
	return nil
}

// saveKey writes a private key. Only the owner may read the file and its directory.
func (d *Identity) saveKey(id string, key botauth.PrivateKey) error {
	dir := filepath.Join(d.dir, "keys")
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
	return replace(d.keyFile(id), text, 0o600)
}

// write publishes the keys of c, and then writes identity.json, by which a running crawl signs.
func (d *Identity) write(c content, private map[string]botauth.PrivateKey) error {
	files, err := d.files(&c, private)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := replace(name, text, 0o644); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := replace(filepath.Join(d.dir, contentFile), append(text, '\n'), 0o600); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.content, d.checked = c, time.Time{}
	return nil
}
