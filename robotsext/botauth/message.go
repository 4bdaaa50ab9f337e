package botauth

import (
	"cmp"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha512"
	"net/http"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
	"golang.org/x/net/http/httpguts"

	"github.com/politecrawl/politecrawl/robotsext/headerlist"
)

type signatureParams struct {
	created, expires  time.Time
	keyID, nonce, tag string
}

func verifyPSS(key *rsa.PublicKey, message, signature []byte) bool {
	sum := sha512.Sum512(message)
	return rsa.VerifyPSS(key, crypto.SHA512, sum[:], signature, &rsa.PSSOptions{SaltLength: 64}) == nil
}

// dictionary parses a field and refuses repeated labels. The structured-field
// parser would keep only the last one.
func dictionary(name string, values []string) (*httpsfv.Dictionary, error) {
	dict, err := httpsfv.UnmarshalDictionary(values)
	if err != nil {
		return nil, fail(Malformed, "%s: %v", name, err)
	}
	members := 0
	for range headerlist.Elements(strings.Join(values, ",")) {
		members++
	}
	if n := len(dict.Names()); n > 0 && n != members {
		return nil, fail(DuplicateLabel, "%s", name)
	}
	return dict, nil
}

// authority normalizes a Host field: lower case, without the default port.
func authority(scheme, host string) string {
	host = strings.ToLower(host)
	if scheme == "http" {
		return strings.TrimSuffix(host, ":80")
	}
	return strings.TrimSuffix(host, ":443")
}

func requestAuthority(req *http.Request) string {
	scheme, host := req.URL.Scheme, cmp.Or(req.Host, req.URL.Host)
	if scheme == "" && req.TLS == nil {
		scheme = "http"
	}
	if ascii, err := httpguts.PunycodeHostPort(host); err == nil { // as net/http sends it
		host = ascii
	}
	if zone := strings.Index(host, "%"); zone >= 0 && strings.HasPrefix(host, "[") {
		host = host[:zone] + host[strings.LastIndexByte(host, ']'):]
	}
	return authority(scheme, host)
}

// requestValue returns the value of a component of a request. It does not support members of
// Signature-Agent.
func requestValue(req *http.Request, item httpsfv.Item) (string, error) {
	name, _ := item.Value.(string)
	switch {
	case len(item.Params.Names()) > 0:
	case name == "@authority":
		return requestAuthority(req), nil
	case name == "@method":
		return cmp.Or(req.Method, http.MethodGet), nil
	case name == "@path":
		return max(req.URL.EscapedPath(), "/"), nil
	case name != "" && name[0] != '@' && len(req.Header.Values(name)) > 0:
		return fieldValue(req.Header, name), nil
	}
	return "", fail(WrongComponent, "%q", name)
}

func component(name, param string, value any) httpsfv.Item {
	item := httpsfv.NewItem(name)
	if param != "" {
		item.Params.Add(param, value)
	}
	return item
}

// base writes the signature base of RFC 9421, section 2.5.
func base(list httpsfv.InnerList, value func(httpsfv.Item) (string, error)) (base, params string, err error) {
	var b strings.Builder
	seen := map[string]bool{}
	for _, item := range list.Items {
		id, err := httpsfv.Marshal(item)
		if err != nil || seen[id] {
			return "", "", fail(WrongComponent, "%s", id)
		}
		seen[id] = true
		v, err := value(item)
		if err != nil {
			return "", "", err
		}
		b.WriteString(id + ": " + v + "\n")
	}
	params, err = httpsfv.Marshal(list)
	if err != nil {
		return "", "", fail(Malformed, "Signature-Input: %v", err)
	}
	return b.String() + `"@signature-params": ` + params, params, nil
}

// sign returns the members of Signature-Input and Signature.
func (k PrivateKey) sign(label string, p signatureParams, items []httpsfv.Item, value func(httpsfv.Item) (string, error)) (input, signature string, err error) {
	text, params, err := base(httpsfv.InnerList{Items: items, Params: p.params()}, value)
	if err != nil {
		return "", "", err
	}
	sum, err := httpsfv.Marshal(httpsfv.NewItem(ed25519.Sign(k.load(), []byte(text))))
	return label + "=" + params, label + "=" + sum, err
}
