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
	label, agentKey string
	components      []httpsfv.Item
}

// newForm returns the form of a request of which the site has asked nothing more.
func newForm(label, agentKey string) form {
	return form{label, agentKey, []httpsfv.Item{component("@authority", "", nil), component(agentField, "key", agentKey)}}
}

// maxAccept limits the bytes of Accept-Signature, since its nonce is sent back.
const maxAccept = 8 << 10

// Send sends a signed copy of req through base. A response 401 or 403 may ask for a signature
// that covers more, or has a nonce (Accept-Signature, RFC 9421, section 5). If the Signer can make
// it, Send closes the response, calls wait, and sends the request once more, with that signature.
// A nil wait does not wait. An error of Sign or wait ends Send.
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
	again, ok := s.answer(req, resp.Header)
	if !ok {
		return resp, nil
	}
	_, _ = io.CopyN(io.Discard, resp.Body, maxDirectory) // so that the connection can be used again
	_ = resp.Body.Close()
	if wait != nil {
		if err := wait(req.Context()); err != nil {
			return nil, err
		}
	}
	return base.RoundTrip(again)
}

// answer returns a copy of req with the first signature that Accept-Signature asks for and that
// the Signer can make.
func (s *Signer) answer(req *http.Request, h http.Header) (*http.Request, bool) {
	values := h.Values("Accept-Signature")
	if len(values) == 0 || len(strings.Join(values, "")) > maxAccept {
		return nil, false
	}
	again := req.Clone(req.Context())
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			return nil, false
		}
		body, err := req.GetBody()
		if err != nil {
			return nil, false
		}
		again.Body = body
	}
	dict, err := dictionary("Accept-Signature", values)
	if err != nil {
		return nil, false
	}
	for _, label := range dict.Names() {
		member, _ := dict.Get(label)
		list, _ := member.(httpsfv.InnerList)
		form, nonce, ok := s.asked(label, list)
		if !ok {
			continue
		}
		f, err := s.fields(again, form, nonce)
		if err != nil {
			continue
		}
		if _, err := ParseAgents([]string{f.agent}); err != nil { // the site's key is none
			continue
		}
		f.set(again)
		return again, true
	}
	return nil, false
}

// asked returns the form and nonce that a member of Accept-Signature asks for. What every request
// covers is covered too.
func (s *Signer) asked(label string, list httpsfv.InnerList) (f form, nonce string, ok bool) {
	if list.Params == nil {
		return f, "", false
	}
	tag, _ := param[string](list, "tag")
	keyID, named := param[string](list, "keyid")
	alg, given := param[string](list, "alg")
	if tag != requestTag || named && keyID != s.keyID || given && alg != "ed25519" {
		return f, "", false
	}
	nonce, _ = param[string](list, "nonce")
	agentKey := label
	for _, item := range list.Items {
		if key, ok := item.Params.Get("key"); ok && item.Value == agentField {
			if agentKey, ok = key.(string); !ok {
				return f, "", false
			}
		}
	}
	f = newForm(label, agentKey)
	for _, item := range list.Items {
		if !slices.ContainsFunc(f.components, func(have httpsfv.Item) bool {
			return have.Value == item.Value && slices.Equal(have.Params.Names(), item.Params.Names())
		}) {
			f.components = append(f.components, item)
		}
	}
	return f, nonce, true
}
