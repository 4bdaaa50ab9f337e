package botauth

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
)

// Directory holds the public keys of a crawler.
type Directory struct {
	URL  string `json:"-"` // the Signature-Agent that it was fetched for
	Keys []JWK  `json:"keys"`
}

func (d *Directory) key(id string, now time.Time) (JWK, bool) {
	for _, k := range d.Keys {
		if k.Thumbprint() == id && (k.Nbf == 0 || k.Nbf <= now.Unix()) && (k.Exp == 0 || now.Unix() < k.Exp) {
			return k, true
		}
	}
	return JWK{}, false
}

// ParseDirectory parses a directory. It refuses a key id that is not the
// thumbprint of its key, and ignores keys of other types.
func ParseDirectory(body []byte) (*Directory, error) {
	var all Directory
	if len(body) > maxDirectory {
		return nil, fail(Malformed, "directory has more than %d bytes", maxDirectory)
	}
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, fail(Malformed, "directory: %v", err)
	}
	if len(all.Keys) > maxKeys {
		return nil, fail(Malformed, "directory has more than %d keys", maxKeys)
	}
	dir := &Directory{}
	for _, k := range all.Keys {
		if k.Kty != "RSA" && k.Crv != "Ed25519" {
			continue
		}
		if _, err := k.public(); err != nil {
			return nil, err
		}
		if k.Kid != "" && k.Kid != k.Thumbprint() {
			return nil, fail(Malformed, "kid %q is not the thumbprint %s", k.Kid, k.Thumbprint())
		}
		dir.Keys = append(dir.Keys, k)
	}
	return dir, nil
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	value, _ := httpsfv.Marshal(httpsfv.NewItem(sum[:])) // bytes always marshal
	return "sha-256=" + value
}

// SignDirectory returns the body of a directory and the header of a response
// from host, signed by every key for the time from created to expires.
func SignDirectory(host string, created, expires time.Time, keys ...PrivateKey) ([]byte, http.Header, error) {
	var dir Directory
	for _, k := range keys {
		dir.Keys = append(dir.Keys, k.Public())
	}
	body, err := json.Marshal(dir)
	if err != nil {
		return nil, nil, err
	}
	h := http.Header{"Content-Type": {DirectoryType}, "Content-Digest": {digest(body)}}
	var inputs, signatures []string
	for i, k := range keys {
		p := signatureParams{created: created, expires: expires, keyID: dir.Keys[i].Kid, tag: directoryTag}
		items := []httpsfv.Item{component("@authority", "req", true), component("content-digest", "", nil)}
		input, signature, err := k.sign(fmt.Sprintf("binding%d", i), p, items, directoryValue(host, h, nil))
		if err != nil {
			return nil, nil, err
		}
		inputs, signatures = append(inputs, input), append(signatures, signature)
	}
	h.Set("Signature-Input", strings.Join(inputs, ", "))
	h.Set("Signature", strings.Join(signatures, ", "))
	return body, h, nil
}

func directoryValue(host string, h http.Header, covered map[string]bool) func(httpsfv.Item) (string, error) {
	return func(item httpsfv.Item) (string, error) {
		name, _ := item.Value.(string)
		if covered != nil {
			covered[name] = true
		}
		switch req, _ := item.Params.Get("req"); {
		case name == "@authority" && req == true:
			return authority("https", host), nil
		case name == "content-digest" && len(item.Params.Names()) == 0:
			return fieldValue(h, name), nil
		}
		return "", fail(WrongComponent, "%q", name)
	}
}

// VerifyDirectory parses a response from host and keeps the keys that signed it.
func VerifyDirectory(host string, h http.Header, body []byte, now time.Time) (*Directory, error) {
	dir, err := ParseDirectory(body)
	if err != nil {
		return nil, err
	}
	if fieldValue(h, "Content-Digest") != digest(body) {
		return nil, WrongDigest
	}
	proven := &Directory{}
	var refused error
	err = verifyAny(h, directoryTag, func(s received) error {
		covered := map[string]bool{}
		err := s.verify(dir, now, directoryValue(host, h, covered), func() error {
			if !covered["@authority"] || !covered["content-digest"] {
				return fail(WrongComponent, "@authority and content-digest must be covered")
			}
			return nil
		})
		if key, ok := dir.key(s.keyID, now); err == nil && ok {
			proven.Keys = append(proven.Keys, key)
		} else if refused == nil {
			refused = err
		}
		return Unsigned // go through all signatures
	})
	switch {
	case len(proven.Keys) > 0:
		return proven, nil
	case refused != nil:
		return nil, refused
	}
	return nil, err
}
