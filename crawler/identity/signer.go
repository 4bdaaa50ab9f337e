package identity

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// Send signs req with the current key and sends it through base; see [botauth.Signer.Send].
func (f *Folder) Send(base http.RoundTripper, req *http.Request, wait func(context.Context) error) (*http.Response, error) {
	s, err := f.Signer()
	if err != nil {
		return nil, err
	}
	return s.Send(base, req, wait)
}

// Signer returns the signer of the current key. It reads identity.json at most once a minute, so that a
// running crawl uses a new key after a rotation. If the new key cannot be read, the old one signs until
// it expires.
func (f *Folder) Signer() (*botauth.Signer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if f.signer != nil && now.Sub(f.checked) < reread {
		return f.signer, nil
	}
	f.checked = now
	info, err := os.Stat(filepath.Join(f.dir, contentFile))
	if err == nil && f.signer != nil && f.file != nil && info.ModTime().Equal(f.file.ModTime()) && info.Size() == f.file.Size() && f.content.Keys[0].ID == f.signing.ID {
		return f.signer, nil
	}
	if err == nil {
		err = f.read()
	}
	if err == nil {
		err = f.newSigner()
	}
	if err != nil && f.signer != nil && f.mayStillSign(now) {
		return f.signer, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot sign requests: %w", err)
	}
	return f.signer, nil
}

func (f *Folder) newSigner() error {
	current := f.content.Keys[0]
	key, err := f.load(current)
	if err != nil {
		return err
	}
	s, err := botauth.NewSigner(key, f.content.Agent, &botauth.SignerOptions{Reuse: true, Now: f.now})
	if err != nil {
		return err
	}
	f.signer, f.signing = s, current
	return nil
}

// mayStillSign reports whether a site accepts the key of f.signer.
func (f *Folder) mayStillSign(now time.Time) bool {
	i := slices.IndexFunc(f.content.Keys, func(k Key) bool { return k.ID == f.signing.ID })
	return i >= 0 && (f.content.Keys[i].Expires.IsZero() || now.Before(f.content.Keys[i].Expires))
}
