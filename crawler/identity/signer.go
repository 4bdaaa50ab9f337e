package identity

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

const (
	reread = 5 * time.Second // time between two readings of identity.json
	retry  = time.Minute     // time between two attempts to read a private key
)

// A signerKey says what a signer depends on.
type signerKey struct{ id, agent string }

// A signerState is a signer, or why there is none.
type signerState struct {
	signer *botauth.Signer
	err    error
	at     time.Time // of the attempt
}

// Send signs req with the current key and sends it through base; see [botauth.Signer.Send]. It sends
// nothing if no key may sign.
func (d *Identity) Send(base http.RoundTripper, req *http.Request, wait func(context.Context) error) (*http.Response, error) {
	s, err := d.Signer()
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as a RoundTripper must
		}
		return nil, err
	}
	return s.Send(base, req, wait)
}

// Signer returns the signer of the newest key that may sign now. It reads identity.json every 5 seconds, so
// that a running crawl uses a new key after a rotation. If it cannot read the private key, the next older
// key signs as long as it is valid. It fails if no key may sign.
func (d *Identity) Signer() (*botauth.Signer, error) {
	now := d.now()
	if d.isDue(now) && d.reading.TryLock() {
		d.refresh(now)
		d.reading.Unlock()
	}
	s, err := d.current(now)
	if err == nil {
		return s, nil
	}
	d.reading.Lock() // another goroutine may be reading the first key
	defer d.reading.Unlock()
	return d.current(now)
}

func (d *Identity) isDue(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return now.Sub(d.checked) >= reread
}

// current returns the signer of the newest key that may sign and was read.
func (d *Identity) current(now time.Time) (*botauth.Signer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var first error
	for _, k := range d.content.Keys {
		if !k.signs(now) {
			continue
		}
		state := d.signers[signerKey{k.ID, d.content.Agent}]
		if state.signer != nil {
			return state.signer, nil
		}
		if first == nil {
			first = state.err
		}
	}
	if first == nil {
		return nil, fmt.Errorf("cannot sign requests: no key in %q is valid now; make one with: politecrawl identity rotate", d.dir)
	}
	return nil, fmt.Errorf("cannot sign requests: %w", first)
}

// refresh reads identity.json, and the private key of the newest key that may sign. If that fails, it reads
// older ones. It does not hold mu while it reads, since a command may take long.
func (d *Identity) refresh(now time.Time) {
	c, err := d.read()
	d.mu.Lock()
	if err == nil {
		d.content = c
	}
	d.checked = now
	d.mu.Unlock()
	c = d.snapshot()
	for _, k := range c.Keys {
		if k.signs(now) && d.open(k, c.Agent, now) {
			return
		}
	}
}

// open reads a private key, unless it was read, or has failed a short time ago.
func (d *Identity) open(k Key, agent string, now time.Time) (ok bool) {
	name := signerKey{k.ID, agent}
	d.mu.Lock()
	state, known := d.signers[name]
	d.mu.Unlock()
	if state.signer != nil {
		return true
	}
	if known && now.Sub(state.at) < retry {
		return false
	}
	state = signerState{at: now}
	key, err := d.load(k)
	if err == nil {
		state.signer, err = botauth.NewSigner(key, agent, &botauth.SignerOptions{Reuse: true, Now: d.now})
	}
	state.err = err
	d.mu.Lock()
	defer d.mu.Unlock()
	d.signers[name] = state
	return err == nil
}
