package botauth

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/dunglas/httpsfv"
)

// A form is what a signature covers, and its names.
type form struct {
	label, agentKey, nonce string
	components             []httpsfv.Item
}

// newForm returns the form of requests without Accept-Signature.
func newForm(label, agentKey string) form {
	return form{label, agentKey, "", []httpsfv.Item{component("@authority", "", nil), component(agentField, "key", agentKey)}}
}

// maxAccept limits the bytes of Accept-Signature, since its nonce is sent back.
const maxAccept = 8 << 10

// Send sends a signed copy of req through base. A response 401 or 403 may ask for a signature
// that covers more, or has a nonce (Accept-Signature, RFC 9421, section 5). If the Signer can make
// it, Send calls wait, closes the response, and sends the request once more, with that signature.
// If wait fails, Send returns the first response. A nil wait does not wait.
func (s *Signer) Send(base http.RoundTripper, req *http.Request, wait func(context.Context) error) (*http.Response, error) {
	signed := req.WithContext(req.Context())
	signed.Header = req.Header.Clone()
	if err := s.Sign(signed); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as a RoundTripper must
		}
		return nil, err
	}
	resp, err := base.RoundTrip(signed)
	if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return resp, err
	}
	form, ok := s.requestedForm(req, resp.Header.Values("Accept-Signature"))
	if !ok || wait != nil && wait(req.Context()) != nil {
		return resp, nil
	}
	again := req.Clone(req.Context())
	if err := s.signAs(again, form); err != nil {
		return resp, nil //nolint:nilerr // the first response is the result
	}
	if req.Body != nil && req.Body != http.NoBody {
		if again.Body, err = req.GetBody(); err != nil {
			return resp, nil //nolint:nilerr // as above
		}
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxDirectory) // so that the connection can be used again
	_ = resp.Body.Close()
	return base.RoundTrip(again)
}

// signAs sets the signature fields of req in a form.
func (s *Signer) signAs(req *http.Request, form form) error {
	f, err := s.fields(req, form)
	if err == nil {
		f.set(req)
	}
	return err
}

// requestedForm returns the first form that an Accept-Signature field requests and that the Signer
// can make.
func (s *Signer) requestedForm(req *http.Request, accept []string) (f form, ok bool) {
	if len(accept) == 0 || len(strings.Join(accept, "")) > maxAccept || req.Body != nil && req.Body != http.NoBody && req.GetBody == nil {
		return f, false
	}
	dict, err := dictionary("Accept-Signature", accept)
	if err != nil {
		return f, false
	}
	for _, label := range dict.Names() {
		member, _ := dict.Get(label)
		list, _ := member.(httpsfv.InnerList)
		f, ok := s.parseForm(label, list)
		if !ok {
			continue
		}
		trial := req.Clone(req.Context())
		if s.signAs(trial, f) != nil {
			continue
		}
		if _, err := ParseAgents(trial.Header.Values(agentField)); err == nil { // else the requested key is invalid
			return f, true
		}
	}
	return f, false
}

// parseForm returns the form that a member of Accept-Signature requests. It also covers what the
// signature of every request covers.
func (s *Signer) parseForm(label string, list httpsfv.InnerList) (f form, ok bool) {
	if list.Params == nil {
		return f, false
	}
	tag, _ := param[string](list, "tag")
	keyID, named := param[string](list, "keyid")
	alg, given := param[string](list, "alg")
	if tag != requestTag || named && keyID != s.keyID || given && alg != "ed25519" {
		return f, false
	}
	agentKey := label
	for _, item := range list.Items {
		if key, ok := item.Params.Get("key"); ok && item.Value == agentField {
			if agentKey, ok = key.(string); !ok {
				return f, false
			}
		}
	}
	f = newForm(label, agentKey)
	f.nonce, _ = param[string](list, "nonce")
	for _, item := range list.Items {
		if !slices.ContainsFunc(f.components, func(have httpsfv.Item) bool {
			return have.Value == item.Value && slices.Equal(have.Params.Names(), item.Params.Names())
		}) {
			f.components = append(f.components, item)
		}
	}
	return f, true
}
