package botauth

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/dunglas/httpsfv"
)

// SignerOptions configures a Signer.
type SignerOptions struct {
	Lifetime time.Duration    // of a signature (default 5m, at most 24h)
	Reuse    bool             // use a signature for one minute per authority; it has no nonce
	Now      func() time.Time // default time.Now
}

// Signer signs requests. It is safe for concurrent use.
type Signer struct {
	key   PrivateKey
	keyID string
	agent string
	opts  SignerOptions

	mu     sync.Mutex // guards minute and reused
	minute int64
	reused map[string]fields
}

type fields struct{ agent, input, signature string }

// NewSigner returns a Signer for a key that is published at the https URL agent.
func NewSigner(key PrivateKey, agent string, opts *SignerOptions) (*Signer, error) {
	s := &Signer{key: key, agent: agent, reused: map[string]fields{}}
	if opts != nil {
		s.opts = *opts
	}
	s.opts.Lifetime = cmp.Or(s.opts.Lifetime, defaultLifetime)
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	if u, err := url.Parse(agent); err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("botauth: the signature agent %q is not an https URL", agent)
	}
	// A reused signature must outlive its minute.
	if s.opts.Lifetime < 2*time.Minute || s.opts.Lifetime > MaxLifetime {
		return nil, fmt.Errorf("botauth: a signature cannot live for %v: choose 2m to 24h", s.opts.Lifetime)
	}
	if key.load == nil {
		return nil, errKey
	}
	s.keyID = key.Public().Kid
	return s, nil
}

// Sign sets the Signature-Agent, Signature-Input and Signature fields of req.
func (s *Signer) Sign(req *http.Request) error {
	host, now, form := requestAuthority(req), s.opts.Now(), newForm(requestLabel, requestLabel)
	if !s.opts.Reuse {
		nonce := make([]byte, 64)
		_, _ = rand.Read(nonce) // never fails
		form.nonce = base64.StdEncoding.EncodeToString(nonce)
		return s.signAs(req, form)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if minute := now.Unix() / 60; minute != s.minute || len(s.reused) >= 4096 {
		s.minute = minute
		clear(s.reused)
	}
	f, ok := s.reused[host]
	if !ok {
		var err error
		if f, err = s.fields(req, form); err != nil {
			return err
		}
		s.reused[host] = f
	}
	f.set(req)
	return nil
}

func (f fields) set(req *http.Request) {
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Signature-Agent", f.agent)
	req.Header.Set("Signature-Input", f.input)
	req.Header.Set("Signature", f.signature)
}

// fields returns the fields of a signature in a form.
func (s *Signer) fields(req *http.Request, form form) (fields, error) {
	agent, err := httpsfv.Marshal(httpsfv.NewItem(s.agent))
	if err != nil {
		return fields{}, err
	}
	field := form.agentKey + "=" + agent
	now := s.opts.Now()
	p := signatureParams{created: now, expires: now.Add(s.opts.Lifetime), keyID: s.keyID, nonce: form.nonce, tag: requestTag}
	input, signature, err := s.key.sign(form.label, p, form.components, func(item httpsfv.Item) (string, error) {
		switch {
		case item.Value != agentField:
			return requestValue(req, item)
		case len(item.Params.Names()) > 0: // the key
			return agent, nil
		}
		return field, nil
	})
	return fields{field, input, signature}, err
}
